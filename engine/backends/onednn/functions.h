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

#define ASSAY_DNNL_FUNCTIONS(X)       \
  X(engine_create)                    \
  X(eltwise_forward_desc_init)        \
  X(get_effective_cpu_isa)            \
  X(matmul_desc_init)                 \
  X(memory_create)                    \
  X(memory_desc_init_by_strides)      \
  X(memory_destroy)                   \
  X(memory_set_data_handle)           \
  X(post_ops_append_sum)              \
  X(post_ops_create)                  \
  X(post_ops_destroy)                 \
  X(primitive_attr_create)            \
  X(primitive_attr_destroy)           \
  X(primitive_attr_set_output_scales) \
  X(primitive_attr_set_post_ops)      \
  X(primitive_create)                 \
  X(primitive_desc_create)            \
  X(primitive_desc_destroy)           \
  X(primitive_destroy)                \
  X(primitive_execute)                \
  X(sgemm)                            \
  X(softmax_v2_forward_desc_init)     \
  X(stream_create)                    \
  X(stream_wait)                      \
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
