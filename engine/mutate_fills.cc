// SPDX-License-Identifier: Apache-2.0
//
// Values by generator. Which data can tell a defect from a correct kernel depends on the operator:
// sums need partners (numbers whose products are exact although narrower operands lose bits),
// functions need the ranges where they are delicate, softmax needs rows far from zero.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

uint64_t DrawSeed(Random& random) { return random.Below(1 << 16); }

const FormatInfo& FormatInfoOf(const Tensor& tensor) { return InfoOf(FormatOf(tensor.dtype)); }

// Exponent ranges in terms of the type's own range; halves are where products over- and underflow.
Fill DrawExponents(const FormatInfo& info, Random& random) {
  const double top = info.max_exponent, bottom = info.min_exponent;
  const double half_top = std::floor(top / 2), half_bottom = std::floor(bottom / 2);
  const std::pair<double, double> ranges[] = {{-10, 10},
                                              {bottom, top},
                                              {top - 2, top},
                                              {half_top - 3, half_top},
                                              {half_bottom - 4, half_bottom + 4},
                                              {bottom - info.precision, bottom + 1}};
  const auto& range = random.Pick(ranges);
  return {FillKind::kExponents, DrawSeed(random), std::max(range.first, bottom - info.precision),
          std::min(range.second, top)};
}

enum class Recipe {
  kUniform,
  kNormal,
  kSmallIntegers,
  kIntegers,
  kZero,
  kConstant,
  kWideOdd,
  kPowersOfTwo,
  kSparse,
  kExponents,
  kSubnormal,
  kMantissa,
  kCancelling,
  kSwamping,
  kOffset,
  kDistinct,
};
struct RecipeRow {
  int weight;
  Recipe recipe;
};
constexpr RecipeRow kAnyReal[] = {
    {18, Recipe::kUniform},   {14, Recipe::kNormal},     {12, Recipe::kSmallIntegers},
    {4, Recipe::kIntegers},   {3, Recipe::kZero},        {5, Recipe::kConstant},
    {4, Recipe::kWideOdd},    {4, Recipe::kPowersOfTwo}, {7, Recipe::kSparse},
    {8, Recipe::kExponents},  {5, Recipe::kSubnormal},   {4, Recipe::kMantissa},
    {6, Recipe::kCancelling}, {3, Recipe::kSwamping},    {4, Recipe::kOffset},
    {2, Recipe::kDistinct}};

Fill Swamping(const FormatInfo& info, Random& random) {
  // Just beyond the precision of a type under suspicion: f16 or the stored one.
  const int exponent = random.Percent(50) ? 11 : info.precision;
  const double top = std::min(exponent + static_cast<int>(random.Between(0, 1)), info.max_exponent);
  return {FillKind::kSwamping, DrawSeed(random), top, 1};
}

Fill DrawFill(Recipe recipe, const FormatInfo& info, Random& random) {
  const uint64_t seed = DrawSeed(random);
  constexpr double kConstants[] = {1, 1, 0, -1, 0.5, 3, 1024.5, 2048.5};
  constexpr double kMagnitudes[] = {1, 32, 1000, 30000};
  switch (recipe) {
    case Recipe::kUniform:
      return {FillKind::kUniform, seed, random.Percent(70) ? -1.0 : 0.0, 1};
    case Recipe::kNormal:
      return {FillKind::kNormal, seed, 0, random.Percent(80) ? 1.0 : 16.0};
    case Recipe::kSmallIntegers:
      return {FillKind::kIntegers, seed, -2, 2};
    case Recipe::kIntegers:
      return {FillKind::kIntegers, seed, random.Percent(50) ? -100.0 : 1.0, 100};
    case Recipe::kZero:
      return {FillKind::kZero, 0, 0, 0};
    case Recipe::kConstant:
      return {FillKind::kConstant, 0, random.Pick(kConstants), 0};
    case Recipe::kWideOdd:
      return {FillKind::kWideOdd, seed, 0, 0};
    case Recipe::kPowersOfTwo:
      return {FillKind::kPowersOfTwo, seed, 0, 0};
    case Recipe::kSparse:
      return {FillKind::kSparse, seed, static_cast<double>(random.Between(1, 4)), 0};
    case Recipe::kExponents:
      return DrawExponents(info, random);
    case Recipe::kSubnormal:
      return {FillKind::kSubnormal, seed, 0, 0};
    case Recipe::kMantissa:
      return {FillKind::kMantissa, seed, 0, 0};
    case Recipe::kCancelling:
      return {FillKind::kCancelling, seed, random.Pick(kMagnitudes), 0};
    case Recipe::kSwamping:
      return Swamping(info, random);
    case Recipe::kOffset:
      return {FillKind::kOffset, seed, random.Pick(kMagnitudes), 1};
    case Recipe::kDistinct:
      return {FillKind::kDistinct, seed, 0, 0};
  }
  return {};
}

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

