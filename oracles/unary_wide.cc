// SPDX-License-Identifier: Apache-2.0
//
// Scalar functions by double-double arithmetic: every step keeps its own radius, so the formulas
// below need no analysis beyond what they leave out.
#include <cmath>

#include "oracles/unary.h"
#include "oracles/wide.h"

namespace assay {
namespace {

// sqrt(2/pi) and the decimal 0.044715.
const Wide kRootTwoOverPi(0x1.9884533d43651p-1, -0x1.cbc0d30ebfd15p-55, 0x1p-108);
const Wide kCubic(0x1.6e4e26d4801f7p-5, 0x1.441355475a31ap-59, 0x1p-111);

// Above, 1 - f is below 2^-140 for what tends to 1; exp(2 * 50) = 2^144.
constexpr double kSaturates = 50;

// x times a factor within 2^-140 of 1.
Wide Saturated(double x) { return {x, 0, std::fabs(x) * 0x1p-140}; }

// 1 / (1 + exp(-z)), without a large exponential.
Wide Logistic(const Wide& z) {
  if (z.hi >= 0) return Wide(1) / (Wide(1) + Exp(-z));
  const Wide w = Exp(z);
  return w / (Wide(1) + w);
}

// -m / (m + 2), m = exp(-2 |x|) - 1: nothing cancels near 0.
Wide Tanh(double x) {
  if (std::fabs(x) > kSaturates) return Saturated(std::copysign(1.0, x));
  const Wide m = Expm1(Wide(-2 * std::fabs(x)));
  const Wide size = -m / (m + Wide(2));
  return x < 0 ? -size : size;
}

// x n / (n + 2), n = w (w + 2), w = exp(x)
Wide Mish(double x) {
  if (x > kSaturates) return Saturated(x);
  const Wide w = Exp(Wide(x));
  const Wide n = w * (w + Wide(2));
  return Wide(x) * n / (n + Wide(2));
}

// x / (1 + exp(-2 z)), z = sqrt(2/pi) (x + 0.044715 x^3)
Wide TanhFormGelu(double x) {
  constexpr double kFar = 20;  // z is above 300 there
  if (x > kFar) return Saturated(x);
  if (x < -kFar) return {0, 0, kInfinity};
  const Wide z = Wide(x) * kRootTwoOverPi * (Wide(1) + kCubic * (Wide(x) * Wide(x)));
  return Wide(x) * Logistic(Wide(2) * z);
}

Wide ByFunction(Function function, double x) {
  switch (function) {
    case Function::kExp:
      return Exp(Wide(x));
    case Function::kLog:
      return Log(Wide(x));
    case Function::kTanh:
      return Tanh(x);
    case Function::kExpm1:
      return Expm1(Wide(x));
    case Function::kLog1p:
      return Log1p(Wide(x));
    case Function::kSigmoid:
      return Logistic(Wide(x));
    case Function::kSilu:
      return Wide(x) * Logistic(Wide(x));
    case Function::kMish:
      return Mish(x);
    case Function::kGeluTanh:
      return TanhFormGelu(x);
    default:
      return {0, 0, kInfinity};
  }
}

}  // namespace

Enclosure WideUnary(Function function, double x) {
  if (const std::optional<double> exact = ExactUnary(function, x)) return {*exact, 0, 0};
  return EnclosureOf(ByFunction(function, x));
}

}  // namespace assay
