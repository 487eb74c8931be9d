// SPDX-License-Identifier: Apache-2.0
//
// Recipes of finite values: what shows a narrow accumulator, narrow operands, a missing shift, an
// early overflow. Lengths stay small enough for thousands of cases a second.
#include <algorithm>
#include <cmath>
#include <span>

#include "engine/mutate_steps.h"
#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

constexpr Fill kOnes = {FillKind::kConstant, 0, 1, 0};

bool IsNarrow(DType type) { return type == DType::kF16 || type == DType::kBf16; }

// Half of the sums of a narrow type deliver their f32 accumulator.
void WidenHalfOfOutputs(Recipe& recipe, Case& value) {
  const std::span<const DType> outputs = OutputTypesOf(recipe.op, recipe.type);
  const bool may = std::find(outputs.begin(), outputs.end(), DType::kF32) != outputs.end();
  if (IsNarrow(recipe.type) && may && recipe.random.Percent(50)) {
    value.operands[value.operands.size() - 1].dtype = DType::kF32;
  }
}

// Values at distinct random places of a row, in random order; the rest stays as filled.
template <size_t kSize>
void Scatter(Recipe& recipe, Tensor& tensor, int64_t length, const double (&values)[kSize]) {
  Random& random = recipe.random;
  const int64_t stride = std::max<int64_t>(length / static_cast<int64_t>(kSize), 1);
  const auto turn = random.Below(kSize);
  for (size_t i = 0; i < kSize; ++i) {
    const int64_t place = static_cast<int64_t>(i) * stride + random.Between(0, stride - 1);
    SetElement(tensor, place, Encode(tensor.dtype, values[(i + turn) % kSize]));
  }
}

bool TakesNegative(OpId op) {
  switch (op) {
    case OpId::kLog:
    case OpId::kLog2:
    case OpId::kLog10:
    case OpId::kSqrt:
    case OpId::kRsqrt:
    case OpId::kLog1p:
    case OpId::kAcosh:
      return false;
    default:
      return true;
  }
}

// The erf form is the one with a tail to lose; the other is a function of its own.
void ChooseGeluForm(Recipe& recipe, Case& value) {
  if (recipe.op == OpId::kGelu) value.attributes[kGeluForm].choice = recipe.random.Percent(20);
}

}  // namespace

Case Saturation(Recipe& recipe) {
  const int64_t length = DrawLength(recipe.random, 4, 600);
  Case value = WithLength(recipe, length);
  value.operands[0].fill = {};
  if (HasFactors(recipe.op)) value.operands[1].fill = kOnes;
  constexpr double kPairs[] = {60000, 60000, -60000, -59968};
  Scatter(recipe, value.operands[0], length, kPairs);
  WidenHalfOfOutputs(recipe, value);
  return value;
}

Case Swamping(Recipe& recipe) {
  // 2^11 swallows ones in f16, 2^8 in bf16; twice that also where the sum is kept in parts.
  constexpr double kExponents[] = {8, 9, 11, 12};
  Case value = WithLength(recipe, DrawLength(recipe.random, 8, 1024));
  SetFactors(recipe, value,
             {FillKind::kSwamping, recipe.FillSeed(), recipe.random.Pick(kExponents), 1}, kOnes);
  WidenHalfOfOutputs(recipe, value);
  return value;
}

Case MantissaSweep(Recipe& recipe) {
  Case value = WithLength(recipe, recipe.random.Percent(50) ? recipe.random.Between(1, 4)
                                                            : DrawLength(recipe.random, 4, 200));
  SetFactors(recipe, value, {FillKind::kMantissa, recipe.FillSeed(), 0, 0}, kOnes);
  return value;
}

Case EqualRows(Recipe& recipe) {
  constexpr double kValues[] = {1, 1, 3, 0.3};
  // A function per element costs more than an addition, and a product of many overflows.
  const bool adds = HasFactors(recipe.op) || recipe.family() == Family::kSum;
  Case value = WithLength(recipe, DrawLength(recipe.random, 64, adds ? 8192 : 2048));
  SetFactors(recipe, value, {FillKind::kConstant, 0, recipe.random.Pick(kValues), 0}, kOnes);
  return value;
}

Case CancellingPartials(Recipe& recipe) {
  constexpr double kMagnitudes[] = {1, 32, 1000};
  Case value = WithLength(recipe, DrawLength(recipe.random, 64, 2048));
  SetFactors(recipe, value,
             {FillKind::kCancelling, recipe.FillSeed(), recipe.random.Pick(kMagnitudes), 0}, kOnes);
  WidenHalfOfOutputs(recipe, value);
  return value;
}

