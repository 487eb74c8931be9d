// SPDX-License-Identifier: Apache-2.0
//
// Recipes of shapes and memory: indices outside, operands beside a guard, gaps and other layouts,
// sizes around tiles, empty and wide dimensions.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

// Indices at the ends and in the middle of a table of distinct rows, one of them as `outside` says.
template <class Outside>
Case WithIndex(Recipe& recipe, const Outside& outside) {
  Random& random = recipe.random;
  const OperatorDef& def = DefOf(recipe.op);
  const int64_t rows = random.Between(2, 40), count = random.Between(1, 6);
  NamedDims dims = {rows, random.Between(1, 5), count};
  if (recipe.op == OpId::kEmbedding) dims = {rows, random.Between(1, 5), 1, count};
  const bool columns = recipe.op == OpId::kIndexSelect && random.Percent(50);
  Case value = MakeCase(recipe.op, recipe.type, dims);
  if (columns) {
    value.attributes[kIndexSelectAxis].real = 1;
    std::swap(dims[0], dims[1]);
    def.shape(dims, value);
    for (Tensor& tensor : value.operands) tensor.strides = RowMajorStrides(tensor.shape);
  }
  value.operands[0].fill = {FillKind::kDistinct, recipe.FillSeed(), 0, 0};
  Tensor& indices = value.operands[IndexOperandOf(def)];
  const int64_t inside[] = {0, rows / 2, rows - 1};
  for (int64_t i = 0; i < count; ++i) {
    SetElement(indices, i, EncodeInteger(indices.dtype, random.Pick(inside)));
  }
  SetElement(indices, random.Between(0, count - 1), EncodeInteger(indices.dtype, outside(rows)));
  return value;
}

// Small odd sizes with every operand at the same end of its guard.
Case AtGuard(Recipe& recipe, Placement placement) {
  Random& random = recipe.random;
  Case value;
  if (recipe.op == OpId::kGemm || recipe.op == OpId::kInt8Gemm || recipe.op == OpId::kFusedLinear) {
    value = MakeCase(recipe.op, recipe.type,
                     {random.Between(1, 9), random.Between(1, 9), random.Between(1, 9)});
  } else {
    value = WithLength(recipe, random.Between(1, 20));
  }
  if (recipe.family() == Family::kGemm) {
    value.attributes[kGemmBeta].real = random.Percent(50) ? 1 : 0;
  }
  for (Tensor& tensor : value.operands) tensor.placement = placement;
  return value;
}

// The case with dimension `d` of that size; unchecked.
Case Resized(Recipe& recipe, const NamedDims& from, int d, int64_t size) {
  NamedDims dims = from;
  dims[d] = size;
  return MakeCase(recipe.op, recipe.type, dims);
}

int DrawDimension(Recipe& recipe, const NamedDims& dims) {
  return static_cast<int>(recipe.seed % static_cast<uint64_t>(dims.size()));
}

}  // namespace

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

Case ShapeTails(Recipe& recipe) {
  constexpr int64_t kSizes[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  15, 16,
                                17, 31, 32, 33, 63, 64, 65, 13, 29, 61};
  const NamedDims dims = DimsWithLength(recipe, recipe.random.Between(2, 6));
  const int d = DrawDimension(recipe, dims);
  const uint64_t turn = recipe.seed / static_cast<uint64_t>(dims.size());
  const Case value = Resized(recipe, dims, d, kSizes[turn % std::size(kSizes)]);
  // A window that does not fit, a kernel of no size.
  return CheckCase(value).ok() ? value : MakeCase(recipe.op, recipe.type, dims);
}

Case EmptyDimensions(Recipe& recipe) {
  const NamedDims dims = DimsWithLength(recipe, recipe.random.Between(2, 6));
  for (int i = 0; i < dims.size(); ++i) {
    const auto count = static_cast<uint64_t>(dims.size());
    const int d = static_cast<int>((recipe.seed + static_cast<uint64_t>(i)) % count);
    Case value = Resized(recipe, dims, d, 0);
    if (!CheckCase(value).ok()) continue;  // a kernel of no size is no convolution
    if (recipe.family() == Family::kGemm) value.attributes[kGemmBeta].real = recipe.seed % 2 == 0;
    return value;
  }
  return MakeCase(recipe.op, recipe.type, dims);
}

Case WideIndex(Recipe& recipe) {
  Random& random = recipe.random;
  const NamedDims dims = DimsWithLength(recipe, random.Between(1, 3));
  // A function per element takes too long for sizes that 16 bits cannot count.
  const bool compares = recipe.op == OpId::kRelu || recipe.op == OpId::kClamp;
  const bool slow = (recipe.family() == Family::kUnary && !compares) || recipe.op == OpId::kPow;
  const bool square = DefOf(recipe.op).operands[0].axes.rank == 2 || recipe.op == OpId::kSyr;
  if (!square && dims.size() == 1 && !slow && recipe.seed % 8 == 0) {
    constexpr int64_t kSizes[] = {65537, 65600, 66049};
    return Resized(recipe, dims, 0, random.Pick(kSizes));
  }
  const int d = DrawDimension(recipe, dims);
  // Ranks, heads and batches are multiplied with everything.
  const Case value = Resized(recipe, dims, d, random.Between(257, 520));
  return CheckCase(value).ok() ? value : MakeCase(recipe.op, recipe.type, dims);
}

Case StridedOperands(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(1, 20));
  for (Tensor& tensor : value.operands) {
    if (tensor.shape.empty()) continue;
    Spread(tensor, random);
    const int last = tensor.shape.size() - 1;
    if (random.Percent(30)) {
      for (int64_t& stride : tensor.strides) stride *= 3;
    }
    if (random.Percent(15)) tensor.strides[last] = -tensor.strides[last];
  }
  return value;
}

Case TransposedOperands(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(2, 20));
  for (Tensor& tensor : value.operands) {
    const int rank = tensor.shape.size();
    if (rank < 2 || random.Percent(30)) continue;
    const int other = static_cast<int>(random.Between(0, rank - 2));
    Dims turned = tensor.shape;
    std::swap(turned[rank - 1], turned[other]);
    tensor.strides = RowMajorStrides(turned);
    std::swap(tensor.strides[rank - 1], tensor.strides[other]);
  }
  return value;
}

Case ZeroStrideInputs(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(2, 20));
  const OperatorDef& def = DefOf(recipe.op);
  for (int i = 0; i < value.operands.size(); ++i) {
    Tensor& tensor = value.operands[i];
    const bool input = def.operands[static_cast<size_t>(i)].role == Role::kInput;
    if (!input || tensor.shape.empty() || (i > 0 && random.Percent(50))) continue;
    const auto rank = static_cast<uint64_t>(tensor.shape.size());
    tensor.strides[static_cast<int>(random.Below(rank))] = 0;
  }
  return value;
}

Case Misaligned(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(1, 40));
  constexpr int32_t kAlignments[] = {16, 32, 64};
  for (Tensor& tensor : value.operands) {
    tensor.alignment = random.Pick(kAlignments);
    const int32_t size = SizeOf(tensor.dtype);
    const int32_t most = std::min(tensor.alignment / size - 1, 3);
    tensor.misalignment = size * static_cast<int32_t>(random.Between(0, most));
  }
  return value;
}

}  // namespace assay::probe
