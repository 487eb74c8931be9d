// SPDX-License-Identifier: Apache-2.0
//
// Which data can tell a defect from a correct kernel depends on the operator: sums need partners
// (numbers whose products are exact although narrower operands lose bits), functions need the
// ranges where they are delicate, softmax needs rows far from zero, norms a mean far above the
// spread, a fused layer a bias that cancels its product.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

Fill Constant(double value) { return {FillKind::kConstant, 0, value, 0}; }

Fill Uniform(Random& random, double lo, double hi) {
  return {FillKind::kUniform, DrawSeed(random), lo, hi};
}

Fill Normal(Random& random, double mean, double deviation) {
  return {FillKind::kNormal, DrawSeed(random), mean, deviation};
}

Fill Integers(Random& random, double lo, double hi) {
  return {FillKind::kIntegers, DrawSeed(random), lo, hi};
}

const FormatInfo& FormatInfoOf(const Tensor& tensor) { return InfoOf(FormatOf(tensor.dtype)); }

// Both operands of a product at once.
struct Pair {
  int weight;
  Recipe first, second;
};
constexpr Pair kPairs[] = {{10, Recipe::kWideOdd, Recipe::kPowersOfTwo},
                           {8, Recipe::kSubnormal, Recipe::kPowersOfTwo},
                           {8, Recipe::kExponents, Recipe::kPowersOfTwo},
                           {8, Recipe::kMantissa, Recipe::kConstant},
                           {8, Recipe::kCancelling, Recipe::kConstant},
                           {8, Recipe::kSwamping, Recipe::kConstant},
                           {8, Recipe::kSparse, Recipe::kNormal},
                           {6, Recipe::kSparse, Recipe::kSparse},
                           {14, Recipe::kNormal, Recipe::kNormal},
                           {14, Recipe::kSmallIntegers, Recipe::kSmallIntegers},
                           {10, Recipe::kUniform, Recipe::kUniform},
                           {6, Recipe::kExponents, Recipe::kExponents}};

// Exponents that bring products of a and b around where they over- or underflow, or a subnormal
// with a partner that lifts it back into the normal range.
void FillExtremes(Tensor& a, Tensor& b, Random& random) {
  const FormatInfo& info = FormatInfoOf(a);
  const uint64_t seed = DrawSeed(random);
  const double lift = random.Between(1, std::min(info.precision + 2, info.max_exponent));
  switch (random.Below(3)) {
    case 0:
      a.fill = {FillKind::kSubnormal, seed, 0, 0};
      b.fill = Constant(std::ldexp(1, static_cast<int>(lift)));
      return;
    case 1: {
      const double half = std::floor(info.min_exponent / 2.0);
      a.fill = b.fill = {FillKind::kExponents, seed, half - 6, half + 2};
      break;
    }
    default: {
      const double half = std::floor(info.max_exponent / 2.0);
      a.fill = b.fill = {FillKind::kExponents, seed, half - 2, half + 1};
    }
  }
  b.fill.seed = DrawSeed(random);
}

void FillPair(Draft& draft) {
  Random& random = draft.random;
  Tensor& a = draft.value.operands[0];
  Tensor& b = draft.value.operands[1];
  if (random.Percent(8)) {
    FillExtremes(a, b, random);
  } else {
    const Pair& pair = random.PickWeighted(kPairs);
    a.fill = DrawRecipe(pair.first, a.dtype, random);
    b.fill = DrawRecipe(pair.second, b.dtype, random);
    // A partner must not scale what its mate was built for.
    if (pair.second == Recipe::kConstant) b.fill.lo = 1;
  }
  if (random.Percent(50)) std::swap(a.fill, b.fill);
  // What is tiny does not show in a destination of ordinary size.
  const bool tiny = a.fill.kind == FillKind::kSubnormal || b.fill.kind == FillKind::kSubnormal;
  if (tiny && draft.def.family == Family::kGemm && random.Percent(70)) {
    draft.value.attributes[kGemmAlpha].real = 1;
    draft.value.attributes[kGemmBeta].real = 0;
  }
}

bool HasFactors(Family family) {
  return family == Family::kGemm || family == Family::kDot || family == Family::kLinear ||
         family == Family::kConv;
}

