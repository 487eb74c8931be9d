// SPDX-License-Identifier: Apache-2.0
//
// The decision about one answer. Numbers come from IEEE 754's rounding and exact arithmetic.
#include "contracts/decide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const AnswerRule kHalfOfSingle(Format::kF32, Format::kF16);
const AnswerRule kSingle(Format::kF32, Format::kF32);
const AnswerRule kDouble(Format::kF64, Format::kF64);

double Gamma(int m, double u) { return m * u / (1 - m * u); }

TEST(ImageRule, AcceptsBothSidesOfTheOverflowThreshold) {
  // 32752 + 32752 + 15.9921875 + 2 * 3 * 2^-10: the exact sum rounds to 65504, its f32 sum is
  // 65520, which rounds to Inf.
  const Truth truth{65519.998046875, 0, 0};
  const double bound = Gamma(4, 0x1p-24) * 65519.998046875;
  EXPECT_EQ(kHalfOfSingle.Decide(65504, truth, bound).decision, Decision::kAccept);
  EXPECT_EQ(kHalfOfSingle.Decide(kInf, truth, bound).decision, Decision::kAccept);
  EXPECT_EQ(kHalfOfSingle.Decide(-kInf, truth, bound).decision, Decision::kReject);
  EXPECT_EQ(kHalfOfSingle.Decide(65472, truth, bound).decision, Decision::kReject);
}

TEST(ImageRule, RejectsASaturatedAnswerBeyondTheThreshold) {
  // An additive rule passes it: |65530 - 65504| = 26 is less than 2^-11 * 65530.
  const Truth truth{65530, 0, 0};
  EXPECT_EQ(kHalfOfSingle.Decide(65504, truth, Gamma(4, 0x1p-24) * 65530).decision,
            Decision::kReject);
}

TEST(ImageRule, RejectsZeroForTheSmallestSubnormal) {
  EXPECT_EQ(kHalfOfSingle.Decide(0, {0x1p-24, 0, 0}, Gamma(4, 0x1p-24) * 0x1p-24).decision,
            Decision::kReject);
  EXPECT_EQ(kHalfOfSingle.Decide(0x1p-24, {0x1p-24, 0, 0}, 0).decision, Decision::kAccept);
}

TEST(ImageRule, AcceptsTheDoubleRoundingOfAPerfectAccumulator) {
  // 1 + 3 * 2^-11 - 2^-26: the f32 sum lands on the midpoint and rounds up.
  const Truth truth{1 + 3 * 0x1p-11 - 0x1p-26, 0, 0};
  const double bound = Gamma(3, 0x1p-24) * (1 + 3 * 0x1p-11 + 0x1p-26);
  EXPECT_EQ(kHalfOfSingle.Decide(1.0009765625, truth, bound).decision, Decision::kAccept);
  EXPECT_EQ(kHalfOfSingle.Decide(1.001953125, truth, bound).decision, Decision::kAccept);
  EXPECT_EQ(kHalfOfSingle.Decide(1.0029296875, truth, bound).decision, Decision::kReject);
  EXPECT_EQ(kHalfOfSingle.Decide(1, truth, bound).decision, Decision::kReject);
}

TEST(ImageRule, MeansCorrectlyRoundedWhereTheBoundIsZero) {
  const Truth tie{1 + 0x1p-11, 0, 0};
  EXPECT_EQ(kHalfOfSingle.Decide(1, tie, 0).decision, Decision::kAccept);
  EXPECT_EQ(kHalfOfSingle.Decide(1 + 0x1p-10, tie, 0).decision, Decision::kReject);
  const Truth above{1 + 0x1p-11, 0x1p-70, 0};
  EXPECT_EQ(kHalfOfSingle.Decide(1, above, 0).decision, Decision::kReject);
  EXPECT_EQ(kHalfOfSingle.Decide(1 + 0x1p-10, above, 0).decision, Decision::kAccept);
}

TEST(ImageRule, HasAShortcutThatIsNeverWrong) {
  // Every f16 value against truths around the ends of what rounds to it.
  for (uint32_t pattern = 0; pattern < 0x7c00; pattern += 7) {
    const double got = Decode(DType::kF16, pattern);
    const RoundingInterval interval = IntervalRoundingTo(Format::kF16, got);
    for (const double hi : {interval.lo, interval.hi, (interval.lo + got) / 2, got,
                            std::nextafter(interval.lo, 0), std::nextafter(interval.hi, kInf)}) {
      const Truth truth{hi, 0, 0};
      if (!kHalfOfSingle.PlainlyRounds(got, truth)) continue;
      EXPECT_EQ(Round(Format::kF16, hi), got) << pattern << " " << hi;
    }
    EXPECT_TRUE(kHalfOfSingle.PlainlyRounds(got, {got, 0, 0})) << pattern;
  }
  EXPECT_FALSE(kHalfOfSingle.PlainlyRounds(kInf, {kInf, 0, 0}));
  EXPECT_FALSE(kHalfOfSingle.PlainlyRounds(kNaN, {1, 0, 0}));
  EXPECT_FALSE(kHalfOfSingle.PlainlyRounds(1, {1, 0, 0x1p-10}));
}

