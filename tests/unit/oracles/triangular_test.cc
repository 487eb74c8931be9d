// SPDX-License-Identifier: Apache-2.0
//
// ger, syr, trmv and trmm against sums over matrices that the test writes out in full.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

double Truth(const Evidence& evidence, int64_t i) { return evidence.hi[i] + evidence.lo[i]; }
double Of(const Evidence& evidence, Quantity quantity, int64_t i) {
  return QuantityOf(evidence, quantity, i);
}

TEST(RankOne, AddsOneProductToEachElement) {
  Fixture fixture(OpId::kGer, DType::kF32, {2, 3});
  fixture.source.attributes[0].real = 2;
  fixture.SetReal(0, {3, -1});
  fixture.SetReal(1, {5, 0, 7});
  fixture.SetReal(2, {1, 2, 3, 4, 5, 6});
  const Evidence& evidence = fixture.Measure();
  const double due[] = {31, 2, 45, -6, 5, -8};
  const double magnitudes[] = {31, 2, 45, 14, 5, 20};
  const double products[] = {1, 0, 1, 1, 0, 1};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(Truth(evidence, i), due[i]);
    EXPECT_GE(Of(evidence, Quantity::kAbsSum, i), magnitudes[i]);
    EXPECT_LE(Of(evidence, Quantity::kAbsSum, i), magnitudes[i] * (1 + 1e-9));
    EXPECT_EQ(Of(evidence, Quantity::kNonZeros, i), products[i]);
  }
}

TEST(RankOne, LeavesTheOtherTriangleAsItIs) {
  Fixture fixture(OpId::kSyr, DType::kF32, {2});
  fixture.source.attributes[kSyrUplo].choice = 1;
  fixture.SetReal(0, {3, kNaN});
  fixture.SetReal(1, {1, 0x1.234566p-9, 3, 4});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(Truth(evidence, 0), 10);
  EXPECT_EQ(Truth(evidence, 1), 0x1.234566p-9);
  EXPECT_EQ(evidence.radius[1], 0);
  EXPECT_EQ(evidence.legal[1], kClassByValue);
  EXPECT_EQ(Of(evidence, Quantity::kAbsSum, 1), 0);
  EXPECT_EQ(evidence.legal[2], kClassNan);
  EXPECT_EQ(evidence.legal[3], kClassNan);
  fixture.SetReal(1, {1, -0.0, 3, 4});
  EXPECT_EQ(fixture.Measure().legal[1], kClassNegZero);
}

TEST(RankOne, AllowsProductsWithZeroToBeSkipped) {
  Fixture fixture(OpId::kGer, DType::kF32, {1, 2});
  fixture.SetReal(0, {kInf});
  fixture.SetReal(1, {0, 1});
  fixture.SetReal(2, {3, kNaN});
  EXPECT_EQ(fixture.Measure().legal[0], kClassNan | kClassByValue);
  EXPECT_EQ(fixture.evidence.hi[0], 3);
  EXPECT_EQ(fixture.evidence.radius[0], 0);
  EXPECT_EQ(fixture.evidence.legal[1], kClassNan);
  fixture.source.attributes[0].real = kNaN;
  fixture.SetReal(0, {1});
  fixture.SetReal(2, {3, 3});
  EXPECT_EQ(fixture.Measure().legal[0], kClassNan | kClassByValue);
  EXPECT_EQ(fixture.evidence.legal[1], kClassNan);
}

TEST(RankOne, AllowsAProductToBeSkippedWhereAlphaMakesItsFactorZero) {
  Fixture fixture(OpId::kGer, DType::kF32, {1, 1});
  fixture.source.attributes[0].real = 0x1p-23;
  fixture.SetReal(0, {0x1p-127});
  fixture.SetReal(1, {kNaN});
  fixture.SetReal(2, {3});
  EXPECT_EQ(fixture.Measure().legal[0], kClassNan | kClassByValue);
  EXPECT_EQ(fixture.evidence.hi[0], 3);
  // Nothing says that an update by zero does not read its factors.
  fixture.source.attributes[0].real = 0;
  EXPECT_EQ(fixture.Measure().legal[0], kClassNan | kClassByValue);
  fixture.SetReal(1, {1});
  fixture.SetReal(2, {-0.0});
  EXPECT_EQ(fixture.Measure().legal[0], kClassZero);
}

