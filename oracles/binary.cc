// SPDX-License-Identifier: Apache-2.0
#include "oracles/binary.h"

#include <cmath>

#include "contracts/invariant.h"
#include "contracts/operator.h"
#include "oracles/evidence_columns.h"
#include "oracles/row_facts.h"
#include "oracles/unary.h"
#include "oracles/wide.h"

namespace assay {
namespace {

// Factors within these bounds have a product, and a quotient, whose error term is a double too.
constexpr double kSafeLow = 0x1p-450, kSafeHigh = 0x1p450;

bool Safe(double x) { return std::fabs(x) >= kSafeLow && std::fabs(x) <= kSafeHigh; }

ClassSet Signed(ClassSet positive, ClassSet negative, bool minus) {
  return minus ? negative : positive;
}
ClassSet ZeroWithSign(bool minus) { return Signed(kClassPosZero, kClassNegZero, minus); }
ClassSet InfWithSign(bool minus) { return Signed(kClassPosInf, kClassNegInf, minus); }

bool IsOddInteger(double y) { return std::fabs(std::fmod(y, 2)) == 1; }

// IEEE 754-2019, 6.1, 6.3 and 7.2. Zero sums: -0 only of two negative zeros.
ClassSet AddClasses(double x, double y) {
  if (std::isinf(x) && std::isinf(y) && x != y) return kClassNan;
  if (std::isinf(x)) return ClassOf(x);
  if (std::isinf(y)) return ClassOf(y);
  if (x != -y) return kClassByValue;
  return ZeroWithSign(x == 0 && std::signbit(x) && std::signbit(y));
}

ClassSet MulClasses(double x, double y) {
  const bool minus = std::signbit(x) != std::signbit(y);
  if (std::isinf(x) || std::isinf(y)) {
    return x == 0 || y == 0 ? kClassNan : InfWithSign(minus);
  }
  return x == 0 || y == 0 ? ZeroWithSign(minus) : kClassByValue;
}

ClassSet DivClasses(double x, double y) {
  const bool minus = std::signbit(x) != std::signbit(y);
  if ((std::isinf(x) && std::isinf(y)) || (x == 0 && y == 0)) return kClassNan;
  if (std::isinf(x) || y == 0) return InfWithSign(minus);
  return std::isinf(y) || x == 0 ? ZeroWithSign(minus) : kClassByValue;
}

// A zero of either sign where both are offered.
ClassSet ExtremumClasses(double x, double y, bool maximum) {
  if (x == 0 && y == 0 && std::signbit(x) != std::signbit(y)) return kClassZero;
  const ClassSet set = ClassOf((maximum ? x >= y : x <= y) ? x : y);
  return set == kClassFinite ? kClassByValue : set;
}

constexpr int kStyle2008 = 1;  // position of the label of style

// A NaN loses against a number. IEEE 754-2019, 9.6: also a signalling one, and -0 is below +0. IEEE
// 754-2008, 5.3.1 and 6.2: a signalling one is an invalid operand, and of two zeros either may be
// the answer.
ClassSet NumberClasses(double x, double y, bool maximum, int style, bool signalling) {
  const auto of_number = [](double number) {
    const ClassSet set = ClassOf(number);
    return set == kClassFinite ? kClassByValue : set;
  };
  if ((std::isnan(x) && std::isnan(y)) || (signalling && style == kStyle2008)) return kClassNan;
  if (std::isnan(x)) return of_number(y);
  if (std::isnan(y)) return of_number(x);
  const ClassSet set = ExtremumClasses(x, y, maximum);
  if (set != kClassZero || style == kStyle2008) return set;
  return maximum ? kClassPosZero : kClassNegZero;
}

bool IgnoresNan(OpId op) { return op == OpId::kMinimumNumber || op == OpId::kMaximumNumber; }

// C, Annex F.10.4.4.
ClassSet PowClasses(double x, double y) {
  if (y == 0 || x == 1) return kClassByValue;
  if (std::isnan(x) || std::isnan(y)) return kClassNan;
  const bool minus = std::signbit(x) && IsOddInteger(y);
  if (x == 0) return y < 0 ? InfWithSign(minus) : ZeroWithSign(minus);
  if (std::isinf(y)) {
    if (x == -1) return kClassByValue;
    return (std::fabs(x) > 1) == (y > 0) ? kClassPosInf : kClassPosZero;
  }
  if (std::isinf(x)) return y < 0 ? ZeroWithSign(minus) : InfWithSign(minus);
  return x < 0 && y != std::trunc(y) ? kClassNan : kClassByValue;
}

constexpr int kTruncated = 0, kIeee = 1, kFloored = 2;  // positions of the labels of style

ClassSet RemainderClasses(double x, double y, int style) {
  if (std::isinf(x) || y == 0) return kClassNan;
  const bool turned = style == kFloored && x != 0 && std::signbit(x) != std::signbit(y);
  if (std::isinf(y)) {
    if (turned) return ClassOf(y);
    if (x == 0) return style == kFloored ? kClassZero : ClassOf(x);
    return kClassByValue;
  }
  const double rest = style == kIeee ? std::remainder(x, y) : std::fmod(x, y);
  if (rest != 0) return kClassByValue;
  return style == kFloored ? kClassZero : ZeroWithSign(std::signbit(x));
}

// IEEE 754-2019, 9.2.1.
ClassSet HypotClasses(double x, double y) {
  if (std::isinf(x) || std::isinf(y)) return kClassPosInf;
  if (std::isnan(x) || std::isnan(y)) return kClassNan;
  return x == 0 && y == 0 ? kClassPosZero : kClassByValue;
}

// Of two finite numbers that are not zero; 0 where there is none.
double SmallerMagnitude(double x, double y) {
  const auto usable = [](double each) { return std::isfinite(each) && each != 0; };
  if (usable(x) && usable(y)) return std::min(std::fabs(x), std::fabs(y));
  return usable(x) ? std::fabs(x) : usable(y) ? std::fabs(y) : 0;
}

ClassSet BinaryClasses(OpId op, int style, double x, double y) {
  if (op == OpId::kPow) return PowClasses(x, y);
  if (op == OpId::kHypot) return HypotClasses(x, y);
  if (std::isnan(x) || std::isnan(y)) return kClassNan;
  switch (op) {
    case OpId::kAdd:
      return AddClasses(x, y);
    case OpId::kMul:
      return MulClasses(x, y);
    case OpId::kDiv:
      return DivClasses(x, y);
    case OpId::kMinimum:
    case OpId::kMaximum:
      return ExtremumClasses(x, y, op == OpId::kMaximum);
    case OpId::kRemainder:
      return RemainderClasses(x, y, style);
    default:
      break;
  }
  ASSAY_CHECK(false, "not an operator of two elements");
}

// fmod and remainder round nothing. The floored one may: r + y for a small r of the other sign.
Enclosure Remainder(double x, double y, int style) {
  if (std::isinf(y)) return {x, 0, 0};
  if (style == kIeee) return {std::remainder(x, y), 0, 0};
  const double rest = std::fmod(x, y);
  if (style == kTruncated || std::signbit(rest) == std::signbit(y)) return {rest, 0, 0};
  Enclosure result;
  TwoSum(y, rest, result.hi, result.lo);
  return result;
}

// sqrt(a + b) for a = x^2 + y^2 up to b: with s = fl(sqrt a), s + (a - s^2 + b) / (2 s), the rest
// being below 2^-104 s.
Enclosure SafeHypot(double x, double y) {
  double xx, xx_error, yy, yy_error, sum, error;
  TwoProduct(x, x, xx, xx_error);
  TwoProduct(y, y, yy, yy_error);
  TwoSum(xx, yy, sum, error);
  error += xx_error + yy_error;
  const double root = std::sqrt(sum);
  const double rest = std::fma(-root, root, sum) + error;
  if (rest == 0 && xx_error == 0 && yy_error == 0) return {root, 0, 0};
  return {root, rest / (2 * root), root * 0x1p-98};
}

Enclosure Hypot(double x, double y, int bits, BallEvaluator& balls) {
  if (x == 0 || y == 0) return {std::fabs(x) + std::fabs(y), 0, 0};
  if (bits == 0 && Safe(x) && Safe(y)) return SafeHypot(x, y);
  return balls.Evaluate(BinaryFunction::kHypot, x, y, bits);
}

Enclosure LibmPower(double x, double y) {
  const double power = std::pow(x, y);
  if (std::isinf(power)) return {power, 0, 0};
  double radius = std::fabs(power) * kLibmRadius;
  if (!(std::fabs(power) >= 0x1p-950)) radius += kLibmFloor;
  return {power, 0, radius};
}

}  // namespace

bool IsSignalling(DType type, uint64_t bits) {
  if (type == DType::kF8e4m3) return false;  // its one NaN is quiet
  const int fraction = InfoOf(FormatOf(type)).precision - 1;
  const uint64_t quiet = uint64_t{1} << (fraction - 1);
  return std::isnan(Decode(type, bits)) && (bits & quiet) == 0;
}

// With q = fl(x / y) the rest x - q y is a double, and x / y = q + (x - q y) / y, whose division
// adds 2^-53 of at most 2^-53 q.
Enclosure Quotient(double x, double y, BallEvaluator& balls) {
  if (x == 0) return {x / y, 0, 0};
  if (!Safe(x) || !Safe(y)) return balls.Evaluate(BinaryFunction::kQuotient, x, y, 0);
  const double quotient = x / y;
  const double rest = std::fma(-quotient, y, x);
  if (rest == 0) return {quotient, 0, 0};
  return {quotient, rest / y, std::fabs(quotient) * 0x1p-104};
}

// One case at work: the operator with what it needs.
struct BinaryOracle::Work {
  OpId op;
  int style;
  bool libm;
  int bits;
  BallEvaluator& balls;
  ExactSum& exact;
  bool* by_balls;  // whether some power was

