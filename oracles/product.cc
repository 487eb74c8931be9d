// SPDX-License-Identifier: Apache-2.0
#include "oracles/product.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/number/ball_value.h"
#include "oracles/row_facts.h"
#include "oracles/wide.h"

namespace assay {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// Partial products of finite, non-zero elements, as logarithms to base 2 rounded outward: the
// largest and the smallest any order can meet.
struct Reach {
  double up = 0, down = 0;
};

Reach ReachOf(std::span<const double> x) {
  Reach reach;
  for (const double value : x) {
    if (!std::isfinite(value) || value == 0) continue;
    const double logarithm = std::log2(std::fabs(value));
    (logarithm > 0 ? reach.up : reach.down) += logarithm;
  }
  const double slack = 0x1p-40 * static_cast<double>(x.size());
  reach.up *= 1 + slack;
  reach.down *= 1 + slack;
  return reach;
}

// mantissa * 2^exponent as doubles. Scaling down into the subnormal range rounds each part.
Enclosure Compose(const Wide& mantissa, int64_t exponent) {
  if (exponent > 1100) return {std::copysign(kInfinity, mantissa.hi), 0, 0};
  if (exponent < -1200) return {std::copysign(0.0, mantissa.hi), 0, kTiniest};
  const auto scaled = [&](double part) { return std::ldexp(part, static_cast<int>(exponent)); };
  Enclosure result{scaled(mantissa.hi), scaled(mantissa.lo), scaled(mantissa.radius)};
  if (std::isinf(result.hi)) {
    // Just above the largest double the excess still fits lo: the overflow threshold lies there.
    const double half = std::ldexp(std::fabs(mantissa.hi), static_cast<int>(exponent) - 1);
    const double excess = 2 * (half - kLargest / 2);
    if (!(excess <= kLargest * 0x1p-40)) return {result.hi, 0, 0};
    return {std::copysign(kLargest, result.hi), std::copysign(excess, result.hi) + result.lo,
            result.radius};
  }
  if (exponent < -800) result.radius += 4 * kTiniest;
  return result;
}

// The product of finite, non-zero elements. The first is taken as it is, so that the product of one
// is exact.
Enclosure WideProduct(std::span<const double> x) {
  int first = 0;
  Wide mantissa(std::frexp(x[0], &first));
  int64_t exponent = first;
  for (const double value : x.subspan(1)) {
    int part = 0, carry = 0;
    mantissa = mantissa * Wide(std::frexp(value, &part));
    mantissa.hi = std::frexp(mantissa.hi, &carry);
    mantissa.lo = std::ldexp(mantissa.lo, -carry);
    mantissa.radius = std::ldexp(mantissa.radius, -carry);
    exponent += part + carry;
  }
  return Compose(mantissa, exponent);
}

Enclosure BallProduct(std::span<const double> x) {
  Ball product(x[0]);
  for (const double value : x.subspan(1)) product = product * Ball(value);
  return EnclosureOf(product);
}

bool HasZero(std::span<const double> x) {
  for (const double value : x) {
    if (value == 0) return true;
  }
  return false;
}

template <class Product>
void MeasureProduct(const Values& values, Tier tier, Evidence& evidence, Product product) {
  const OperandValues& operand = values.operands[0];
  const std::span<const double> x(operand.real);
  ResetEvidence(1, evidence);
  SetRowScalars(values, static_cast<double>(x.size()), evidence);
  evidence.special |= x.empty();
  const Format accumulator = RowAccumulator(operand.dtype);
  Enclosure truth{1, 0, 0};
  const ClassSet set = ProductClasses(x, accumulator);
  if ((set & kClassByValue) && !x.empty()) {
    truth = product(x);
    RaiseTier(evidence, tier);
  }
  StoreTruth(truth, 0, evidence);
  StoreClasses(set, 0, evidence);
  if (set & kClassByValue) AllowOverflow(0, evidence);
  const double size = std::fabs(evidence.hi[0]);
  MeasuredColumn(evidence, Quantity::kAbsSum)[0] =
      std::isnan(size) ? 0 : std::min(Outward(size), kLargest);
  const Reach reach = ReachOf(x);
  SetScalar(evidence, Quantity::kMaxAbsSum,
            std::min(std::exp2(std::min(reach.up, 1024.0)), kLargest));
  // Some order may pass below the normal range.
  SetScalar(evidence, Quantity::kSubnormalCount,
            reach.down < InfoOf(accumulator).min_exponent ? 1 : 0);
}

}  // namespace

ClassSet ProductClasses(std::span<const double> x, Format accumulator) {
  const RowSpecials specials = SpecialsOf(x);
  const bool zero = HasZero(x);
  if (specials.nan || (zero && specials.inf())) return kClassNan;
  bool negative = false;
  for (const double value : x) negative ^= std::signbit(value);
  const FormatInfo& info = InfoOf(accumulator);
  const Reach reach = ReachOf(x);
  const bool may_overflow = reach.up >= info.max_exponent;
  const bool may_vanish = reach.down < info.min_exponent;
  // A vanished factor meets the infinity, an overflown one the zero.
  if (specials.inf()) {
    return InfinityOfSign(negative) | static_cast<ClassSet>(may_vanish ? kClassNan : 0);
  }
  if (zero) return ZeroOfSign(negative) | static_cast<ClassSet>(may_overflow ? kClassNan : 0);
  ClassSet set = kClassByValue;
  if (may_overflow) set |= InfinityOfSign(negative);
  if (may_vanish) set |= ZeroOfSign(negative) | kClassFinite;
  if (may_overflow && may_vanish) set |= kClassNan;
  return set;
}

void ProductOracle::Measure(const Values& values, Evidence& evidence) {
  MeasureProduct(values, Tier::kDot2, evidence, WideProduct);
}

void ProductOracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  const BallPrecision precision(precision_bits + 16);
  MeasureProduct(values, Tier::kBall, evidence, BallProduct);
}

}  // namespace assay