// op(a) written out in full, for every label; what is not read is NaN.
TEST(Triangular, MultipliesUnderEveryLabel) {
  Random random(3);
  for (int labels = 0; labels < 16; ++labels) {
    const bool right = labels & 1, lower = labels & 2, turned = labels & 4, unit = labels & 8;
    const int m = 3, n = 4, order = right ? n : m;
    std::vector<double> a(static_cast<size_t>(order * order)), op(a.size()), b;
    for (int i = 0; i < order; ++i) {
      for (int j = 0; j < order; ++j) {
        const bool held = lower ? i >= j : i <= j;
        const double value = random.Between(-4, 4);
        a[static_cast<size_t>(i * order + j)] = held && !(unit && i == j) ? value : kNaN;
        const double read = !held ? 0 : unit && i == j ? 1 : value;
        op[static_cast<size_t>(turned ? j * order + i : i * order + j)] = read;
      }
    }
    for (int i = 0; i < m * n; ++i) b.push_back(random.Between(-9, 9));
    Fixture fixture(OpId::kTrmm, DType::kF32, {m, n});
    fixture.source.attributes[0].real = 0.5;
    for (int i = 0; i < 4; ++i) fixture.source.attributes[i + 1].choice = labels >> i & 1;
    fixture.Reset({m, n});
    fixture.SetReal(0, a);
    fixture.SetReal(1, b);
    const Evidence& evidence = fixture.Measure();
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        int products = 0;
        for (int k = 0; k < order; ++k) {
          const double term =
              right ? b[static_cast<size_t>(i * n + k)] * op[static_cast<size_t>(k * n + j)]
                    : op[static_cast<size_t>(i * m + k)] * b[static_cast<size_t>(k * n + j)];
          sum += term;
          products += term != 0;
        }
        EXPECT_EQ(Truth(evidence, i * n + j), sum / 2) << labels;
        EXPECT_EQ(Of(evidence, Quantity::kNonZeros, i * n + j), products) << labels;
        EXPECT_EQ(evidence.legal[i * n + j], kClassByValue) << labels;
      }
    }
  }
}

TEST(Triangular, MultipliesAVectorByItsRows) {
  Fixture fixture(OpId::kTrmv, DType::kF64, {3});
  fixture.SetReal(0, {1, 2, 3, kNaN, 4, 5, kNaN, kInf, 6});
  fixture.SetReal(1, {1, 10, 100});
  const Evidence& evidence = fixture.Measure();
  const double due[] = {321, 540, 600};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Truth(evidence, i), due[i]);
  EXPECT_TRUE(evidence.special);  // what is not read must not show
  EXPECT_EQ(evidence.scalar[static_cast<int>(Quantity::kMaxAbsA)], 6);
}

TEST(Triangular, CountsTheOtherTriangleAsZerosThatMayBeMultiplied) {
  Fixture fixture(OpId::kTrmv, DType::kF32, {2});
  fixture.SetReal(0, {1, 1, 5, 1});
  fixture.SetReal(1, {kNaN, 2});
  EXPECT_EQ(fixture.Measure().legal[0], kClassNan);
  EXPECT_EQ(fixture.evidence.legal[1], kClassNan | kClassByValue);
  EXPECT_EQ(fixture.MeasureHighest().legal[1], kClassNan | kClassByValue);
}

TEST(Triangular, EmulatesNarrowOperandsOfWhatIsRead) {
  Fixture fixture(OpId::kTrmv, DType::kF32, {2});
  fixture.SetReal(0, {1 + 0x1p-11, 1, kNaN, 1});
  fixture.SetReal(1, {1, 2});
  fixture.Measure();
  Emulator emulator(fixture.values);
  double got = 0;
  ASSERT_TRUE(emulator.Emulate(DefectModel::kTf32Operands, 0, &got));
  EXPECT_EQ(got, 3);
  ASSERT_TRUE(emulator.Emulate(DefectModel::kTf32Operands, 1, &got));
  EXPECT_EQ(got, 2);
}

}  // namespace
}  // namespace assay::fixtures
