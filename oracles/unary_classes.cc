// SPDX-License-Identifier: Apache-2.0
//
// What the functions of one element answer at zeros, infinities, poles and outside their domains,
// one row each: IEEE 754-2019, 9.2, and C23, Annex F; POSIX for j0.
#include <cmath>

#include "contracts/invariant.h"
#include "oracles/unary.h"

namespace assay {
namespace {

constexpr ClassSet kValue = kClassByValue, kNanOnly = kClassNan, kPlusInf = kClassPosInf,
                   kMinusInf = kClassNegInf, kPlusZero = kClassPosZero;
// At -Inf the limit of x sigmoid(x) is 0, the written formula -Inf * 0.
constexpr ClassSet kZeroOrNan = kClassZero | kClassNan;
// At an infinity the limit of x / (1 + |x|) is 1, the written formula Inf / Inf.
constexpr ClassSet kLimitOrNan = kClassByValue | kClassNan;
constexpr double kNone = kInfinity;  // no end of the domain

struct Specials {
  Function function;
  ClassSet plus_zero, minus_zero;
  ClassSet minus_infinity, plus_infinity;
  double lowest = -kNone, highest = kNone;  // NaN outside
  ClassSet at_lowest = kValue, at_highest = kValue;
  ClassSet at_negative_integers = kValue;
};

constexpr Specials Odd(Function function, ClassSet minus_infinity, ClassSet plus_infinity) {
  return {function, kPlusZero, kClassNegZero, minus_infinity, plus_infinity};
}
constexpr Specials Even(Function function, ClassSet infinities) {
  return {function, kValue, kValue, infinities, infinities};
}
constexpr Specials Exponential(Function function) {
  return {function, kValue, kValue, kPlusZero, kPlusInf};
}
constexpr Specials Logarithm(Function function) {
  return {function, kMinusInf, kMinusInf, kNanOnly, kPlusInf, 0};
}
constexpr Specials Gated(Function function) {
  return {function, kValue, kValue, kZeroOrNan, kPlusInf};
}

constexpr Specials kRows[] = {
    Exponential(Function::kExp),
    Logarithm(Function::kLog),
    Odd(Function::kTanh, kValue, kValue),
    {Function::kSqrt, kPlusZero, kClassNegZero, kNanOnly, kPlusInf, 0},
    Odd(Function::kErf, kValue, kValue),
    Gated(Function::kGeluErf),
    Gated(Function::kGeluTanh),
    Odd(Function::kExpm1, kValue, kPlusInf),
    {Function::kLog1p, kPlusZero, kClassNegZero, kNanOnly, kPlusInf, -1, kNone, kMinusInf},
    {Function::kRsqrt, kPlusInf, kMinusInf, kNanOnly, kPlusZero, 0},
    {Function::kSigmoid, kValue, kValue, kPlusZero, kValue},
    Gated(Function::kSilu),
    Gated(Function::kMish),
    Odd(Function::kSin, kNanOnly, kNanOnly),
    Even(Function::kCos, kNanOnly),
    Odd(Function::kTan, kNanOnly, kNanOnly),
    {Function::kAsin, kPlusZero, kClassNegZero, kNanOnly, kNanOnly, -1, 1},
    {Function::kAcos, kValue, kValue, kNanOnly, kNanOnly, -1, 1, kValue, kPlusZero},
    Odd(Function::kAtan, kValue, kValue),
    Odd(Function::kSinh, kMinusInf, kPlusInf),
    Even(Function::kCosh, kPlusInf),
    Odd(Function::kAsinh, kMinusInf, kPlusInf),
    {Function::kAcosh, kNanOnly, kNanOnly, kNanOnly, kPlusInf, 1, kNone, kPlusZero},
    {Function::kAtanh, kPlusZero, kClassNegZero, kNanOnly, kNanOnly, -1, 1, kMinusInf, kPlusInf},
    Exponential(Function::kExp2),
    Exponential(Function::kExp10),
    Logarithm(Function::kLog2),
    Logarithm(Function::kLog10),
    Odd(Function::kCbrt, kMinusInf, kPlusInf),
    {Function::kErfc, kValue, kValue, kValue, kPlusZero},
    {Function::kTgamma, kPlusInf, kMinusInf, kNanOnly, kPlusInf, -kNone, kNone, kValue, kValue,
     kNanOnly},
    {Function::kLgamma, kPlusInf, kPlusInf, kPlusInf, kPlusInf, -kNone, kNone, kValue, kValue,
     kPlusInf},
    Even(Function::kJ0, kClassZero),
    Exponential(Function::kSoftplus),
    {Function::kSoftsign, kValue, kValue, kLimitOrNan, kLimitOrNan},
};

const Specials& RowOf(Function function) {
  for (const Specials& row : kRows) {
    if (row.function == function) return row;
  }
  ASSAY_CHECK(false, "a function without a row");
}

}  // namespace

ClassSet UnaryClasses(Function function, double x) {
  if (std::isnan(x)) return kClassNan;
  const Specials& row = RowOf(function);
  if (x == 0) return std::signbit(x) ? row.minus_zero : row.plus_zero;
  if (std::isinf(x)) return x > 0 ? row.plus_infinity : row.minus_infinity;
  if (x < row.lowest || x > row.highest) return kClassNan;
  if (x == row.lowest) return row.at_lowest;
  if (x == row.highest) return row.at_highest;
  if (x < 0 && x == std::trunc(x)) return row.at_negative_integers;
  return kClassByValue;
}

Enclosure LimitAtInfinity(Function function, double x) {
  switch (function) {
    case Function::kAtan:  // pi / 2 in two doubles and what is left
      return {std::copysign(0x1.921fb54442d18p+0, x), std::copysign(0x1.1a62633145c07p-54, x),
              0x1p-109};
    case Function::kErfc:  // at -Inf
      return {2, 0, 0};
    default:  // tanh, erf, softsign; sigmoid and expm1, at one end
      return {std::copysign(1.0, x), 0, 0};
  }
}

}  // namespace assay
