// SPDX-License-Identifier: Apache-2.0
//
// Reductions, softmax and normalizations.
#include <string_view>

#include "engine/backends/call_view.h"
#include "engine/backends/onednn/make.h"

namespace assay::onednn {
namespace {

struct Reduction {
  dnnl_alg_kind_t algorithm;
  float p;
};

Reduction ReductionOf(uint32_t op) {
  switch (op) {
    case ASSAY_OP_SUM:
      return {dnnl_reduction_sum, 0};
    case ASSAY_OP_MEAN:
      return {dnnl_reduction_mean, 0};
    case ASSAY_OP_PROD:
      return {dnnl_reduction_mul, 0};
    case ASSAY_OP_MAX:
      return {dnnl_reduction_max, 0};
    case ASSAY_OP_MIN:
      return {dnnl_reduction_min, 0};
    case ASSAY_OP_ASUM:
      return {dnnl_reduction_norm_lp_power_p_sum, 1};
    default:
      return {dnnl_reduction_norm_lp_sum, 2};
  }
}

bool SameLayout(const AssayTensor& a, const AssayTensor& b) {
  for (int i = 0; i < a.ndim; ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

constexpr std::string_view kOneLayout =
    "this primitive has one descriptor for its input and its output";

// Scales, shifts and statistics have no descriptors: they are dense, and f32.
bool AreDenseF32(const AssayCall& call, int first, int last) {
  for (int i = first; i <= last; ++i) {
    const VectorView vector = VectorOf(call.operands[i]);
    if (vector.stride != 1 || !IsFloat(call.operands[i], 32)) return false;
  }
  return true;
}

constexpr std::string_view kDenseStatistics =
    "scales, shifts and statistics are dense vectors of f32";

}  // namespace

void MakeReduction(const AssayCall& call, Primitive& primitive) {
  dnnl_memory_desc_t x, out;
  if (!primitive.Describe(call.operands[0], x) ||
      !primitive.Describe(call.operands[1], {Axis{}}, out)) {
    return;
  }
  const Reduction reduction = ReductionOf(call.op);
  dnnl_reduction_desc_t op;
  if (!primitive.Succeeded(primitive.functions().reduction_desc_init(
          &op, reduction.algorithm, &x, &out, reduction.p, /*eps=*/0))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(x, 0)}, {DNNL_ARG_DST, primitive.Bind(out, 1)}});
}

// A layer normalization in training delivers the variance of its row, over n; what it normalizes is
// thrown away.
void MakeVariance(const AssayCall& call, Primitive& primitive) {
  const AssayTensor& tensor = call.operands[0];
  if (call.attributes[0] != 0) return primitive.Refuse("oneDNN's variance divides by n");
  if (!IsFloat(tensor, 32)) return primitive.Refuse(kDenseStatistics);
  if (tensor.shape[0] == 0) return primitive.Refuse("a row of nothing is given no statistics");
  dnnl_memory_desc_t x, statistic;
  if (!primitive.Describe(tensor, {Axis{}, AxisOf(tensor, 0)}, x) ||
      !primitive.Describe(call.operands[1], {Axis{}}, statistic)) {
    return;
  }
  dnnl_layer_normalization_desc_t op;
  if (!primitive.Succeeded(primitive.functions().layer_normalization_forward_desc_init(
          &op, dnnl_forward_training, &x, &statistic, /*epsilon=*/1,
          dnnl_normalization_flags_none))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(x, 0)},
                 {DNNL_ARG_DST, primitive.Own(x)},
                 {DNNL_ARG_MEAN, primitive.Own(statistic)},
                 {DNNL_ARG_VARIANCE, primitive.Bind(statistic, 1)}});
}

void MakeSoftmax(const AssayCall& call, Primitive& primitive) {
  dnnl_memory_desc_t x, out;
  if (!primitive.Describe(call.operands[0], x) || !primitive.Describe(call.operands[1], out)) {
    return;
  }
  const dnnl_alg_kind_t algorithm =
      call.op == ASSAY_OP_SOFTMAX ? dnnl_softmax_accurate : dnnl_softmax_log;
  dnnl_softmax_v2_desc_t op;
  if (!primitive.Succeeded(primitive.functions().softmax_v2_forward_desc_init(
          &op, dnnl_forward_inference, algorithm, &x, &out, /*axis=*/1))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(x, 0)}, {DNNL_ARG_DST, primitive.Bind(out, 1)}});
}

void MakeLayerNorm(const AssayCall& call, Primitive& primitive) {
  if (!SameLayout(call.operands[0], call.operands[3])) return primitive.Refuse(kOneLayout);
  if (!AreDenseF32(call, 1, 2)) return primitive.Refuse(kDenseStatistics);
  dnnl_memory_desc_t x, statistic, gain;
  const AssayTensor& rows = call.operands[0];
  if (!primitive.Describe(rows, x) ||
      !primitive.Describe(call.operands[1], {Axis{rows.shape[0], 1}}, statistic) ||
      !primitive.Describe(call.operands[1], gain)) {
    return;
  }
  dnnl_layer_normalization_desc_t op;
  if (!primitive.Succeeded(primitive.functions().layer_normalization_forward_desc_init(
          &op, dnnl_forward_inference, &x, &statistic, static_cast<float>(call.attributes[0]),
          dnnl_use_scale | dnnl_use_shift))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(x, 0)},
                 {DNNL_ARG_SCALE, primitive.Bind(gain, 1)},
                 {DNNL_ARG_SHIFT, primitive.Bind(gain, 2)},
                 {DNNL_ARG_DST, primitive.Bind(x, 3)}});
}

void MakeBatchNorm(const AssayCall& call, Primitive& primitive) {
  if (!SameLayout(call.operands[0], call.operands[5])) return primitive.Refuse(kOneLayout);
  if (!AreDenseF32(call, 1, 4)) return primitive.Refuse(kDenseStatistics);
  dnnl_memory_desc_t x, channels;
  if (!primitive.Describe(call.operands[0], x) || !primitive.Describe(call.operands[1], channels)) {
    return;
  }
  dnnl_batch_normalization_desc_t op;
  if (!primitive.Succeeded(primitive.functions().batch_normalization_forward_desc_init(
          &op, dnnl_forward_inference, &x, static_cast<float>(call.attributes[0]),
          dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(x, 0)},
                 {DNNL_ARG_MEAN, primitive.Bind(channels, 1)},
                 {DNNL_ARG_VARIANCE, primitive.Bind(channels, 2)},
                 {DNNL_ARG_SCALE, primitive.Bind(channels, 3)},
                 {DNNL_ARG_SHIFT, primitive.Bind(channels, 4)},
                 {DNNL_ARG_DST, primitive.Bind(x, 5)}});
}

}  // namespace assay::onednn
