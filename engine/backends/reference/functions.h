// SPDX-License-Identifier: Apache-2.0
//
// The functions of one or two numbers that several reference kernels apply. Those with a tail that
// cancels or under- or overflows on the way are calculated one precision up and rounded once; the
// others are libm's functions of their type.
#pragma once

#include <cmath>
#include <limits>

namespace assay::reference {

template <class Real>
struct WiderOf;
template <>
struct WiderOf<float> {
  using Type = double;
};
template <>
struct WiderOf<double> {
  using Type = long double;
};
template <class Real>
using Wider = typename WiderOf<Real>::Type;

template <class Real>
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// 0.5 x erfc(-x / sqrt 2): keeps its relative accuracy where 1 + erf cancels.
template <class Real>
Real GeluErf(Real x) {
  using Wide = Wider<Real>;
  if (std::isinf(x)) return x > 0 ? x : Real{-0.0};
  constexpr Wide kInverseSqrt2 = 0.707106781186547524400844362104849039L;
  const Wide wide = x;
  return static_cast<Real>(Wide{0.5} * wide * std::erfc(-wide * kInverseSqrt2));
}

// x / (1 + exp(-s)): the tail of every function of the form x sigmoid(s).
template <class Wide>
Wide TimesSigmoid(Wide x, Wide s) {
  return x / (1 + std::exp(-s));
}

// 0.5 x (1 + tanh u), u = sqrt(2/pi) (x + 0.044715 x^3), with 0.5 (1 + tanh u) = sigmoid(2u).
template <class Real>
Real GeluTanh(Real x) {
  using Wide = Wider<Real>;
  if (std::isinf(x)) return x > 0 ? x : Real{-0.0};
  constexpr Wide kSqrt2OverPi = 0.797884560802865355879892119868763737L;
  const Wide wide = x;
  const Wide u = kSqrt2OverPi * (wide + Wide{0.044715L} * wide * wide * wide);
  return static_cast<Real>(TimesSigmoid(wide, 2 * u));
}

template <class Real>
Real Sigmoid(Real x) {
  return static_cast<Real>(TimesSigmoid<Wider<Real>>(1, x));
}

template <class Real>
Real Silu(Real x) {
  if (std::isinf(x)) return x > 0 ? x : Real{-0.0};
  return static_cast<Real>(TimesSigmoid<Wider<Real>>(x, x));
}

// x tanh(log(1 + e^x)) = x w / (w + 2), w = e^x (e^x + 2), which neither cancels nor overflows
// before the quotient is 1 to the last place.
template <class Real>
Real Mish(Real x) {
  using Wide = Wider<Real>;
  if (std::isinf(x)) return x > 0 ? x : Real{-0.0};
  constexpr Real kQuotientIsOne = 40;
  if (x > kQuotientIsOne) return x;
  const Wide e = std::exp(static_cast<Wide>(x));
  const Wide w = e * (e + 2);
  return static_cast<Real>(static_cast<Wide>(x) * w / (w + 2));
}

// ln(1 + e^x): e^x overflows before the logarithm does, so the larger part stands outside.
template <class Wide>
Wide Softplus(Wide x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

template <class Wide>
Wide Softsign(Wide x) {
  return std::isinf(x) ? std::copysign(Wide{1}, x) : x / (1 + std::fabs(x));
}

template <class Real>
Real Relu(Real x) {
  return x < 0 ? Real{0} : x;  // NaN is not below 0
}

template <class Real>
Real Clamp(Real x, Real low, Real high) {
  const Real raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// maximum and minimum of IEEE 754-2019: NaN of either operand, and +0 is above -0.
template <class Real>
Real Maximum(Real a, Real b) {
  if (std::isnan(a) || (a == b && !std::signbit(a))) return a;
  return a > b ? a : b;
}
template <class Real>
Real Minimum(Real a, Real b) {
  if (std::isnan(a) || (a == b && std::signbit(a))) return a;
  return a < b ? a : b;
}

// minimumNumber and maximumNumber of IEEE 754-2019: a NaN loses against a number.
template <class Real>
Real MaximumNumber(Real a, Real b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : Maximum(a, b);
}
template <class Real>
Real MinimumNumber(Real a, Real b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : Minimum(a, b);
}

// Remainder of Python and NumPy: it has the sign of the divisor, also where it is zero.
template <class Real>
Real FlooredRemainder(Real x, Real y) {
  const Real remainder = std::fmod(x, y);
  if (remainder == 0) return std::copysign(Real{0}, y);
  return (remainder < 0) == (y < 0) ? remainder : remainder + y;
}

}  // namespace assay::reference
