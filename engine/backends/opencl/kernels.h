// SPDX-License-Identifier: Apache-2.0
//
// The text of kernels.cl, compiled into the module.
#pragma once

namespace assay::opencl {

extern const char* const kKernelSource;

}  // namespace assay::opencl
