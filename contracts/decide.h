// SPDX-License-Identifier: Apache-2.0
//
// The decision about one answer: does it lie in the image of the truth's neighbourhood of radius E?
// (Image rule: the interval is rounded, the roundings are not added.) Everything here is written so
// that NaN is never accepted.
#pragma once

#include <cmath>
#include <limits>

#include "contracts/dtype.h"

namespace assay {

// Bounds are computed in double: the true bound lies within this factor of the computed one, and a
// ratio that close to 1 decides nothing.
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

class AnswerRule {
 public:
  // `accumulator` is the format E is counted in. Where the output is narrower, it rounds once more,
  // and that rounding belongs to the image and not to E.
  AnswerRule(Format accumulator, Format output)
      : output_(output), image_(InfoOf(output).precision < InfoOf(accumulator).precision) {}

  bool image() const { return image_; }
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
};

}  // namespace assay
