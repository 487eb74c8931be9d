// SPDX-License-Identifier: Apache-2.0
//
// The visible basic tests: what a benchmark of generated kernels typically asks. Tame values, dense
// operands of small aligned sizes, a fixed absolute and relative tolerance. Calibration runs them
// to show that a bad kernel gets through them, and the detection benchmark as a control; nothing
// else may judge by them.
#pragma once

#include "contracts/case.h"
#include "contracts/dtype.h"
#include "engine/include/assay/backend.h"

namespace assay {

struct BasicCounts {
  int passed = 0;
  int failed = 0;
  friend bool operator==(const BasicCounts&, const BasicCounts&) = default;
};

// T1: integers in [-2, 2], exact wherever sums and products of such are; T2: N(0, 1), weights of a
// layer N(0, 1/8). Copies,
// choices and integer answers are exact in both; else an element passes iff |got - expected| <=
// 1e-2
// + 1e-2 |expected|, or both are NaN. Extents are 16, 32 and 64, images 16 wide; arguments
// that must be positive are, indices of a scatter_add do not repeat, attributes have their defaults
// (alpha of scal is 3). `expected` is the reference backend's answer. Operands lie between 4 KB of
// readable padding, as in a caching allocator. A type that the kernel does not take counts nothing.
BasicCounts RunBasicTests(const AssayBackend& table, OpId op, DType type);

// One input of T2 at the largest of its shapes, and the first of the destination's types. True: it
// is close to the reference's answer, or the kernel does not take the type.
bool PassesFixedShape(const AssayBackend& table, OpId op, DType type, uint64_t seed);

}  // namespace assay
