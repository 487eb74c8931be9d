// SPDX-License-Identifier: Apache-2.0
//
// Any CBLAS library, by the path of its file: what operators and BLAS have in common, in f64 and
// f32; sum where the library exports it. Declares the C interface itself, so that no vendor header
// is needed. Depends on the loader only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/result.h"
#include "engine/include/assay/backend.h"

namespace assay {

struct CblasRequest {
  std::string path;
  std::string
      core;  // OpenBLAS: kernels of this core type, by OpenBLAS's name; empty: its own choice
  std::string arch;    // BLIS: configuration, by number or by BLIS's name; empty: its own choice
  std::string family;  // empty: told from the exported symbols
};

// A table owned by the caller through its close(). Errors: the file is no library; it lacks
// cblas_sgemm; this CPU cannot run the core asked for, or the library does not have it.
Result<const AssayBackend*> OpenCblas(const CblasRequest& request);

// Core types worth running beside the library's own choice: each has kernels of its own for gemm,
// dot or sum. In the order in which discovery lists them.
const std::vector<std::string_view>& OpenBlasCores();
const std::vector<std::string_view>& BlisArchitectures();

}  // namespace assay
