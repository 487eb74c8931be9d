// SPDX-License-Identifier: Apache-2.0
//
// Recipes of special values: NaN, infinities, zeros of both signs, scalars that switch operands
// off, stale destinations. One special per case: a case full of NaN tells nothing about where one
// gets lost.
#include <algorithm>
#include <limits>

#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Sets one element of the operand to `special`, somewhere in its ends, lanes or middle.
void Inject(Recipe& recipe, Tensor& tensor, double special) {
  if (!IsFloat(tensor.dtype) || ElementCount(tensor.shape) == 0) return;
  FixedVector<int32_t, kMaxRank> index;
  for (const int64_t size : tensor.shape) {
    index.push_back(static_cast<int32_t>(DrawPlace(size, recipe.random)));
  }
  SetElement(tensor, index, Encode(tensor.dtype, special));
}

// Finite values for the inputs of an operator of reals. Small integers and zeros, so that 0 * NaN
// and exact zero sums occur.
Case WithPlainInputs(Recipe& recipe, int64_t length) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, length);
  if (recipe.family() == Family::kGemm && recipe.seed % 4 == 3) {
    value.attributes[kGemmBeta].real = 2;
  }
  const Fill normal = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  const Fill fills[] = {normal, normal, {FillKind::kIntegers, recipe.FillSeed(), -1, 1}, {}};
  for (const int i : OrdinaryInputs(value)) value.operands[i].fill = random.Pick(fills);
  return value;
}

// Null where the operator reads integers only.
Tensor* DrawInput(Recipe& recipe, Case& value) {
  FixedVector<int, kMaxOperands> inputs = OrdinaryInputs(value);
  const OperatorDef& def = DefOf(recipe.op);
  for (int i = 0; i < value.operands.size(); ++i) {  // specials may lie in a mask, too
    if (def.operands[static_cast<size_t>(i)].name == "mask") inputs.push_back(i);
  }
  if (inputs.empty()) return nullptr;
  return &value.operands[recipe.random.Pick(inputs)];
}

}  // namespace

Case NanPerLane(Recipe& recipe) {
  Case value = WithPlainInputs(recipe, recipe.random.Between(1, 24));
  // A unit diagonal is not read, whatever is stored there.
  const bool triangle = recipe.family() == Family::kTriangular || recipe.family() == Family::kSolve;
  if (triangle) value.attributes[value.attributes.size() - 1].choice = recipe.random.Percent(50);
  Tensor* tensor = DrawInput(recipe, value);
  if (tensor != nullptr) Inject(recipe, *tensor, kNan);
  return value;
}

Case Infinities(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithPlainInputs(recipe, random.Between(1, 24));
  const double special = recipe.seed % 2 == 0 ? kInfinity : -kInfinity;
  Tensor* tensor = DrawInput(recipe, value);
  if (tensor != nullptr) Inject(recipe, *tensor, special);
  Tensor& x = value.operands[0];
  const int64_t columns = x.shape.empty() ? 1 : x.shape[x.shape.size() - 1];
  const bool rows = recipe.family() == Family::kSoftmax || recipe.family() == Family::kSelect;
  // A row of nothing but -Inf.
  if (rows && columns <= kMaxOverrides && random.Percent(60)) {
    x.overrides.clear();
    for (int64_t j = 0; j < columns; ++j) SetElement(x, j, Encode(x.dtype, -kInfinity));
  }
  return value;
}

Case SignedZeros(Recipe& recipe) {
  Case value = WithPlainInputs(recipe, recipe.random.Between(1, kMaxOverrides));
  for (const int i : OrdinaryInputs(value)) {
    Tensor& tensor = value.operands[i];
    const int64_t columns = tensor.shape.empty() ? 1 : tensor.shape[tensor.shape.size() - 1];
    for (int64_t j = 0; j < std::min<int64_t>(columns, kMaxOverrides); ++j) {
      if (recipe.random.Percent(70)) SetElement(tensor, j, Encode(tensor.dtype, -0.0));
    }
  }
  return value;
}

Case ZeroScalars(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kScalars[] = {0, 1, -0.0, 2};
  Case value = WithLength(recipe, random.Between(1, 20));
  value.attributes[kGemmAlpha].real = kScalars[recipe.seed % 4];
  if (recipe.family() == Family::kGemm) {
    value.attributes[kGemmBeta].real = kScalars[recipe.seed / 4 % 4];
  }
  value.operands.back().fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  constexpr double kSpecials[] = {kNan, kInfinity};
  const auto count = static_cast<uint64_t>(value.operands.size());
  Inject(recipe, value.operands[static_cast<int>(random.Below(count))], random.Pick(kSpecials));
  return value;
}

Case EmptySums(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, 0);
  if (recipe.family() != Family::kGemm) return value;
  constexpr double kScalars[] = {0, 1, 2, -0.0};
  value.attributes[kGemmAlpha].real = random.Pick(kScalars);
  value.attributes[kGemmBeta].real = kScalars[recipe.seed % 4];
  value.operands[2].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  return value;
}

Case TwoPrefills(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(1, 20));
  if (recipe.family() == Family::kGemm) {
    constexpr double kScalars[] = {1, 2, -0.75};
    value.attributes[kGemmAlpha].real = random.Pick(kScalars);
    // What lies in c is poison, since beta is 0.
    value.operands[2].fill = {FillKind::kPoison, recipe.FillSeed(), 0, 0};
  }
  if (random.Percent(50)) Spread(value.operands.back(), random);
  return value;
}

Case NanInScalars(Recipe& recipe) {
  Case value = WithLength(recipe, recipe.random.Between(1, 20));
  const OperatorDef& def = DefOf(recipe.op);
  FixedVector<int, kMaxAttributes> reals;
  for (int i = 0; i < value.attributes.size(); ++i) {
    if (def.attributes[static_cast<size_t>(i)].is_real()) reals.push_back(i);
  }
  constexpr double kSpecials[] = {kNan, kInfinity, -kInfinity};
  const int which = reals[static_cast<int>(recipe.seed % static_cast<uint64_t>(reals.size()))];
  value.attributes[which].real = kSpecials[recipe.seed / 2 % 3];
  if (recipe.op == OpId::kClamp) {
    // An end at infinity leaves the other alone; they stay in order.
    const bool low = which == kClampLow;
    double& end = value.attributes[which].real;
    if (end == (low ? kInfinity : -kInfinity)) end = -end;
  }
  if (recipe.family() == Family::kGemm) {
    value.operands[2].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  }
  return value;
}

}  // namespace assay::probe
