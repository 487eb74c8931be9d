// SPDX-License-Identifier: Apache-2.0
//
// Functions of one and two elements, and conversions, which are reorders.
#include <cmath>

#include "engine/backends/call_view.h"
#include "engine/backends/onednn/make.h"

namespace assay::onednn {
namespace {

dnnl_alg_kind_t BinaryOf(uint32_t op) {
  switch (op) {
    case ASSAY_OP_ADD:
      return dnnl_binary_add;
    case ASSAY_OP_MUL:
      return dnnl_binary_mul;
    case ASSAY_OP_DIV:
      return dnnl_binary_div;
    case ASSAY_OP_MINIMUM:
      return dnnl_binary_min;
    default:
      return dnnl_binary_max;
  }
}

bool IsInteger(const AssayTensor& tensor) { return tensor.dtype.code <= 1; }

void MakeReorder(const AssayCall& call, const_dnnl_primitive_attr_t attributes,
                 Primitive& primitive) {
  dnnl_memory_desc_t from, to;
  if (!primitive.Describe(call.operands[0], from) || !primitive.Describe(call.operands[1], to)) {
    return;
  }
  primitive.AddReorder(from, primitive.Bind(from, 0), to, primitive.Bind(to, 1), attributes);
}

}  // namespace

Eltwise EltwiseOf(const AssayCall& call) {
  switch (call.op) {
    case ASSAY_OP_EXP:
      return {dnnl_eltwise_exp};
    case ASSAY_OP_LOG:
      return {dnnl_eltwise_log};
    case ASSAY_OP_TANH:
      return {dnnl_eltwise_tanh};
    case ASSAY_OP_SQRT:
      return {dnnl_eltwise_sqrt};
    case ASSAY_OP_GELU:
      return {call.attributes[0] == 0 ? dnnl_eltwise_gelu_erf : dnnl_eltwise_gelu_tanh};
    case ASSAY_OP_SIGMOID:
      return {dnnl_eltwise_logistic};
    case ASSAY_OP_SILU:
      return {dnnl_eltwise_swish, /*alpha=*/1};
    case ASSAY_OP_MISH:
      return {dnnl_eltwise_mish};
    case ASSAY_OP_RELU:
      return {dnnl_eltwise_relu};
    default:
      return {dnnl_eltwise_clip, static_cast<float>(call.attributes[0]),
              static_cast<float>(call.attributes[1])};
  }
}

// In the order of the labels: none relu gelu_erf gelu_tanh silu sigmoid tanh.
Eltwise ActivationOf(int label) {
  constexpr Eltwise kActivations[] = {
      {},
      {dnnl_eltwise_relu},
      {dnnl_eltwise_gelu_erf},
      {dnnl_eltwise_gelu_tanh},
      {dnnl_eltwise_swish, 1},
      {dnnl_eltwise_logistic},
      {dnnl_eltwise_tanh},
  };
  return kActivations[label];
}

void MakeUnary(const AssayCall& call, Primitive& primitive) {
  const VectorView from = VectorOf(call.operands[0]), to = VectorOf(call.operands[1]);
  if (from.stride != to.stride) {
    return primitive.Refuse("an eltwise primitive has one layout for input and output");
  }
  dnnl_memory_desc_t x;
  if (!primitive.Describe(call.operands[0], x)) return;
  const Eltwise eltwise = EltwiseOf(call);
  dnnl_eltwise_desc_t op;
  if (!primitive.Succeeded(primitive.functions().eltwise_forward_desc_init(
          &op, dnnl_forward_inference, eltwise.algorithm, &x, eltwise.alpha, eltwise.beta))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(x, 0)}, {DNNL_ARG_DST, primitive.Bind(x, 1)}});
}

void MakeBinary(const AssayCall& call, Primitive& primitive) {
  dnnl_memory_desc_t x, y, out;
  if (!primitive.Describe(call.operands[0], x) || !primitive.Describe(call.operands[1], y) ||
      !primitive.Describe(call.operands[2], out)) {
    return;
  }
  dnnl_binary_desc_t op;
  if (!primitive.Succeeded(
          primitive.functions().binary_desc_init(&op, BinaryOf(call.op), &x, &y, &out))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC_0, primitive.Bind(x, 0)},
                 {DNNL_ARG_SRC_1, primitive.Bind(y, 1)},
                 {DNNL_ARG_DST, primitive.Bind(out, 2)}});
}

