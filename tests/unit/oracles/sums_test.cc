// SPDX-License-Identifier: Apache-2.0
//
// gemm, dot and sum with answers that are known beforehand: truths, magnitudes, counts, tiers.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "oracles/enclosure.h"
#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

TEST(Sums, AddsProductsThatUnderflowInTheAccumulator) {
  // 1000 products 2^-150: half the smallest f32 subnormal each, 500 of them together.
  Fixture dot(OpId::kDot, DType::kF32, {1000});
  const std::vector<double> tiny(1000, 0x1p-75);
  dot.SetReal(0, tiny);
  dot.SetReal(1, tiny);
  const Evidence& evidence = dot.Measure();
  EXPECT_EQ(evidence.hi[0], 500 * 0x1p-149);
  EXPECT_EQ(evidence.lo[0], 0);
  EXPECT_EQ(evidence.radius[0], 0);
  EXPECT_EQ(evidence.tier, Tier::kDot2);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kNonZeros, 0), 1000);
}

TEST(Sums, KeepsATruthJustBelowAnOverflowThreshold) {
  // Rounds to 65504 in f16, while a correct f32 sum is 65520 and becomes Inf.
  Fixture sum(OpId::kSum, DType::kF32, {5});
  sum.SetReal(0, {32752, 32752, 15.9921875, 0x3p-10, 0x3p-10});
  const Evidence& evidence = sum.Measure();
  EXPECT_EQ(evidence.hi[0], 65519.998046875);
  EXPECT_EQ(evidence.radius[0], 0);
}

TEST(Sums, KeepsATruthJustBelowAMidpoint) {
  Fixture dot(OpId::kDot, DType::kF16, {3});
  dot.SetReal(0, {1, 0x3p-11, -0x1p-13});
  dot.SetReal(1, {1, 1, 0x1p-13});
  const Evidence& evidence = dot.Measure();
  EXPECT_EQ(evidence.hi[0] + evidence.lo[0], 1 + 0x3p-11 - 0x1p-26);
  EXPECT_EQ(evidence.radius[0], 0);
}

TEST(Sums, CancelsExactly) {
  Fixture sum(OpId::kSum, DType::kF64, {4});
  sum.SetReal(0, {1e300, 1, -1e300, 1});
  EXPECT_EQ(sum.Measure().hi[0], 2);
  EXPECT_LE(sum.evidence.radius[0], 0x1p-50);
  EXPECT_EQ(sum.evidence.tier, Tier::kDot2);
  sum.SetReal(0, {1e300, 1, -1e300, 0x1p-200});
  const Evidence& exact = sum.MeasureHighest();
  EXPECT_EQ(exact.hi[0], 1);
  EXPECT_EQ(exact.lo[0], 0x1p-200);
  EXPECT_EQ(exact.radius[0], 0);
}

TEST(Sums, FallsBackWhereAnErrorTermWouldUnderflow) {
  Fixture dot(OpId::kDot, DType::kF64, {2});
  dot.SetReal(0, {1 + 0x1p-52, 0x1p-500});
  dot.SetReal(1, {0x1p-500, (1 + 0x1p-52) * 0x1p-480});
  const Evidence& evidence = dot.Measure();
  EXPECT_EQ(evidence.tier, Tier::kExact);
  EXPECT_EQ(evidence.radius[0], 0);
  EXPECT_EQ(evidence.hi[0], (1 + 0x1p-52) * 0x1p-500);
  EXPECT_EQ(evidence.lo[0], (1 + 0x1p-52) * 0x1p-980);
}

TEST(Sums, AppliesAlphaAndBetaWithoutRounding) {
  // K = 1; the exact answer, from the product of the four integers behind the hexadecimal digits.
  Gemm gemm(DType::kF32, 1, 1, 1, 0x1.f6ac24p0, 0x1.f8f9aap0);
  gemm.SetReal(0, {0x1.83fb92p0});
  gemm.SetReal(1, {0x1.5a591p0});
  gemm.SetReal(2, {-0x1.05421ap1});
  const Evidence& fast = gemm.Measure();
  const Enclosure kept{fast.hi[0], fast.lo[0], fast.radius[0]};
  EXPECT_LE(kept.radius, 0x1p-100);
  const Evidence& exact = gemm.MeasureHighest();
  EXPECT_EQ(exact.hi[0], kept.hi);
  EXPECT_LE(std::fabs(exact.lo[0] - kept.lo), kept.radius);
}

