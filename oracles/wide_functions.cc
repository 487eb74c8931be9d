// SPDX-License-Identifier: Apache-2.0
//
// Exponentials and logarithms of Wide numbers with proven radii.
//
// Error analysis, u = 2^-53, u^2 = 2^-106. Bounds of sums and products of double words are those of
// Joldes, Muller and Popescu (ACM TOMS 44, 2017): word plus word 3 u^2, word times word 5 u^2, word
// plus double 2 u^2, all relative to the result.
//
// exp(x), |x| < 746:
// 1. n = round(64 x / ln 2), |n| < 2^17. ln 2 / 64 = L1 + L2 + L3 + d with 36, 36 and 53 bits and
// |d|
//    below 2^-137, so n L1 and n L2 are exact, and both differences keep their errors (TwoSum).
//    Their errors, n L3 and x's low part enter as plain doubles, the largest below 2^-59: r = x - n
//    ln 2 / 64 errs by at most 4 u 2^-59 + 2^17 2^-137 < 2^-109. |r| < 0.0055 < 2^-7.5.
// 2. exp(r) - 1 = r P1, P1 = 1 + r P2, P2 = 1/2 + r P3, P3 = 1/6 + r P4, P4 = 1/24 + r P5, P5 =
//    1/120 + r Q. Q = sum_{k=6}^{12} r^(k-6) / k! in doubles errs by less than 4 u / 720, and so
//    does its product with r: 6 u r / 720 in P5. Words add 8 u^2 of P5, P4 and P3 each, of which
//    r^4, r^3 and r^2 reach P1: below 2^-110 together; in P2 8 u^2 / 2, in P1 2^-8.5 8 u^2 + 3 u^2.
//    Together P1 errs by 6 u r^5 / 720 + 3.1 u^2 < 2^-97.5 relative, the product with r by 5 u^2
//    more, and what is left out of the series, r^12 / 13!, is below 2^-122. So r P1 is right to
//    2^-97.3 relative, plus 2^-109 where n is not 0.
// 3. exp(x) = 2^k T_j (1 + r P1): T_j is right to u^2, the sum to 3 u^2 + 2^-109 + 2^-104.8 (step
// 2,
//    times r), the product to 5 u^2: below 2^-102. kExpUnit leaves a factor of 8.
// exp(x) - 1 takes r P1 where n is 0 (kExpm1Unit leaves a factor of 4), else exp(x) less 1.
//
// ln t: a guess y of the C library is corrected, and the correction says how good it was: e = t
// exp(-y) - 1 = (t - 1) + t (exp(-y) - 1) by Wide arithmetic, which keeps its own radius, and ln t
// = y
// + e - e^2 / 2 + ..., the rest below |e|^3 for |e| < 1/2. Nothing is assumed about the guess.
// Because t - 1 is exact and t near 1 wherever y is small, the radius is relative to y.
#include <bit>
#include <cmath>
#include <cstdint>

#include "oracles/lane_scan.h"
#include "oracles/lanes.h"
#include "oracles/wide.h"
#include "oracles/wide_exp_table.h"

