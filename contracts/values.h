// SPDX-License-Identifier: Apache-2.0
//
// The values of a case's operands, dense and decoded: what every oracle reads and what the engine
// stores into operand memory. A pure function of the case.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contracts/case.h"
#include "contracts/operator.h"

namespace assay {

// One operand, logical row-major order whatever its strides. With overlapping strides (zero stride)
// elements that share an address share the value of the index tuple that comes last in row-major
// order, so `real` and `bits` say what memory really holds.
struct OperandValues {
  DType dtype = DType::kF32;
  Dims shape;
  int64_t count = 0;
  std::vector<uint64_t> bits;    // count; stored patterns
  std::vector<double> real;      // count; float types only
  std::vector<int64_t> integer;  // count; integer types only
  // Facts the oracles branch on, computed once.
  bool any_nan = false, any_inf = false, any_subnormal = false;
  double max_abs = 0;  // over finite elements
};

// Buffers are reused from case to case; not thread-safe, one per worker.
struct Values {
  const Case* source = nullptr;
  const OperatorDef* op = nullptr;
  NamedDims dims;
  FixedVector<uint8_t, kMaxOperands> roles;
  std::vector<OperandValues> operands;  // one per operand; a pure output holds its poison
  // Only MakeValues touches these: buffers between cases, and memory for overlapping strides.
  std::vector<OperandValues> spare;
  std::vector<uint64_t> memory;
};

// Fills `values` from a checked case, which must outlive their use. Overrides come after the fill
// and before sharing. REQUIRES CheckCase(value).ok() with the given dims.
void MakeValues(const Case& value, const NamedDims& dims, Values& values);

// Bits of the element at `index` of an operand of this shape, before overrides and sharing. Total:
// any parameters and any type give some pattern of the type. index has the rank of shape.
uint64_t FillBits(const Fill& fill, DType type, std::span<const int64_t> index,
                  std::span<const int64_t> shape);

// A 64-bit mixer for everything that is seeded (finalizer of SplitMix64, Steele et al. 2014).
uint64_t Mix(uint64_t x);

}  // namespace assay
