// SPDX-License-Identifier: Apache-2.0
//
// A loaded CBLAS: its entry points, and what it says about itself.
#pragma once

#include <cstddef>
#include <string>

#include "contracts/result.h"
#include "engine/backends/cblas/cblas.h"

namespace assay {

// The C interface to BLAS as Netlib defines it (int is 32 bits; ILP64 builds have other names), for
// one type of element. A library may lack any of them but gemm.
template <class T>
struct CblasOf {
  using Pair = T(int n, const T* x, int incx, const T* y, int incy);
  using Reduce = T(int n, const T* x, int incx);
  using Find = size_t(int n, const T* x, int incx);
  using Scal = void(int n, T alpha, T* x, int incx);
  using Axpy = void(int n, T alpha, const T* x, int incx, T* y, int incy);
  using Gemv = void(int order, int trans, int m, int n, T alpha, const T* a, int lda, const T* x,
                    int incx, T beta, T* y, int incy);
  using Gemm = void(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a,
                    int lda, const T* b, int ldb, T beta, T* c, int ldc);
  using Ger = void(int order, int m, int n, T alpha, const T* x, int incx, const T* y, int incy,
                   T* a, int lda);
  using Syr = void(int order, int uplo, int n, T alpha, const T* x, int incx, T* a, int lda);
  using TriangularVector = void(int order, int uplo, int trans, int diag, int n, const T* a,
                                int lda, T* x, int incx);
  using TriangularMatrix = void(int order, int side, int uplo, int trans, int diag, int m, int n,
                                T alpha, const T* a, int lda, T* b, int ldb);
  // Complex numbers as pairs of T, in memory and where a number is passed by address.
  using ComplexScal = void(int n, const T* alpha, T* x, int incx);
  using ComplexDot = void(int n, const T* x, int incx, const T* y, int incy, T* out);
  using ComplexGemv = void(int order, int trans, int m, int n, const T* alpha, const T* a, int lda,
                           const T* x, int incx, const T* beta, T* y, int incy);
  Pair* dot = nullptr;
  Reduce *nrm2 = nullptr, *asum = nullptr;
  Reduce* sum = nullptr;  // OpenBLAS only
  Find* iamax = nullptr;  // from 0
  Scal* scal = nullptr;
  Axpy* axpy = nullptr;
  Gemv* gemv = nullptr;
  Gemm* gemm = nullptr;
  Ger* ger = nullptr;
  Syr* syr = nullptr;
  TriangularVector *trmv = nullptr, *trsv = nullptr;
  TriangularMatrix *trmm = nullptr, *trsm = nullptr;
  ComplexScal* complex_scal = nullptr;
  ComplexDot *complex_dot = nullptr, *complex_dot_conjugated = nullptr;
  ComplexGemv* complex_gemv = nullptr;
};

struct CblasFunctions {
  CblasOf<float> s;
  CblasOf<double> d;

  template <class T>
  const CblasOf<T>& Of() const {
    if constexpr (sizeof(T) == sizeof(float)) return s;
    if constexpr (sizeof(T) == sizeof(double)) return d;
  }
};

struct CblasLibrary {
  CblasFunctions functions;
  std::string family, version, pins;
};

Result<CblasLibrary> LoadCblas(const CblasRequest& request);

}  // namespace assay