// Sums beyond the largest finite number whose total is small, and constant sums that just pass it.
void FillSaturating(Draft& draft) {
  Random& random = draft.random;
  Tensor& a = draft.value.operands[0];
  const double large = std::ldexp(1.75, std::min(FormatInfoOf(a).max_exponent, 15));
  a.fill = {FillKind::kCancelling, DrawSeed(random), large, 0};
  if (random.Percent(40)) a.fill = Constant(large / 2);
  if (HasFactors(draft.def.family)) draft.value.operands[1].fill = Constant(1);
}

// Rows whose maximum must be subtracted before the exponential, and rows where it hardly matters.
void FillRows(Draft& draft) {
  Random& random = draft.random;
  Fill& fill = draft.value.operands[0].fill;
  constexpr double kOffsets[] = {100, 1000, 10000, -1000, -100, 60000};
  constexpr double kSpreads[] = {1, 1, 10, 0.25};
  constexpr double kWidths[] = {1, 10, 50, 100};
  switch (random.Below(4)) {
    case 0:
      fill = {FillKind::kOffset, DrawSeed(random), random.Pick(kOffsets), random.Pick(kSpreads)};
      return;
    case 1:
      fill = Constant(random.Pick(kOffsets));
      return;
    case 2: {
      const double width = random.Pick(kWidths);
      fill = Uniform(random, -width, width);
      return;
    }
    default:
      fill = Normal(random, 0, random.Pick(kSpreads));
  }
}

// A mean far above the spread, equal elements, squares that over- or underflow.
void FillNorm(Draft& draft) {
  Random& random = draft.random;
  Tensor& x = draft.value.operands[0];
  const FormatInfo& info = FormatInfoOf(x);
  constexpr double kMeans[] = {10, 1000, 30000, -1000};
  constexpr double kSpreads[] = {1, 1, 0.01, 10};
  const double half_top = std::floor(info.max_exponent / 2.0);
  const double half_bottom = std::floor(info.min_exponent / 2.0);
  switch (random.Below(6)) {
    case 0:
    case 1:
    case 2: {
      const double mean = random.Pick(kMeans);
      // A spread that the type cannot show beside the mean would be none.
      const double visible = std::ldexp(std::fabs(mean), 2 - info.precision);
      const double spread = std::max(random.Pick(kSpreads), visible);
      x.fill = {FillKind::kOffset, DrawSeed(random), mean, spread};
      if (random.Percent(12)) x.fill = Constant(mean);
      break;
    }
    case 3:
      x.fill = {FillKind::kExponents, DrawSeed(random), half_top, half_top + 3};
      break;
    case 4:
      x.fill = {FillKind::kExponents, DrawSeed(random), half_bottom - 8, half_bottom};
      break;
    default:
      x.fill = Normal(random, 0, 1);
  }
  for (int i = 1; i + 1 < draft.operand_count(); ++i) {
    draft.value.operands[i].fill = DrawOperandFill(draft, i);
  }
}

// Products of many stay in range only when the factors are near one.
void FillProduct(Draft& draft) {
  Random& random = draft.random;
  Fill& fill = draft.value.operands[0].fill;
  switch (random.Below(4)) {
    case 0:
      fill = Uniform(random, 0.5, 2);
      return;
    case 1:
      fill = {FillKind::kExponents, DrawSeed(random), -2, 2};
      return;
    case 2:
      fill = Constant(random.Percent(50) ? 2 : 0.5);  // overflows, underflows
      return;
    default:
      fill = {FillKind::kPowersOfTwo, DrawSeed(random), 0, 0};
  }
}

// All negative, so that a maximum started at 0 wins; ties; distinct values in no order.
void FillSelection(Draft& draft) {
  Random& random = draft.random;
  Fill& fill = draft.value.operands[0].fill;
  switch (random.Below(4)) {
    case 0:
      fill = Uniform(random, -10, -1);
      return;
    case 1:
      fill = Uniform(random, 1, 10);
      return;
    case 2:
      fill = Integers(random, -3, 3);
      return;
    default:
      fill = {FillKind::kDistinct, DrawSeed(random), 0, 0};
  }
}

