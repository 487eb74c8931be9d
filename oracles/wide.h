// SPDX-License-Identifier: Apache-2.0
//
// Double-double numbers that know how wrong they may be: the fast counterpart of a ball, with the
// same operators, so that one formula serves both. Needs round-to-nearest and a compilation without
// contraction.
//
// A Wide stands for some real t with |hi + lo - t| <= radius. Sums, products, quotients and roots
// follow the double-word algorithms of Joldes, Muller and Popescu (ACM TOMS 44, 2017), whose errors
// are below 10 u^2 of the result, u = 2^-53; kWideUnit leaves six times that. Below kSmallestExact-
// Product an error term may lose bits: kWideFloor covers that, absolutely. What leaves the range of
// double leaves a radius that is not finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "oracles/enclosure.h"

namespace assay {

inline constexpr double kWideUnit = 0x1p-100;
inline constexpr double kWideFloor = 0x1p-1000;
inline constexpr double kWideSafe = 0x1p-900;  // no term of a larger result comes near the floor
inline constexpr double kWideOutward = 1 + 0x1p-48;  // roundings of the radius itself

struct Wide {
  double hi = 0, lo = 0, radius = 0;

  Wide() = default;
  Wide(double value) : hi(value) {}  // NOLINT(google-explicit-constructor): a double is a Wide
  Wide(double high, double low, double error) : hi(high), lo(low), radius(error) {}
};

inline Wide operator-(const Wide& a) { return {-a.hi, -a.lo, a.radius}; }

inline Wide operator+(const Wide& a, const Wide& b) {
  double sum, error, low, low_error;
  TwoSum(a.hi, b.hi, sum, error);
  TwoSum(a.lo, b.lo, low, low_error);
  TwoSum(sum, error + low, sum, error);
  TwoSum(sum, error + low_error, sum, error);
  return {sum, error, (a.radius + b.radius + kWideUnit * std::fabs(sum)) * kWideOutward};
}
inline Wide operator-(const Wide& a, const Wide& b) { return a + -b; }

inline Wide operator*(const Wide& a, const Wide& b) {
  const bool zero = (a.hi == 0 && a.radius == 0) || (b.hi == 0 && b.radius == 0);
  if (zero && std::isfinite(a.hi) && std::isfinite(b.hi)) return {};
  double product, error;
  TwoProduct(a.hi, b.hi, product, error);
  error += a.hi * b.lo + a.lo * b.hi;
  Wide result;
  TwoSum(product, error, result.hi, result.lo);
  result.radius = (std::fabs(a.hi) * b.radius + std::fabs(b.hi) * a.radius + a.radius * b.radius +
                   kWideUnit * std::fabs(product)) *
                  kWideOutward;
  if (!(std::fabs(product) >= kWideSafe)) result.radius += kWideFloor;
  return result;
}

// Two digits of a long division; the second one corrects the first.
inline Wide operator/(const Wide& a, const Wide& b) {
  const double least = std::fabs(b.hi) * (1 - 0x1p-50) - b.radius;
  if (!(least > 0)) return {0, 0, kInfinity};
  if (a.hi == 0 && a.lo == 0 && a.radius == 0) return {};
  const double first = a.hi / b.hi;
  const Wide rest = a - Wide(first) * Wide(b.hi, b.lo, 0);
  Wide result;
  TwoSum(first, rest.hi / b.hi, result.hi, result.lo);
  result.radius =
      ((a.radius + std::fabs(first) * (b.radius + kWideUnit * std::fabs(b.hi))) / least) *
      kWideOutward;
  const bool safe = std::fabs(a.hi) >= kWideSafe && std::fabs(first) >= kWideSafe;
  if (!safe) result.radius += kWideFloor + kWideFloor / least;
  return result;
}

// One correction of the root by its residual. The root of t differs from that of t +- r by at most
// r / sqrt(t). REQUIRES a value that is not negative; a center below 0 counts as 0.
inline Wide Sqrt(const Wide& a) {
  if (!(a.hi > 0)) return {0, 0, a.radius == 0 && a.hi == 0 ? 0 : std::sqrt(2 * a.radius)};
  if (a.hi < 0x1p-800) {
    const Wide root = Sqrt(Wide(a.hi * 0x1p400, a.lo * 0x1p400, a.radius * 0x1p400));
    return {root.hi * 0x1p-200, root.lo * 0x1p-200, root.radius * 0x1p-200};
  }
  const double root = std::sqrt(a.hi);
  const double residual = std::fma(-root, root, a.hi) + a.lo;
  Wide result;
  TwoSum(root, residual / (2 * root), result.hi, result.lo);
  result.radius = (a.radius / root + kWideUnit * root) * kWideOutward;
  return result;
}

// In wide_functions.cc, with the proof. Arguments that overflow leave no bound.
Wide Exp(const Wide& a);
Wide Expm1(const Wide& a);
Wide Log(const Wide& a);    // REQUIRES a > 0
Wide Log1p(const Wide& a);  // ln(1 + a). REQUIRES a > -1

// sum a_i b_i of doubles. Each product and each sum keeps its error; the errors themselves are
// summed plainly, each at most u of a partial sum of magnitudes.
inline void SumOfProducts(const double* a, const double* b, int64_t count, Wide& result) {
  double sum = 0, errors = 0, magnitude = 0;
  bool any = false;
  for (int64_t i = 0; i < count; ++i) {
    double product, product_error, sum_error;
    TwoProduct(a[i], b[i], product, product_error);
    TwoSum(sum, product, sum, sum_error);
    errors += product_error + sum_error;
    magnitude += std::fabs(product);
    any |= a[i] != 0 && b[i] != 0;
  }
  const auto n = static_cast<double>(count);
  TwoSum(sum, errors, result.hi, result.lo);
  result.radius = magnitude * (n + 1) * (n + 1) * 0x1p-104;
  if (any) result.radius += kWideFloor;
}

// sum w_i v_i, v with a stride: as above, the low parts of the weights among the errors, where each
// rounds once more.
inline Wide WeightedSum(const Wide* weights, const double* v, int64_t stride, int64_t count) {
  double sum = 0, errors = 0, magnitude = 0, radius = 0;
  bool any = false;
  for (int64_t i = 0; i < count; ++i) {
    const double value = v[i * stride];
    double product, product_error, sum_error;
    TwoProduct(weights[i].hi, value, product, product_error);
    TwoSum(sum, product, sum, sum_error);
    errors += (product_error + sum_error) + weights[i].lo * value;
    magnitude += std::fabs(product);
    radius += weights[i].radius * std::fabs(value);
    any |= value != 0;
  }
  const auto n = static_cast<double>(count);
  Wide result;
  TwoSum(sum, errors, result.hi, result.lo);
  result.radius = radius * (1 + 0x1p-30) + magnitude * (n + 2) * (n + 2) * 0x1p-103;
  if (any) result.radius += kWideFloor;
  return result;
}

// Nothing near the end of the range, where which side of it the truth lies on is the question.
inline Enclosure EnclosureOf(const Wide& a) {
  const bool bounded = std::fabs(a.hi) < 0x1p1000 && std::isfinite(a.lo) && std::isfinite(a.radius);
  return bounded ? Enclosure{a.hi, a.lo, a.radius} : Enclosure{0, 0, kInfinity};
}
inline double MiddleOf(const Wide& a) { return a.hi + a.lo; }

}  // namespace assay
