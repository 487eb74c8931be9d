// SPDX-License-Identifier: Apache-2.0
//
// Enclosures of activations over an enclosed argument, by Arb's ball arithmetic: the image of a
// whole pre-activation, not of one double. Arb's types do not appear here.
#pragma once

#include <cstdint>
#include <memory>

#include "oracles/enclosure.h"

namespace assay {

// In the order of the labels of fused_linear's attribute.
enum class Activation : uint8_t { kNone = 0, kRelu, kGeluErf, kGeluTanh, kSilu, kSigmoid, kTanh };

// gelu as in ball.h; silu z / (1 + exp(-z)); sigmoid 1 / (1 + exp(-z)). Not thread-safe.
class ActivationBall {
 public:
  ActivationBall();
  ~ActivationBall();

  // Holds f(z) for every z of the enclosure, computed with at least `precision_bits`. REQUIRES
  // finite z, and an activation that is neither none nor relu.
  Enclosure Evaluate(Activation activation, const Enclosure& z, int precision_bits);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
