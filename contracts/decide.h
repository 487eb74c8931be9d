// SPDX-License-Identifier: Apache-2.0
//
// The decision about one answer: does it lie in the image of the truth's neighbourhood of radius E?
// (Image rule: the interval is rounded, the roundings are not added.) Everything here is written so
// that NaN is never accepted.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "contracts/dtype.h"

namespace assay {

// Bounds are computed in double, to far better than this relative error. Only what lies beyond the
// bound widened by it is wrong; between the two nothing is decided.
inline constexpr double kBoundSlack = 0x1p-40;

enum class Decision : uint8_t { kAccept, kReject, kUndecided };

struct Decided {
  Decision decision = Decision::kReject;
  double ratio = std::numeric_limits<double>::infinity();
};

// The truth as evidence gives it: hi + lo +- radius.
struct Truth {
  double hi = 0, lo = 0, radius = 0;
};

// An answer of an integer type: it must be the truth itself, up to `bound`. Exact beyond 2^53.
Decided DecideInteger(int64_t got, const Truth& truth, double bound);

// How a real number becomes an integer where it lies in the middle of two.
enum class Ties : uint8_t { kEven = 0, kAway, kEither };
// An integer answer that stands for the rounding of the truth, as of quantization: accepted iff
// some point of [truth - bound, truth + bound] rounds to it. What lies beyond the ends of the type
// is clamped to them: `lowest` and `highest` stand for everything outside, too. Ties are those of
// the truth itself, before any integer is added to it.
struct RoundedInteger {
  int64_t got, lowest, highest;
  Ties ties;
};
Decided DecideRounded(const RoundedInteger& answer, const Truth& truth, double bound);

class AnswerRule {
 public:
  // `accumulator` is the format E is counted in. Where the output is narrower, it rounds once more,
  // and that rounding belongs to the image and not to E.
  AnswerRule(Format accumulator, Format output)
      : output_(output),
        image_(InfoOf(output).precision < InfoOf(accumulator).precision),
        smallest_normal_(InfoOf(output).smallest_normal),
        half_unit_(InfoOf(output).unit_roundoff) {}

  bool image() const { return image_; }
  // True only if the whole enclosure rounds to `got`, so that it is right whatever the bound: the
  // cheap answer for nearly every element of a good kernel. False says nothing. For the image rule.
  bool PlainlyRounds(double got, const Truth& truth) const {
    const uint64_t bits = std::bit_cast<uint64_t>(got) & ~(uint64_t{1} << 63);
    const bool power_of_two = (bits & ((uint64_t{1} << 52) - 1)) == 0;
    const double binade = std::bit_cast<double>(bits >> 52 << 52);
    double reach = std::max(binade, smallest_normal_) * half_unit_;
    if (power_of_two) reach *= 0.5;  // the gap below is half as wide
    return std::fabs(got - truth.hi) + std::fabs(truth.lo) + truth.radius <
           reach * (1 - kBoundSlack);
  }

  // REQUIRES `got` representable in the output format or NaN.
  Decided Decide(double got, const Truth& truth, double bound) const;

 private:
  struct Gap {
    double signed_distance;  // of the truth's midpoint from what rounds to `got`; <= 0 inside
    bool excluded_end;       // the midpoint lies on an end that rounds elsewhere
  };
  Gap ImageGap(double got, const Truth& truth) const;
  Gap DirectGap(double got, const Truth& truth) const;

  Format output_;
  bool image_;
  double smallest_normal_, half_unit_;
};

}  // namespace assay