bool IsProduct(Family family) { return family == Family::kGemm || family == Family::kDot; }

void FillPair(Draft& draft) {
  Random& random = draft.random;
  Tensor& a = draft.value.operands[0];
  Tensor& b = draft.value.operands[1];
  const Pair& pair = random.PickWeighted(kPairs);
  a.fill = DrawFill(pair.first, FormatInfoOf(a), random);
  b.fill = DrawFill(pair.second, FormatInfoOf(b), random);
  // A partner must not scale what its mate was built for.
  if (pair.second == Recipe::kConstant) b.fill.lo = 1;
  if (random.Percent(50)) std::swap(a.fill, b.fill);
}

// Sums beyond the largest finite number whose total is small, and constant sums that just pass it.
void FillSaturating(Draft& draft) {
  Random& random = draft.random;
  Tensor& a = draft.value.operands[0];
  const FormatInfo& info = FormatInfoOf(a);
  const double large = std::ldexp(1.75, std::min(info.max_exponent, 15));
  a.fill = {FillKind::kCancelling, DrawSeed(random), large, 0};
  if (random.Percent(40)) a.fill = {FillKind::kConstant, 0, large / 2, 0};
  if (IsProduct(draft.def.family)) {
    draft.value.operands[1].fill = {FillKind::kConstant, 0, 1, 0};
  }
}

// Stored types a range is meant for: thresholds lie where the type's exponent range puts them.
using TypeMask = uint8_t;
constexpr TypeMask MaskOf(DType type) { return static_cast<TypeMask>(1 << static_cast<int>(type)); }
constexpr TypeMask kAnyType = 0x7f;
constexpr TypeMask kF64Only = MaskOf(DType::kF64);
constexpr TypeMask kF16Only = MaskOf(DType::kF16);
constexpr TypeMask kF32Like = MaskOf(DType::kF32) | MaskOf(DType::kBf16);
constexpr TypeMask kNotF16 = kF64Only | kF32Like;

