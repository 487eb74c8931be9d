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
#define ASSAY_PROBES(X)                                                                            \
  X(kSparseRows, "sparse_rows", "1 to 4 non-zeros in a long row: a bound that can fail")           \
  X(kWideTimesPowerOfTwo, "wide_times_power_of_two",                                               \
    "wide odd integers times powers of two: exact in f32 only")                                    \
  X(kUnrepresentableProducts, "unrepresentable_products", "3 * 683 against -2048")                 \
  X(kMantissaSweep, "mantissa_sweep", "1 + 2^-j times 1: the operands' precision bit by bit")      \
  X(kSwamping, "swamping", "one large element, then many that a narrow accumulator loses")         \
  X(kSaturation, "saturation", "partial sums beyond 65504 whose total is small")                   \
  X(kEqualRows, "equal_rows", "long rows of one value: stagnation")                                \
  X(kCancellingPartials, "cancelling_partials", "large partial sums of a small total")             \
  X(kShiftedRows, "shifted_rows", "softmax: a maximum far from zero")                              \
  X(kWideRows, "wide_rows", "softmax: spreads beyond exp's range")                                 \
  X(kFarTails, "far_tails", "where a function's result is tiny or saturates")                      \
  X(kNearZero, "near_zero", "arguments around zero: cancellation")                                 \
  X(kSubnormals, "subnormals", "subnormal inputs")                                                 \
  X(kThresholds, "thresholds", "where a function overflows, underflows or changes pieces")         \
  X(kNanPerLane, "nan_per_lane", "one NaN in each operand: head, lanes, tail")                     \
  X(kInfinities, "infinities", "one or more infinities")                                           \
  X(kSignedZeros, "signed_zeros", "zeros of both signs")                                           \
  X(kZeroScalars, "zero_scalars", "alpha or beta zero beside NaN in what must not be read")        \
  X(kEmptySums, "empty_sums", "nothing to add")                                                    \
  X(kTwoPrefills, "two_prefills", "ordinary values into strided and dense outputs: stale content") \
  X(kIndexBefore, "index_before", "one index below 0, from -1 to -extent - 1")                     \
  X(kIndexAfter, "index_after", "one index from extent on")                                        \
  X(kIndexFar, "index_far", "one index at the ends of 32 and 64 bits")                             \
  X(kIndexNarrowed, "index_narrowed", "one index that is inside when 32 bits are kept")            \
  X(kGuardBefore, "guard_before", "odd sizes, operands that begin at a guard")                     \
  X(kGuardAfter, "guard_after", "odd sizes, operands that end at a guard")                         \
  X(kGaps, "gaps", "strided operands, canaries between the elements")                              \
  X(kConstantRows, "constant_rows", "rows of one value: no spread to divide by")                   \
  X(kLargeMean, "large_mean", "a mean far above the spread: one-pass variances cancel")            \
  X(kSquaresOverflow, "squares_overflow", "squares overflow where the norm does not")              \
  X(kSquaresUnderflow, "squares_underflow", "squares vanish where the norm does not")              \
  X(kWideScores, "wide_scores", "attention scores beyond exp's range")                             \
  X(kMaskedRows, "masked_rows", "masks of -Inf at places and in whole rows, and large negative")   \
  X(kCancellingBias, "cancelling_bias", "a bias that takes the product away before activation")    \
  X(kLargePreactivation, "large_preactivation", "preactivations where the activation saturates")   \
  X(kScaleSweep, "scale_sweep", "loss scales, with gradients that under- and overflow as stored")  \
  X(kIntegerExtremes, "integer_extremes", "long sums of integers at the ends of their types")      \
  X(kQuantizeMidpoints, "quantize_midpoints", "halves of the scale, and the ends of the type")     \
  X(kCastThresholds, "cast_thresholds", "ties, overflow and underflow of every pair of types")     \
  X(kCastNanPayloads, "cast_nan_payloads", "NaNs whose payload is lost when cut, and infinities")  \
  X(kSubnormalInputs, "subnormal_inputs", "one operand subnormal, its partners ordinary")          \
  X(kSubnormalResults, "subnormal_results", "normal operands whose result is subnormal")           \
  X(kSubnormalPartners, "subnormal_partners", "subnormals times 2^k: a normal result")             \
  X(kThresholdNormal, "threshold_normal", "values on both sides of the smallest normal")           \
  X(kContendedIndices, "contended_indices", "many updates of one place, of mixed magnitude")       \
  X(kManySchedules, "many_schedules", "mixed magnitudes under drawn schedules")                    \
  X(kRepeats, "repeats", "mixed magnitudes, the call repeated")                                    \
  X(kBatchRows, "batch_rows", "several rows: each must be what it is alone")                       \
  X(kThreadCounts, "thread_counts",                                                                \
    "long reductions of mixed magnitude, for any number of threads")                               \
  X(kRankCounts, "rank_counts", "2 to 32 ranks with buffers of mixed magnitude")                   \
  X(kPartialBucket, "partial_bucket", "buffers that end inside a bucket")                          \
  X(kShapeTails, "shape_tails", "one dimension around a tile, prime, 1 or 0")                      \
  X(kEmptyDimensions, "empty_dimensions", "each dimension empty in turn")                          \
  X(kWideIndex, "wide_index", "dimensions beyond 8, and in one dimension 16, bits")                \
  X(kStridedOperands, "strided_operands", "every operand with gaps")                               \
  X(kTransposedOperands, "transposed_operands", "axes stored in another order")                    \
  X(kZeroStrideInputs, "zero_stride_inputs", "inputs broadcast along an axis")                     \
  X(kMisaligned, "misaligned", "operands one to three elements off a vector boundary")             \
  X(kNanInScalars, "nan_in_scalars", "NaN or infinity as a real attribute")                        \
  X(kUndefinedQuotients, "undefined_quotients",                                                    \
    "one integer divided by zero, or the lowest by -1")                                            \
  X(kTriangularOperands, "triangular_operands",                                                    \
    "every triangle, side and diagonal in turn, with a solution of order 1")                       \
  X(kComplexOperands, "complex_operands",                                                          \
    "every label, scalars with a zero part, a special value in one part")

enum class Probe : uint8_t {
#define ASSAY_PROBE_ENUM(id, name, meaning) id,
  ASSAY_PROBES(ASSAY_PROBE_ENUM)
#undef ASSAY_PROBE_ENUM
};

std::optional<Probe> ParseProbe(std::string_view name);
std::string_view NameOf(Probe probe);
// In the order of the enumeration.
std::span<const std::string_view> ProbeNames();

// False: the probe says nothing about the operator.
bool Applies(Probe probe, OpId op);
// The case that `seed` stands for, checked. Seeds 0, 1, 2, ... walk through the recipe's variants.
// `type` is that of the first operand. REQUIRES Applies(probe, op) and a type the op takes.
Case MakeProbeCase(Probe probe, OpId op, DType type, uint64_t seed);

}  // namespace assay