// To an integer a reorder saturates, and rounds to nearest: it is a quantization, no cast, of
// numbers that are none.
void MakeCast(const AssayCall& call, Primitive& primitive) {
  const AssayTensor& to = call.operands[1];
  if (IsInteger(to) && !IsInteger(call.operands[0])) {
    return primitive.Refuse("oneDNN rounds to the nearest integer where a cast truncates");
  }
  if (IsInteger(to) && call.attributes[0] != 0) {
    return primitive.Refuse("oneDNN saturates between integers");
  }
  MakeReorder(call, nullptr, primitive);
}

// oneDNN scales by a factor, and rounds after it has added the zero point.
void MakeQuantize(const AssayCall& call, Primitive& primitive) {
  if (call.attributes[1] != 0) {
    return primitive.Refuse("oneDNN rounds the sum with the zero point, not the quotient");
  }
  const float factor = 1 / static_cast<float>(call.attributes[0]);
  if (!std::isnormal(factor)) return primitive.Refuse("the scale has no reciprocal in f32");
  Attributes attributes(primitive.functions());
  attributes.Scale(factor);
  MakeReorder(call, attributes.Get(), primitive);
}

void MakeDequantize(const AssayCall& call, Primitive& primitive) {
  Attributes attributes(primitive.functions());
  attributes.Scale(static_cast<float>(call.attributes[0]));
  attributes.SourceZeroPoint(static_cast<int32_t>(call.attributes[1]));
  MakeReorder(call, attributes.Get(), primitive);
}

void Make(const AssayCall& call, Primitive& primitive) {
  switch (call.op) {
    case ASSAY_OP_GEMM:
    case ASSAY_OP_GEMV:
    case ASSAY_OP_BATCHED_GEMM:
    case ASSAY_OP_DOT:
      return MakeProduct(call, primitive);
    case ASSAY_OP_INT8_GEMM:
      return MakeInt8Product(call, primitive);
    case ASSAY_OP_FUSED_LINEAR:
      return MakeLinear(call, primitive);
    case ASSAY_OP_SUM:
    case ASSAY_OP_MEAN:
    case ASSAY_OP_ASUM:
    case ASSAY_OP_PROD:
    case ASSAY_OP_NRM2:
    case ASSAY_OP_MAX:
    case ASSAY_OP_MIN:
      return MakeReduction(call, primitive);
    case ASSAY_OP_VARIANCE:
      return MakeVariance(call, primitive);
    case ASSAY_OP_SOFTMAX:
    case ASSAY_OP_LOG_SOFTMAX:
      return MakeSoftmax(call, primitive);
    case ASSAY_OP_LAYER_NORM:
      return MakeLayerNorm(call, primitive);
    case ASSAY_OP_BATCH_NORM:
      return MakeBatchNorm(call, primitive);
    case ASSAY_OP_EXP:
    case ASSAY_OP_LOG:
    case ASSAY_OP_TANH:
    case ASSAY_OP_SQRT:
    case ASSAY_OP_GELU:
    case ASSAY_OP_SIGMOID:
    case ASSAY_OP_SILU:
    case ASSAY_OP_MISH:
    case ASSAY_OP_RELU:
    case ASSAY_OP_CLAMP:
      return MakeUnary(call, primitive);
    case ASSAY_OP_ADD:
    case ASSAY_OP_MUL:
    case ASSAY_OP_DIV:
    case ASSAY_OP_MINIMUM:
    case ASSAY_OP_MAXIMUM:
      return MakeBinary(call, primitive);
    case ASSAY_OP_CAST:
      return MakeCast(call, primitive);
    case ASSAY_OP_QUANTIZE:
      return MakeQuantize(call, primitive);
    case ASSAY_OP_DEQUANTIZE:
      return MakeDequantize(call, primitive);
    case ASSAY_OP_CONV2D:
      return MakeConvolution(call, primitive);
    case ASSAY_OP_MAX_POOL:
    case ASSAY_OP_AVG_POOL:
      return MakePooling(call, primitive);
    default:
      primitive.Refuse("oneDNN has no such primitive");
  }
}

}  // namespace assay::onednn
