// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of shapes and strides. Must not depend on any other folder. Every function here is
// also asked about unchecked tensors, so nothing overflows: results saturate instead.
#include "contracts/tensor.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace assay {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
// Ends of an Extent stay within this, so that its size does not overflow.
constexpr int64_t kMaxEnd = kMax / 4;

int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMax : product;
}

// One axis along which the address moves: more than one element.
struct Axis {
  int64_t length;
  uint64_t stride;  // magnitude; turning an axis round changes no distance
};
using Axes = FixedVector<Axis, kMaxRank>;  // by ascending stride

Axes MovingAxes(const Dims& shape, const Dims& strides) {
  Axes axes;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] <= 1) continue;
    const auto bits = static_cast<uint64_t>(strides[i]);
    axes.push_back({shape[i], strides[i] < 0 ? -bits : bits});
    for (int j = axes.size() - 1; j > 0 && axes[j].stride < axes[j - 1].stride; --j) {
      std::swap(axes[j], axes[j - 1]);
    }
  }
  return axes;
}

// Two steps along each of two axes meet iff i * s = j * t with 0 < i < length of the first and
// 0 < j < length of the second; the smallest such pair is (t/g, s/g), g the common divisor.
bool PairMeets(const Axis& a, const Axis& b) {
  if (a.stride == 0 || b.stride == 0) return true;
  const uint64_t divisor = std::gcd(a.stride, b.stride);
  return b.stride / divisor < static_cast<uint64_t>(a.length) &&
         a.stride / divisor < static_cast<uint64_t>(b.length);
}

// Each axis steps over everything the axes with smaller strides can reach.
bool IsNested(const Axes& axes) {
  unsigned __int128 reach = 0;
  for (const Axis& axis : axes) {
    if (axis.stride <= reach) return false;
    reach += static_cast<unsigned __int128>(axis.length - 1) * axis.stride;
  }
  return true;
}

}  // namespace

int64_t ElementCount(const Dims& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t length) { return length <= 0; })) {
    return 0;
  }
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, SaturatingProduct);
}

Dims RowMajorStrides(const Dims& shape) {
  Dims strides;
  strides.resize(shape.size());
  int64_t stride = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride = SaturatingProduct(stride, std::max<int64_t>(shape[i], 1));
  }
  return strides;
}

bool IsContiguous(const Tensor& tensor) {
  if (ElementCount(tensor.shape) == 0) return true;
  const Dims dense = RowMajorStrides(tensor.shape);
  for (int i = 0; i < dense.size(); ++i) {
    if (tensor.shape[i] > 1 && tensor.strides[i] != dense[i]) return false;
  }
  return true;
}

Extent ExtentOf(const Dims& shape, const Dims& strides) {
  if (ElementCount(shape) == 0) return {0, -1};
  int64_t lowest = 0;
  int64_t highest = 0;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] <= 1) continue;
    const __int128 reach = static_cast<__int128>(shape[i] - 1) * strides[i];
    const auto bounded = static_cast<int64_t>(std::clamp<__int128>(reach, -kMaxEnd, kMaxEnd));
    (bounded < 0 ? lowest : highest) += bounded;
  }
  return {std::max(lowest, -kMaxEnd), std::min(highest, kMaxEnd)};
}

bool Overlaps(const Dims& shape, const Dims& strides) {
  if (ElementCount(shape) == 0) return false;
  const Axes axes = MovingAxes(shape, strides);
  if (axes.empty()) return false;
  if (axes[0].stride == 0) return true;
  if (IsNested(axes)) return false;
  // Two axes are decided exactly; with more, steps along three or four may meet where no two do.
  return axes.size() > 2 || PairMeets(axes[0], axes[1]);
}

}  // namespace assay