namespace assay {
namespace {

constexpr double kExpUnit = 0x1p-99, kExpm1Unit = 0x1p-95;
constexpr double kStep1 = 0x1.62e42fefap-7, kStep2 = 0x1.cf79abc9ep-46,
                 kStep3 = 0x1.d9cc01f97b57ap-85;  // ln 2 / 64
constexpr double kSteps = 0x1.71547652b82fep+6;   // 64 / ln 2
constexpr double kSmallest = 0.0054;              // below ln 2 / 128: n is 0
const Wide kLn2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1p-109);

// A sum of two doubles, |low| <= ulp(high) / 2.
struct Word {
  double high, low;
};

#define ASSAY_INLINE static inline __attribute__((always_inline))

// REQUIRES |a| >= |b| or a = 0.
ASSAY_INLINE Word QuickSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
ASSAY_INLINE Word Sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
ASSAY_INLINE Word Plus(const Word& a, const Word& b) {
  const Word high = Sum(a.high, b.high), low = Sum(a.low, b.low);
  const Word first = QuickSum(high.high, high.low + low.high);
  return QuickSum(first.high, first.low + low.low);
}
ASSAY_INLINE Word Times(const Word& a, const Word& b) {
  const double product = a.high * b.high;
  const double error = __builtin_fma(a.high, b.high, -product);
  const double cross = __builtin_fma(a.low, b.high, __builtin_fma(a.high, b.low, a.low * b.low));
  return QuickSum(product, error + cross);
}

// exp(r) - 1, |r| < 2^-7.5 (step 2).
ASSAY_INLINE Word SmallExpm1(const Word& r) {
  const double x = r.high;
  double q = 0x1.1eed8eff8d898p-29;                                          // 1 / 12!
  q = __builtin_fma(q, x, 0x1.ae64567f544e4p-26);                            // 1 / 11!
  q = __builtin_fma(q, x, 0x1.27e4fb7789f5cp-22);                            // 1 / 10!
  q = __builtin_fma(q, x, 0x1.71de3a556c734p-19);                            // 1 / 9!
  q = __builtin_fma(q, x, 0x1.a01a01a01a01ap-16);                            // 1 / 8!
  q = __builtin_fma(q, x, 0x1.a01a01a01a01ap-13);                            // 1 / 7!
  q = __builtin_fma(q, x, 0x1.6c16c16c16c17p-10);                            // 1 / 6!
  Word p = Plus({0x1.1111111111111p-7, 0x1.1111111111111p-63}, {x * q, 0});  // 1 / 5!
  p = Plus({0x1.5555555555555p-5, 0x1.5555555555555p-59}, Times(r, p));      // 1 / 4!
  p = Plus({0x1.5555555555555p-3, 0x1.5555555555555p-57}, Times(r, p));      // 1 / 3!
  p = Plus({0.5, 0}, Times(r, p));
  p = Plus({1, 0}, Times(r, p));
  return Times(r, p);
}

// exp(high + low) as a word times 2^*exponent (steps 1 and 3).
ASSAY_INLINE Word ScaledExp(double high, double low, int* exponent) {
  const double n = __builtin_rint(high * kSteps);
  const auto steps = static_cast<int>(n);
  const Word first = Sum(high, -(n * kStep1));
  const Word second = Sum(first.high, -(n * kStep2));
  const Word r = Sum(second.high, second.low + (first.low + (low - n * kStep3)));
  const int j = steps & 63;
  *exponent = (steps - j) / 64;
  return Times({kRootsOfTwo[j][0], kRootsOfTwo[j][1]}, Plus({1, 0}, SmallExpm1(r)));
}

#if defined(__x86_64__)
// The same bits with and without the instruction: a fused multiply-add rounds once either way.
ASSAY_AVX2 Word ScaledExpFused(double high, double low, int* exponent) {
  return ScaledExp(high, low, exponent);
}
ASSAY_AVX2 Word SmallExpm1Fused(const Word& r) { return SmallExpm1(r); }
bool HasFused() { return MachineLanes() != LaneSet::kBase; }
#else
Word ScaledExpFused(double high, double low, int* exponent) {
  return ScaledExp(high, low, exponent);
}
Word SmallExpm1Fused(const Word& r) { return SmallExpm1(r); }
bool HasFused() { return true; }
#endif

// 2^exponent x, exact unless it leaves the normal range.
double Scale(double x, int exponent) {
  if (exponent < -1000 || exponent > 1000) return std::ldexp(x, exponent);
  return x * std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// ln t from the guess `near`, t - 1 given.
Wide LogFrom(double near, const Wide& less_one) {
  const Wide e = less_one + (Wide(1) + less_one) * Expm1(Wide(-near));
  const double size = std::fabs(e.hi) + e.radius;
  if (!(size <= 0x1p-30)) return {0, 0, kInfinity};
  Wide result = Wide(near) + (e - Wide(0.5) * (e * e));
  result.radius += size * size * size;
  return result;
}

}  // namespace

Wide Exp(const Wide& a) {
  if (!(a.hi < 709.7)) return {0, 0, kInfinity};
  if (!(a.radius <= 0x1p-10)) {  // anything from 0 to the upper end
    const double end = a.hi + a.radius;
    const Wide top = Exp(Wide(end + (std::fabs(end) + 1) * 0x1p-50));
    return {0, 0, (top.hi + top.radius) * kWideOutward};
  }
  if (a.hi < -745) return {0, 0, kWideFloor};
  int exponent = 0;
  const Word scaled =
      HasFused() ? ScaledExpFused(a.hi, a.lo, &exponent) : ScaledExp(a.hi, a.lo, &exponent);
  const Wide value(Scale(scaled.high, exponent), Scale(scaled.low, exponent), 0);
  const double radius = value.hi * (a.radius * (1 + 0x1p-9) + kExpUnit);
  // A radius of 0 is a claim; tiny results lose bits of their low part.
  return {value.hi, value.lo, radius + (exponent < -900 ? kWideFloor : 0)};
}

Wide Expm1(const Wide& a) {
  if (a.hi == 0) return a;
  if (std::fabs(a.hi) < 0x1p-300) return {a.hi, a.lo, a.radius + a.hi * a.hi + kTiniest};
  if (!(std::fabs(a.hi) < kSmallest) || !(a.radius <= 0x1p-10)) return Exp(a) - Wide(1);
  const Word r{a.hi, a.lo};
  const Word value = HasFused() ? SmallExpm1Fused(r) : SmallExpm1(r);
  return {value.high, value.low, std::fabs(value.high) * kExpm1Unit + a.radius * (1 + 0x1p-6)};
}

Wide Log(const Wide& a) {
  if (!(a.hi > 0) || !std::isfinite(a.hi)) return {0, 0, kInfinity};
  int exponent = 0;
  if (std::frexp(a.hi, &exponent) < 0.70710678) --exponent;
  const Wide part(std::ldexp(a.hi, -exponent), std::ldexp(a.lo, -exponent),
                  std::ldexp(a.radius, -exponent));
  const Wide log = LogFrom(std::log(part.hi), part - Wide(1));
  return exponent == 0 ? log : Wide(exponent) * kLn2 + log;
}

Wide Log1p(const Wide& a) {
  if (std::fabs(a.hi) < 0.4) return LogFrom(std::log1p(a.hi), a);
  return Log(Wide(1) + a);
}

}  // namespace assay
