// SPDX-License-Identifier: Apache-2.0
//
// The oracle of softmax over the last axis: truth, shifts and legal classes. Internal to oracles/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/number/ball.h"
#include "oracles/wide.h"

namespace assay {

// What a row's special values make of it.
enum class RowKind : uint8_t { kOrdinary, kNan, kPositiveInfinity, kAllNegativeInfinity };
RowKind RowKindOf(std::span<const double> row);

// Legal classes of one element of a row of `kind`: kClassByValue unless NaN or Inf decide.
ClassSet SoftmaxClasses(RowKind kind, double x);

// exp(x_i - m) / s by the C library in double precision, radius 2^-45 relative (validated, not
// proven). REQUIRES a finite maximum, no NaN; entries of at most 24 bits or -Inf.
void LibmSoftmax(std::span<const double> x, double* hi, double* lo, double* radius);

class SoftmaxOracle {
 public:
  void Measure(const Values& values, BallEvaluator& balls, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, BallEvaluator& balls,
                      Evidence& evidence);

 private:
  // kWide: balls for the rows of which a Wide is not narrow enough.
  enum class Way : uint8_t { kLibm, kWide, kBall };
  void MeasureWith(const Values& values, Way way, int precision_bits, BallEvaluator& balls,
                   Evidence& evidence);

  std::vector<Wide> weights_;
};

}  // namespace assay
