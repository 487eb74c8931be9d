// SPDX-License-Identifier: Apache-2.0
//
// Runs a CUDA-shaped kernel on one CPU thread: every thread of a block is a context with a stack of
// its own, a block runs from barrier to barrier, and the order in which the threads go on between
// two barriers is a pure function of a seed. A kernel without races gives one answer for every
// seed; one that lacks a barrier does not. Must not depend on the rest of the engine.
//
// Kernels must not throw, and objects that live across a barrier must have trivial destructors: the
// stacks of a block that is given up are abandoned, not unwound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>

namespace assay::simt {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// As in CUDA; valid inside a kernel only. Set each time a thread is resumed.
extern constinit thread_local Dim3 threadIdx, blockIdx, blockDim, gridDim;  // NOLINT: CUDA's names

// Waits until every thread of the block is here.
void Barrier(std::source_location at);
// The next `size` bytes of the block's shared memory, for SharedArray.
void* SharedBytes(size_t size, size_t alignment);

// CUDA's name for Barrier.
inline void __syncthreads(std::source_location at = std::source_location::current()) {  // NOLINT
  Barrier(at);
}

inline constexpr int kMaxThreadsPerBlock = 256;
inline constexpr size_t kSharedBytes = 48 * 1024;  // CUDA's static limit
// Shared memory holds this byte before a block starts: a NaN in every float type.
inline constexpr unsigned char kSharedPoison = 0xFF;

// Stacks and shared memory, made once and used by every launch. One per OS thread at a time. A
// launch that is left by a longjmp (a fault in the kernel) leaves the launcher usable.
class Launcher {
 public:
  Launcher();
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Runs `kernel(argument)` once per thread of every block. Empty text: all went well. Otherwise
  // what went wrong, for people: a divergent barrier, or more shared memory than there is. The grid
  // is then abandoned and outputs may be half written. REQUIRES at most kMaxThreadsPerBlock threads
  // per block.
  std::string Launch(Dim3 grid, Dim3 block, uint64_t seed, void (*kernel)(const void*),
                     const void* argument);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::simt
