// SPDX-License-Identifier: Apache-2.0
//
// Functions of elements, conversions, softmax and mean. A dense vector is one row of channels; one
// with a stride is a batch of rows of one channel.
#include <cmath>

#include "engine/backends/call_view.h"
#include "engine/backends/xnnpack/operation.h"

namespace assay::xnnpack {
namespace {

constexpr std::string_view kFloat32Only = "XNNPACK computes this in f32 only";
constexpr std::string_view kForwardOnly = "XNNPACK's strides are at least the row they step over";

bool AllFloat32(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    if (!IsFloat(call.operands[i], 32)) return false;
  }
  return true;
}

bool IsByte(const AssayTensor& tensor) { return tensor.dtype.code <= 1 && tensor.dtype.bits == 8; }
bool IsUnsigned(const AssayTensor& tensor) { return tensor.dtype.code == 1; }

struct Rows {
  size_t batch, channels, from_stride, to_stride;
};
Rows RowsOf(const AssayCall& call) {
  const VectorView from = VectorOf(call.operands[0]), to = VectorOf(call.operands[1]);
  const auto size = static_cast<size_t>(from.size);
  if (size > 0 && from.stride == 1 && to.stride == 1) return {1, size, size, size};
  return {size, 1, static_cast<size_t>(from.stride), static_cast<size_t>(to.stride)};
}

std::string_view RefuseVectors(const AssayCall& call) {
  const bool forward =
      VectorOf(call.operands[0]).stride > 0 && VectorOf(call.operands[1]).stride > 0;
  return forward ? "" : kForwardOnly;
}

std::string_view RefuseFunction(const AssayCall& call) {
  return AllFloat32(call) ? RefuseVectors(call) : kFloat32Only;
}

// `make` gets the rows and the place of the operator; `set_up` is the library's function.
template <class Make, class From, class To>
xnn_status RunRows(const AssayCall& call, Make make,
                   xnn_status (*set_up)(xnn_operator_t, size_t, const From*, To*, pthreadpool_t)) {
  const Rows rows = RowsOf(call);
  Operator op;
  xnn_status status = make(rows, op.out());
  if (status != xnn_status_success) return status;
  status = set_up(op.get(), rows.batch, Element0<const From>(call.operands[0]),
                  Element0<To>(call.operands[1]), /*threadpool=*/nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

using MakeRows = xnn_status (*)(size_t, size_t, size_t, uint32_t, xnn_operator_t*);
template <class From, class To>
xnn_status RunPlain(const AssayCall& call, MakeRows make,
                    xnn_status (*set_up)(xnn_operator_t, size_t, const From*, To*, pthreadpool_t)) {
  return RunRows(
      call,
      [make](const Rows& rows, xnn_operator_t* out) {
        return make(rows.channels, rows.from_stride, rows.to_stride, /*flags=*/0, out);
      },
      set_up);
}

xnn_status RunSigmoid(const AssayCall& call) {
  return RunPlain(call, xnn_create_sigmoid_nc_f32, xnn_setup_sigmoid_nc_f32);
}
xnn_status RunSquareRoot(const AssayCall& call) {
  return RunPlain(call, xnn_create_square_root_nc_f32, xnn_setup_square_root_nc_f32);
}

xnn_status ClampTo(float low, float high, const AssayCall& call) {
  return RunRows(
      call,
      [low, high](const Rows& rows, xnn_operator_t* out) {
        return xnn_create_clamp_nc_f32(rows.channels, rows.from_stride, rows.to_stride, low, high,
                                       /*flags=*/0, out);
      },
      xnn_setup_clamp_nc_f32);
}
xnn_status RunRelu(const AssayCall& call) { return ClampTo(0, kHighest, call); }
xnn_status RunClamp(const AssayCall& call) {
  return ClampTo(static_cast<float>(call.attributes[0]), static_cast<float>(call.attributes[1]),
                 call);
}
std::string_view RefuseClamp(const AssayCall& call) {
  if (!(call.attributes[0] < call.attributes[1])) {
    return "XNNPACK clamps between a lower and an upper bound";
  }
  return RefuseFunction(call);
}

std::string_view RefuseCast(const AssayCall& call) {
  const AssayTensor& from = call.operands[0];
  const AssayTensor& to = call.operands[1];
  const bool known =
      (IsFloat(from, 16) && IsFloat(to, 32)) || (IsFloat(from, 32) && IsFloat(to, 16));
  return known ? RefuseVectors(call) : "XNNPACK casts between f16 and f32";
}
xnn_status RunCast(const AssayCall& call) {
  if (IsFloat(call.operands[0], 16)) {
    return RunPlain(call, xnn_create_convert_nc_f16_f32, xnn_setup_convert_nc_f16_f32);
  }
  return RunPlain(call, xnn_create_convert_nc_f32_f16, xnn_setup_convert_nc_f32_f16);
}

std::string_view RefuseSteps(const AssayCall& call, const AssayTensor& bytes) {
  const double zero = call.attributes[1];
  const bool fits = IsUnsigned(bytes) ? zero >= 0 && zero <= 255 : zero >= -128 && zero <= 127;
  if (!fits) return "the zero point is a number of the type";
  const auto scale = static_cast<float>(call.attributes[0]);
  if (!(scale > 0) || !std::isnormal(scale)) return "the scale is a positive, normal number";
  return RefuseVectors(call);
}
std::string_view RefuseQuantize(const AssayCall& call) {
  const bool known = IsFloat(call.operands[0], 32) && IsByte(call.operands[1]);
  return known ? RefuseSteps(call, call.operands[1]) : kFloat32Only;
}
std::string_view RefuseDequantize(const AssayCall& call) {
  const bool known = IsByte(call.operands[0]) && IsFloat(call.operands[1], 32);
  return known ? RefuseSteps(call, call.operands[0]) : kFloat32Only;
}

// Over the whole range of the type `Byte`.
template <class Byte, class Make, class SetUp>
xnn_status QuantizeTo(const AssayCall& call, Make make, SetUp set_up) {
  const auto scale = static_cast<float>(call.attributes[0]);
  const auto zero = static_cast<Byte>(call.attributes[1]);
  using Limits = std::numeric_limits<Byte>;
  return RunRows(
      call,
      [=](const Rows& rows, xnn_operator_t* out) {
        return make(rows.channels, rows.from_stride, rows.to_stride, scale, zero, Limits::min(),
                    Limits::max(), /*flags=*/0, out);
      },
      set_up);
}
xnn_status RunQuantize(const AssayCall& call) {
  if (IsUnsigned(call.operands[1])) {
    return QuantizeTo<uint8_t>(call, xnn_create_convert_nc_f32_qu8, xnn_setup_convert_nc_f32_qu8);
  }
  return QuantizeTo<int8_t>(call, xnn_create_convert_nc_f32_qs8, xnn_setup_convert_nc_f32_qs8);
}

template <class Byte, class Make, class SetUp>
xnn_status DequantizeFrom(const AssayCall& call, Make make, SetUp set_up) {
  const auto scale = static_cast<float>(call.attributes[0]);
  const auto zero = static_cast<Byte>(call.attributes[1]);
  return RunRows(
      call,
      [=](const Rows& rows, xnn_operator_t* out) {
        return make(rows.channels, rows.from_stride, rows.to_stride, scale, zero, /*flags=*/0, out);
      },
      set_up);
}
xnn_status RunDequantize(const AssayCall& call) {
  if (IsUnsigned(call.operands[0])) {
    return DequantizeFrom<uint8_t>(call, xnn_create_convert_nc_qu8_f32,
                                   xnn_setup_convert_nc_qu8_f32);
  }
  return DequantizeFrom<int8_t>(call, xnn_create_convert_nc_qs8_f32, xnn_setup_convert_nc_qs8_f32);
}

// Rows of n elements that follow each other.
int64_t RowStride(const AssayTensor& matrix) {
  return matrix.shape[0] > 1 ? matrix.strides[0] : matrix.shape[1];
}
std::string_view RefuseSoftmax(const AssayCall& call) {
  if (!AllFloat32(call)) return kFloat32Only;
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& matrix = call.operands[i];
    if (matrix.shape[1] == 0) return "XNNPACK has no rows without channels";
    const bool dense = matrix.shape[1] == 1 || matrix.strides[1] == 1;
    if (!dense || RowStride(matrix) < matrix.shape[1]) return kForwardOnly;
  }
  return {};
}
xnn_status RunSoftmax(const AssayCall& call) {
  const AssayTensor& x = call.operands[0];
  const AssayTensor& out = call.operands[1];
  Operator op;
  xnn_status status =
      xnn_create_softmax_nc_f32(static_cast<size_t>(x.shape[1]), static_cast<size_t>(RowStride(x)),
                                static_cast<size_t>(RowStride(out)), /*flags=*/0, op.out());
  if (status != xnn_status_success) return status;
  status = xnn_setup_softmax_nc_f32(op.get(), static_cast<size_t>(x.shape[0]),
                                    Element0<const float>(x), Element0<float>(out), nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

// The average over the width of an image of one channel.
std::string_view RefuseMean(const AssayCall& call) {
  if (!AllFloat32(call)) return kFloat32Only;
  const VectorView x = VectorOf(call.operands[0]);
  if (x.size == 0) return "XNNPACK has no average of nothing";
  return x.stride > 0 ? "" : kForwardOnly;
}
xnn_status RunMean(const AssayCall& call) {
  const VectorView x = VectorOf(call.operands[0]);
  Operator op;
  xnn_status status = xnn_create_global_average_pooling_nwc_f32(
      /*channels=*/1, static_cast<size_t>(x.stride), /*output_stride=*/1, kLowest, kHighest,
      /*flags=*/0, op.out());
  if (status != xnn_status_success) return status;
  status = xnn_setup_global_average_pooling_nwc_f32(
      op.get(), /*batch_size=*/1, static_cast<size_t>(x.size),
      Element0<const float>(call.operands[0]), Element0<float>(call.operands[1]), nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

std::string_view RefuseBinary(const AssayCall& call) {
  if (!AllFloat32(call)) return kFloat32Only;
  for (int i = 0; i < call.operand_count; ++i) {
    if (VectorOf(call.operands[i]).stride != 1) return "XNNPACK's operands of two are dense";
  }
  return {};
}

using SetUpBinary = xnn_status (*)(xnn_operator_t, size_t, const size_t*, size_t, const size_t*,
                                   const float*, const float*, float*, pthreadpool_t);
xnn_status SetUpAndRun(const AssayCall& call, const Operator& op, SetUpBinary set_up) {
  const auto size = static_cast<size_t>(call.operands[0].shape[0]);
  const xnn_status status =
      set_up(op.get(), 1, &size, 1, &size, Element0<const float>(call.operands[0]),
             Element0<const float>(call.operands[1]), Element0<float>(call.operands[2]), nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

template <xnn_status (*make)(float, float, uint32_t, xnn_operator_t*), SetUpBinary set_up>
xnn_status RunBounded(const AssayCall& call) {
  Operator op;
  const xnn_status status = make(kLowest, kHighest, /*flags=*/0, op.out());
  return status == xnn_status_success ? SetUpAndRun(call, op, set_up) : status;
}
template <xnn_status (*make)(uint32_t, xnn_operator_t*), SetUpBinary set_up>
xnn_status RunUnbounded(const AssayCall& call) {
  Operator op;
  const xnn_status status = make(/*flags=*/0, op.out());
  return status == xnn_status_success ? SetUpAndRun(call, op, set_up) : status;
}

constexpr Operation kSigmoid = {RefuseFunction, RunSigmoid};
constexpr Operation kSquareRoot = {RefuseFunction, RunSquareRoot};
constexpr Operation kRelu = {RefuseFunction, RunRelu};
constexpr Operation kClamp = {RefuseClamp, RunClamp};
constexpr Operation kCast = {RefuseCast, RunCast};
constexpr Operation kQuantize = {RefuseQuantize, RunQuantize};
constexpr Operation kDequantize = {RefuseDequantize, RunDequantize};
constexpr Operation kSoftmax = {RefuseSoftmax, RunSoftmax};
constexpr Operation kMean = {RefuseMean, RunMean};
constexpr Operation kAdd = {RefuseBinary, RunBounded<xnn_create_add_nd_f32, xnn_setup_add_nd_f32>};
constexpr Operation kMultiply = {RefuseBinary,
                                 RunBounded<xnn_create_multiply_nd_f32, xnn_setup_multiply_nd_f32>};
constexpr Operation kDivide = {RefuseBinary,
                               RunBounded<xnn_create_divide_nd_f32, xnn_setup_divide_nd_f32>};
constexpr Operation kMinimum = {RefuseBinary,
                                RunUnbounded<xnn_create_minimum_nd_f32, xnn_setup_minimum_nd_f32>};
constexpr Operation kMaximum = {RefuseBinary,
                                RunUnbounded<xnn_create_maximum_nd_f32, xnn_setup_maximum_nd_f32>};

}  // namespace

const Operation* FindPointwise(uint32_t op) {
  switch (op) {
    case ASSAY_OP_SIGMOID:
      return &kSigmoid;
    case ASSAY_OP_SQRT:
      return &kSquareRoot;
    case ASSAY_OP_RELU:
      return &kRelu;
    case ASSAY_OP_CLAMP:
      return &kClamp;
    case ASSAY_OP_CAST:
      return &kCast;
    case ASSAY_OP_QUANTIZE:
      return &kQuantize;
    case ASSAY_OP_DEQUANTIZE:
      return &kDequantize;
    case ASSAY_OP_SOFTMAX:
      return &kSoftmax;
    case ASSAY_OP_MEAN:
      return &kMean;
    case ASSAY_OP_ADD:
      return &kAdd;
    case ASSAY_OP_MUL:
      return &kMultiply;
    case ASSAY_OP_DIV:
      return &kDivide;
    case ASSAY_OP_MINIMUM:
      return &kMinimum;
    case ASSAY_OP_MAXIMUM:
      return &kMaximum;
    default:
      return nullptr;
  }
}

}  // namespace assay::xnnpack
