// SPDX-License-Identifier: Apache-2.0
//
// trsv and trsm: exact solutions of integer systems under every label, bounds worked out by hand,
// kernels of single precision in several orders within the bound, and special answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr double kU = 0x1p-24, kEta = 0x1p-149;

// x of a dense lower triangular system.
Fixture& Lower(Fixture& fixture, const std::vector<double>& a, const std::vector<double>& b) {
  fixture.source.attributes[0].choice = 1;
  fixture.SetReal(0, a);
  fixture.SetReal(1, b);
  return fixture;
}

double Truth(const Evidence& evidence, int64_t i) { return evidence.hi[i] + evidence.lo[i]; }

// Of C-PRC-01.
double BoundOf(const Evidence& evidence, size_t i) {
  const double m = QuantityOf(evidence, Quantity::kNonZeros, static_cast<int64_t>(i)) + 2;
  const double gamma = m * kU / (1 - m * kU);
  return gamma * QuantityOf(evidence, Quantity::kForwardSum, static_cast<int64_t>(i)) +
         QuantityOf(evidence, Quantity::kForwardSteps, static_cast<int64_t>(i)) * kEta;
}

TEST(Solve, HasTheBoundOfAHandWorkedSystem) {
  // |inv(L)| = [1/2 0; 1/8 1/4], x = (1, 1), |L| |x| = (2, 5): |inv(L)| |L| |x| = (1, 1.5).
  Fixture fixture(OpId::kTrsv, DType::kF32, {2});
  const Evidence& evidence = Lower(fixture, {2, 9, 1, 4}, {2, 5}).Measure();
  EXPECT_EQ(Truth(evidence, 0), 1);
  EXPECT_EQ(Truth(evidence, 1), 1);
  const double first = QuantityOf(evidence, Quantity::kForwardSum, 0);
  const double second = QuantityOf(evidence, Quantity::kForwardSum, 1);
  EXPECT_GE(first, 1);
  EXPECT_LE(first, 1 + 1e-5);
  EXPECT_GE(second, 1.5);
  EXPECT_LE(second, 1.5 + 1e-5);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kNonZeros, 0), 1);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kNonZeros, 1), 2);
  EXPECT_GE(evidence.scalar[static_cast<int>(Quantity::kMaxAbsSum)], 5);
  EXPECT_FALSE(evidence.special);
}

// op(a) written out in full, for every label; b made from an integer x, so that x is the answer.
TEST(Solve, AnswersIntegerSystemsUnderEveryLabel) {
  Random random(1);
  for (int labels = 0; labels < 16; ++labels) {
    const bool right = labels & 1, lower = labels & 2, turned = labels & 4, unit = labels & 8;
    const int m = 3, n = 4, order = right ? n : m;
    std::vector<double> a(static_cast<size_t>(order * order)), op(a.size()), x, b;
    for (int i = 0; i < order; ++i) {
      for (int j = 0; j < order; ++j) {
        const bool held = lower ? i >= j : i <= j;
        const double value = i == j ? 2 : random.Between(-4, 4);
        a[static_cast<size_t>(i * order + j)] = held && !(unit && i == j) ? value : kNaN;
        const double read = !held ? 0 : unit && i == j ? 1 : value;
        op[static_cast<size_t>(turned ? j * order + i : i * order + j)] = read;
      }
    }
    for (int i = 0; i < m * n; ++i) x.push_back(random.Between(-9, 9));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < order; ++k) {
          sum += right ? x[static_cast<size_t>(i * n + k)] * op[static_cast<size_t>(k * n + j)]
                       : op[static_cast<size_t>(i * m + k)] * x[static_cast<size_t>(k * n + j)];
        }
        b.push_back(sum / 0.5);
      }
    }
    Fixture fixture(OpId::kTrsm, DType::kF32, {m, n});
    fixture.source.attributes[0].real = 0.5;
    for (int i = 0; i < 4; ++i) fixture.source.attributes[i + 1].choice = labels >> i & 1;
    fixture.Reset({m, n});
    fixture.SetReal(0, a);
    fixture.SetReal(1, b);
    const Evidence& evidence = fixture.Measure();
    for (int i = 0; i < m * n; ++i) {
      EXPECT_LE(std::fabs(Truth(evidence, i) - x[static_cast<size_t>(i)]), evidence.radius[i])
          << labels;
      EXPECT_LT(evidence.radius[i], 1e-30);
    }
  }
}

