// SPDX-License-Identifier: Apache-2.0
//
// Scalar functions by the C library in double precision, and roots by double-double arithmetic.
#include <cmath>

#include "contracts/invariant.h"
#include "oracles/unary.h"

namespace assay {
namespace {

// Unevaluated sums of two doubles: 1/sqrt 2, sqrt(2/pi), 0.044715; and 2/sqrt pi.
constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1, kRootHalfLow = -0x1.bdd3413b26456p-55;
constexpr double kRootTwoOverPi = 0x1.9884533d43651p-1, kRootTwoOverPiLow = -0x1.cbc0d30ebfd15p-55;
constexpr double kCubic = 0x1.6e4e26d4801f7p-5, kCubicLow = 0x1.441355475a31ap-59;
constexpr double kTwoOverRootPi = 0x1.20dd750429b6dp+0;

constexpr double kConditionOutward = 1 + 0x1p-36;
// exp(2 |z|) is beyond or below every double; Phi(-38) is below every normal one.
constexpr double kTanhFormSaturates = 500, kErfFormSaturates = 36;
// 1 - tanh(ln(1 + exp x)) < 2 exp(-2 x).
constexpr double kMishSaturates = 50;

Enclosure Libm(double value) {
  if (!std::isfinite(value)) return {value, 0, 0};
  double radius = std::fabs(value) * kLibmRadius;
  if (!(std::fabs(value) >= 0x1p-950)) radius += kLibmFloor;
  return {value, 0, radius};
}

// erfc(-x / sqrt 2). The argument is rounded in two parts, the second enters through the
// derivative: one rounded part alone would be amplified by x^2.
double Erfc(double x) {
  double high, low;
  TwoProduct(x, kRootHalf, high, low);
  low += x * kRootHalfLow;
  return std::erfc(-high) + low * kTwoOverRootPi * std::exp(-high * high);
}

// sqrt(2/pi) (x + 0.044715 x^3) as high + low; x^2 is exact for 24 bits.
void TanhFormArgument(double x, double& high, double& low) {
  const double square = x * x;
  double cubic, cubic_error, factor, factor_error, scaled, scaled_error;
  TwoProduct(kCubic, square, cubic, cubic_error);
  cubic_error += kCubicLow * square;
  TwoSum(1, cubic, factor, factor_error);
  factor_error += cubic_error;
  TwoProduct(kRootTwoOverPi, x, scaled, scaled_error);
  scaled_error += kRootTwoOverPiLow * x;
  TwoProduct(scaled, factor, high, low);
  low += scaled * factor_error + scaled_error * factor;
}

double TanhFormGelu(double x) {
  double high, low;
  TanhFormArgument(x, high, low);
  if (high > kTanhFormSaturates) return x;
  if (high < -kTanhFormSaturates) return -0.0;
  const double growth = std::exp(-2 * high);
  return x / (1 + (growth - growth * (2 * low)));
}

double Sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double growth = std::exp(x);
  return growth / (1 + growth);
}

// x n / (n + 2), n = w (w + 2), w = exp(x)
double Mish(double x) {
  if (x > kMishSaturates) return x;
  const double growth = std::exp(x);
  const double n = growth * (growth + 2);
  return x * n / (n + 2);
}

double GeluErf(double x) { return 0.5 * x * Erfc(x); }
double Silu(double x) { return x * Sigmoid(x); }
double Softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double Softsign(double x) { return x / (1 + std::fabs(x)); }
double Exp10(double x) { return std::pow(10, x); }
// Not std::lgamma, which leaves a sign behind in a global.
double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// Near a zero the two terms of the asymptotic form cancel: the error is of the amplitude's size.
Enclosure Bessel(double x) {
  const double value = ::j0(x);
  const double amplitude = std::fmin(1, 1 / std::sqrt(std::fabs(x)));
  return {value, 0, amplitude * kLibmRadius + kLibmFloor};
}

struct LibmRow {
  Function function;
  double (*apply)(double x);
};
constexpr LibmRow kLibmRows[] = {
    {Function::kExp, std::exp},       {Function::kLog, std::log},
    {Function::kTanh, std::tanh},     {Function::kErf, std::erf},
    {Function::kGeluErf, GeluErf},    {Function::kGeluTanh, TanhFormGelu},
    {Function::kExpm1, std::expm1},   {Function::kLog1p, std::log1p},
    {Function::kSigmoid, Sigmoid},    {Function::kSilu, Silu},
    {Function::kMish, Mish},          {Function::kSin, std::sin},
    {Function::kCos, std::cos},       {Function::kTan, std::tan},
    {Function::kAsin, std::asin},     {Function::kAcos, std::acos},
    {Function::kAtan, std::atan},     {Function::kSinh, std::sinh},
    {Function::kCosh, std::cosh},     {Function::kAsinh, std::asinh},
    {Function::kAcosh, std::acosh},   {Function::kAtanh, std::atanh},
    {Function::kExp2, std::exp2},     {Function::kExp10, Exp10},
    {Function::kLog2, std::log2},     {Function::kLog10, std::log10},
    {Function::kCbrt, std::cbrt},     {Function::kErfc, std::erfc},
    {Function::kTgamma, std::tgamma}, {Function::kLgamma, LogGamma},
    {Function::kSoftplus, Softplus},  {Function::kSoftsign, Softsign},
};

}  // namespace