struct Range {
  OpId op;
  TypeMask types;
  double lo, hi;
};
// Where a function's usual approximations change pieces, overflow, underflow or cancel.
constexpr Range kRanges[] = {{OpId::kExp, kAnyType, -1, 1},
                             {OpId::kExp, kAnyType, -0x1p-27, 0x1p-27},
                             {OpId::kExp, kAnyType, -20, 20},
                             {OpId::kExp, kF32Like, 88, 89.5},
                             {OpId::kExp, kF32Like, -104.5, -86},
                             {OpId::kExp, kF64Only, 709, 711},
                             {OpId::kExp, kF64Only, -746, -707},
                             {OpId::kExp, kF16Only, 10, 12},
                             {OpId::kExp, kF16Only, -18, -9},
                             {OpId::kExp, kAnyType, 100, 65000},
                             {OpId::kExp, kAnyType, -65000, -100},
                             {OpId::kLog, kAnyType, 0.5, 2},
                             {OpId::kLog, kAnyType, 0x1.ff8p-1, 0x1.004p+0},
                             {OpId::kLog, kAnyType, 0, 1},
                             {OpId::kLog, kAnyType, 1, 1000},
                             {OpId::kLog, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kLog, kF64Only, 0, 0x1p-1020},
                             {OpId::kLog, kF16Only, 0, 0x1p-13},
                             {OpId::kLog, kAnyType, -1, 0},
                             {OpId::kLog, kNotF16, 0x1p+100, 0x1p+127},
                             {OpId::kTanh, kAnyType, -0x1p-13, 0x1p-13},
                             {OpId::kTanh, kAnyType, -0.75, 0.75},
                             {OpId::kTanh, kAnyType, -5, 5},
                             {OpId::kTanh, kAnyType, 8, 10},
                             {OpId::kTanh, kAnyType, -20, -8},
                             {OpId::kTanh, kAnyType, 100, 65000},
                             {OpId::kSqrt, kAnyType, 0, 1},
                             {OpId::kSqrt, kAnyType, 1, 4},
                             {OpId::kSqrt, kAnyType, 0, 65000},
                             {OpId::kSqrt, kF32Like, 0x1p-133, 0x1p-123},
                             {OpId::kSqrt, kF64Only, 0, 0x1p-1020},
                             {OpId::kSqrt, kF16Only, 0, 0x1p-13},
                             {OpId::kSqrt, kAnyType, -1, 0},
                             {OpId::kSqrt, kNotF16, 0x1p+100, 0x1.8p+127},
                             {OpId::kErf, kAnyType, -0x1p-17, 0x1p-17},
                             {OpId::kErf, kAnyType, -1, 1},
                             {OpId::kErf, kAnyType, -4, 4},
                             {OpId::kErf, kAnyType, -10, -3},
                             {OpId::kErf, kAnyType, 3, 6},
                             {OpId::kErf, kAnyType, 10, 65000},
                             {OpId::kGelu, kAnyType, -1, 1},
                             {OpId::kGelu, kAnyType, -10, -3},
                             {OpId::kGelu, kAnyType, -5, 5},
                             {OpId::kGelu, kAnyType, -14, -8},
                             {OpId::kGelu, kF64Only, -40, -14},
                             {OpId::kGelu, kAnyType, -0x1p-17, 0x1p-17},
                             {OpId::kGelu, kAnyType, 5, 65000},
                             {OpId::kGelu, kAnyType, -65000, -10}};

// Rows whose maximum must be subtracted before the exponential, and rows where it hardly matters.
void FillRows(Draft& draft) {
  Random& random = draft.random;
  Tensor& x = draft.value.operands[0];
  const uint64_t seed = DrawSeed(random);
  constexpr double kOffsets[] = {100, 1000, 10000, -1000, -100, 60000};
  constexpr double kSpreads[] = {1, 1, 10, 0.25};
  constexpr double kWidths[] = {1, 10, 50, 100};
  switch (random.Below(4)) {
    case 0:
      x.fill = {FillKind::kOffset, seed, random.Pick(kOffsets), random.Pick(kSpreads)};
      return;
    case 1:
      x.fill = {FillKind::kConstant, 0, random.Pick(kOffsets), 0};
      return;
    case 2: {
      const double width = random.Pick(kWidths);
      x.fill = {FillKind::kUniform, seed, -width, width};
      return;
    }
    default:
      x.fill = {FillKind::kNormal, seed, 0, random.Pick(kSpreads)};
  }
}

void FillTable(Tensor& table, Random& random) {
  const uint64_t seed = DrawSeed(random);
  // Distinct rows show which one was copied; the rest shows that bits survive.
  if (random.Percent(70)) {
    table.fill = {FillKind::kDistinct, seed, 0, 0};
  } else if (IsFloat(table.dtype)) {
    table.fill = DrawFill(random.PickWeighted(kAnyReal).recipe, FormatInfoOf(table), random);
  } else {
    table.fill = {FillKind::kIntegers, seed, -100, 100};
  }
}

void FillIndices(Draft& draft) {
  Random& random = draft.random;
  Fill& fill = draft.value.operands[1].fill;
  const int64_t rows = draft.dims[0];
  const double last = static_cast<double>(std::max<int64_t>(rows - 1, 0));
  if (random.Percent(85)) {
    fill = {FillKind::kIndices, DrawSeed(random), 0, last};
  } else if (random.Percent(50)) {
    fill = {FillKind::kConstant, 0, random.Percent(50) ? 0 : last, 0};
  } else {
    // Some of the indices outside, on both sides.
    const double reach = static_cast<double>(rows + 1);
    fill = {FillKind::kIndices, DrawSeed(random), random.Percent(50) ? -reach : 0, reach};
  }
}

