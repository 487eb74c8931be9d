// SPDX-License-Identifier: Apache-2.0
//
// Enclosures of functions that are no polynomials, by Arb's ball arithmetic. The only way to Arb:
// its types do not appear here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "oracles/enclosure.h"

namespace assay {

enum class Function : uint8_t {
  kExp,
  kLog,
  kTanh,
  kSqrt,
  kErf,
  kGeluErf,
  kGeluTanh,
  kExpm1,
  kLog1p,
  kRsqrt,
  kSigmoid,
  kSilu,
  kMish,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kExp2,
  kExp10,
  kLog2,
  kLog10,
  kCbrt,
  kErfc,
  kTgamma,
  kLgamma,
  kJ0,
  kSoftplus,
  kSoftsign,
};
enum class BinaryFunction : uint8_t { kQuotient, kPower, kHypot };

// gelu, erf form:  x Phi(x) = x erfc(-x / sqrt 2) / 2
// gelu, tanh form: x (1 + tanh z) / 2 = x / (1 + exp(-2 z)), z = sqrt(2/pi) (x + 0.044715 x^3),
//                  0.044715 the decimal number
// sigmoid: 1 / (1 + exp(-x)); silu: x sigmoid(x)
// mish: x tanh(ln(1 + w)) = x n / (n + 2), n = w (w + 2), w = exp(x)
// lgamma: ln |Gamma(x)|; j0: the Bessel function of the first kind of order 0
// softplus: ln(1 + exp(x)); softsign: x / (1 + |x|)
// Not thread-safe.
class BallEvaluator {
 public:
  BallEvaluator();
  ~BallEvaluator();

  // f(x) to at least `precision_bits` where two doubles can hold it. Results below 2^-1074 come
  // with an absolute radius of that size; results beyond the largest double by more than 2^-40 of
  // it have hi infinite. REQUIRES x finite and inside the domain, where f(x) is neither a pole nor
  // zero times a sign (UnaryClasses gives a class by value).
  Enclosure Evaluate(Function function, double x, int precision_bits);

  // The same for x / y, x^y and sqrt(x^2 + y^2). REQUIRES both finite; a quotient: y not 0; a
  // power: x > 0, or x < 0 and y an integer.
  Enclosure Evaluate(BinaryFunction function, double x, double y, int precision_bits);

  // Relative condition of gelu's tail factor, |x Phi'(x) / Phi(x)|, Phi the factor of x in the
  // given form; rounded up. REQUIRES x finite.
  double GeluCondition(Function function, double x);

  // exp(x_i - max x) / sum_j exp(x_j - max x) for every i into hi, lo, radius. -Inf counts as a
  // term of zero. REQUIRES a finite maximum, no NaN, equal sizes.
  void Softmax(std::span<const double> x, int precision_bits, double* hi, double* lo,
               double* radius);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Arguments at which a function from kSin on is a small number exactly: sin 0, cos 0, ln 1 and the
// like. False, and nothing is set, at all others.
bool ExactPoint(Function function, double x, Enclosure& result);

// Frees the caches of FLINT and MPFR in the calling thread. REQUIRES that it holds no number.
void FreeNumberCaches();

}  // namespace assay
