// SPDX-License-Identifier: Apache-2.0
//
// Sets of signs: what a number computed in some order may be, NaN, an infinity, a number of either
// sign, or zero. Where numbers of both signs are added all of these but the special ones are
// possible, since a difference may cancel in one order and not in another. Internal to oracles/.
#pragma once

#include <cmath>
#include <cstdint>

#include "contracts/dtype.h"

namespace assay::signs {

using Signs = uint8_t;
inline constexpr Signs kNot = 1, kPlusInf = 2, kMinusInf = 4, kPlus = 8, kMinus = 16, kNull = 32;
inline constexpr Signs kReal = kPlus | kMinus | kNull;
inline constexpr Signs kAllSigns[] = {kNot, kPlusInf, kMinusInf, kPlus, kMinus, kNull};

inline Signs SignOf(double x) {
  if (std::isnan(x)) return kNot;
  if (x == 0) return kNull;
  if (std::isinf(x)) return x > 0 ? kPlusInf : kMinusInf;
  return x > 0 ? kPlus : kMinus;
}

inline bool IsInfinite(Signs one) { return one == kPlusInf || one == kMinusInf; }
inline bool IsNegative(Signs one) { return one == kMinusInf || one == kMinus; }
inline Signs Infinite(bool negative) { return negative ? kMinusInf : kPlusInf; }
inline Signs Finite(bool negative) { return negative ? kMinus : kPlus; }

// Of single signs.
inline Signs TimesOne(Signs a, Signs b) {
  if (a == kNull || b == kNull) {
    const Signs other = a == kNull ? b : a;
    return (other & kReal) != 0 ? kNull : kNot;
  }
  if (a == kNot || b == kNot) return kNot;
  const bool negative = IsNegative(a) != IsNegative(b);
  return IsInfinite(a) || IsInfinite(b) ? Infinite(negative) : Finite(negative);
}

inline Signs PlusOne(Signs a, Signs b) {
  if (a == kNot || b == kNot) return kNot;
  if (IsInfinite(a) || IsInfinite(b)) {
    if (IsInfinite(a) && IsInfinite(b) && a != b) return kNot;
    return IsInfinite(a) ? a : b;
  }
  if (a == kNull || b == kNull) return a == kNull ? b : a;
  return a == b ? a : kReal;
}

template <class One>
Signs ForEachPair(Signs a, Signs b, const One& one) {
  Signs result = 0;
  for (const Signs x : kAllSigns) {
    for (const Signs y : kAllSigns) {
      if ((a & x) != 0 && (b & y) != 0) result |= one(x, y);
    }
  }
  return result;
}

// Whether a product with zero may be skipped, as some of the reference loops do.
enum class Zeros { kMultiplied, kSkipped };

inline Signs Times(Signs a, Signs b, Zeros zeros = Zeros::kMultiplied) {
  Signs result = ForEachPair(a, b, TimesOne);
  if (zeros == Zeros::kSkipped && ((a | b) & kNull) != 0) result |= kNull;
  return result;
}
inline Signs Plus(Signs a, Signs b) { return ForEachPair(a, b, PlusOne); }
inline Signs Minus(Signs a, Signs b) { return Plus(a, Times(b, kMinus)); }

inline ClassSet ClassesOf(Signs signs) {
  ClassSet set = 0;
  if ((signs & kNot) != 0) set |= kClassNan;
  if ((signs & kPlusInf) != 0) set |= kClassPosInf;
  if ((signs & kMinusInf) != 0) set |= kClassNegInf;
  if ((signs & kReal) != 0) set |= kClassByValue;
  return set;
}

}  // namespace assay::signs
