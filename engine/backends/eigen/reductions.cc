// SPDX-License-Identifier: Apache-2.0
//
// Reductions of a vector, and softmax as it is written with Eigen. NaN propagates where Eigen lets
// the caller choose.
#include "engine/backends/eigen/maps.h"

namespace assay::eigen {
namespace {

template <class T>
void RunDot(const AssayCall& call) {
  T& out = *Element0<T>(call.operands[2]);
  const AssayTensor &x = call.operands[0], &y = call.operands[1];
  if (VectorOf(x).stride == 1 && VectorOf(y).stride == 1) {
    out = ContiguousMap<const T>(x).matrix().dot(ContiguousMap<const T>(y).matrix());
  } else {
    out = StridedMap<const T>(x).matrix().dot(StridedMap<const T>(y).matrix());
  }
}

// The mean of the squares of what is left when the mean is taken away.
template <class T, class X>
T VarianceOf(const X& x, int64_t correction) {
  return (x - x.mean()).square().sum() / static_cast<T>(x.size() - correction);
}

template <class X>
int64_t PlaceOfMaximum(const X& x) {
  Eigen::Index place = 0;
  x.template maxCoeff<Eigen::PropagateNaN>(&place);
  return place;
}

template <class T, class X>
bool Reduce(const AssayCall& call, const X& x) {
  T& out = *Element0<T>(call.operands[1]);
  switch (call.op) {
    case ASSAY_OP_SUM:
      out = x.sum();
      return true;
    case ASSAY_OP_MEAN:
      out = x.mean();
      return true;
    case ASSAY_OP_PROD:
      out = x.prod();
      return true;
    case ASSAY_OP_ASUM:
      out = x.abs().sum();
      return true;
    // The one of Eigen's norms that promises the full range.
    case ASSAY_OP_NRM2:
      out = x.matrix().stableNorm();
      return true;
    case ASSAY_OP_VARIANCE:
      out = VarianceOf<T>(x, static_cast<int64_t>(call.attributes[0]));
      return true;
    case ASSAY_OP_MAX:
      out = x.template maxCoeff<Eigen::PropagateNaN>();
      return true;
    case ASSAY_OP_MIN:
      out = x.template minCoeff<Eigen::PropagateNaN>();
      return true;
    case ASSAY_OP_ARGMAX:
      *Element0<int64_t>(call.operands[1]) = PlaceOfMaximum(x);
      return true;
    case ASSAY_OP_AMAX:
      *Element0<int64_t>(call.operands[1]) = PlaceOfMaximum(x.abs());
      return true;
    default:
      return false;
  }
}

// One row as a vector of its own.
AssayTensor RowOf(const AssayTensor& tensor, int64_t row) {
  AssayTensor vector = tensor;
  vector.ndim = 1;
  vector.shape += 1;
  vector.strides += 1;
  vector.byte_offset += static_cast<uint64_t>(row * tensor.strides[0] * (tensor.dtype.bits / 8));
  return vector;
}

template <class Input, class Output>
void Softmax(const Input& input, Output output) {
  output = (input - input.maxCoeff()).exp();
  output /= output.sum();
}

template <class T>
void RunSoftmax(const AssayCall& call) {
  if (call.operands[0].shape[1] == 0) return;
  for (int64_t row = 0; row < call.operands[0].shape[0]; ++row) {
    const AssayTensor x = RowOf(call.operands[0], row), out = RowOf(call.operands[1], row);
    if (VectorOf(x).stride == 1 && VectorOf(out).stride == 1) {
      Softmax(ContiguousMap<const T>(x), ContiguousMap<T>(out));
    } else {
      Softmax(StridedMap<const T>(x), StridedMap<T>(out));
    }
  }
}

}  // namespace

template <class T>
bool RunReduction(const AssayCall& call) {
  if (call.op == ASSAY_OP_DOT) {
    RunDot<T>(call);
    return true;
  }
  if (call.op == ASSAY_OP_SOFTMAX) {
    RunSoftmax<T>(call);
    return true;
  }
  bool known = false;
  if (call.operands[0].ndim != 1) return known;
  WithInput<T>(call.operands[0], [&](const auto& x) { known = Reduce<T>(call, x); });
  return known;
}
template bool RunReduction<double>(const AssayCall&);
template bool RunReduction<float>(const AssayCall&);

}  // namespace assay::eigen
