// SPDX-License-Identifier: Apache-2.0
//
// The `simt` backend: CUDA-shaped kernels on the CPU, with a seeded schedule. gemm in f32 and f64,
// all transposes and strides.
#pragma once

#include "engine/include/assay/backend.h"

namespace assay {

// A new table; its close() frees it. Never NULL.
const AssayBackend* OpenSimt();

}  // namespace assay