  Enclosure Sum(double x, double y) const {
    Enclosure result;
    TwoSum(x, y, result.hi, result.lo);
    if (bits == 0 && std::fabs(x) < 0x1p1000 && std::fabs(y) < 0x1p1000) return result;
    exact.Clear();
    exact.Add(x);
    exact.Add(y);
    return exact.Take();
  }

  Enclosure Product(double x, double y) const {
    Enclosure result;
    TwoProduct(x, y, result.hi, result.lo);
    if (bits == 0 && Safe(x) && Safe(y)) return result;
    exact.Clear();
    exact.AddProduct(x, y);
    return exact.Take();
  }

  Enclosure Power(double x, double y) const {
    if (y == 0 || x == 1) return {1, 0, 0};
    if (x == -1) return {IsOddInteger(y) ? -1.0 : 1.0, 0, 0};
    if (libm) return LibmPower(x, y);
    if (bits == 0) {
      const Wide size = Exp(Wide(y) * Log(Wide(std::fabs(x))));
      const Enclosure power = EnclosureOf(x < 0 && IsOddInteger(y) ? -size : size);
      if (IsNarrow(power, std::fabs(power.hi))) return power;
    }
    *by_balls = true;
    return balls.Evaluate(BinaryFunction::kPower, x, y, bits);
  }

