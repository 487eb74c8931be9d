// SPDX-License-Identifier: Apache-2.0
//
// Sizes: small ones most of the time, since a case must stay cheap, and around the multiples that
// vector and tile loops are written for, since their tails are where kernels differ.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

struct SizeRange {
  int weight;
  int64_t lowest, highest;
};
constexpr SizeRange kSizes[] = {{4, 0, 0},   {14, 1, 1},  {12, 2, 2},  {14, 3, 4},  {22, 5, 8},
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

// Long reductions stay affordable by keeping the other sizes small.
void ShrinkOthers(NamedDims& dims, int kept, Random& random) {
  for (int i = 0; i < dims.size(); ++i) {
    if (i != kept && dims[i] > 8) dims[i] = random.Between(1, 5);
  }
}

// Cases with far more terms than the median take most of a campaign's time; few are enough.
void Affordable(NamedDims& dims, int kept, Random& random) {
  int64_t terms = 1;
  for (const int64_t size : dims) terms *= size;
  if (terms > 16384 && !random.Percent(10)) ShrinkOthers(dims, kept, random);
}

void KeepIndexRange(Draft& draft, int64_t rows) {
  if (draft.def.family != Family::kGather) return;
  Fill& fill = draft.value.operands[1].fill;
  if (fill.kind != FillKind::kIndices || fill.lo != 0) return;
  const auto last = [](int64_t count) {
    return static_cast<double>(std::max<int64_t>(count - 1, 0));
  };
  if (fill.hi == last(draft.dims[0])) fill.hi = last(rows);
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
  // Only where something is summed over does a long size pay.
  if (dimension == def.reduced && random.Percent(3)) return random.Pick(kLong);
  if (random.Percent(12)) return random.Pick(kTiles) + random.Between(-1, 1);
  if (random.Percent(5)) return random.Pick(kPrimes);
  const SizeRange& range = random.PickWeighted(kSizes);
  return random.Between(range.lowest, range.highest);
}

void ChangeDimension(Draft& draft) {
  NamedDims dims = draft.dims;
  const int i = static_cast<int>(draft.random.Below(static_cast<uint64_t>(dims.size())));
  dims[i] = draft.random.Percent(30) ? NearSize(dims[i], draft.random)
                                     : DrawSize(draft.def, i, draft.random);
  if (dims[i] > 64) ShrinkOthers(dims, i, draft.random);
  Affordable(dims, i, draft.random);
  Reshape(draft, dims);
}

void ChangeAllDimensions(Draft& draft) {
  NamedDims dims = draft.dims;
  for (int i = 0; i < dims.size(); ++i) dims[i] = DrawSize(draft.def, i, draft.random);
  for (int i = 0; i < dims.size(); ++i) {
    if (dims[i] > 64) ShrinkOthers(dims, i, draft.random);
  }
  Affordable(dims, dims.size() - 1, draft.random);
  Reshape(draft, dims);
}

void Reshape(Draft& draft, const NamedDims& dims) {
  FixedVector<Dims, kMaxOperands> before;
  for (const Tensor& tensor : draft.value.operands) before.push_back(tensor.shape);
  draft.def.shape(dims, draft.value);
  for (int i = 0; i < draft.operand_count(); ++i) {
    Tensor& tensor = draft.value.operands[i];
    if (tensor.shape == before[i]) continue;
    FollowLayout(tensor, before[i], Dims(tensor.strides));
    KeepOverridesInside(tensor);
  }
  KeepIndexRange(draft, dims[0]);
  draft.dims = dims;
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
