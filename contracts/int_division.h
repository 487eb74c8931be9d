// SPDX-License-Identifier: Apache-2.0
//
// Division of integers: where a quotient exists and what it is. Depends on the types alone.
#pragma once

#include <cstdint>

#include "contracts/dtype.h"

namespace assay {

// kByZero: there is no quotient, and no remainder. kBeyond: the lowest number by -1, whose quotient
// the type cannot hold; the remainder is 0.
enum class Quotient : uint8_t { kThere = 0, kByZero, kBeyond };

constexpr Quotient QuotientOf(int64_t x, int64_t y, const IntegerLimits& limits) {
  if (y == 0) return Quotient::kByZero;
  const bool beyond = y == -1 && limits.lowest < 0 && x == limits.lowest;
  return beyond ? Quotient::kBeyond : Quotient::kThere;
}

struct Division {
  int64_t quotient, remainder;
};
// x = quotient * y + remainder. Truncated, as in C: the remainder has the sign of x. Floored, as in
// Python and NumPy: it has the sign of y. REQUIRES Quotient::kThere in 64 bits.
constexpr Division Divide(int64_t x, int64_t y, bool floored) {
  Division result = {x / y, x % y};
  const bool turned = result.remainder != 0 && (result.remainder < 0) != (y < 0);
  if (!floored || !turned) return result;
  return {result.quotient - 1, result.remainder + y};
}

}  // namespace assay
