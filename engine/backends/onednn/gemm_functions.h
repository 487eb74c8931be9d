// SPDX-License-Identifier: Apache-2.0
//
// The BLAS-like functions dnnl_sgemm, dnnl_gemm_s8s8s32 and dnnl_gemm_u8s8s32.
#pragma once

#include <string_view>

#include "engine/backends/onednn/functions.h"
#include "engine/include/assay/backend.h"

namespace assay::onednn {

// Why there is none for the call, or empty.
std::string_view RefusalOfGemm(const AssayCall& call);
// Empty, or what failed. REQUIRES no refusal.
std::string_view RunGemm(const Functions& functions, const AssayCall& call);

}  // namespace assay::onednn
