// SPDX-License-Identifier: Apache-2.0
//
// The exact accumulator against MPFR, and at the ends of its range.
#include "oracles/long_accumulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "oracles/number/exact_sum.h"
#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_sum.h"

namespace assay::fixtures {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

TEST(LongAccumulator, AgreesWithMpfrOnEveryOperation) {
  Random random(1);
  LongAccumulator sum;
  MpfrSum referee;
  for (int round = 0; round < 20000; ++round) {
    sum.Clear();
    referee.Clear();
    const int reach = random.Below(2) == 0 ? 1000 : 40;
    for (int i = random.Between(1, 12); i > 0; --i) {
      const double a = random.Scaled(-reach, reach / 2), b = random.Scaled(-reach, reach / 2);
      sum.AddProduct(a, b);
      referee.AddProduct(a, b);
      if (random.Below(3) == 0) {  // cancel most of it
        const double near = sum.Round();
        if (std::isfinite(near)) {
          sum.Add(-near);
          referee.AddProduct(-near, 1);
        }
      }
    }
    if (random.Below(2) == 0) {
      const double factor = random.Scaled(-reach, reach / 2);
      sum.Multiply(factor);
      referee.Multiply(factor);
    }
    ASSERT_EQ(sum.Round(), referee.Nearest()) << round;
    const Enclosure value = sum.Take();
    if (!std::isfinite(value.hi)) continue;
    ASSERT_TRUE(referee.Encloses(value.hi, value.lo, value.radius)) << round;
    ASSERT_LE(value.radius, std::fmax(0x1p-104 * std::fabs(value.hi), 0x1p-1073));
  }
}

TEST(LongAccumulator, KeepsTheSmallestAndTheLargestProducts) {
  LongAccumulator sum;
  sum.AddProduct(0x1p-1074, 0x1p-1074);
  EXPECT_EQ(sum.Sign(), 1);
  sum.AddProduct(kLargest, kLargest);
  sum.AddProduct(-kLargest, kLargest);
  EXPECT_EQ(sum.Sign(), 1);
  sum.Multiply(0x1p-1074);
  EXPECT_EQ(sum.Sign(), 1);
  EXPECT_EQ(sum.Round(), 0);
  EXPECT_EQ(sum.RoundUp(), 0x1p-1074);
}

TEST(LongAccumulator, RoundsTiesToEvenAndOverflowsFromTheMidpoint) {
  LongAccumulator sum;
  sum.Add(1);
  sum.Add(0x1p-53);
  EXPECT_EQ(sum.Round(), 1);
  sum.Add(0x1p-1074);
  EXPECT_EQ(sum.Round(), 1 + 0x1p-52);
  sum.Clear();
  sum.Add(-kLargest);
  sum.Add(-0x1p969);
  EXPECT_EQ(sum.Round(), -kLargest);
  sum.Add(-0x1p969);
  EXPECT_EQ(sum.Round(), -kInf);
  EXPECT_EQ(sum.Take().hi, -kInf);
  EXPECT_EQ(sum.Sign(), 0);
}

TEST(LongAccumulator, ReportsARadiusOnlyWhenTwoDoublesAreTooFew) {
  LongAccumulator sum;
  sum.Add(1);
  sum.Add(0x1p-80);
  Enclosure value = sum.Take();
  EXPECT_EQ(value.hi, 1);
  EXPECT_EQ(value.lo, 0x1p-80);
  EXPECT_EQ(value.radius, 0);
  sum.Add(1);
  sum.Add(0x1p-80);
  sum.Add(-0x1p-300);
  value = sum.Take();
  EXPECT_EQ(value.lo, 0x1p-80);
  EXPECT_GE(value.radius, 0x1p-300);
  EXPECT_LE(value.radius, 0x1p-299);
}

TEST(ExactSum, AgreesWithTheLongAccumulator) {
  Random random(2);
  LongAccumulator sum;
  ExactSum referee;
  for (int round = 0; round < 2000; ++round) {
    for (int i = random.Between(1, 6); i > 0; --i) {
      const double a = random.Scaled(-300, 300), b = random.Scaled(-300, 300);
      sum.AddProduct(a, b);
      referee.AddProduct(a, b);
    }
    ASSERT_EQ(sum.RoundUp(), referee.RoundUp());
    const Enclosure left = sum.Take(), right = referee.Take();
    ASSERT_EQ(left.hi, right.hi);
    ASSERT_EQ(left.lo, right.lo);
  }
}

}  // namespace
}  // namespace assay::fixtures
