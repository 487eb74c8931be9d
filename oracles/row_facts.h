// SPDX-License-Identifier: Apache-2.0
//
// What the oracles of rows (softmax family, norms, products, attention) share: the scalars every
// case has, sets of answers that an overflow allows, and whether an enclosure is narrow enough.
// Internal to oracles/.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/evidence_columns.h"

namespace assay {

// What orders of evaluation may make of a row together: anything, a rounding of the truth too.
inline constexpr ClassSet kAnyAnswer =
    kClassNan | kClassInf | kClassZero | kClassFinite | kClassByValue;

// Bits of a ball where no more is asked for.
inline constexpr int kRowBallBits = 128;

// What such an operator computes in unless something else is declared.
inline Format RowAccumulator(DType input) {
  return input == DType::kF64 ? Format::kF64 : Format::kF32;
}

inline double FiniteOrZero(double x) { return std::isfinite(x) ? x : 0; }
inline ClassSet InfinityOfSign(bool negative) { return negative ? kClassNegInf : kClassPosInf; }
inline ClassSet ZeroOfSign(bool negative) { return negative ? kClassNegZero : kClassPosZero; }

struct RowSpecials {
  bool nan = false, positive_inf = false, negative_inf = false;
  bool inf() const { return positive_inf || negative_inf; }
};
inline RowSpecials SpecialsOf(std::span<const double> row) {
  RowSpecials found;
  for (const double x : row) {
    found.nan |= std::isnan(x);
    found.positive_inf |= x == kInfinity;
    found.negative_inf |= x == -kInfinity;
  }
  return found;
}

// A set of answers plus an extended real.
inline ClassSet AddToClasses(ClassSet set, double addend) {
  if (std::isnan(addend)) return kClassNan;
  if (std::isfinite(addend)) return set;
  const ClassSet own = ClassOf(addend);
  ClassSet result = 0;
  if (set & static_cast<ClassSet>(~(kClassNan | (kClassInf & ~own)))) result |= own;
  if (set & (kClassNan | (kClassInf & ~own))) result |= kClassNan;
  return result;
}

// Bounds are never below 2^-53 of the magnitudes they are made of (`scale`): a radius this far
// below decides.
inline bool IsNarrow(const Enclosure& truth, double scale) {
  return truth.radius <= scale * 0x1p-75 || truth.radius == 0;
}

// A truth above the largest double: adds the infinity it rounds to, or may, to what is right.
inline void AllowOverflow(int64_t at, Evidence& evidence) {
  const double hi = evidence.hi[at];
  if (std::isinf(hi)) {
    evidence.legal[at] |= ClassOf(hi);
  } else if (std::fabs(hi) == std::numeric_limits<double>::max() && evidence.lo[at] != 0 &&
             (evidence.lo[at] > 0) == (hi > 0)) {
    evidence.legal[at] |= InfinityOfSign(hi < 0);
  }
}

// alpha, beta, length and the operands' largest elements; any_nan and any_inf into `special`.
inline void SetRowScalars(const Values& values, double length, Evidence& evidence) {
  SetScalar(evidence, Quantity::kLength, length);
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  const auto inputs = static_cast<int>(values.operands.size()) - 1;
  constexpr Quantity kLargest[] = {Quantity::kMaxAbsA, Quantity::kMaxAbsB, Quantity::kMaxAbsC};
  for (int i = 0; i < 3; ++i) {
    SetScalar(evidence, kLargest[i],
              i < inputs ? values.operands[static_cast<size_t>(i)].max_abs : 0);
  }
  for (int i = 0; i < inputs; ++i) {
    const OperandValues& operand = values.operands[static_cast<size_t>(i)];
    evidence.special |= operand.any_nan || operand.any_inf;
  }
}

}  // namespace assay
