// SPDX-License-Identifier: Apache-2.0
//
// Softmax against MPFR, and its special rows one by one.
#include "oracles/softmax.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr mpfr_prec_t kBits = 400;

// exp(x_i) / sum exp(x_j): MPFR's exponents need no shift.
bool Encloses(const std::vector<double>& x, size_t i, const Evidence& evidence, int64_t at) {
  mpfr_t sum, term, wanted;
  mpfr_inits2(kBits, sum, term, wanted, nullptr);
  mpfr_set_zero(sum, 1);
  for (size_t j = 0; j < x.size(); ++j) {
    mpfr_set_d(term, x[j], MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    if (j == i) mpfr_set(wanted, term, MPFR_RNDN);
  }
  mpfr_div(wanted, wanted, sum, MPFR_RNDN);
  mpfr_sub_d(term, wanted, evidence.hi[at], MPFR_RNDN);
  mpfr_sub_d(term, term, evidence.lo[at], MPFR_RNDN);
  mpfr_abs(term, term, MPFR_RNDN);
  const bool inside = mpfr_cmp_d(term, evidence.radius[at]) <= 0;
  mpfr_clears(sum, term, wanted, nullptr);
  return inside;
}

TEST(Softmax, EnclosesTheTruthOfEveryTier) {
  Random random(1);
  for (int round = 0; round < 150; ++round) {
    const DType type = round % 2 == 0 ? DType::kF32 : DType::kF64;
    const int64_t n = random.Between(1, 20);
    Fixture softmax(OpId::kSoftmax, type, {2, n});
    const double offset = random.Below(2) == 0 ? 0 : random.Scaled(0, 12);
    std::vector<double> x;
    const int reach = random.Between(0, 11);
    for (int64_t i = 0; i < 2 * n; ++i) x.push_back(offset + random.Scaled(-3, reach));
    softmax.SetReal(0, x);
    const bool highest = round % 7 == 0;
    const Evidence& evidence = highest ? softmax.MeasureHighest() : softmax.Measure();
    const std::vector<double>& real = softmax.values.operands[0].real;
    for (int64_t at = 0; at < 2 * n; ++at) {
      const int64_t from = at / n * n;
      const std::vector<double> row(real.begin() + from, real.begin() + from + n);
      ASSERT_TRUE(Encloses(row, static_cast<size_t>(at - from), evidence, at)) << round;
      ASSERT_LE(evidence.radius[at], 0x1p-44 * evidence.hi[at] + 0x1p-999);
    }
  }
}

TEST(Softmax, SharesEquallyAmongEqualEntries) {
  Fixture softmax(OpId::kSoftmax, DType::kF64, {1, 4});
  softmax.SetReal(0, {7, 7, 7, 7});
  const Evidence& evidence = softmax.Measure();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(evidence.hi[static_cast<size_t>(i)], 0.25);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kMeanShift, 0), 0);
}

TEST(Softmax, MeasuresShifts) {
  Fixture softmax(OpId::kSoftmax, DType::kF32, {1, 2});
  softmax.SetReal(0, {3, 1});
  const Evidence& evidence = softmax.Measure();
  EXPECT_EQ(QuantityOf(evidence, Quantity::kShift, 0), 0);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kShift, 1), 2, 1e-9);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kMeanShift, 1), 2 / (1 + std::exp(2.0)), 1e-9);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kLength), 2);
}

TEST(Softmax, StaysFiniteForTheLargestEntries) {
  const double largest = std::numeric_limits<double>::max();
  Fixture softmax(OpId::kSoftmax, DType::kF64, {1, 2});
  softmax.SetReal(0, {largest, -largest});
  const Evidence& evidence = softmax.Measure();
  EXPECT_EQ(evidence.hi[0], 1);
  EXPECT_EQ(evidence.hi[1], 0);
  EXPECT_EQ(evidence.legal[1], kClassByValue);
  EXPECT_TRUE(std::isfinite(QuantityOf(evidence, Quantity::kShift, 1)));
  EXPECT_EQ(QuantityOf(evidence, Quantity::kMeanShift, 1), 0);
}

std::vector<ClassSet> SetsOf(const std::vector<double>& row, DType type = DType::kF32) {
  const auto n = static_cast<int64_t>(row.size());
  Fixture softmax(OpId::kSoftmax, type, {1, n});
  softmax.SetReal(0, row);
  const std::vector<ClassSet> sets = softmax.Measure().legal;
  EXPECT_EQ(softmax.MeasureHighest().legal, sets);
  return sets;
}

TEST(SoftmaxSpecials, FollowTheTable) {
  using Sets = std::vector<ClassSet>;
  constexpr ClassSet kEither = kClassNan | kClassPosZero;
  EXPECT_EQ(SetsOf({1, kNaN, -kInf}), (Sets{kClassNan, kClassNan, kClassNan}));
  EXPECT_EQ(SetsOf({1, -kInf, 2}), (Sets{kClassByValue, kClassPosZero, kClassByValue}));
  EXPECT_EQ(SetsOf({-kInf, -kInf}), (Sets{kClassNan, kClassNan}));
  EXPECT_EQ(SetsOf({1, kInf, -kInf}), (Sets{kEither, kClassNan, kEither}));
  EXPECT_EQ(SetsOf({kInf, 0, kInf}), (Sets{kClassNan, kEither, kClassNan}));
  EXPECT_EQ(SetsOf({5}), (Sets{kClassByValue}));
}

TEST(SoftmaxSpecials, CountAMaskedEntryAsAbsent) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    Fixture softmax(OpId::kSoftmax, type, {1, 3});
    softmax.SetReal(0, {1, -kInf, 1});
    const Evidence& evidence = softmax.Measure();
    EXPECT_NEAR(evidence.hi[0], 0.5, 1e-12);
    EXPECT_EQ(evidence.hi[1], 0);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kShift, 1), 0);
  }
}

TEST(SoftmaxSpecials, LeaveOtherRowsAlone) {
  Fixture softmax(OpId::kSoftmax, DType::kBf16, {2, 2});
  softmax.SetReal(0, {kNaN, 1, 2, 2});
  const Evidence& evidence = softmax.Measure();
  EXPECT_EQ(evidence.legal[2], kClassByValue);
  EXPECT_NEAR(evidence.hi[3], 0.5, 1e-12);
  EXPECT_EQ(evidence.tier, Tier::kTable);
}

TEST(SoftmaxSpecials, AcceptEmptyRows) {
  Fixture softmax(OpId::kSoftmax, DType::kF32, {3, 0});
  EXPECT_EQ(softmax.Measure().count, 0);
}

}  // namespace
}  // namespace assay::fixtures