void FillBinary(Draft& draft) {
  Random& random = draft.random;
  Tensor& x = draft.value.operands[0];
  Tensor& y = draft.value.operands[1];
  const double top = FormatInfoOf(x).max_exponent;
  switch (draft.value.op) {
    case OpId::kPow:
      if (random.Percent(25)) return FillHardPower(draft);
      x.fill = random.Percent(70) ? Uniform(random, 0, 10) : Integers(random, -5, 5);
      y.fill = random.Percent(60) ? Integers(random, -8, 8) : Uniform(random, -20, 20);
      return;
    case OpId::kRemainder:
      x.fill = {FillKind::kExponents, DrawSeed(random), 0, std::min(top, 40.0)};
      y.fill = random.Percent(50) ? Integers(random, 1, 7) : Uniform(random, -3, 3);
      return;
    case OpId::kAdd:
      // One lies in the other's last bits, or cancels it.
      x.fill = {FillKind::kMantissa, DrawSeed(random), 0, 0};
      y.fill = random.Percent(50) ? Constant(-1) : Uniform(random, -0x1p-10, 0x1p-10);
      return;
    case OpId::kMinimum:
    case OpId::kMaximum:
    case OpId::kMinimumNumber:
    case OpId::kMaximumNumber:
      x.fill = Integers(random, -1, 1);
      y.fill = Integers(random, -1, 1);
      return;
    case OpId::kDiv:
      FillExtremes(x, y, random);
      if (y.fill.kind == FillKind::kConstant) y.fill.lo = 1 / y.fill.lo;  // lifts what it divides
      return;
    case OpId::kHypot:
      FillExtremes(x, y, random);
      // Beside a large leg a subnormal one is nothing.
      if (y.fill.kind == FillKind::kConstant) y.fill = {x.fill.kind, DrawSeed(random), 0, 0};
      return;
    default:
      FillExtremes(x, y, random);
  }
}

// Dividends of every size by divisors of which hardly any is 0; those are set one by one.
void FillDivision(Draft& draft) {
  Random& random = draft.random;
  Tensor& x = draft.value.operands[0];
  Tensor& y = draft.value.operands[1];
  const double lowest = std::max(static_cast<double>(LimitsOf(x.dtype).lowest), -kMaxFillInteger);
  const double highest = std::min(static_cast<double>(LimitsOf(x.dtype).highest), kMaxFillInteger);
  x.fill = random.Percent(30) ? Integers(random, std::max(lowest, -100.0), 100)
                              : Integers(random, lowest, highest);
  if (random.Percent(20)) x.fill = Constant(random.Percent(50) ? lowest : highest);
  switch (random.Below(4)) {
    case 0:
      y.fill = Integers(random, 1, highest);
      return;
    case 1:
      y.fill = lowest < 0 ? Integers(random, -9, -2) : Integers(random, 2, 9);
      return;
    case 2:
      y.fill = Constant(random.Percent(50) || lowest == 0 ? 1 : lowest);
      return;
    default:
      y.fill = Integers(random, 1, 9);
  }
}

void FillCast(Draft& draft) {
  Tensor& x = draft.value.operands[0];
  x.fill = DrawConversionRange(x.dtype, draft.value.operands[1].dtype, draft.random);
}

// Numbers in units of the scale, so that they reach the ends of the type.
void FillQuantize(Draft& draft) {
  Random& random = draft.random;
  Tensor& x = draft.value.operands[0];
  if (!IsFloat(x.dtype)) {
    x.fill = DrawAnyFill(x.dtype, random);
    return;
  }
  const double scale = ScalarAttribute(draft.value, kQuantizeScale);
  constexpr double kReaches[] = {3, 130, 300};
  const double reach = std::fabs(scale) * random.Pick(kReaches);
  if (!(reach <= 1e30)) return;
  x.fill = random.Percent(70) ? Uniform(random, -reach, reach) : Normal(random, 0, reach / 3);
}

