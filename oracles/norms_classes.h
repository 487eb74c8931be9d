// SPDX-License-Identifier: Apache-2.0
//
// Special answers of the norms. Internal to oracles/.
#pragma once

#include "contracts/dtype.h"
#include "oracles/row_facts.h"

namespace assay {

// What variance + epsilon makes of the division by its root.
enum class Divisor : uint8_t {
  kOrdinary,
  kZero,       // exactly: a constant (rms_norm: a zero) row and epsilon = 0
  kInfinite,   // epsilon or a given variance is +Inf
  kNan,        // negative, or NaN
  kUncertain,  // a negative epsilon that about cancels, or squares beyond or below the accumulator
};

// What the sets below depend on, per row (batch_norm: per element).
struct NormFacts {
  RowSpecials specials;
  Divisor divisor = Divisor::kOrdinary;
  double mean_abs = 0;
  double smallest = 0;  // subnormal of the accumulator: a mean is no nearer to the truth
};

// `zero`: the variance is exactly 0. `squares`: the sum of squares a kernel passes through (0 where
// the variance is given).
Divisor DivisorOf(bool zero, double variance, double epsilon, double squares, Format accumulator);

// `deviation` is x - mean, of the right sign and, where not 0, within a factor of two.
ClassSet LayerNormClasses(const NormFacts& facts, int64_t length, double deviation, double gain,
                          double bias);
ClassSet RmsNormClasses(const NormFacts& facts, double x, double gain, Format accumulator);
ClassSet VarianceClasses(const NormFacts& facts, int64_t length, int64_t correction);
ClassSet Nrm2Classes(const RowSpecials& specials);
// Both as gain ((x - mean) r) + bias and folded into a scale and a shift.
ClassSet BatchNormClasses(Divisor divisor, double x, double mean, double gain, double bias);

}  // namespace assay
