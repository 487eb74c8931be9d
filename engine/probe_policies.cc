// SPDX-License-Identifier: Apache-2.0
//
// Recipes of single elements and layouts: special values, scalars that switch operands off, indices
// outside, and the ends of operands beside a guard. One special per case: a case full of NaN tells
// nothing about where one gets lost.
#include <algorithm>
#include <limits>

#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Sets one element of the operand to `special`, somewhere in its ends, lanes or middle.
void Inject(Recipe& recipe, Tensor& tensor, double special) {
  const bool matrix = tensor.shape.size() == 2;
  const int64_t rows = matrix ? tensor.shape[0] : 1, columns = tensor.shape[matrix ? 1 : 0];
  if (rows == 0 || columns == 0) return;
  SetElement(tensor, DrawPlace(rows, recipe.random), DrawPlace(columns, recipe.random),
             Encode(tensor.dtype, special));
}

// A strided layout that keeps the elements apart: rows with a gap, or every second element.
void Spread(Tensor& tensor, Random& random) {
  if (tensor.shape.empty()) return;
  const int last = tensor.shape.size() - 1;
  tensor.strides[last] = random.Percent(70) ? 1 : 2;
  for (int axis = last - 1; axis >= 0; --axis) {
    const int64_t length = std::max<int64_t>(tensor.shape[axis + 1], 1);
    tensor.strides[axis] = tensor.strides[axis + 1] * length + random.Between(0, 3);
  }
}

int InputCount(const Recipe& recipe) {
  return recipe.family() == Family::kGemm || recipe.family() == Family::kDot ? 2 : 1;
}

// Indices at the ends and in the middle of a table of distinct rows, one of them as `outside` says.
template <class Outside>
Case WithIndex(Recipe& recipe, const Outside& outside) {
  Random& random = recipe.random;
  const int64_t rows = random.Between(2, 40), count = random.Between(1, 6);
  Case value = MakeCase(recipe.op, recipe.type, {rows, random.Between(1, 5), count});
  value.operands[0].fill = {FillKind::kDistinct, recipe.FillSeed(), 0, 0};
  Tensor& indices = value.operands[1];
  const int64_t inside[] = {0, rows / 2, rows - 1};
  for (int64_t i = 0; i < count; ++i) {
    SetElement(indices, 0, i, EncodeInteger(indices.dtype, random.Pick(inside)));
  }
  SetElement(indices, 0, random.Between(0, count - 1), EncodeInteger(indices.dtype, outside(rows)));
  return value;
}

// Small odd sizes with every operand at the same end of its guard.
Case AtGuard(Recipe& recipe, Placement placement) {
  Random& random = recipe.random;
  const bool matrix = recipe.family() == Family::kGemm;
  Case value = matrix ? MakeCase(recipe.op, recipe.type,
                                 {random.Between(1, 9), random.Between(1, 9), random.Between(1, 9)})
                      : WithLength(recipe, random.Between(1, 20));
  if (matrix) value.attributes[kGemmBeta].real = random.Percent(50) ? 1 : 0;
  for (Tensor& tensor : value.operands) tensor.placement = placement;
  return value;
}

// Finite values for the inputs of an operator of reals. Small integers and zeros, so that 0 * NaN
// and exact zero sums occur.
Case WithPlainInputs(Recipe& recipe, int64_t length) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, length);
  const Fill normal = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  const Fill fills[] = {normal, normal, {FillKind::kIntegers, recipe.FillSeed(), -1, 1}, {}};
  for (int i = 0; i < InputCount(recipe); ++i) value.operands[i].fill = random.Pick(fills);
  return value;
}

Tensor& DrawInput(Recipe& recipe, Case& value) {
  const auto inputs = static_cast<uint64_t>(InputCount(recipe));
  return value.operands[static_cast<int>(recipe.random.Below(inputs))];
}

}  // namespace

Case NanPerLane(Recipe& recipe) {
  Case value = WithPlainInputs(recipe, recipe.random.Between(1, 24));
  Inject(recipe, DrawInput(recipe, value), kNan);
  return value;
}

Case Infinities(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithPlainInputs(recipe, random.Between(1, 24));
  const double special = recipe.seed % 2 == 0 ? kInfinity : -kInfinity;
  Inject(recipe, DrawInput(recipe, value), special);
  Tensor& x = value.operands[0];
  const int64_t columns = x.shape[x.shape.size() - 1];
  // A row of nothing but -Inf.
  if (recipe.family() == Family::kSoftmax && columns <= kMaxOverrides && random.Percent(60)) {
    x.overrides.clear();
    for (int64_t j = 0; j < columns; ++j) SetElement(x, 0, j, Encode(x.dtype, -kInfinity));
  }
  return value;
}

Case SignedZeros(Recipe& recipe) {
  Case value = WithPlainInputs(recipe, recipe.random.Between(1, kMaxOverrides));
  for (int i = 0; i < InputCount(recipe); ++i) {
    Tensor& tensor = value.operands[i];
    const int64_t columns = tensor.shape[tensor.shape.size() - 1];
    for (int64_t j = 0; j < columns; ++j) {
      if (recipe.random.Percent(70)) SetElement(tensor, 0, j, Encode(tensor.dtype, -0.0));
    }
  }
  return value;
}

Case ZeroScalars(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kScalars[] = {0, 1, -0.0, 2};
  Case value = WithLength(recipe, random.Between(1, 20));
  value.attributes[kGemmAlpha].real = kScalars[recipe.seed % 4];
  value.attributes[kGemmBeta].real = kScalars[recipe.seed / 4 % 4];
  value.operands[2].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  constexpr double kSpecials[] = {kNan, kInfinity};
  Inject(recipe, value.operands[static_cast<int>(random.Below(3))], random.Pick(kSpecials));
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
  if (random.Percent(50)) Spread(value.operands[value.operands.size() - 1], random);
  return value;
}

Case IndexBefore(Recipe& recipe) {
  return WithIndex(recipe, [&](int64_t rows) {
    const int64_t outside[] = {-1, -rows, -rows - 1};
    return outside[recipe.seed % 3];
  });
}

Case IndexAfter(Recipe& recipe) {
  return WithIndex(recipe, [&](int64_t rows) { return recipe.seed % 2 == 0 ? rows : rows + 10; });
}

Case IndexFar(Recipe& recipe) {
  return WithIndex(recipe, [&](int64_t) {
    constexpr int64_t kTwo31 = int64_t{1} << 31;
    constexpr int64_t kOutside[] = {kTwo31 - 1, kTwo31, -kTwo31,
                                    std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max()};
    return kOutside[recipe.seed % 5];
  });
}

Case IndexNarrowed(Recipe& recipe) {
  return WithIndex(recipe, [&](int64_t rows) {
    constexpr int64_t kTwo32 = int64_t{1} << 32;
    return (recipe.seed % 2 == 0 ? kTwo32 : -kTwo32) + rows / 2;
  });
}

Case GuardBefore(Recipe& recipe) { return AtGuard(recipe, Placement::kHead); }
Case GuardAfter(Recipe& recipe) { return AtGuard(recipe, Placement::kTail); }

Case Gaps(Recipe& recipe) {
  Case value = AtGuard(recipe, recipe.seed % 2 == 0 ? Placement::kTail : Placement::kHead);
  for (Tensor& tensor : value.operands) Spread(tensor, recipe.random);
  return value;
}

}  // namespace assay::probe