// The bias takes the product away, or lifts it far from where an activation changes.
void FillLinear(Draft& draft) {
  Random& random = draft.random;
  Case& value = draft.value;
  const auto k = static_cast<double>(draft.dims[2]);
  const double c = random.Percent(50) ? 1 : 0.75;
  switch (random.Below(3)) {
    case 0:
      value.operands[0].fill = Constant(c);
      value.operands[1].fill = Constant(1);
      value.operands[2].fill = Constant(-k * c);
      break;
    case 1:
      value.operands[0].fill = Integers(random, -20, 20);
      value.operands[1].fill = Integers(random, -20, 20);
      value.operands[2].fill = Integers(random, -100, 100);
      break;
    default:
      FillPair(draft);
      value.operands[2].fill = Normal(random, 0, 1);
  }
  value.operands[3].fill = random.Percent(40) ? Constant(0) : Normal(random, 0, 1);
}

// Scores of one size and of sizes that only a subtracted maximum survives.
void FillAttention(Draft& draft) {
  Random& random = draft.random;
  constexpr double kDeviations[] = {1, 1, 4, 16, 100};
  const double deviation = random.Pick(kDeviations);
  for (int i = 0; i < 2; ++i) draft.value.operands[i].fill = Normal(random, 0, deviation);
  if (random.Percent(15)) draft.value.operands[1].fill = Constant(random.Percent(50) ? 1 : 100);
  draft.value.operands[2].fill = random.Percent(70) ? Normal(random, 0, 1) : Constant(1);
  draft.value.operands[3].fill = DrawOperandFill(draft, 3);
}

// Gradients that underflow as they are stored, and those that overflow once scaled.
void FillGradient(Draft& draft) {
  Random& random = draft.random;
  Fill& dy = draft.value.operands[0].fill;
  switch (random.Below(4)) {
    case 0:
      dy = {FillKind::kExponents, DrawSeed(random), -28, -14};
      break;
    case 1:
      dy = {FillKind::kExponents, DrawSeed(random), -6, 10};
      break;
    case 2:
      dy = Normal(random, 0, 1);
      break;
    default:
      dy = Integers(random, -4, 4);
  }
  draft.value.operands[1].fill =
      random.Percent(50) ? Normal(random, 0, 1) : Integers(random, -2, 2);
}

void FillPool(Draft& draft) {
  Fill& fill = draft.value.operands[0].fill;
  const bool negative = draft.random.Percent(50);  // what padding with zeros would beat
  fill = negative ? Uniform(draft.random, -10, -1) : Integers(draft.random, -3, 3);
}

// A random triangle is close to singular from an order of ten on: entries beside a unit diagonal
// stay small, or there are few of them.
void FillSolve(Draft& draft) {
  Random& random = draft.random;
  Tensor& a = draft.value.operands[0];
  Tensor& b = draft.value.operands[1];
  constexpr double kReaches[] = {0.0625, 0.25, 1};
  const double reach = random.Pick(kReaches);
  Attribute& diagonal = draft.value.attributes[draft.value.attributes.size() - 1];
  if (random.Percent(50)) diagonal.choice = 1;
  switch (random.Below(5)) {
    case 0:
      a.fill = {FillKind::kSparse, DrawSeed(random), static_cast<double>(random.Between(1, 3)), 0};
      break;
    case 1:
      a.fill = Uniform(random, 1, 2);
      break;
    case 2:
      a.fill = Integers(random, -2, 2);
      break;
    default:
      a.fill = Uniform(random, -reach, reach);
  }
  b.fill = random.Percent(60) ? Normal(random, 0, 1) : DrawAnyFill(b.dtype, random);
}

// Distinct rows show which one was copied; the rest shows that bits survive.
Fill DrawTable(DType type, Random& random) {
  if (random.Percent(70)) return {FillKind::kDistinct, DrawSeed(random), 0, 0};
  return DrawAnyFill(type, random);
}

