// SPDX-License-Identifier: Apache-2.0
//
// c := alpha a b + beta c with shared-memory tiles, one thread per element of c: the textbook CUDA
// gemm, with any strides. One text for nvcc, hipcc and the CPU runtime; it includes nothing but the
// words it is written in. BLAS rules: a and b are not read when alpha is 0 or k is 0, c is not read
// when beta is 0.
#pragma once

#include "engine/backends/simt/kernels/portable.h"

namespace assay::simt {

inline constexpr int kGemmTile = 8;

// A matrix as a kernel sees it: strides in elements, any sign.
template <class T>
struct Matrix {
  T* data;
  long long row_stride, column_stride;
};

template <class T>
struct GemmArguments {
  int m, n, k;
  T alpha, beta;
  Matrix<const T> a, b;
  Matrix<T> c;
};

// Launch with blocks of kTile x kTile threads and one block per tile of c.
template <class T, int kTile>
__global__ void GemmTiled(GemmArguments<T> g) {
  __shared__ SharedArray<T, kTile, kTile> a_tile;
  __shared__ SharedArray<T, kTile, kTile> b_tile;
  const int row_in_tile = static_cast<int>(threadIdx.y);
  const int column_in_tile = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kTile + row_in_tile;
  const int column = static_cast<int>(blockIdx.x) * kTile + column_in_tile;

  T sum = T(0);
  const int depth = g.alpha == T(0) ? 0 : g.k;
  for (int start = 0; start < depth; start += kTile) {
    const int a_column = start + column_in_tile;
    const int b_row = start + row_in_tile;
    a_tile[row_in_tile][column_in_tile] =
        row < g.m && a_column < g.k ? g.a.data[row * g.a.row_stride + a_column * g.a.column_stride]
                                    : T(0);
    b_tile[row_in_tile][column_in_tile] =
        b_row < g.k && column < g.n ? g.b.data[b_row * g.b.row_stride + column * g.b.column_stride]
                                    : T(0);
    __syncthreads();
    const int steps = depth - start < kTile ? depth - start : kTile;
    for (int i = 0; i < steps; ++i) sum += a_tile[row_in_tile][i] * b_tile[i][column_in_tile];
    __syncthreads();
  }

  if (row >= g.m || column >= g.n) return;
  T& c = g.c.data[row * g.c.row_stride + column * g.c.column_stride];
  const T product = depth == 0 ? T(0) : g.alpha * sum;
  c = g.beta == T(0) ? product : product + g.beta * c;
}

}  // namespace assay::simt
