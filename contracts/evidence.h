// SPDX-License-Identifier: Apache-2.0
//
// What the oracles measured about a case, independent of any backend: per output element an
// enclosure of the truth, the set of legal special classes and the magnitudes that error bounds are
// made of. Columns are indexed by the dense row-major position of the output element.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "contracts/dtype.h"
#include "contracts/profile.h"

namespace assay {

// The measured quantities a contract may name. `rate` says whether one number serves the whole case
// or each element has its own. X(identifier, language name, rate, meaning)
#define ASSAY_QUANTITIES(X)                                                                        \
  X(kAbsSum, "abs_sum", kElement, "S: the expression with every product and sum made absolute")    \
  X(kNonZeros, "nnz", kElement, "products (addends) that are not exactly zero")                    \
  X(kOperandSum, "operand_sum", kElement, "max(sum|a|, sum|b|) over the element's products")       \
  X(kAbsX, "abs_x", kElement, "|x|, the element's own input; of two the smaller that is not 0")    \
  X(kShift, "shift", kElement, "softmax: |x_i - max x|")                                           \
  X(kMeanShift, "mean_shift", kElement, "softmax: sum p_j |x_j - max x| of the row")               \
  X(kCondition, "condition", kElement,                                                             \
    "|x T'(x) / T(x)|, T the factor of x in gelu, silu and mish, else sigmoid or softplus itself") \
  X(kLogSum, "log_sum", kElement, "softmax family: ln sum exp(x_j - max x) of the row")            \
  X(kSpread, "spread_condition", kElement,                                                         \
    "variance: sqrt(sum x^2 / sum (x - mean)^2) of the row, infinite where it is constant")        \
  X(kMeanAbs, "mean_abs", kElement, "norms: mean of |x| over the row")                             \
  X(kDeviation, "deviation", kElement, "norms: sqrt(variance + epsilon) of the row")               \
  X(kVarianceShare, "variance_share", kElement,                                                    \
    "norms: variance / (variance + epsilon); rms_norm: the mean square in its place")              \
  X(kNormalized, "normalized", kElement, "norms: |x_i - mean| / deviation; rms_norm: |x_i| / it")  \
  X(kGain, "gain", kElement, "norms: |gain_i|")                                                    \
  X(kBias, "bias", kElement, "norms: |bias_i|; fused_linear: |residual_ij|")                       \
  X(kActivated, "activated", kElement, "fused_linear: |activation(z)|, before the residual")       \
  X(kWeightedScores, "weighted_scores", kElement,                                                  \
    "attention: sum_j p_j |v_j| (A_j + sum_i p_i A_i), A_j = |scale| sum|q||k_j| + |mask_j|")      \
  X(kWeightedShifts, "weighted_shifts", kElement,                                                  \
    "attention: sum_j p_j |v_j| (|z_j - max z| + sum_i p_i |z_i - max z|)")                        \
  X(kMaxScore, "max_score", kElement, "attention: max_j A_j of the query")                         \
  X(kMaxShift, "max_shift", kElement,                                                              \
    "attention: max_j |z_j - max z| over keys that are not masked, 745 at most")                   \
  X(kRescaling, "rescaling", kElement,                                                             \
    "scaled_gradient: what storing may change between two scales, per unit of 1 / scale")          \
  X(kForwardSum, "forward_sum", kElement,                                                          \
    "solves: |inv(T)| |T| (|x| + e), e the error that this sum bounds in f32, for f64 in f64")     \
  X(kForwardSteps, "forward_steps", kElement,                                                      \
    "solves: |inv(T)| times the steps of each row that may underflow")                             \
  X(kLength, "length", kCase, "number of addends of the reduction: K, n")                          \
  X(kAlpha, "alpha", kCase, "alpha of gemm, 1 elsewhere")                                          \
  X(kBeta, "beta", kCase, "beta of gemm, 0 elsewhere")                                             \
  X(kMaxAbsA, "max_abs_a", kCase, "largest finite |element| of the first input")                   \
  X(kMaxAbsB, "max_abs_b", kCase, "largest finite |element| of the second input, 0 if none")       \
  X(kMaxAbsC, "max_abs_c", kCase, "largest finite |element| of c, 0 if none; attention: of v")     \
  X(kMaxAbsSum, "max_abs_sum", kCase,                                                              \
    "largest abs_sum of the case; sum|a||b| part only is "                                         \
    "max_abs_product_sum")                                                                         \
  X(kMaxAbsProductSum, "max_abs_product_sum", kCase, "largest sum|a||b| without alpha")            \
  X(kExtent, "extent", kCase, "rows of a gather's table, or whatever its indices choose from")     \
  X(kOutsideCount, "outside_count", kCase,                                                         \
    "indices outside [0, extent), integers without a quotient")                                    \
  X(kHeadSize, "head_size", kCase, "attention: products per score")                                \
  X(kRanks, "ranks", kCase, "collectives: number of ranks")                                        \
  X(kLipschitz, "lipschitz", kCase, "fused_linear: largest slope of the activation")               \
  X(kScale, "scale", kCase, "scaled_gradient: the loss scale; quantize: the step")                 \
  X(kOverflowCount, "overflow_count", kCase,                                                       \
    "scaled_gradient: scaled gradients at or beyond the overflow threshold of their store")        \
  X(kSubnormalCount, "subnormal_count", kCase,                                                     \
    "inputs, intermediates or truths that are subnormal in the accumulator or output type")

enum class Rate : uint8_t { kCase, kElement };
enum class Quantity : uint8_t {
#define ASSAY_QUANTITY_ENUM(id, name, rate, meaning) id,
  ASSAY_QUANTITIES(ASSAY_QUANTITY_ENUM)
#undef ASSAY_QUANTITY_ENUM
};
#define ASSAY_QUANTITY_COUNT(id, name, rate, meaning) +1
inline constexpr int kQuantityCount = 0 ASSAY_QUANTITIES(ASSAY_QUANTITY_COUNT);
#undef ASSAY_QUANTITY_COUNT

// How the truth was decided; counted and shown. kDot2 (all double-double arithmetic), kExact and
// kBall prove their radius. kLibm,
// double precision of the C library for inputs of at most 24 bits, has a radius that was validated
// against kBall and is not proven: no violation found with it counts before kBall has confirmed it.
enum class Tier : uint8_t { kDot2 = 0, kLibm, kExact, kBall, kTable };

// Truth of element i lies in hi[i] + lo[i] +- radius[i] (|lo| <= ulp(hi)/2), in real arithmetic on
// the inputs as stored, before any rounding. Where legal[i] lacks kClassByValue the truth is not a
// real number and only the class counts; hi then holds a representative (NaN, Inf or a zero).
// Where the output is an integer, the truth is the number before the type's ends are met: of a cast
// it is truncated, of a quantization not yet rounded, and it may lie outside the type, or be
// infinite.
struct Evidence {
  // Differs from one measurement to the next of one oracle, so that bounds computed from this
  // evidence can be kept for the next backend. 0: made by hand, nothing is kept.
  uint64_t measurement = 0;
  int64_t count = 0;
  std::vector<double> hi, lo, radius;
  std::vector<ClassSet> legal;
  std::array<std::vector<double>, kQuantityCount> element;  // empty where not measured
  std::array<double, kQuantityCount> scalar{};              // NaN where not measured
  // Where the answer is an index (argmax, amax, topk_indices) the oracle says by LegalChoice
  // whether it is right, and no element has a real truth.
  bool choice = false;
  // Any NaN, Inf among inputs or scalars; a zero alpha or an empty sum: where the table of special
  // answers says more than arithmetic does.
  bool special = false;
  Tier tier = Tier::kDot2;  // the highest tier any element needed
};

}  // namespace assay
