// SPDX-License-Identifier: Apache-2.0
//
// log_softmax and log_sum_exp: answers known by hand, the table of special rows, and enclosures of
// generated rows against MPFR in the unshifted textbook form. ASSAY_TIER_CASES elements are
// checked.
#include "oracles/log_softmax.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_number.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 20000
#endif

namespace assay::fixtures {
namespace {

using Sets = std::vector<ClassSet>;

Evidence Measured(OpId op, DType type, const std::vector<double>& row) {
  Fixture fixture(op, type, {1, static_cast<int64_t>(row.size())});
  fixture.SetReal(0, row);
  const Sets sets = fixture.MeasureHighest().legal;
  EXPECT_EQ(fixture.Measure().legal, sets);
  return fixture.evidence;
}

TEST(LogSoftmax, IsMinusTheLogarithmOfTheCountForEqualEntries) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    const Evidence evidence = Measured(OpId::kLogSoftmax, type, {7, 7, 7, 7});
    EXPECT_DOUBLE_EQ(evidence.hi[2], -std::log(4.0));
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kLogSum, 2), std::log(4.0), 1e-10);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kShift, 2), 0);
    EXPECT_DOUBLE_EQ(Measured(OpId::kLogSumExp, type, {7, 7, 7, 7}).hi[0], 7 + std::log(4.0));
  }
}

TEST(LogSoftmax, KeepsTheSmallestProbabilityOfBeingWrong) {
  // ln(1 / (1 + e^-20)) = -e^-20 (1 - e^-20 / 2 + ...)
  const Evidence evidence = Measured(OpId::kLogSoftmax, DType::kF32, {0, -20});
  EXPECT_NEAR(evidence.hi[0] / -std::exp(-20.0), 1, 2e-9);
  EXPECT_NEAR(evidence.hi[1], -20, 1e-8);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kMeanShift, 0), 20 * std::exp(-20.0), 1e-15);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kShift, 1), 20, 1e-9);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kLength), 2);
}

TEST(LogSoftmax, OfOneElementIsZeroExactly) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    const Evidence evidence = Measured(OpId::kLogSoftmax, type, {-3});
    EXPECT_EQ(evidence.hi[0], 0);
    EXPECT_EQ(evidence.radius[0], 0);
    EXPECT_EQ(Measured(OpId::kLogSumExp, type, {-3}).hi[0], -3);
  }
}

TEST(LogSoftmax, MayLeaveTheRangeDownward) {
  const double largest = std::numeric_limits<double>::max();
  const Evidence evidence = Measured(OpId::kLogSoftmax, DType::kF64, {largest, -largest});
  EXPECT_EQ(evidence.hi[0], 0);
  EXPECT_EQ(evidence.hi[1], -kInf);
  EXPECT_NE(evidence.legal[1] & kClassNegInf, 0);
  EXPECT_TRUE(std::isfinite(QuantityOf(evidence, Quantity::kShift, 1)));
  const Evidence sum = Measured(OpId::kLogSumExp, DType::kF64, {largest, largest});
  EXPECT_EQ(sum.hi[0], largest);
  EXPECT_LE(sum.radius[0], 0x1p900);
  const Evidence narrow = Measured(OpId::kLogSoftmax, DType::kF32, {0x1p127, -0x1p127});
  EXPECT_EQ(narrow.hi[1], -0x1p128);
}

Sets LogSets(const std::vector<double>& row) {
  return Measured(OpId::kLogSoftmax, DType::kF32, row).legal;
}

TEST(LogSoftmaxSpecials, FollowTheTable) {
  constexpr ClassSet kEither = kClassNan | kClassNegInf;
  EXPECT_EQ(LogSets({1, kNaN, -kInf}), (Sets{kClassNan, kClassNan, kClassNan}));
  EXPECT_EQ(LogSets({1, -kInf, 2}), (Sets{kClassByValue, kClassNegInf, kClassByValue}));
  EXPECT_EQ(LogSets({-kInf, -kInf}), (Sets{kEither, kEither}));
  EXPECT_EQ(LogSets({1, kInf, -kInf}), (Sets{kEither, kClassNan, kEither}));
  EXPECT_EQ(LogSets({kInf, 0, kInf}), (Sets{kClassNan, kEither, kClassNan}));
  EXPECT_EQ(LogSets({5}), (Sets{kClassByValue}));
}

TEST(LogSumExpSpecials, FollowTheTable) {
  const auto set = [](const std::vector<double>& row) {
    return Measured(OpId::kLogSumExp, DType::kF32, row).legal;
  };
  EXPECT_EQ(set({1, kNaN, kInf}), (Sets{kClassNan}));
  EXPECT_EQ(set({1, -kInf}), (Sets{kClassByValue}));
  EXPECT_EQ(set({-kInf, -kInf}), (Sets{kClassNegInf}));
  EXPECT_EQ(set({-kInf, kInf, 1}), (Sets{kClassPosInf}));
  EXPECT_EQ(set({kInf, kInf}), (Sets{kClassPosInf}));
  EXPECT_EQ(set({}), (Sets{kClassNegInf}));
  EXPECT_EQ(Measured(OpId::kLogSumExp, DType::kF32, {1, -kInf}).hi[0], 1);
}

TEST(LogSoftmaxSpecials, LeaveOtherRowsAlone) {
  Fixture fixture(OpId::kLogSumExp, DType::kBf16, {2, 2});
  fixture.SetReal(0, {kNaN, 1, 2, 2});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(evidence.legal, (Sets{kClassNan, kClassByValue}));
  EXPECT_DOUBLE_EQ(evidence.hi[1], 2 + std::log(2.0));
}

TEST(LogSoftmaxTiers, EncloseTheTruthOfGeneratedRows) {
  constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBf16, DType::kF64};
  Random random(5);
  int64_t checked = 0;
  for (int round = 0; checked < ASSAY_TIER_CASES / 2; ++round) {
    const int64_t n = random.Between(1, 40);
    const bool maps = round % 3 != 0;
    Fixture fixture(maps ? OpId::kLogSoftmax : OpId::kLogSumExp, kTypes[round % 4], {1, n});
    const double offset = random.Below(2) == 0 ? 0 : random.Scaled(0, 12);
    const int reach = random.Between(0, 8);
    std::vector<double> x;
    for (int64_t i = 0; i < n; ++i) x.push_back(offset + random.Scaled(-3, reach));
    fixture.SetReal(0, x);
    const Evidence& evidence = round % 13 == 0 ? fixture.MeasureHighest() : fixture.Measure();
    Mpfr sum;
    const std::vector<double>& stored = fixture.values.operands[0].real;
    for (const double value : stored) sum = sum + Exp(Mpfr(value));
    for (int64_t at = 0; at < evidence.count; ++at) {
      const Mpfr truth = maps ? Mpfr(stored[at]) - Log(sum) : Log(sum);
      // The referee subtracts numbers of up to 2^13 at 700 bits.
      ASSERT_TRUE(Abs(truth - Mpfr(evidence.hi[at]) - Mpfr(evidence.lo[at])) <=
                  Mpfr(evidence.radius[at]) + Mpfr(0x1p-600))
          << "round " << round << ", element " << at << ": " << evidence.hi[at];
      ASSERT_LE(evidence.radius[at], 0x1p-44 * std::fabs(evidence.hi[at]) + 0x1p-44);
    }
    checked += evidence.count;
  }
}

}  // namespace
}  // namespace assay::fixtures
