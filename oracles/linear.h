// SPDX-License-Identifier: Apache-2.0
//
// The oracle of every operator that is linear in its terms, whether its answers are sums, prefixes
// of them, activations of them, or exact. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/number/activation_ball.h"
#include "oracles/number/exact_sum.h"
#include "oracles/sums.h"

namespace assay {

// Buffers are kept from case to case; not thread-safe.
class LinearOracle {
 public:
  void Measure(const Values& values, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);

 private:
  SumsOracle sums_;
  ActivationBall activations_;
  ExactSum exact_sum_;
};

}  // namespace assay
