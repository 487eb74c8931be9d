// SPDX-License-Identifier: Apache-2.0
#include "oracles/unary.h"

#include <cmath>

#include "contracts/invariant.h"
#include "contracts/operator.h"
#include "oracles/evidence_columns.h"

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

bool IsGelu(Function function) {
  return function == Function::kGeluErf || function == Function::kGeluTanh;
}

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

}  // namespace

Function FunctionOf(const Case& value) {
  switch (value.op) {
    case OpId::kExp:
      return Function::kExp;
    case OpId::kLog:
      return Function::kLog;
    case OpId::kTanh:
      return Function::kTanh;
    case OpId::kSqrt:
      return Function::kSqrt;
    case OpId::kErf:
      return Function::kErf;
    case OpId::kGelu:
      return value.attributes[kGeluForm].choice == 0 ? Function::kGeluErf : Function::kGeluTanh;
    default:
      break;
  }
  ASSAY_CHECK(false, "not a unary operator");
}

Enclosure LibmUnary(Function function, double x) {
  // Where the answer is a small integer it is exact, and so is a zero.
  if (x == 0 && function == Function::kExp) return {1, 0, 0};
  if (x == 0 && function != Function::kLog) return {x, 0, 0};
  if (x == 1 && function == Function::kLog) return {0, 0, 0};
  switch (function) {
    case Function::kExp:
      return Libm(std::exp(x));
    case Function::kLog:
      return Libm(std::log(x));
    case Function::kTanh:
      return Libm(std::tanh(x));
    case Function::kErf:
      return Libm(std::erf(x));
    case Function::kGeluErf:
      return Libm(0.5 * x * Erfc(x));
    case Function::kGeluTanh:
      return Libm(TanhFormGelu(x));
    case Function::kSqrt:
      break;
  }
  return SquareRoot(x);
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

ClassSet UnaryClasses(Function function, double x) {
  if (std::isnan(x)) return kClassNan;
  const bool infinite = std::isinf(x);
  switch (function) {
    case Function::kExp:
      if (infinite) return x > 0 ? kClassPosInf : kClassPosZero;
      return kClassByValue;
    case Function::kLog:
      if (x == 0) return kClassNegInf;
      if (x < 0) return kClassNan;
      return infinite ? kClassPosInf : kClassByValue;
    case Function::kSqrt:
      if (x == 0) return ClassOf(x);
      if (x < 0) return kClassNan;
      return infinite ? kClassPosInf : kClassByValue;
    case Function::kTanh:
    case Function::kErf:
      return x == 0 ? ClassOf(x) : kClassByValue;  // +-1 at the infinities
    case Function::kGeluErf:
    case Function::kGeluTanh:
      if (!infinite) return kClassByValue;
      // At -Inf the limit is 0, the written formula -Inf * 0.
      return x > 0 ? kClassPosInf : static_cast<ClassSet>(kClassZero | kClassNan);
  }
  return kClassByValue;
}

namespace {

// A truth above the largest double: which infinity it rounds to, or may.
void CloseUnaryOverflow(int64_t at, Evidence& evidence) {
  const double hi = evidence.hi[at];
  if (std::isinf(hi)) {
    StoreClasses(ClassOf(hi), at, evidence);
  } else if (std::fabs(hi) == std::numeric_limits<double>::max() && evidence.lo[at] != 0 &&
             (evidence.lo[at] > 0) == (hi > 0)) {
    evidence.legal[at] |= hi > 0 ? kClassPosInf : kClassNegInf;
  }
}

}  // namespace

void UnaryOracle::MeasureWith(const Values& values, bool libm, int precision_bits,
                              BallEvaluator& balls, Evidence& evidence) {
  const Function function = FunctionOf(*values.source);
  const OperandValues& x = values.operands[0];
  ResetEvidence(x.count, evidence);
  evidence.special = x.any_nan || x.any_inf;
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  double* condition = IsGelu(function) ? MeasuredColumn(evidence, Quantity::kCondition) : nullptr;
  for (int64_t i = 0; i < x.count; ++i) {
    const double argument = x.real[i];
    const bool finite = std::isfinite(argument);
    abs_x[i] = finite ? std::fabs(argument) : 0;
    if (condition) condition[i] = 0;
    const ClassSet set = UnaryClasses(function, argument);
    if (!(set & kClassByValue)) {
      StoreClasses(set, i, evidence);
      evidence.special = true;
      RaiseTier(evidence, Tier::kTable);
      continue;
    }
    if (!finite) {  // tanh and erf of an infinity
      StoreTruth({std::copysign(1.0, argument), 0, 0}, i, evidence);
    } else if (libm && function == Function::kSqrt) {
      StoreTruth(SquareRoot(argument), i, evidence);
    } else if (libm) {
      StoreTruth(LibmUnary(function, argument), i, evidence);
      if (condition) condition[i] = LibmGeluCondition(function, argument);
      RaiseTier(evidence, Tier::kLibm);
    } else {
      StoreTruth(balls.Evaluate(function, argument, precision_bits), i, evidence);
      if (condition) condition[i] = balls.GeluCondition(function, argument);
      RaiseTier(evidence, Tier::kBall);
    }
    CloseUnaryOverflow(i, evidence);
  }
  SetScalar(evidence, Quantity::kLength, 1);
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, x.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

void UnaryOracle::Measure(const Values& values, BallEvaluator& balls, Evidence& evidence) {
  const bool libm = values.operands[0].dtype != DType::kF64 || values.source->op == OpId::kSqrt;
  MeasureWith(values, libm, /*precision_bits=*/0, balls, evidence);
}

void UnaryOracle::MeasureHighest(const Values& values, int precision_bits, BallEvaluator& balls,
                                 Evidence& evidence) {
  MeasureWith(values, /*libm=*/false, precision_bits, balls, evidence);
}

}  // namespace assay