struct FamilyRow {
  Family family;
  int percent;
  void (*fill)(Draft&);
};
constexpr FamilyRow kFamilies[] = {{Family::kGemm, 70, FillPair},
                                   {Family::kDot, 70, FillPair},
                                   {Family::kConv, 70, FillPair},
                                   {Family::kSoftmax, 60, FillRows},
                                   {Family::kNorm, 70, FillNorm},
                                   {Family::kProduct, 70, FillProduct},
                                   {Family::kSelect, 50, FillSelection},
                                   {Family::kBinary, 50, FillBinary},
                                   {Family::kCast, 70, FillCast},
                                   {Family::kQuantize, 80, FillQuantize},
                                   {Family::kLinear, 70, FillLinear},
                                   {Family::kAttention, 85, FillAttention},
                                   {Family::kPool, 50, FillPool},
                                   {Family::kGradient, 80, FillGradient},
                                   {Family::kIntDivision, 95, FillDivision},
                                   {Family::kUpdate, 70, FillPair},
                                   {Family::kTriangular, 70, FillPair},
                                   {Family::kSolve, 85, FillSolve},
                                   {Family::kSort, 60, FillSelection}};

// What a destination holds before it is added to.
Fill DrawInout(const Draft& draft, DType type) {
  struct Row {
    int weight;
    Recipe recipe;
  };
  constexpr Row kInout[] = {{30, Recipe::kUniform},       {20, Recipe::kNormal},
                            {15, Recipe::kSmallIntegers}, {10, Recipe::kZero},
                            {5, Recipe::kConstant},       {5, Recipe::kExponents},
                            {2, Recipe::kSubnormal},      {5, Recipe::kWideOdd}};
  // Only beta = 0 leaves the destination unread.
  if (draft.def.family == Family::kGemm && draft.random.Percent(20)) {
    return {FillKind::kPoison, DrawSeed(draft.random), 0, 0};
  }
  return DrawRecipe(draft.random.PickWeighted(kInout).recipe, type, draft.random);
}

}  // namespace

bool FillByFamily(Draft& draft) {
  const Family family = draft.def.family;
  Random& random = draft.random;
  const bool sums = HasFactors(family) ? family != Family::kLinear : family == Family::kSum;
  if (sums && random.Percent(family == Family::kSum ? 10 : 6)) {
    FillSaturating(draft);
    return true;
  }
  if (family == Family::kUnary) {
    if (!random.Percent(75)) return false;
    if (random.Percent(40) && FillHard(draft)) return true;
    Tensor& x = draft.value.operands[0];
    x.fill = DrawFunctionRange(draft.value.op, x.dtype, random);
    return true;
  }
  for (const FamilyRow& row : kFamilies) {
    if (row.family != family) continue;
    if (!random.Percent(row.percent)) return false;
    row.fill(draft);
    return true;
  }
  return false;
}

Fill DrawOperandFill(const Draft& draft, int operand) {
  Random& random = draft.random;
  const OperandDef& def = draft.operand(operand);
  const DType type = draft.value.operands[operand].dtype;
  if (def.name == "variance") {
    constexpr double kVariances[] = {1, 0x1p-20, 100};
    if (random.Percent(20)) return Constant(random.Percent(50) ? 0 : 1);
    return Uniform(random, 0, random.Pick(kVariances));
  }
  if (def.name == "mask") {
    if (random.Percent(60)) return {};
    if (random.Percent(40)) return Constant(-10000);
    return random.Percent(50) ? Uniform(random, -10, 0) : Normal(random, 0, 1);
  }
  if (def.kind == ElementKind::kAny) return DrawTable(type, random);
  const bool adds = def.role == Role::kInout && draft.value.op != OpId::kScal;
  return adds ? DrawInout(draft, type) : DrawAnyFill(type, random);
}

void FillIndices(Draft& draft) {
  Random& random = draft.random;
  Fill& fill = draft.value.operands[IndexOperandOf(draft.def)].fill;
  const double last = LastIndex(draft);
  const bool adds = draft.def.family == Family::kScatter;
  if (adds && random.Percent(35)) {  // many updates of one row
    fill = {FillKind::kIndices, DrawSeed(random), 0, std::min(last, random.Percent(50) ? 0. : 1.)};
  } else if (random.Percent(85)) {
    fill = {FillKind::kIndices, DrawSeed(random), 0, last};
  } else if (random.Percent(50)) {
    fill = Constant(random.Percent(50) ? 0 : last);
  } else {
    // Some of the indices outside, on both sides.
    const double reach = last + 2;
    fill = {FillKind::kIndices, DrawSeed(random), random.Percent(50) ? -reach : 0, reach};
  }
}

}  // namespace assay
