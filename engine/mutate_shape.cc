// SPDX-License-Identifier: Apache-2.0
//
// Sizes: small ones most of the time, since a case must stay cheap, and around the multiples that
// vector and tile loops are written for, since their tails are where kernels differ.
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

struct SizeRange {
  int weight;
  int64_t lowest, highest;
};
constexpr SizeRange kSizes[] = {{2, 0, 0},   {10, 1, 1},  {12, 2, 2},  {14, 3, 4},  {22, 5, 8},
                                {14, 9, 16}, {4, 17, 33}, {2, 34, 64}, {1, 65, 300}};
constexpr int64_t kTiles[] = {4, 4, 8, 8, 16, 16, 32, 64};
constexpr int64_t kPrimes[] = {5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 43, 61};
// Reductions long enough for blocked, split or narrow accumulation to show.
constexpr int64_t kLong[] = {128, 255, 256, 257, 511, 512, 513, 1000, 1024, 2048, 4096, 8192};

int64_t NearSize(int64_t size, Random& random) {
  switch (random.Below(5)) {
    case 0:
      return size + 1;
    case 1:
      return std::max<int64_t>(size - 1, 0);
    case 2:
      return std::min<int64_t>(size * 2, 300);
    case 3:
      return size / 2;
    default:
      return size + random.Between(1, 8);
  }
}

// What a dimension counts, where that bounds sensible sizes: images, their kernels, heads and ranks
// stay small because everything is multiplied with them.
struct NamedRange {
  std::string_view dimension;
  int64_t lowest, highest;
};
constexpr NamedRange kNamedRanges[] = {{"height", 1, 12},  {"width", 1, 12},   {"kernel_h", 1, 5},
                                       {"kernel_w", 1, 5}, {"channels", 1, 5}, {"filters", 1, 5},
                                       {"batch", 1, 3},    {"heads", 1, 3},    {"ranks", 2, 8}};
// Ends of the range of 16-bit counters, for operators of one dimension. Beyond the end only, an
// element is taken for another one.
constexpr int64_t kCounterEnds[] = {32768, 32769, 65535, 65536, 65537, 65553, 66003};

const NamedRange* RangeOf(const OperatorDef& def, int dimension) {
  if (def.dimensions.size() <= 2 && def.family != Family::kCollective) return nullptr;
  for (const NamedRange& range : kNamedRanges) {
    if (def.dimensions[static_cast<size_t>(dimension)] == range.dimension) return &range;
  }
  return nullptr;
}

int64_t DrawNamedSize(const NamedRange& range, Random& random) {
  if (random.Percent(1)) return 0;
  if (random.Percent(20)) return 1;
  if (range.dimension == "ranks" && random.Percent(8)) return random.Percent(50) ? 16 : 32;
  return random.Between(range.lowest, range.highest);
}

// Long reductions stay affordable by keeping the other sizes small.
void ShrinkOthers(NamedDims& dims, int kept, Random& random) {
  for (int i = 0; i < dims.size(); ++i) {
    if (i != kept && dims[i] > 8) dims[i] = random.Between(1, 5);
  }
}

// Cases with far more terms than the median take most of a campaign's time; few are enough.
constexpr int64_t kManyTerms = 16384;

void ReshapeAffordably(Draft& draft, NamedDims dims, int kept) {
  Reshape(draft, dims);
  // A solve's terms are steps of an enclosure, not of a sum, and most are of its one order.
  const bool solve = draft.def.family == Family::kSolve;
  const int64_t many = solve ? kManyTerms / 2 : kManyTerms;
  if (TermsOf(draft.value, dims) <= many || draft.random.Percent(10)) return;
  ShrinkOthers(dims, solve ? -1 : kept, draft.random);
  Reshape(draft, dims);
}

// A window that does not fit makes no case: what it slides over grows, as far as that goes.
void GrowUnderWindows(const OperatorDef& def, const Case& value, NamedDims& dims) {
  int64_t reach = 0;
  if (def.family == Family::kPool) reach = IntegerAttribute(value, kPoolWindow);
  for (int i = 0; i < dims.size() && def.derive != nullptr; ++i) {
    const std::string_view name = def.dimensions[static_cast<size_t>(i)];
    if (name != "height" && name != "width") continue;
    if (def.family == Family::kConv) {
      const int64_t kernel = dims[name == "height" ? 5 : 6];
      reach = IntegerAttribute(value, kConvDilation) * (kernel - 1) + 1;
    }
    if (dims[i] > 0) dims[i] = std::max(dims[i], reach);
  }
}

// Axes from the one with the smallest stride outwards; of equals the last axis is the inner one.
FixedVector<int, kMaxRank> InnerToOuter(const Dims& strides) {
  FixedVector<int, kMaxRank> order;
  for (int axis = strides.size() - 1; axis >= 0; --axis) {
    order.push_back(axis);
    for (int j = order.size() - 1;
         j > 0 && std::llabs(strides[order[j]]) < std::llabs(strides[order[j - 1]]); --j) {
      std::swap(order[j], order[j - 1]);
    }
  }
  return order;
}

}  // namespace

