// SPDX-License-Identifier: Apache-2.0
//
// The oracle of log_softmax and log_sum_exp over the last axis. With m = max x and
// L = ln(1 + sum exp(x_j - m)), the sum without one of the maxima:
//   log_softmax  (x_i - m) - L, two numbers of one sign, so that it is right relatively
//   log_sum_exp  m + L
// Quantities: shift, mean_shift, log_sum and abs_x of log_softmax; the second and third and
// abs_x = |m| of log_sum_exp. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/softmax.h"

namespace assay {

// Legal classes; kClassByValue unless NaN or Inf decide. An empty row counts as all -Inf.
ClassSet LogSoftmaxClasses(RowKind kind, double x);
ClassSet LogSumExpClasses(RowKind kind);

class LogSoftmaxOracle {
 public:
  // Double-double numbers, or balls where those are not narrow enough.
  void Measure(const Values& values, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);
};

}  // namespace assay
