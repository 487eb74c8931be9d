// SPDX-License-Identifier: Apache-2.0
//
// The few words in which a kernel file differs between nvcc, hipcc and the CPU. A kernel includes
// this and nothing else, and is then the same text everywhere. CUDA and HIP have __global__,
// __shared__, threadIdx and the barrier built in; on the CPU they come from the runtime.
#pragma once

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

#if defined(__CUDACC__) || defined(__HIPCC__)

namespace assay::simt {

// A two-dimensional array in shared memory: declare it as `__shared__ SharedArray<T, R, C> name;`.
// A type of its own, so that the CPU can take its cells from an arena.
template <class T, int kRows, int kColumns>
struct SharedArray {
  T cells[kRows][kColumns];
  __device__ T* operator[](int row) { return cells[row]; }
};

}  // namespace assay::simt

#else

#include "engine/backends/simt/runtime.h"

#define __global__ inline
#define __device__ inline
#define __shared__

namespace assay::simt {

// The cells lie in the block's arena; every thread that makes the same declarations in the same
// order gets the same cells, as in CUDA, where they are static.
template <class T, int kRows, int kColumns>
class SharedArray {
 public:
  SharedArray() : cells_(static_cast<T*>(SharedBytes(sizeof(T) * kRows * kColumns, alignof(T)))) {}
  T* operator[](int row) { return cells_ + static_cast<long>(row) * kColumns; }

 private:
  T* cells_;
};

}  // namespace assay::simt

#endif
