// SPDX-License-Identifier: Apache-2.0
//
// Vectors of eight doubles for the kernels of this folder, and which instruction set they may use.
// Only for .cc files whose functions are compiled for several instruction sets by attribute:
// everything here is inlined into them, so that no function leaks out with instructions that the
// machine lacks. Vectors are eight doubles on every machine, so all compute the same bits.
#pragma once

#include <cstdint>
#include <cstring>

// GCC remarks on the ABI of wide vectors, of which none is passed by value across a call here, and
// takes out-parameters of inlined helpers for reads.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define ASSAY_KERNEL static inline __attribute__((always_inline)) void
#define ASSAY_AVX2 __attribute__((target("avx2,fma")))
#define ASSAY_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))

namespace assay {
namespace {

constexpr int kLanes = 8;
constexpr int64_t kChunk = 1024;  // steps between two carries of a sum of magnitudes

typedef double Vec __attribute__((vector_size(kLanes * 8)));
typedef long long Mask __attribute__((vector_size(kLanes * 8)));

ASSAY_KERNEL Load(const double* from, Vec& to) { std::memcpy(&to, from, sizeof to); }
ASSAY_KERNEL Store(const Vec& from, double* to) { std::memcpy(to, &from, sizeof from); }
ASSAY_KERNEL Fill(double from, Vec& to) {
  to = Vec{from, from, from, from, from, from, from, from};
}
ASSAY_KERNEL Abs(const Vec& from, Vec& to) {
  constexpr long long kBits = 0x7fffffffffffffff;
  to = (Vec)((Mask)from & Mask{kBits, kBits, kBits, kBits, kBits, kBits, kBits, kBits});
}
ASSAY_KERNEL Select(const Mask& mask, const Vec& yes, const Vec& no, Vec& to) {
  to = (Vec)(((Mask)yes & mask) | ((Mask)no & ~mask));
}

}  // namespace

}  // namespace assay
