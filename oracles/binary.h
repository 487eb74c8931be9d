// SPDX-License-Identifier: Apache-2.0
//
// The oracle of operators of two elements, add to hypot: truth, quantities and legal classes of
// every element. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/number/ball.h"
#include "oracles/number/exact_sum.h"

namespace assay {

// x / y for any finite x and finite y that is not 0. Proven: double-double, or a ball where that
// could underflow.
Enclosure Quotient(double x, double y, BallEvaluator& balls);

// A NaN that is an invalid operand, so that no answer of a number is due (IEEE 754-2019, 6.2).
bool IsSignalling(DType type, uint64_t bits);

class BinaryOracle {
 public:
  // Sums, products, quotients, minima, maxima, remainders and hypotenuses are exact or have a
  // proven radius; powers of numbers of at most 24 bits come from the C library (Tier::kLibm).
  void Measure(const Values& values, BallEvaluator& balls, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, BallEvaluator& balls,
                      Evidence& evidence);

 private:
  struct Work;
  void MeasureWith(const Values& values, bool libm, int precision_bits, BallEvaluator& balls,
                   Evidence& evidence);

  ExactSum exact_;
};

}  // namespace assay