TEST(Sums, ScalesByPowersOfTwoWithNoRadius) {
  Gemm gemm(DType::kF32, 1, 1, 2, -0.25, 1);
  gemm.SetReal(0, {3, 5});
  gemm.SetReal(1, {7, 11});
  gemm.SetReal(2, {100});
  const Evidence& evidence = gemm.Measure();
  EXPECT_EQ(evidence.hi[0], 81);  // 100 - (21 + 55) / 4
  EXPECT_EQ(evidence.radius[0], 0);
  EXPECT_GE(QuantityOf(evidence, Quantity::kAbsSum, 0), 119);
  EXPECT_LE(QuantityOf(evidence, Quantity::kAbsSum, 0), 119 * (1 + 0x1p-40));
}

TEST(Sums, ReadsEveryTransposition) {
  // a = 1..6 as 2x3, b = 1..12 as 3x4.
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, a_t = {1, 4, 2, 5, 3, 6};
  std::vector<double> b(12), b_t;
  std::iota(b.begin(), b.end(), 1);
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k < 3; ++k) b_t.push_back(b[static_cast<size_t>(k * 4 + j)]);
  }
  const std::vector<double> expected = {38, 44, 50, 56, 83, 98, 113, 128};
  for (int ta : {0, 1}) {
    for (int tb : {0, 1}) {
      Gemm gemm(DType::kF16, 2, 4, 3);
      gemm.source.attributes[kGemmTransA].choice = ta;
      gemm.source.attributes[kGemmTransB].choice = tb;
      gemm.Reset({2, 4, 3});
      gemm.SetReal(0, ta != 0 ? a_t : a);
      gemm.SetReal(1, tb != 0 ? b_t : b);
      EXPECT_EQ(gemm.Measure().hi, expected) << ta << tb;
      EXPECT_EQ(gemm.MeasureHighest().hi, expected) << ta << tb;
    }
  }
}

TEST(Sums, CountsProductsThatAreNotZero) {
  Gemm gemm(DType::kF64, 2, 3, 70);
  std::vector<double> a(140, 1), b(210, 1);
  for (size_t k = 0; k < 70; k += 2) a[k] = 0;             // row 0: odd k only
  for (size_t k = 0; k < 70; k += 7) b[k * 3 + 1] = -0.0;  // column 1: not k = 0, 7, 14, ...
  gemm.SetReal(0, a);
  gemm.SetReal(1, b);
  const Evidence& evidence = gemm.Measure();
  const std::vector<double> expected = {35, 30, 35, 70, 60, 70};
  EXPECT_EQ(evidence.element[static_cast<size_t>(Quantity::kNonZeros)], expected);
}

TEST(Sums, MeasuresOperandSumsUnlessOperandsAreNotReferenced) {
  Gemm gemm(DType::kF32, 1, 4, 2, 3);
  gemm.SetReal(0, {1, -2});
  gemm.SetReal(1, {1, -1, 4, 0, 1, 1, 4, -0.5});
  const Evidence& evidence = gemm.Measure();
  const double expected[] = {3, 3, 8, 3};
  for (int i = 0; i < 4; ++i) {
    const double measured = QuantityOf(evidence, Quantity::kOperandSum, i);
    EXPECT_GE(measured, expected[i]);
    EXPECT_LE(measured, expected[i] * (1 + 0x1p-40));
  }
  gemm.SetScalars(0, 1);
  const Evidence& unread = gemm.Measure();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(QuantityOf(unread, Quantity::kOperandSum, i), 0);
}

TEST(Sums, ReportsTheScalarsOfTheCase) {
  Gemm gemm(DType::kBf16, 1, 2, 2, -2, 0.5);
  gemm.SetReal(0, {1, -3});
  gemm.SetReal(1, {4, -5, 6, 0.5});
  gemm.SetReal(2, {8, -1});
  const Evidence& evidence = gemm.Measure();
  EXPECT_EQ(ScalarOf(evidence, Quantity::kLength), 2);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kAlpha), -2);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kBeta), 0.5);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kMaxAbsA), 3);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kMaxAbsB), 6);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kMaxAbsC), 8);
  EXPECT_NEAR(ScalarOf(evidence, Quantity::kMaxAbsSum), 2 * 22 + 4, 1e-9);
  EXPECT_NEAR(ScalarOf(evidence, Quantity::kMaxAbsProductSum), 22, 1e-9);
  EXPECT_FALSE(evidence.special);
  EXPECT_TRUE(std::isnan(ScalarOf(evidence, Quantity::kExtent)));
}

TEST(Sums, MeasuresAnEmptyOutput) {
  Gemm gemm(DType::kF64, 0, 3, 2, 1.5);
  EXPECT_EQ(gemm.Measure().count, 0);
  EXPECT_EQ(gemm.MeasureHighest().count, 0);
}

}  // namespace
}  // namespace assay::fixtures