TEST(ImageRule, LeavesOpenWhatTheEnclosureLeavesOpen) {
  const Truth tie{1 + 0x1p-11, 0, 0x1p-60};
  EXPECT_EQ(kHalfOfSingle.Decide(1 + 0x1p-10, tie, 0).decision, Decision::kUndecided);
  EXPECT_EQ(kHalfOfSingle.Decide(1 + 0x1p-10, tie, 0x1p-50).decision, Decision::kAccept);
}

TEST(DirectRule, CountsTheLastRoundingIntoTheBound) {
  EXPECT_FALSE(kSingle.image());
  EXPECT_TRUE(kHalfOfSingle.image());
  EXPECT_FALSE(AnswerRule(Format::kF32, Format::kF64).image());
  EXPECT_EQ(kSingle.Decide(1 + 0x1p-23, {1, 0, 0}, 0x1p-22).decision, Decision::kAccept);
  EXPECT_EQ(kSingle.Decide(1 + 0x1p-23, {1, 0, 0}, 0x1p-22).ratio, 0.5);
  EXPECT_EQ(kSingle.Decide(1 + 0x1p-23, {1, 0, 0}, 0x1p-24).decision, Decision::kReject);
}

TEST(DirectRule, MakesAnyDifferenceAViolationWhereTheBoundIsZero) {
  EXPECT_EQ(kSingle.Decide(3, {3, 0, 0}, 0).decision, Decision::kAccept);
  EXPECT_EQ(kSingle.Decide(3, {3, 0, 0}, 0).ratio, 0);
  const Decided off = kSingle.Decide(3 + 0x1p-22, {3, 0, 0}, 0);
  EXPECT_EQ(off.decision, Decision::kReject);
  EXPECT_EQ(off.ratio, kInf);
}

TEST(DirectRule, DecidesNothingJustBeyondTheBound) {
  const Truth one{1, 0, 0};
  EXPECT_EQ(kDouble.Decide(1 + 0x1p-20, one, 0x1p-20).decision, Decision::kAccept);
  EXPECT_EQ(kDouble.Decide(1 + 0x1p-20, one, 0x1p-20 * (1 - 0x1p-41)).decision,
            Decision::kUndecided);
  EXPECT_EQ(kDouble.Decide(1 + 0x1p-20, one, 0x1p-20 * (1 - 0x1p-39)).decision, Decision::kReject);
}

TEST(DirectRule, AsksTheFarEndToAcceptAndTheNearEndToReject) {
  const double got = 1 + 0x1p-20;
  EXPECT_EQ(kDouble.Decide(got, {1, 0, 0x1p-22}, 0x1p-19).decision, Decision::kAccept);
  EXPECT_EQ(kDouble.Decide(got, {1, 0, 0x1p-22}, 0x1p-20 + 0x1p-23).decision, Decision::kUndecided);
  EXPECT_EQ(kDouble.Decide(got, {1, 0, 0x1p-22}, 0x1p-20 - 0x1p-23).decision, Decision::kUndecided);
  EXPECT_EQ(kDouble.Decide(got, {1, 0, 0x1p-22}, 0x1p-21).decision, Decision::kReject);
  EXPECT_EQ(kDouble.Decide(got, {1, 0, kInf}, 0x1p-21).decision, Decision::kUndecided);
}

TEST(DirectRule, TakesAnInfinityAsOneUnitBeyondTheLargest) {
  const double largest = InfoOf(Format::kF32).largest;
  EXPECT_EQ(kSingle.Decide(kInf, {0x1p128, 0, 0}, 0).decision, Decision::kAccept);
  EXPECT_EQ(kSingle.Decide(kInf, {1e39, 0, 0}, 0x1p104).decision, Decision::kAccept);
  EXPECT_EQ(kSingle.Decide(kInf, {largest, 0, 0}, 0x1p105).decision, Decision::kAccept);
  EXPECT_EQ(kSingle.Decide(kInf, {largest, 0, 0}, 0x1p103).decision, Decision::kReject);
  EXPECT_EQ(kSingle.Decide(largest, {1e39, 0, 0}, 0x1p105).decision, Decision::kReject);
  EXPECT_EQ(kSingle.Decide(-kInf, {-1e39, 0, 0}, 0).decision, Decision::kAccept);
  EXPECT_EQ(kDouble.Decide(kInf, {kInf, 0, 0}, 0).decision, Decision::kAccept);
  EXPECT_EQ(kDouble.Decide(1e308, {kInf, 0, 0}, 1).decision, Decision::kReject);
}

TEST(BothRules, NeverAcceptNan) {
  for (const AnswerRule& rule : {kHalfOfSingle, kSingle, kDouble}) {
    EXPECT_EQ(rule.Decide(kNaN, {1, 0, 0}, 1e300).decision, Decision::kReject);
    EXPECT_EQ(rule.Decide(kNaN, {1, 0, 0}, kInf).decision, Decision::kReject);
    EXPECT_EQ(rule.Decide(1, {0.5, 0, 0}, kNaN).decision, Decision::kUndecided);
    EXPECT_EQ(rule.Decide(1, {kNaN, 0, 0}, 1).decision, Decision::kUndecided);
  }
}

}  // namespace
}  // namespace assay