  // REQUIRES a pair whose classes leave the value to decide.
  Enclosure Truth(double x, double y) const {
    switch (op) {
      case OpId::kAdd:
        return Sum(x, y);
      case OpId::kMul:
        return Product(x, y);
      case OpId::kDiv:
        return bits == 0 ? Quotient(x, y, balls)
                         : balls.Evaluate(BinaryFunction::kQuotient, x, y, bits);
      case OpId::kMinimum:
        return {x <= y ? x : y, 0, 0};
      case OpId::kMaximum:
        return {x >= y ? x : y, 0, 0};
      case OpId::kMinimumNumber:
        return {std::isnan(y) || x <= y ? x : y, 0, 0};
      case OpId::kMaximumNumber:
        return {std::isnan(y) || x >= y ? x : y, 0, 0};
      case OpId::kPow:
        return Power(x, y);
      case OpId::kRemainder:
        return Remainder(x, y, style);
      default:
        return Hypot(x, y, bits, balls);
    }
  }
};

void BinaryOracle::MeasureWith(const Values& values, bool libm, int precision_bits,
                               BallEvaluator& balls, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const OperandValues& y = values.operands[1];
  const OpId op = values.source->op;
  const int style =
      op == OpId::kRemainder || IgnoresNan(op) ? values.source->attributes[0].choice : kTruncated;
  bool by_balls = false;
  const Work work{op, style, libm, precision_bits, balls, exact_, &by_balls};
  ResetEvidence(x.count, evidence);
  evidence.special = x.any_nan || x.any_inf || y.any_nan || y.any_inf;
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  for (int64_t i = 0; i < x.count; ++i) {
    const double a = x.real[i], b = y.real[i];
    abs_x[i] = SmallerMagnitude(a, b);
    abs_sum[i] = 0;
    const auto at = static_cast<size_t>(i);
    const bool signalling = IsSignalling(x.dtype, x.bits[at]) || IsSignalling(y.dtype, y.bits[at]);
    ClassSet set = IgnoresNan(op)
                       ? NumberClasses(a, b, op == OpId::kMaximumNumber, style, signalling)
                       : BinaryClasses(op, style, a, b);
    // pow and hypot answer some quiet NaN with a number; a signalling one is an invalid operand
    // first (IEEE 754-2019, 6.2), and libraries differ in which rule they put first.
    if (signalling && !IgnoresNan(op)) set |= kClassNan;
    if ((set & kClassByValue) == 0) {
      StoreClasses(set, i, evidence);
      RaiseTier(evidence, Tier::kTable);
      continue;
    }
    evidence.legal[at] = set;
    StoreTruth(work.Truth(a, b), i, evidence);
    const double size = std::fabs(evidence.hi[i]) + std::fabs(evidence.lo[i]) + evidence.radius[i];
    abs_sum[i] = Outward(op == OpId::kAdd ? std::fabs(a) + std::fabs(b) : size);
    CloseOverflow(i, evidence);
  }
  if (op == OpId::kPow && libm) RaiseTier(evidence, Tier::kLibm);
  if (by_balls) RaiseTier(evidence, Tier::kBall);
  SetScalar(evidence, Quantity::kLength, 2);
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, x.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, y.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

void BinaryOracle::Measure(const Values& values, BallEvaluator& balls, Evidence& evidence) {
  const bool libm = values.operands[0].dtype != DType::kF64;
  MeasureWith(values, libm, /*precision_bits=*/0, balls, evidence);
}

void BinaryOracle::MeasureHighest(const Values& values, int precision_bits, BallEvaluator& balls,
                                  Evidence& evidence) {
  MeasureWith(values, /*libm=*/false, precision_bits, balls, evidence);
}

}  // namespace assay