// Substitution by rows in either order of the terms, dividing or by the reciprocal, and by columns.
std::vector<float> SolveInSingle(const std::vector<double>& l, std::vector<float> x, int way) {
  const int n = static_cast<int>(x.size());
  const auto at = [&](int i, int j) {
    return static_cast<float>(l[static_cast<size_t>(i * n + j)]);
  };
  for (int i = 0; i < n && way < 3; ++i) {
    float sum = x[static_cast<size_t>(i)];
    for (int k = 0; k < i; ++k) {
      const int j = way == 1 ? i - 1 - k : k;
      sum -= at(i, j) * x[static_cast<size_t>(j)];
    }
    x[static_cast<size_t>(i)] = way == 2 ? sum * (1 / at(i, i)) : sum / at(i, i);
  }
  for (int j = 0; j < n && way == 3; ++j) {
    x[static_cast<size_t>(j)] /= at(j, j);
    for (int i = j + 1; i < n; ++i) {
      x[static_cast<size_t>(i)] -= at(i, j) * x[static_cast<size_t>(j)];
    }
  }
  return x;
}

TEST(Solve, BoundsCorrectKernelsAndRejectsNarrowOnes) {
  Random random(7);
  double worst = 0;
  int rejected = 0, elements = 0;
  for (int round = 0; round < 400; ++round) {
    const int n = random.Between(1, 12);
    std::vector<double> l(static_cast<size_t>(n * n)), b;
    const int spread = random.Between(0, 3);
    for (double& value : l) value = static_cast<float>(random.Scaled(-spread - 1, 0));
    for (int i = 0; i < n; ++i) b.push_back(static_cast<float>(random.Scaled(-3, 3)));
    Fixture fixture(OpId::kTrsv, DType::kF32, {n});
    const Evidence& evidence = Lower(fixture, l, b).Measure();
    for (int way = 0; way < 5; ++way) {
      std::vector<double> matrix = l;
      if (way == 4) {
        for (double& value : matrix) value = Round(Format::kTf32, value);
      }
      const std::vector<float> x = SolveInSingle(matrix, {b.begin(), b.end()}, way % 4);
      for (size_t i = 0; i < x.size(); ++i) {
        const double off = std::fabs(double{x[i]} - Truth(evidence, static_cast<int64_t>(i)));
        if (way < 4) worst = std::max(worst, off / BoundOf(evidence, i));
        if (way == 4) rejected += off > BoundOf(evidence, i);
        elements += way == 4;
      }
    }
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.2);
  EXPECT_GT(rejected, elements / 2);
}

// Entries -2 beside a unit diagonal: x_i = 3^i, which takes up to 94 bits.
TEST(Solve, EnclosesASolutionThatGrowsWithItsOrder) {
  constexpr int kOrder = 60;
  const std::vector<double> l(kOrder * kOrder, -2), b(kOrder, 1);
  Fixture fixture(OpId::kTrsv, DType::kF64, {kOrder});
  fixture.source.attributes[2].choice = 1;
  const Evidence& evidence = Lower(fixture, l, b).Measure();
  __extension__ using Wide = __int128;
  Wide power = 1;
  for (int i = 0; i < kOrder; ++i, power *= 3) {
    const auto high = static_cast<double>(power);
    EXPECT_EQ(evidence.hi[i], high);
    EXPECT_EQ(evidence.lo[i], static_cast<double>(power - static_cast<Wide>(high)));
    EXPECT_LE(evidence.radius[i], high * 0x1p-105);
  }
  EXPECT_GT(QuantityOf(evidence, Quantity::kForwardSum, kOrder - 1), 1e28);
}

struct SpecialCase {
  std::vector<double> a, b;
  std::vector<ClassSet> classes;
};

