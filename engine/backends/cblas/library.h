// SPDX-License-Identifier: Apache-2.0
//
// A loaded CBLAS: its entry points, and what it says about itself.
#pragma once

#include <string>

#include "contracts/result.h"
#include "engine/backends/cblas/cblas.h"

namespace assay {

// The C interface to BLAS as Netlib defines it (int is 32 bits; ILP64 builds have other names).
struct CblasFunctions {
  using Sgemm = void(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                     const float* a, int lda, const float* b, int ldb, float beta, float* c,
                     int ldc);
  using Dgemm = void(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                     const double* a, int lda, const double* b, int ldb, double beta, double* c,
                     int ldc);
  using Sdot = float(int n, const float* x, int incx, const float* y, int incy);
  using Ddot = double(int n, const double* x, int incx, const double* y, int incy);
  using Ssum = float(int n, const float* x, int incx);
  using Dsum = double(int n, const double* x, int incx);
  Sgemm* sgemm = nullptr;
  Dgemm* dgemm = nullptr;
  Sdot* sdot = nullptr;
  Ddot* ddot = nullptr;
  Ssum* ssum = nullptr;  // OpenBLAS only
  Dsum* dsum = nullptr;
};

struct CblasLibrary {
  CblasFunctions functions;
  std::string family, version, pins;
};

Result<CblasLibrary> LoadCblas(const CblasRequest& request);

}  // namespace assay
