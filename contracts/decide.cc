// SPDX-License-Identifier: Apache-2.0
//
// Distances between an answer and an enclosed truth. hi - got is exact or dwarfs lo, so two
// subtractions lose at most a few units in the last place of a double.
#include "contracts/decide.h"

#include <algorithm>

namespace assay {

AnswerRule::Gap AnswerRule::ImageGap(double got, const Truth& truth) const {
  const RoundingInterval interval = IntervalRoundingTo(output_, got);
  const double below = (interval.lo - truth.hi) - truth.lo;
  const double above = (truth.hi - interval.hi) + truth.lo;
  const double distance = std::max(below, above);
  const bool excluded =
      (below == 0 && !interval.lo_included) || (above == 0 && !interval.hi_included);
  return {distance, excluded};
}

AnswerRule::Gap AnswerRule::DirectGap(double got, const Truth& truth) const {
  if (!std::isinf(got)) return {std::fabs((got - truth.hi) - truth.lo), false};
  // An infinite answer counts as the number one unit beyond the largest finite one.
  const double largest = InfoOf(output_).largest;
  const double sign = got > 0 ? 1 : -1;
  return {(largest - sign * truth.hi) - sign * truth.lo + UlpAt(output_, largest), false};
}

Decided AnswerRule::Decide(double got, const Truth& truth, double bound) const {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (std::isnan(got)) return {Decision::kReject, kInf};
  if (std::isinf(truth.hi)) {  // beyond the range of double: only that infinity is an answer
    return got == truth.hi ? Decided{Decision::kAccept, 0} : Decided{Decision::kReject, kInf};
  }
  const Gap gap = image_ ? ImageGap(got, truth) : DirectGap(got, truth);
  // max() below would turn a NaN into a distance of 0.
  if (std::isnan(gap.signed_distance) || std::isnan(bound)) return {Decision::kUndecided, kInf};
  const double distance = std::max(0.0, gap.signed_distance);
  const double nearest = std::max(0.0, gap.signed_distance - truth.radius);
  const double farthest = std::max(0.0, gap.signed_distance + truth.radius);
  const double ratio = distance == 0 ? 0 : bound > 0 ? distance / bound : kInf;
  if (gap.excluded_end && bound == 0 && truth.radius == 0) return {Decision::kReject, kInf};
  if (farthest <= bound) return {Decision::kAccept, ratio};
  if (nearest > bound * (1 + kBoundSlack)) return {Decision::kReject, ratio};
  return {Decision::kUndecided, ratio};
}

}  // namespace assay
