// SPDX-License-Identifier: Apache-2.0
//
// Error-free transformations of doubles and the three-number form in which every truth is kept.
// Needs round-to-nearest and a compilation without contraction; depends on nothing of ours.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay {

// The real number t with |hi + lo - t| <= radius, in real arithmetic. hi is infinite when |t| is
// beyond the largest double by more than any rounding can bridge.
struct Enclosure {
  double hi = 0;
  double lo = 0;
  double radius = 0;
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kUnit = 0x1p-53;         // unit roundoff of double
inline constexpr double kTiniest = 0x1p-1074;    // smallest positive double
inline constexpr double kOutward = 1 + 0x1p-41;  // covers the roundings of a short positive sum
// TwoProd is exact where the product is zero or at least this large: below, its error term may need
// bits under 2^-1074.
inline constexpr double kSmallestExactProduct = 0x1p-968;

// sum + error == a + b exactly (Knuth), for any order of magnitude, barring overflow.
inline void TwoSum(double a, double b, double& sum, double& error) {
  sum = a + b;
  const double b_part = sum - a;
  error = (a - (sum - b_part)) + (b - b_part);
}

// The integer as the sum of two doubles.
inline Enclosure Exactly(int64_t value) {
  Enclosure result;
  const double high = static_cast<double>(value >> 32) * 0x1p32;
  const double low = static_cast<double>(value & 0xffffffff);
  TwoSum(high, low, result.hi, result.lo);
  return result;
}

// product + error == a * b exactly, if |a b| is 0 or within [kSmallestExactProduct, largest / 2].
inline void TwoProduct(double a, double b, double& product, double& error) {
  product = a * b;
  error = std::fma(a, b, -product);
}

// Zero or a signed power of two: a factor that rounds nothing.
inline bool IsPowerOfTwo(double x) {
  if (!std::isfinite(x) || x == 0) return false;
  int exponent = 0;
  return std::fabs(std::frexp(x, &exponent)) == 0.5;
}

}  // namespace assay
