// SPDX-License-Identifier: Apache-2.0
//
// What the recipes of the probes share: cases of a length, fills of their inputs, single elements,
// gaps.
#include <algorithm>
#include <cmath>
#include <utility>

#include "contracts/invariant.h"
#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

// The dimension that a probe's length is meant for.
int LengthDimension(const OperatorDef& def) {
  if (def.family == Family::kCollective) return 1;  // elements, not ranks
  if (def.family == Family::kPool) return 3;
  return std::max(def.reduced, 0);
}

// What the other dimensions count, as far as it bounds them.
int64_t DrawFew(const OperatorDef& def, int dimension, Random& random) {
  const std::string_view name = def.dimensions[static_cast<size_t>(dimension)];
  if (name == "height" || name == "width") return random.Between(2, 3);
  if (name == "kernel_h" || name == "kernel_w") return random.Between(1, 2);
  if (name == "ranks") return random.Between(2, 5);
  const bool outer = name == "batch" || name == "heads" || name == "filters";
  return random.Between(1, outer ? 2 : 4);
}

bool IsOrdinary(const OperandDef& operand, DType type, bool reads_destination) {
  if (!IsFloat(type) || operand.kind == ElementKind::kIndex) return false;
  if (operand.role == Role::kOutput) return false;
  if (operand.role == Role::kInout && !reads_destination) return false;
  return operand.name != "variance" && operand.name != "mask";
}

}  // namespace

NamedDims DimsWithLength(Recipe& recipe, int64_t length) {
  const OperatorDef& def = DefOf(recipe.op);
  NamedDims dims;
  for (int i = 0; i < static_cast<int>(def.dimensions.size()); ++i) {
    dims.push_back(DrawFew(def, i, recipe.random));
  }
  // A window of the default size must fit, unless there is nothing at all.
  const bool pool = def.family == Family::kPool;
  dims[LengthDimension(def)] = pool && length == 1 ? 2 : length;
  return dims;
}

Case WithLength(Recipe& recipe, int64_t length) {
  const NamedDims dims = DimsWithLength(recipe, length);
  Case value = MakeCase(recipe.op, recipe.type, dims);
  if (recipe.family() != Family::kGemm) return value;
  if (recipe.op != OpId::kGemv) {
    value.attributes[kGemmTransB].choice = 1;
    DefOf(recipe.op).shape(dims, value);
    for (Tensor& tensor : value.operands) tensor.strides = RowMajorStrides(tensor.shape);
  }
  value.operands[2].fill = {};
  return value;
}

int64_t DrawLength(Random& random, int64_t lowest, int64_t highest) {
  const double span = std::log2(static_cast<double>(highest) / static_cast<double>(lowest));
  const double length = static_cast<double>(lowest) * std::exp2(random.Unit() * span);
  return std::clamp(static_cast<int64_t>(length), lowest, highest);
}

bool HasFactors(OpId op) {
  const Family family = DefOf(op).family;
  return family == Family::kGemm || family == Family::kDot || family == Family::kLinear ||
         family == Family::kConv || family == Family::kUpdate || family == Family::kTriangular;
}

void Give(Tensor& tensor, const Fill& fill) {
  if (IsFloat(tensor.dtype)) tensor.fill = fill;
}

void SetFactors(Recipe& recipe, Case& value, Fill x, Fill y) {
  const bool has_second = HasFactors(recipe.op) || recipe.family() == Family::kBinary;
  const bool both_along = recipe.family() != Family::kLinear && recipe.family() != Family::kConv;
  if (has_second && both_along && recipe.random.Percent(50)) std::swap(x, y);
  Give(value.operands[0], x);
  if (has_second) Give(value.operands[1], y);
}

FixedVector<int, kMaxOperands> OrdinaryInputs(const Case& value) {
  const OperatorDef& def = DefOf(value.op);
  const bool reads_destination =
      def.family != Family::kGemm || !(ScalarAttribute(value, kGemmBeta) == 0);
  FixedVector<int, kMaxOperands> inputs;
  for (int i = 0; i < value.operands.size(); ++i) {
    const OperandDef& operand = def.operands[static_cast<size_t>(i)];
    if (IsOrdinary(operand, value.operands[i].dtype, reads_destination)) inputs.push_back(i);
  }
  return inputs;
}

void MixMagnitudes(Recipe& recipe, Case& value) {
  for (const int i : OrdinaryInputs(value)) {
    value.operands[i].fill = {FillKind::kExponents, recipe.FillSeed(), -4, 4};
  }
}

void SetElement(Tensor& tensor, const FixedVector<int32_t, kMaxRank>& index, uint64_t bits) {
  for (Override& present : tensor.overrides) {
    if (present.index == index) {
      present.bits = bits;
      return;
    }
  }
  ASSAY_CHECK(!tensor.overrides.full(), "room for one more set element");
  tensor.overrides.push_back({index, bits});
}

void SetElement(Tensor& tensor, int64_t column, uint64_t bits) {
  FixedVector<int32_t, kMaxRank> index;
  index.resize(tensor.shape.size(), 0);
  if (!index.empty()) index[index.size() - 1] = static_cast<int32_t>(column);
  SetElement(tensor, index, bits);
}

int64_t DrawPlace(int64_t size, Random& random) {
  constexpr int64_t kLanes[] = {4, 8};
  int64_t at = 0;
  switch (random.Below(5)) {
    case 0:
      break;
    case 1:
      at = size - 1;
      break;
    case 2: {
      const int64_t lanes = random.Pick(kLanes);
      at = size / lanes * lanes - random.Between(0, 1);
      break;
    }
    default:
      at = random.Between(0, size - 1);
  }
  return std::clamp<int64_t>(at, 0, size - 1);
}

void Spread(Tensor& tensor, Random& random) {
  if (tensor.shape.empty()) return;
  const int last = tensor.shape.size() - 1;
  tensor.strides[last] = random.Percent(70) ? 1 : 2;
  for (int axis = last - 1; axis >= 0; --axis) {
    const int64_t length = std::max<int64_t>(tensor.shape[axis + 1], 1);
    tensor.strides[axis] = tensor.strides[axis + 1] * length + random.Between(0, 3);
  }
}

}  // namespace assay::probe
