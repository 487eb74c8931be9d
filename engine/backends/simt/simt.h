// SPDX-License-Identifier: Apache-2.0
//
// Kernels written like CUDA and HIP ones, run on the CPU under a seeded schedule: gemm in f32 and
// f64, all transposes and strides. A backend of the program itself, reached through
// engine/backend.h only.
#pragma once

#include "engine/include/assay/backend.h"

namespace assay {

// A new table; its close() frees it. Never NULL: there is nothing it needs that could be missing.
const AssayBackend* OpenSimt();

}  // namespace assay
