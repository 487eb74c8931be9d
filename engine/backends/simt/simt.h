// SPDX-License-Identifier: Apache-2.0
//
// Kernels written like CUDA/HIP ones, run on the CPU under a seeded scheduler, as a backend of the
// program itself. Reached through engine/backend.h only.
#pragma once

#include <string>

#include "engine/include/assay/backend.h"

namespace assay {

// Owned by the caller through its close(). Null, with a clause in `error`, if it cannot run here.
const AssayBackend* OpenSimt(std::string& error);

}  // namespace assay