// What the destination of a gemm holds before: read only when beta is not 0.
void FillInout(Tensor& c, Random& random) {
  constexpr RecipeRow kInout[] = {{30, Recipe::kUniform},       {20, Recipe::kNormal},
                                  {15, Recipe::kSmallIntegers}, {10, Recipe::kZero},
                                  {5, Recipe::kConstant},       {5, Recipe::kExponents},
                                  {5, Recipe::kSubnormal},      {5, Recipe::kWideOdd}};
  if (random.Percent(20)) {
    c.fill = {FillKind::kPoison, DrawSeed(random), 0, 0};
  } else {
    c.fill = DrawFill(random.PickWeighted(kInout).recipe, FormatInfoOf(c), random);
  }
}

// An operator's own idea of interesting data, or none.
bool FillByFamily(Draft& draft) {
  Random& random = draft.random;
  switch (draft.def.family) {
    case Family::kGemm:
    case Family::kDot:
      if (random.Percent(6)) {
        FillSaturating(draft);
      } else if (random.Percent(70)) {
        FillPair(draft);
      } else {
        return false;
      }
      return true;
    case Family::kSum:
      if (!random.Percent(10)) return false;
      FillSaturating(draft);
      return true;
    case Family::kSoftmax:
      if (!random.Percent(60)) return false;
      FillRows(draft);
      return true;
    case Family::kUnary:
      if (!random.Percent(60)) return false;
      draft.value.operands[0].fill =
          DrawFunctionRange(draft.value.op, draft.value.operands[0].dtype, random);
      return true;
    case Family::kGather:
      FillTable(draft.value.operands[0], random);
      FillIndices(draft);
      return true;
    default:
      return false;
  }
  return false;
}

// A parameter beyond the type's range would make every element infinite.
void KeepFillInRange(Tensor& tensor) {
  if (!IsFloat(tensor.dtype)) return;
  Fill& fill = tensor.fill;
  const double largest = FormatInfoOf(tensor).largest;
  const bool exponents = fill.kind == FillKind::kExponents || fill.kind == FillKind::kSwamping;
  if (!exponents) fill.lo = std::clamp(fill.lo, -largest, largest);
  fill.hi = std::clamp(fill.hi, -largest, largest);
}

}  // namespace

Fill DrawFunctionRange(OpId op, DType type, Random& random) {
  const auto fits = [&](const Range& range) {
    return range.op == op && (range.types & MaskOf(type)) != 0;
  };
  uint64_t wanted = random.Below(
      static_cast<uint64_t>(std::count_if(std::begin(kRanges), std::end(kRanges), fits)));
  for (const Range& range : kRanges) {
    if (!fits(range) || wanted-- != 0) continue;
    return {FillKind::kUniform, DrawSeed(random), range.lo, range.hi};
  }
  return {};
}

void ChangeFills(Draft& draft) {
  Random& random = draft.random;
  const bool together = FillByFamily(draft);
  for (int i = 0; i < draft.operand_count(); ++i) {
    Tensor& tensor = draft.value.operands[i];
    const Role role = draft.operand(i).role;
    if (role == Role::kInout) FillInout(tensor, random);
    if (role == Role::kInput && !together) {
      tensor.fill = DrawFill(random.PickWeighted(kAnyReal).recipe, FormatInfoOf(tensor), random);
    }
    KeepFillInRange(tensor);
  }
}

void ChangeOneFill(Draft& draft) {
  Random& random = draft.random;
  const int i = static_cast<int>(random.Below(static_cast<uint64_t>(draft.operand_count())));
  Tensor& tensor = draft.value.operands[i];
  if (draft.operand(i).kind == ElementKind::kIndex) return FillIndices(draft);
  if (draft.operand(i).role == Role::kOutput) return ChangeSeed(draft);
  if (draft.operand(i).role == Role::kInout) {
    FillInout(tensor, random);
  } else if (draft.def.family == Family::kGather) {
    FillTable(tensor, random);
  } else {
    tensor.fill = DrawFill(random.PickWeighted(kAnyReal).recipe, FormatInfoOf(tensor), random);
  }
  KeepFillInRange(tensor);
}

void ChangeSeed(Draft& draft) {
  const int i = static_cast<int>(draft.random.Below(static_cast<uint64_t>(draft.operand_count())));
  draft.value.operands[i].fill.seed = DrawSeed(draft.random);
}

}  // namespace assay
