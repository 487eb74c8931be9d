// SPDX-License-Identifier: Apache-2.0
//
// Probes: named recipes of cases with force against one kind of defect each, as a contract's
// `measure probe` line names them. Deterministic by seed; they know operators, not backends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "contracts/case.h"
#include "contracts/operator.h"

namespace assay {

// X(identifier, name in contracts, what it asks)
#define ASSAY_PROBES(X)                                                                         \
  X(kOrdinary, "ordinary", "random shapes and scalars, values around 1")                        \
  X(kSaturation, "saturation", "partial sums beyond 65504 whose total is small")                \
  X(kSwamping, "swamping", "one large element, then many that a narrow accumulator loses")      \
  X(kMantissa, "mantissa", "1 + 2^-j times 1: the operands' precision bit by bit")              \
  X(kEqualRows, "equal_rows", "long rows of one value: stagnation")                             \
  X(kCancellingPartials, "cancelling_partials", "large partial sums of a small total")          \
  X(kSparseRows, "sparse_rows", "1 to 4 non-zeros in a long row: a bound that can fail")        \
  X(kWideOdd, "wide_odd", "wide odd integers times powers of two: exact in f32 only")           \
  X(kUnrepresentableProducts, "unrepresentable_products", "3 * 683 against -2048")              \
  X(kShift, "shift", "rows far from zero, and spreads beyond exp's range")                      \
  X(kRange, "range", "where a function overflows, underflows, cancels or changes pieces")       \
  X(kSubnormals, "subnormals", "subnormal inputs")                                              \
  X(kSpecialValues, "special_values", "one NaN, Inf, -Inf or -0 in each operand, head to tail") \
  X(kAlphaBetaZero, "alpha_beta_zero",                                                          \
    "alpha, beta or k zero beside NaN in what must not be read")                                \
  X(kIndexBoundaries, "index_boundaries", "one index outside, among indices inside")            \
  X(kTails, "tails", "odd sizes at either guard, strided and offset operands")

enum class Probe : uint8_t {
#define ASSAY_PROBE_ENUM(id, name, meaning) id,
  ASSAY_PROBES(ASSAY_PROBE_ENUM)
#undef ASSAY_PROBE_ENUM
};

std::optional<Probe> ParseProbe(std::string_view name);
std::string_view NameOf(Probe probe);
// In the order of the enumeration.
std::span<const std::string_view> ProbeNames();

// False: the probe says nothing about operators of this family.
bool Applies(Probe probe, Family family);
// The case that `seed` stands for, checked. Seeds 0, 1, 2, ... walk through the recipe's variants.
// `type` is that of the first operand. REQUIRES Applies(probe, family of op) and a type the op
// takes.
Case MakeProbeCase(Probe probe, OpId op, DType type, uint64_t seed);

}  // namespace assay
