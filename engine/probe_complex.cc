// SPDX-License-Identifier: Apache-2.0
//
// The recipe for complex numbers: what one part of a number does to the other.
#include <limits>

#include "engine/probe_recipes.h"

namespace assay::probe {

Case ComplexOperands(Recipe& recipe) {
  Random& random = recipe.random;
  const OperatorDef& def = DefOf(recipe.op);
  const NamedDims dims = DimsWithLength(recipe, random.Between(1, 16));
  Case value = MakeCase(recipe.op, recipe.type, dims);
  constexpr double kScalars[] = {1, 0, -1.25, 2};
  uint64_t turn = recipe.seed;
  for (int i = 0; i < value.attributes.size(); ++i) {
    const auto labels = def.attributes[static_cast<size_t>(i)].labels.size();
    if (labels == 0) {
      value.attributes[i].real = random.Pick(kScalars);
      continue;
    }
    value.attributes[i].choice = static_cast<int32_t>(turn % labels);
    turn /= labels;
  }
  def.shape(dims, value);
  for (Tensor& tensor : value.operands) tensor.strides = RowMajorStrides(tensor.shape);
  const FixedVector<int, kMaxOperands> inputs = OrdinaryInputs(value);
  for (const int i : inputs) value.operands[i].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  if (random.Percent(50)) return value;
  constexpr double kSpecials[] = {std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(), 0};
  Tensor& tensor = value.operands[random.Pick(inputs)];
  FixedVector<int32_t, kMaxRank> index;
  for (const int64_t size : tensor.shape) {
    index.push_back(static_cast<int32_t>(DrawPlace(size, random)));
  }
  SetElement(tensor, index, Encode(tensor.dtype, random.Pick(kSpecials)));
  // Its other part may be zero, so that one product of four decides.
  index[index.size() - 1] = 1 - index[index.size() - 1];
  if (random.Percent(60)) SetElement(tensor, index, 0);
  return value;
}

}  // namespace assay::probe
