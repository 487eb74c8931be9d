// SPDX-License-Identifier: Apache-2.0
//
// The oracle of nrm2, variance, layer_norm, rms_norm and batch_norm: truth, quantities and legal
// classes. With S = sum x over a row of n, the deviation of an element from the mean is
// (n x - S) / n, where n x - S cancels without loss:
//   nrm2        sqrt(sum x^2)
//   variance    sum (n x - S)^2 / (n^2 (n - correction))
//   layer_norm  gain (n x - S) / (n s) + bias,  s = sqrt(variance + epsilon), correction 0
//   rms_norm    gain x / sqrt(sum x^2 / n + epsilon)
//   batch_norm  gain (x - mean) / sqrt(variance + epsilon) + bias, statistics given per channel
// Quantities beyond what their names say: abs_sum is |truth| for nrm2, variance and rms_norm, and
// |gain| (|x| + |mean|) / s + |bias| where a mean is subtracted. max_abs_sum is the largest of
// sum |x| and sum x^2 over the rows, which unscaled formulas pass through. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

class NormsOracle {
 public:
  // Double-double with a proven radius; balls for the rows it leaves too wide.
  void Measure(const Values& values, Evidence& evidence);
  // Balls everywhere.
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);
};

}  // namespace assay
