// SPDX-License-Identifier: Apache-2.0
//
// Convolution and pooling. Operands are described as they lie, which any order of axes with
// positive strides can be.
#include "engine/backends/call_view.h"
#include "engine/backends/onednn/make.h"

namespace assay::onednn {
namespace {

struct Pair {
  explicit Pair(double both) : values{static_cast<int64_t>(both), static_cast<int64_t>(both)} {}
  dnnl_dims_t values;
};

struct Convolution {
  dnnl_memory_desc_t x, w, out;
};

dnnl_memory_desc_t AnyLayout(const dnnl_memory_desc_t& memory, Primitive& primitive) {
  dnnl_memory_desc_t any;
  primitive.Succeeded(primitive.functions().memory_desc_init_by_tag(
      &any, memory.ndims, memory.dims, memory.data_type, dnnl_format_tag_any));
  return any;
}

// The direct algorithm: Winograd's has an error of its own, which nobody asked for.
dnnl_primitive_desc_t PlanConvolution(const AssayCall& call, const Convolution& memories,
                                      Primitive& primitive) {
  const Pair strides(call.attributes[0]), padding(call.attributes[1]);
  const Pair dilates(call.attributes[2] - 1);
  dnnl_convolution_desc_t op;
  if (!primitive.Succeeded(primitive.functions().dilated_convolution_forward_desc_init(
          &op, dnnl_forward_inference, dnnl_convolution_direct, &memories.x, &memories.w,
          /*bias_desc=*/nullptr, &memories.out, strides.values, dilates.values, padding.values,
          padding.values))) {
    return nullptr;
  }
  return primitive.Plan(&op, nullptr);
}

void AddInOwnLayouts(const AssayCall& call, const Convolution& given, Primitive& primitive) {
  const Convolution any{AnyLayout(given.x, primitive), AnyLayout(given.w, primitive),
                        AnyLayout(given.out, primitive)};
  dnnl_primitive_desc_t plan = PlanConvolution(call, any, primitive);
  if (plan == nullptr) return;
  const auto chosen = [&](dnnl_query_t what) {
    return *primitive.functions().primitive_desc_query_md(plan, what, 0);
  };
  const Convolution own{chosen(dnnl_query_src_md), chosen(dnnl_query_weights_md),
                        chosen(dnnl_query_dst_md)};
  const int x = primitive.Own(own.x), w = primitive.Own(own.w), out = primitive.Own(own.out);
  primitive.AddReorder(given.x, primitive.Bind(given.x, 0), own.x, x, nullptr);
  primitive.AddReorder(given.w, primitive.Bind(given.w, 1), own.w, w, nullptr);
  primitive.AddPlanned(plan, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, out}});
  primitive.AddReorder(own.out, out, given.out, primitive.Bind(given.out, 2), nullptr);
}

}  // namespace

void MakeConvolution(const AssayCall& call, Primitive& primitive) {
  Convolution given;
  if (!primitive.Describe(call.operands[0], given.x) ||
      !primitive.Describe(call.operands[1], given.w) ||
      !primitive.Describe(call.operands[2], given.out)) {
    return;
  }
  if (OtherSchedule(call)) return AddInOwnLayouts(call, given, primitive);
  primitive.AddPlanned(PlanConvolution(call, given, primitive),
                       {{DNNL_ARG_SRC, primitive.Bind(given.x, 0)},
                        {DNNL_ARG_WEIGHTS, primitive.Bind(given.w, 1)},
                        {DNNL_ARG_DST, primitive.Bind(given.out, 2)}});
}

void MakePooling(const AssayCall& call, Primitive& primitive) {
  const bool max = call.op == ASSAY_OP_MAX_POOL;
  dnnl_alg_kind_t algorithm = dnnl_pooling_max;
  if (!max) {
    const bool all_places = call.attributes[3] != 0;
    algorithm = all_places ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding;
  }
  dnnl_memory_desc_t x, out;
  if (!primitive.Describe(call.operands[0], x) || !primitive.Describe(call.operands[1], out)) {
    return;
  }
  const Pair window(call.attributes[0]), strides(call.attributes[1]), padding(call.attributes[2]);
  dnnl_pooling_desc_t op;
  if (!primitive.Succeeded(primitive.functions().pooling_forward_desc_init(
          &op, dnnl_forward_inference, algorithm, &x, &out, strides.values, window.values,
          padding.values, padding.values))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(x, 0)}, {DNNL_ARG_DST, primitive.Bind(out, 1)}});
}

}  // namespace assay::onednn