std::optional<double> ExactUnary(Function function, double x) {
  if (function >= Function::kSin) return std::nullopt;  // ExactPoint knows theirs
  if (x == 0 && function == Function::kExp) return 1;
  if (x == 0 && function == Function::kSigmoid) return 0.5;
  if (x == 0 && function != Function::kLog) return x;
  if (x == 1 && function == Function::kLog) return 0;
  return std::nullopt;
}

Enclosure LibmUnary(Function function, double x) {
  if (const std::optional<double> exact = ExactUnary(function, x)) return {*exact, 0, 0};
  Enclosure point;
  if (function >= Function::kSin && ExactPoint(function, x, point)) return point;
  if (function == Function::kSqrt) return SquareRoot(x);
  if (function == Function::kRsqrt) return ReciprocalRoot(x);
  if (function == Function::kJ0) return Bessel(x);
  for (const LibmRow& row : kLibmRows) {
    if (row.function == function) return Libm(row.apply(x));
  }
  ASSAY_CHECK(false, "a function without a row");
}

// With hi = RN(sqrt x) the residual r = x - hi^2 is a double (barring underflow, hence the
// scaling), and sqrt x = hi + r / (2 hi) - r^2 / (8 hi^3) + ...: as |r| <= 2 u hi^2 the neglected
// part is below 2^-107 hi, the division adds at most 2^-106 hi.
Enclosure SquareRoot(double x) {
  if (x == 0) return {x, 0, 0};
  if (x < 0x1p-900) {
    Enclosure root = SquareRoot(x * 0x1p200);
    return {root.hi * 0x1p-100, root.lo * 0x1p-100, root.radius * 0x1p-100};
  }
  const double hi = std::sqrt(x);
  const double residual = std::fma(-hi, hi, x);
  if (residual == 0) return {hi, 0, 0};
  return {hi, residual / (2 * hi), hi * 0x1p-105};
}

// With hi = fl(1 / fl(sqrt x)) and e = 1 - x hi^2, 1/sqrt x = hi (1 + e/2 + 3 e^2/8 + ...). |e| is
// below 2^-50, so the neglected part is below 2^-101 hi; x hi^2 enters exactly but for one rounding
// of the product of a part below 2^-53 of it.
Enclosure ReciprocalRoot(double x) {
  if (x < 0x1p-900 || x > 0x1p900) {
    const double scale = x < 1 ? 0x1p100 : 0x1p-100;
    const Enclosure root = ReciprocalRoot(x * scale * scale);
    return {root.hi * scale, root.lo * scale, root.radius * scale};
  }
  const double hi = 1 / std::sqrt(x);
  double product, error;
  TwoProduct(x, hi, product, error);
  const double rest = std::fma(-product, hi, 1) - error * hi;
  if (rest == 0 && error == 0) return {hi, 0, 0};
  return {hi, hi * rest / 2, hi * 0x1p-99};
}

double TailCondition(Function function, double x) {
  const double size = std::fabs(x);
  if (function == Function::kSoftplus) {
    if (x < -kMishSaturates) return size * kConditionOutward;  // sigmoid < softplus there
    return size * Sigmoid(x) / Softplus(x) * kConditionOutward + kLibmFloor;
  }
  if (function != Function::kMish) return size / (1 + std::exp(x)) * kConditionOutward + kLibmFloor;
  // T'/T = 4 (w + 1) / ((w + 2) (w^2 + 2 w + 2)), w = exp(x); above, the last factor is w^2 at
  // most.
  if (x > kMishSaturates) return 4 * size * std::exp(-2 * x) * kConditionOutward + kLibmFloor;
  const double w = std::exp(x);
  return 4 * size * (w + 1) / ((w + 2) * (w * (w + 2) + 2)) * kConditionOutward + kLibmFloor;
}

// Far above 0 the condition vanishes; the floor covers what underflows on the way.
double LibmGeluCondition(Function function, double x) {
  const double size = std::fabs(x);
  if (function == Function::kGeluErf) {
    if (x < -kErfFormSaturates) return (x * x + 1) * kConditionOutward;  // Mills' ratio
    const double density = kRootTwoOverPi * std::exp(-0.5 * x * x);
    return size * density / Erfc(x) * kConditionOutward + kLibmFloor;
  }
  double high, low;
  TanhFormArgument(x, high, low);
  const double slope = kRootTwoOverPi * (1 + 3 * kCubic * x * x);
  return 2 * size * slope / (1 + std::exp(2 * high)) * kConditionOutward + kLibmFloor;
}

}  // namespace assay
