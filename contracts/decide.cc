// SPDX-License-Identifier: Apache-2.0
//
// Distances between an answer and an enclosed truth. hi - got is exact or dwarfs lo, so two
// subtractions lose at most a few units in the last place of a double.
#include "contracts/decide.h"

#include <algorithm>

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// `signed_distance` of the truth's midpoint from what the answer stands for; <= 0 inside.
// `excluded_end`: the midpoint lies on an end that belongs to another answer.
Decided Settle(double signed_distance, bool excluded_end, double radius, double bound) {
  // max() below would turn a NaN into a distance of 0.
  if (std::isnan(signed_distance) || std::isnan(bound)) return {Decision::kUndecided, kInf};
  const double distance = std::max(0.0, signed_distance);
  const double nearest = std::max(0.0, signed_distance - radius);
  const double farthest = std::max(0.0, signed_distance + radius);
  const double ratio = distance == 0 ? 0 : bound > 0 ? distance / bound : kInf;
  if (excluded_end && bound == 0 && radius == 0) return {Decision::kReject, kInf};
  if (farthest <= bound) return {Decision::kAccept, ratio};
  if (nearest > bound * (1 + kBoundSlack)) return {Decision::kReject, ratio};
  return {Decision::kUndecided, ratio};
}

}  // namespace

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
  if (std::isnan(got)) return {Decision::kReject, kInf};
  if (std::isinf(truth.hi)) {  // beyond the range of double: only that infinity is an answer
    return got == truth.hi ? Decided{Decision::kAccept, 0} : Decided{Decision::kReject, kInf};
  }
  const Gap gap = image_ ? ImageGap(got, truth) : DirectGap(got, truth);
  return Settle(gap.signed_distance, gap.excluded_end, truth.radius, bound);
}

Decided DecideInteger(int64_t got, const Truth& truth, double bound) {
  if (!std::isfinite(truth.hi)) return {Decision::kReject, kInf};
  static_assert(std::numeric_limits<long double>::digits >= 64, "64-bit integers must be exact");
  const long double distance = (static_cast<long double>(got) - truth.hi) - truth.lo;
  return Settle(static_cast<double>(std::fabs(distance)), /*excluded_end=*/false, truth.radius,
                bound);
}

Decided DecideRounded(const RoundedInteger& answer, const Truth& truth, double bound) {
  if (std::isnan(truth.hi)) return {Decision::kReject, kInf};
  const bool lowest = answer.got == answer.lowest, highest = answer.got == answer.highest;
  if (std::isinf(truth.hi)) {
    const bool right = truth.hi > 0 ? highest : lowest;
    return right ? Decided{Decision::kAccept, 0} : Decided{Decision::kReject, kInf};
  }
  const auto got = static_cast<double>(answer.got);
  const bool even = answer.got % 2 == 0;
  const bool takes_lower = answer.ties == Ties::kEven ? even : answer.got > 0;
  const bool takes_upper = answer.ties == Ties::kEven ? even : answer.got < 0;
  const double below = lowest ? -kInf : ((got - 0.5) - truth.hi) - truth.lo;
  const double above = highest ? -kInf : (truth.hi - (got + 0.5)) + truth.lo;
  // Whichever rule is meant, one of two neighbours takes the middle; undeclared: either may.
  const bool strict = answer.ties != Ties::kEither;
  const bool excluded = strict && ((below == 0 && !takes_lower) || (above == 0 && !takes_upper));
  return Settle(std::max(below, above), excluded, truth.radius, bound);
}

}  // namespace assay