TEST(Solve, CarriesSpecialValuesAsFarAsTheyMustGo) {
  constexpr ClassSet kReal = kClassByValue;
  const SpecialCase cases[] = {
      // NaN in b reaches the rows that read it, a zero may hide it.
      {{1, 0, 1, 1}, {kNaN, 1}, {kClassNan, kClassNan}},
      {{1, 0, 0, 1}, {kNaN, 1}, {kClassNan, kClassNan | kReal}},
      {{1, 0, 1, 1}, {1, kNaN}, {kClassNan | kReal, kClassNan}},
      // Infinities of b keep their sign, unless a zero of the other triangle meets them; two of one
      // sign that are subtracted do not.
      {{-2, 0, 1, 1}, {kInf, 1}, {kClassNan | kClassNegInf, kClassNan | kClassPosInf}},
      {{1, 0, 1, 1}, {kInf, kInf}, {kClassNan | kClassPosInf, kClassNan}},
      // A zero on the diagonal.
      {{0, 0, 1, 1}, {3, 1}, {kClassNan | kClassPosInf, kClassNan | kClassNegInf}},
      {{0, 0, 1, 1}, {0, 1}, {kClassNan | kReal, kClassNan | kReal}},
      {{-0.0, 0, 0, 1}, {3, 1}, {kClassNan | kClassNegInf, kClassNan | kReal}},
      // NaN and infinities on and beside it.
      {{kNaN, 0, 1, 1}, {3, 1}, {kClassNan, kClassNan}},
      {{kInf, 0, 1, 1}, {3, 1}, {kReal, kReal}},
      {{kInf, 0, 1, 1}, {kInf, 1}, {kClassNan, kClassNan}},
      {{1, 0, kNaN, 1}, {3, 1}, {kClassNan | kReal, kClassNan}},
      {{1, 0, kNaN, 1}, {0, 1}, {kClassNan | kReal, kClassNan | kReal}},
      {{1, 0, kInf, 1}, {3, 1}, {kClassNan | kReal, kClassNegInf}},
      // The other triangle is not read.
      {{1, kNaN, 1, 1}, {3, 1}, {kReal, kReal}},
  };
  for (const SpecialCase& each : cases) {
    Fixture fixture(OpId::kTrsv, DType::kF32, {2});
    const Evidence& evidence = Lower(fixture, each.a, each.b).Measure();
    EXPECT_TRUE(evidence.special);
    EXPECT_EQ(evidence.legal, each.classes) << &each - cases;
  }
}

TEST(Solve, AllowsAnySignWhereADifferenceMayCancel) {
  // 0.1f / 3 is not exact, so that the difference may be a rounding error or nothing, over 0.
  Fixture fixture(OpId::kTrsv, DType::kF32, {2});
  const double third = static_cast<float>(0.1) / 3.0;
  const Evidence& evidence =
      Lower(fixture, {3, 0, 1, 0}, {static_cast<float>(0.1), static_cast<float>(third)}).Measure();
  EXPECT_EQ(evidence.legal[1], kClassNan | kClassInf | kClassByValue);
}

TEST(Solve, AllowsAScaledRightHandSideToVanish) {
  Fixture fixture(OpId::kTrsm, DType::kF64, {1, 2});
  fixture.source.attributes[0].real = 0x1p-52;
  fixture.source.attributes[1].choice = 1;
  fixture.Reset({1, 2});
  fixture.SetReal(0, {0, 1, 0, 0});
  fixture.SetReal(1, {0x1p-1023, 0x1p-1023});
  const Evidence& evidence = fixture.Measure();
  // 2^-1075 rounds to 0, which is not divided by 0; or 1 / 0, scaled afterwards.
  EXPECT_EQ(evidence.legal[0] & kClassByValue, kClassByValue);
  EXPECT_EQ(evidence.legal[0] & kClassPosInf, kClassPosInf);
  EXPECT_EQ(evidence.legal[1] & kClassByValue, kClassByValue);
}

TEST(Solve, ReadsNothingForAlphaZero) {
  Fixture fixture(OpId::kTrsm, DType::kF32, {1, 1});
  fixture.source.attributes[0].real = 0;
  fixture.SetReal(0, {kNaN});
  fixture.SetReal(1, {kNaN});
  EXPECT_EQ(fixture.Measure().legal[0], kClassZero);
}

TEST(Solve, EmulatesNarrowOperands) {
  Fixture fixture(OpId::kTrsv, DType::kF32, {2});
  Lower(fixture, {1 + 0x1p-11, 0, 0, 3}, {1, 1}).Measure();
  Emulator emulator(fixture.values);
  double got = 0;
  ASSERT_TRUE(emulator.Emulate(DefectModel::kTf32Operands, 0, &got));
  EXPECT_EQ(got, 1);  // the diagonal becomes 1
  ASSERT_TRUE(emulator.Emulate(DefectModel::kF16Accumulator, 1, &got));
  EXPECT_EQ(got, Round(Format::kF16, 1.0 / 3));
}

}  // namespace
}  // namespace assay::fixtures
