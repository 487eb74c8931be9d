// SPDX-License-Identifier: Apache-2.0
//
// Softmax of rows whose answer is known, and special rows one by one.
#include "oracles/softmax.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

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
