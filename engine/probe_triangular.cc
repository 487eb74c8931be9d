// SPDX-License-Identifier: Apache-2.0
//
// The recipe for triangular matrices. A random triangle has a condition that grows like a power of
// its order, and a bound that can reject nothing: entries beside the diagonal stay small here.
#include <algorithm>

#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

// The seed's digits choose the label of each attribute that has labels.
void EnumerateLabels(uint64_t seed, const OperatorDef& def, Case& value) {
  for (int i = 0; i < value.attributes.size(); ++i) {
    const auto labels = def.attributes[static_cast<size_t>(i)].labels.size();
    if (labels == 0) continue;
    value.attributes[i].choice = static_cast<int32_t>(seed % labels);
    seed /= labels;
  }
}

}  // namespace

Case TriangularOperands(Recipe& recipe) {
  Random& random = recipe.random;
  const OperatorDef& def = DefOf(recipe.op);
  const bool unit = random.Percent(50);
  const int64_t longest = unit ? 24 : kMaxOverrides;
  const NamedDims dims = DimsWithLength(recipe, random.Between(1, longest));
  Case value = MakeCase(recipe.op, recipe.type, dims);
  EnumerateLabels(recipe.seed, def, value);
  value.attributes[value.attributes.size() - 1].choice = unit;
  constexpr double kAlphas[] = {1, 1, 0.5, -1.25, 3};
  if (def.attributes[0].is_real()) value.attributes[0].real = random.Pick(kAlphas);
  def.shape(dims, value);
  for (Tensor& tensor : value.operands) tensor.strides = RowMajorStrides(tensor.shape);
  Tensor& a = value.operands[0];
  constexpr double kReaches[] = {0.125, 0.25, 0.75};
  const double reach = random.Pick(kReaches);
  a.fill = {FillKind::kUniform, recipe.FillSeed(), -reach, reach};
  value.operands[1].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  for (int64_t i = 0; !unit && i < std::min<int64_t>(a.shape[0], kMaxOverrides); ++i) {
    const double diagonal = (random.Percent(50) ? 1 : -1) * (1 + random.Unit());
    SetElement(a, {static_cast<int32_t>(i), static_cast<int32_t>(i)}, Encode(a.dtype, diagonal));
  }
  return value;
}

}  // namespace assay::probe