Case SparseRows(Recipe& recipe) {
  Case value = WithLength(recipe, DrawLength(recipe.random, 8, 4096));
  const auto non_zeros = static_cast<double>(recipe.random.Between(1, 4));
  SetFactors(recipe, value, {FillKind::kSparse, recipe.FillSeed(), non_zeros, 0},
             {FillKind::kNormal, recipe.FillSeed(), 0, 1});
  return value;
}

Case WideTimesPowerOfTwo(Recipe& recipe) {
  Case value = WithLength(recipe, DrawLength(recipe.random, 1, 256));
  SetFactors(recipe, value, {FillKind::kWideOdd, recipe.FillSeed(), 0, 0},
             {FillKind::kPowersOfTwo, recipe.FillSeed(), 0, 0});
  return value;
}

Case UnrepresentableProducts(Recipe& recipe) {
  const int64_t length = DrawLength(recipe.random, 128, 512);
  Case value = WithLength(recipe, length);
  constexpr double kFirst[] = {3, 1, 3, 1, 3, 1, 3, 1};
  constexpr double kSecond[] = {683, -2048, 683, -2048, 683, -2048, 683, -2048};
  Tensor &a = value.operands[0], &b = value.operands[1];
  a.fill = b.fill = {};
  const int64_t stride = length / 8;
  for (int64_t i = 0; i < 8; ++i) {
    const int64_t place = i * stride + recipe.random.Between(0, stride - 1);
    SetElement(a, place, Encode(a.dtype, kFirst[i]));
    if (recipe.family() == Family::kLinear) {  // w is stored [k,n]
      SetElement(b, {static_cast<int32_t>(place), 0}, Encode(b.dtype, kSecond[i]));
    } else {
      SetElement(b, place, Encode(b.dtype, kSecond[i]));
    }
  }
  WidenHalfOfOutputs(recipe, value);
  return value;
}

Case ShiftedRows(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kCenters[] = {50, -50, 100, 1000, -1000, 20000, 60000};
  constexpr double kSpreads[] = {0.25, 1, 10};
  Case value = WithLength(recipe, DrawLength(random, 2, 64));
  value.operands[0].fill = {FillKind::kOffset, recipe.FillSeed(), random.Pick(kCenters),
                            random.Pick(kSpreads)};
  return value;
}

Case WideRows(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kCenters[] = {0, 50, -50, 1000};
  constexpr double kWidths[] = {10, 50, 100, 400};
  Case value = WithLength(recipe, DrawLength(random, 2, 64));
  const double center = random.Pick(kCenters), width = random.Pick(kWidths);
  value.operands[0].fill = {FillKind::kUniform, recipe.FillSeed(), center - width, center + width};
  return value;
}

Case FarTails(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(1, 40));
  const bool tail = recipe.op == OpId::kGelu || recipe.op == OpId::kSilu ||
                    recipe.op == OpId::kMish || recipe.op == OpId::kSigmoid ||
                    recipe.op == OpId::kSoftplus;
  const double reach = recipe.op == OpId::kGelu ? random.Between(4, 14) : random.Between(10, 100);
  const bool negative = tail || (random.Percent(50) && TakesNegative(recipe.op));
  value.operands[0].fill = {FillKind::kUniform, recipe.FillSeed(), negative ? -reach : reach / 2,
                            negative ? -reach / 2 : reach};
  ChooseGeluForm(recipe, value);
  return value;
}

Case NearZero(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(1, 40));
  const double reach = std::exp2(-static_cast<double>(random.Between(0, 30)));
  value.operands[0].fill = {FillKind::kUniform, recipe.FillSeed(),
                            TakesNegative(recipe.op) ? -reach : 0, reach};
  ChooseGeluForm(recipe, value);
  return value;
}

Case Subnormals(Recipe& recipe) {
  Case value = WithLength(recipe, recipe.random.Between(1, 24));
  SetFactors(recipe, value, {FillKind::kSubnormal, recipe.FillSeed(), 0, 0},
             {FillKind::kPowersOfTwo, recipe.FillSeed(), 0, 0});
  return value;
}

Case Thresholds(Recipe& recipe) {
  Case value = WithLength(recipe, recipe.random.Between(1, 40));
  value.operands[0].fill = DrawFunctionRange(recipe.op, recipe.type, recipe.random);
  const std::optional<double> hard = DrawHardArgument(recipe.op, recipe.type, recipe.random);
  if (hard && recipe.random.Percent(50)) {
    SetElement(value.operands[0], 0, Encode(recipe.type, *hard));
  }
  ChooseGeluForm(recipe, value);
  return value;
}

}  // namespace assay::probe
