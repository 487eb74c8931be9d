// SPDX-License-Identifier: Apache-2.0
//
// Filling Evidence: sizing its columns for a case and storing what one element came to. Internal to
// oracles/.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/evidence.h"
#include "oracles/enclosure.h"

namespace assay {

// Columns for `count` outputs, ordinary classes, no quantity measured yet. Keeps capacity.
inline void ResetEvidence(int64_t count, Evidence& evidence) {
  ++evidence.measurement;
  evidence.count = count;
  const auto size = static_cast<size_t>(count);
  evidence.hi.resize(size);
  evidence.lo.resize(size);
  evidence.radius.resize(size);
  evidence.legal.assign(size, kClassByValue);
  for (std::vector<double>& column : evidence.element) column.clear();
  evidence.scalar.fill(kNan);
  evidence.choice = false;
  evidence.special = false;
  evidence.tier = Tier::kDot2;
}

inline double* MeasuredColumn(Evidence& evidence, Quantity quantity) {
  std::vector<double>& column = evidence.element[static_cast<int>(quantity)];
  column.resize(static_cast<size_t>(evidence.count));
  return column.data();
}

inline void SetScalar(Evidence& evidence, Quantity quantity, double value) {
  evidence.scalar[static_cast<int>(quantity)] = value;
}

inline void RaiseTier(Evidence& evidence, Tier tier) {
  evidence.tier = std::max(evidence.tier, tier);
}

inline void StoreTruth(const Enclosure& truth, int64_t at, Evidence& evidence) {
  evidence.hi[at] = truth.hi;
  evidence.lo[at] = truth.lo;
  evidence.radius[at] = truth.radius;
}

// Where no standard says what is right.
inline constexpr ClassSet kAnyClass = kClassNan | kClassInf | kClassZero | kClassFinite;

// A member of a set without kClassByValue, to stand where a truth would.
inline double Representative(ClassSet set) {
  if (set & kClassNan) return kNan;
  if (set & kClassPosInf) return kInfinity;
  if (set & kClassNegInf) return -kInfinity;
  return (set & kClassPosZero) ? 0.0 : -0.0;
}

// Narrows an element to `set`; a set without kClassByValue takes the place of the truth.
inline void StoreClasses(ClassSet set, int64_t at, Evidence& evidence) {
  evidence.legal[at] = set;
  if (set & kClassByValue) return;
  StoreTruth({Representative(set), 0, 0}, at, evidence);
}

// A truth above the largest double: which infinity it rounds to, or may.
inline void CloseOverflow(int64_t at, Evidence& evidence) {
  const double hi = evidence.hi[at];
  if (std::isinf(hi)) {
    StoreClasses(ClassOf(hi), at, evidence);
  } else if (std::fabs(hi) == std::numeric_limits<double>::max() && evidence.lo[at] != 0 &&
             (evidence.lo[at] > 0) == (hi > 0)) {
    evidence.legal[at] |= hi > 0 ? kClassPosInf : kClassNegInf;
  }
}

// Upper bounds on positive quantities: one outward factor covers their few roundings.
inline double Outward(double value) { return value * kOutward; }

}  // namespace assay
