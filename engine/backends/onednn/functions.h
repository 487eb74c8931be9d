// SPDX-License-Identifier: Apache-2.0
//
// The functions of a loaded libdnnl. Called through pointers, never linked, so that one process can
// hold several copies under different instruction-set caps.
#pragma once

#include <oneapi/dnnl/dnnl.h>

#include <string>
#include <string_view>

#include "contracts/result.h"

namespace assay::onednn {

#define ASSAY_DNNL_FUNCTIONS(X)            \
  X(batch_normalization_forward_desc_init) \
  X(binary_desc_init)                      \
  X(dilated_convolution_forward_desc_init) \
  X(eltwise_forward_desc_init)             \
  X(engine_create)                         \
  X(gemm_s8s8s32)                          \
  X(gemm_u8s8s32)                          \
  X(get_effective_cpu_isa)                 \
  X(inner_product_forward_desc_init)       \
  X(layer_normalization_forward_desc_init) \
  X(matmul_desc_init)                      \
  X(memory_create)                         \
  X(memory_desc_init_by_strides)           \
  X(memory_desc_init_by_tag)               \
  X(memory_destroy)                        \
  X(memory_set_data_handle)                \
  X(pooling_forward_desc_init)             \
  X(post_ops_append_binary)                \
  X(post_ops_append_eltwise)               \
  X(post_ops_append_sum)                   \
  X(post_ops_create)                       \
  X(post_ops_destroy)                      \
  X(primitive_attr_create)                 \
  X(primitive_attr_destroy)                \
  X(primitive_attr_set_output_scales)      \
  X(primitive_attr_set_post_ops)           \
  X(primitive_attr_set_zero_points)        \
  X(primitive_create)                      \
  X(primitive_desc_create)                 \
  X(primitive_desc_destroy)                \
  X(primitive_desc_query_md)               \
  X(primitive_destroy)                     \
  X(primitive_execute)                     \
  X(reduction_desc_init)                   \
  X(reorder_primitive_desc_create)         \
  X(sgemm)                                 \
  X(softmax_v2_forward_desc_init)          \
  X(stream_create)                         \
  X(stream_wait)                           \
  X(version)

struct Functions {
#define ASSAY_DNNL_MEMBER(name) decltype(&dnnl_##name) name = nullptr;
  ASSAY_DNNL_FUNCTIONS(ASSAY_DNNL_MEMBER)
#undef ASSAY_DNNL_MEMBER
};

struct Library {
  Functions functions;
  std::string version;  // "2.6.3"
  std::string isa;      // the cap in effect, oneDNN's name in lower case: "avx2"
};

// The system's libdnnl, with at most the instruction set `cap` (a name such as "avx2"; empty: all).
// Errors: not installed, a function missing, no such cap, or a cap that this CPU does not reach.
Result<Library> Load(std::string_view cap);

}  // namespace assay::onednn
