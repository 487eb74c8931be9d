// SPDX-License-Identifier: Apache-2.0
//
// The simt backend's kernel as CUDA text: compiled by nvcc, never run here.
#include "engine/backends/simt/kernels/gemm_tiled.h"

void LaunchBoth(assay::simt::GemmArguments<float> f32, assay::simt::GemmArguments<double> f64) {
  constexpr int kTile = assay::simt::kGemmTile;
  const dim3 block(kTile, kTile);
  assay::simt::GemmTiled<float, kTile><<<dim3(1, 1), block>>>(f32);
  assay::simt::GemmTiled<double, kTile><<<dim3(1, 1), block>>>(f64);
}