int64_t DrawSize(const OperatorDef& def, int dimension, Random& random) {
  const NamedRange* range = RangeOf(def, dimension);
  if (range != nullptr) return DrawNamedSize(*range, random);
  // Only where something is summed over does a long size pay.
  if (dimension == def.reduced && random.Percent(3)) return random.Pick(kLong);
  // A matrix of one extent costs its square, and to solve by it the cube; tiles are met all the
  // same.
  const bool square = def.dimensions.size() == 1 && def.operands[0].axes.rank > 1;
  const bool counted = def.dimensions.size() == 1 && !square;
  if (counted && random.Below(1000) < 8) return random.Pick(kCounterEnds);
  if (random.Percent(12)) return random.Pick(kTiles) + random.Between(-1, 1);
  if (random.Percent(5)) return random.Pick(kPrimes);
  const SizeRange& sizes = random.PickWeighted(kSizes);
  const int64_t size = random.Between(sizes.lowest, sizes.highest);
  return square ? std::min<int64_t>(size, 16) : size;
}

void ChangeDimension(Draft& draft) {
  NamedDims dims = draft.dims;
  const int i = static_cast<int>(draft.random.Below(static_cast<uint64_t>(dims.size())));
  dims[i] = draft.random.Percent(30) ? NearSize(dims[i], draft.random)
                                     : DrawSize(draft.def, i, draft.random);
  if (dims[i] > 64) ShrinkOthers(dims, i, draft.random);
  GrowUnderWindows(draft.def, draft.value, dims);
  ReshapeAffordably(draft, dims, i);
}

void ChangeAllDimensions(Draft& draft) {
  NamedDims dims = draft.dims;
  for (int i = 0; i < dims.size(); ++i) dims[i] = DrawSize(draft.def, i, draft.random);
  for (int i = 0; i < dims.size(); ++i) {
    if (dims[i] > 64) ShrinkOthers(dims, i, draft.random);
  }
  GrowUnderWindows(draft.def, draft.value, dims);
  ReshapeAffordably(draft, dims, dims.size() - 1);
}

void Reshape(Draft& draft, const NamedDims& dims) {
  FixedVector<Dims, kMaxOperands> before;
  for (const Tensor& tensor : draft.value.operands) before.push_back(tensor.shape);
  const bool covered = IndicesCoverAll(draft);
  draft.def.shape(dims, draft.value);
  for (int i = 0; i < draft.operand_count(); ++i) {
    Tensor& tensor = draft.value.operands[i];
    if (tensor.shape == before[i]) continue;
    FollowLayout(tensor, before[i], Dims(tensor.strides));
    KeepOverridesInside(tensor);
  }
  draft.dims = dims;
  if (covered) CoverAllIndices(draft);
}

bool IndicesCoverAll(const Draft& draft) {
  const int i = IndexOperandOf(draft.def);
  if (i < 0) return false;
  const Fill& fill = draft.value.operands[i].fill;
  return fill.kind == FillKind::kIndices && fill.lo == 0 && fill.hi == LastIndex(draft);
}

void CoverAllIndices(Draft& draft) {
  Fill& fill = draft.value.operands[IndexOperandOf(draft.def)].fill;
  fill = {FillKind::kIndices, fill.seed, 0, LastIndex(draft)};
}

double LastIndex(const Draft& draft) {
  const int64_t extent = IndexedExtent(draft.value, draft.dims);
  return static_cast<double>(std::max<int64_t>(extent - 1, 0));
}

void FollowLayout(Tensor& tensor, const Dims& shape, const Dims& strides) {
  int64_t dense_before = 1, dense = 1;
  for (const int axis : InnerToOuter(strides)) {
    const int64_t magnitude = std::llabs(strides[axis]);
    int64_t stride = magnitude;
    // Gaps survive a change of size; zero strides and overlapping windows stay as they are.
    if (magnitude >= dense_before) stride = dense + (magnitude - dense_before);
    if (magnitude > 0) {
      dense_before = magnitude * std::max<int64_t>(shape[axis], 1);
      dense = stride * std::max<int64_t>(tensor.shape[axis], 1);
    }
    tensor.strides[axis] = strides[axis] < 0 ? -stride : stride;
  }
}

void KeepOverridesInside(Tensor& tensor) {
  if (ElementCount(tensor.shape) == 0) tensor.overrides.clear();
  for (Override& each : tensor.overrides) {
    for (int axis = 0; axis < each.index.size(); ++axis) {
      each.index[axis] =
          static_cast<int32_t>(std::min<int64_t>(each.index[axis], tensor.shape[axis] - 1));
    }
  }
}

}  // namespace assay
