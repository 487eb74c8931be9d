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
  const int64_t step = random.Percent(70) ? 1 : 2;
  tensor.strides[last] = step;
  for (int axis = last - 1; axis >= 0; --axis) {
    const int64_t length = std::max<int64_t>(tensor.shape[axis + 1], 1);
    tensor.strides[axis] = tensor.strides[axis + 1] * length + random.Between(0, 3);
  }
}

}  // namespace

Case SpecialValues(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kSpecials[] = {kNan, kInfinity, -kInfinity, -0.0, kNan};
  Case value = WithLength(recipe, random.Between(1, 24));
  const Fill ordinary = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  // Zeros, so that 0 * NaN and sums of zeros occur; -Inf, so that whole rows are masked.
  const Fill fills[] = {ordinary,
                        ordinary,
                        {FillKind::kIntegers, recipe.FillSeed(), -1, 1},
                        {FillKind::kZero, 0, 0, 0}};
  const int inputs = recipe.family() == Family::kGemm || recipe.family() == Family::kDot ? 2 : 1;
  for (int i = 0; i < inputs; ++i) value.operands[i].fill = random.Pick(fills);
  const double special = kSpecials[recipe.seed % std::size(kSpecials)];
  Inject(recipe, value.operands[static_cast<int>(random.Below(static_cast<uint64_t>(inputs)))],
         special);
  Tensor& x = value.operands[0];
  const bool masks = recipe.family() == Family::kSoftmax && random.Percent(20);
  for (int64_t j = 0; masks && j < std::min<int64_t>(x.shape[1], 8); ++j) {
    SetElement(x, 0, j, Encode(x.dtype, -kInfinity));
  }
  return value;
}

Case AlphaBetaZero(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kScalars[] = {0, 1, -0.0, 2};
  Case value = WithLength(recipe, random.Percent(15) ? 0 : random.Between(1, 20));
  value.attributes[kGemmAlpha].real = kScalars[recipe.seed % 4];
  value.attributes[kGemmBeta].real = kScalars[recipe.seed / 4 % 4];
  value.operands[2].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  const int where = static_cast<int>(random.Below(3));
  constexpr double kSpecials[] = {kNan, kInfinity};
  Inject(recipe, value.operands[where], random.Pick(kSpecials));
  return value;
}

Case IndexBoundaries(Recipe& recipe) {
  Random& random = recipe.random;
  const int64_t rows = random.Between(2, 40), count = random.Between(1, 6);
  Case value = MakeCase(recipe.op, recipe.type, {rows, random.Between(1, 5), count});
  value.operands[0].fill = {FillKind::kDistinct, recipe.FillSeed(), 0, 0};
  Tensor& indices = value.operands[1];
  const int64_t inside[] = {0, rows / 2, rows - 1};
  for (int64_t i = 0; i < count; ++i) {
    SetElement(indices, 0, i, EncodeInteger(indices.dtype, random.Pick(inside)));
  }
  constexpr int64_t kTwo31 = int64_t{1} << 31, kTwo32 = int64_t{1} << 32;
  const int64_t outside[] = {-1,
                             -rows,
                             -rows - 1,
                             rows,
                             rows + 10,
                             kTwo31 - 1,
                             kTwo31,
                             kTwo32 + rows / 2,
                             std::numeric_limits<int64_t>::min()};
  const uint64_t which = recipe.seed % (std::size(outside) + 1);
  if (which < std::size(outside)) {
    SetElement(indices, 0, random.Between(0, count - 1),
               EncodeInteger(indices.dtype, outside[which]));
  }
  return value;
}

Case Tails(Recipe& recipe) {
  Random& random = recipe.random;
  const bool matrix = recipe.family() == Family::kGemm;
  Case value = matrix ? MakeCase(recipe.op, recipe.type,
                                 {random.Between(1, 9), random.Between(1, 9), random.Between(1, 9)})
                      : WithLength(recipe, random.Between(1, 20));
  if (matrix) {
    value.attributes[kGemmBeta].real = random.Percent(50) ? 1 : 0;
    value.operands[2].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  }
  const bool at_head = recipe.seed % 2 == 1;
  for (Tensor& tensor : value.operands) {
    tensor.placement = at_head ? Placement::kHead : Placement::kTail;
    if (random.Percent(40)) Spread(tensor, random);
  }
  return value;
}

}  // namespace assay::probe
