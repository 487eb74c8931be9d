// SPDX-License-Identifier: Apache-2.0
//
// Complex operators: exact answers of integers under every label, magnitudes worked out by hand,
// kernels of single precision within the bound, and special answers part by part.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

using Complex = std::complex<double>;

double Truth(const Evidence& evidence, int64_t i) { return evidence.hi[i] + evidence.lo[i]; }
double Of(const Evidence& evidence, Quantity quantity, int64_t i) {
  return QuantityOf(evidence, quantity, i);
}

std::vector<double> Parts(const std::vector<Complex>& numbers) {
  std::vector<double> parts;
  for (const Complex& number : numbers) {
    parts.push_back(number.real());
    parts.push_back(number.imag());
  }
  return parts;
}

void SetScalar(Fixture& fixture, int attribute, Complex value) {
  fixture.source.attributes[attribute].real = value.real();
  fixture.source.attributes[attribute + 1].real = value.imag();
}

TEST(Complex, DotHasTheMagnitudesOfItsParts) {
  Fixture fixture(OpId::kComplexDot, DType::kF32, {1});
  fixture.SetReal(0, {1, 2});
  fixture.SetReal(1, {3, 4});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(Truth(evidence, 0), -5);
  EXPECT_EQ(Truth(evidence, 1), 10);
  EXPECT_NEAR(Of(evidence, Quantity::kAbsSum, 0), 11, 1e-9);  // 3 + 8
  EXPECT_NEAR(Of(evidence, Quantity::kAbsSum, 1), 10, 1e-9);  // 4 + 6
  EXPECT_EQ(Of(evidence, Quantity::kNonZeros, 0), 1);
  fixture.source.attributes[kComplexConjugate].choice = 1;
  fixture.Measure();
  EXPECT_EQ(Truth(evidence, 0), 11);
  EXPECT_EQ(Truth(evidence, 1), -2);
}

TEST(Complex, MatrixTimesVectorUnderEveryLabel) {
  Random random(5);
  const Complex alpha(2, -1), beta(0, 3);
  for (int trans = 0; trans < 3; ++trans) {
    const int m = 3, n = 2, length = trans == 0 ? n : m, outputs = m + n - length;
    const auto draw = [&](int count) {
      std::vector<Complex> numbers;
      for (int i = 0; i < count; ++i) {
        numbers.emplace_back(random.Between(-5, 5), random.Between(-5, 5));
      }
      return numbers;
    };
    const std::vector<Complex> a = draw(m * n), x = draw(length), y = draw(outputs);
    Fixture fixture(OpId::kComplexGemv, DType::kF32, {m, n});
    SetScalar(fixture, kComplexAlpha, alpha);
    SetScalar(fixture, kComplexBeta, beta);
    fixture.source.attributes[kComplexTrans].choice = trans;
    fixture.Reset({m, n});
    fixture.SetReal(0, Parts(a));
    fixture.SetReal(1, Parts(x));
    fixture.SetReal(2, Parts(y));
    const Evidence& evidence = fixture.Measure();
    for (int i = 0; i < outputs; ++i) {
      Complex sum;
      for (int k = 0; k < length; ++k) {
        const Complex element = a[static_cast<size_t>(trans == 0 ? i * n + k : k * n + i)];
        sum += (trans == 2 ? std::conj(element) : element) * x[static_cast<size_t>(k)];
      }
      const Complex due = alpha * sum + beta * y[static_cast<size_t>(i)];
      EXPECT_EQ(Truth(evidence, 2 * i), due.real()) << trans;
      EXPECT_EQ(Truth(evidence, 2 * i + 1), due.imag()) << trans;
    }
  }
}

std::complex<float> Product(std::complex<float> a, std::complex<float> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Three products give the parts with errors of the size of the number.
std::complex<float> Gauss(std::complex<float> a, std::complex<float> b) {
  const float first = b.real() * (a.real() + a.imag());
  return {first - a.imag() * (b.real() + b.imag()), first + a.real() * (b.imag() - b.real())};
}

TEST(Complex, BoundsConventionalProductsAndRejectsThreeProducts) {
  Random random(11);
  double worst = 0, worst_of_three = 0;
  for (int round = 0; round < 2000; ++round) {
    const int n = random.Between(1, 4);
    std::vector<Complex> a, x;
    for (int k = 0; k < n; ++k) {
      a.emplace_back(static_cast<float>(random.Scaled(-9, 0)),
                     static_cast<float>(random.Scaled(-1, 0)));
      x.emplace_back(static_cast<float>(random.Scaled(-1, 0)),
                     static_cast<float>(random.Scaled(-9, 0)));
    }
    const std::complex<float> alpha(static_cast<float>(random.Scaled(-2, 2)),
                                    static_cast<float>(random.Scaled(-2, 2)));
    Fixture fixture(OpId::kComplexGemv, DType::kF32, {1, n});
    SetScalar(fixture, kComplexAlpha, {alpha.real(), alpha.imag()});
    fixture.SetReal(0, Parts(a));
    fixture.SetReal(1, Parts(x));
    const Evidence& evidence = fixture.Measure();
    std::complex<float> sums[2];
    for (size_t k = 0; k < a.size(); ++k) {
      sums[0] += Product(std::complex<float>(a[k]), Product(alpha, std::complex<float>(x[k])));
      sums[1] += Gauss(std::complex<float>(a[k]), std::complex<float>(x[k]));
    }
    sums[1] = Gauss(alpha, sums[1]);
    for (int part = 0; part < 2; ++part) {
      const double m = 2 * n + 3, gamma = m * 0x1p-24 / (1 - m * 0x1p-24);
      const double bound = gamma * Of(evidence, Quantity::kAbsSum, part);
      const auto off = [&](std::complex<float> sum) {
        return std::fabs((part == 0 ? sum.real() : sum.imag()) - Truth(evidence, part)) / bound;
      };
      worst = std::max(worst, off(sums[0]));
      worst_of_three = std::max(worst_of_three, off(sums[1]));
    }
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.2);
  EXPECT_GT(worst_of_three, 1);
}

// The classes of alpha times one number.
std::vector<ClassSet> Scaled(Complex alpha, Complex x) {
  Fixture fixture(OpId::kComplexScal, DType::kF64, {1});
  SetScalar(fixture, kComplexAlpha, alpha);
  fixture.SetReal(0, {x.real(), x.imag()});
  fixture.Measure();
  EXPECT_TRUE(fixture.evidence.special);
  return fixture.evidence.legal;
}

TEST(Complex, ScalMultipliesAllFourProducts) {
  using Sets = std::vector<ClassSet>;
  EXPECT_EQ(Scaled({0, 1}, {kNaN, 0}), Sets({kClassNan, kClassNan}));
  EXPECT_EQ(Scaled({0, 1}, {kInf, 0}), Sets({kClassNan, kClassPosInf}));
  EXPECT_EQ(Scaled({kNaN, 0}, {0, 1}), Sets({kClassNan, kClassNan}));
  EXPECT_EQ(Scaled({kInf, 0}, {0, 1}), Sets({kClassNan, kClassPosInf}));
  // A scalar without an imaginary part may be taken as real.
  EXPECT_EQ(Scaled({2, 0}, {kInf, 1}), Sets({kClassPosInf, kClassNan | kClassByValue}));
  EXPECT_EQ(Scaled({1, 0}, {kNaN, 1}), Sets({kClassNan, kClassNan | kClassByValue}));
  EXPECT_EQ(Scaled({0, 0}, {kNaN, 1}), Sets({kClassNan, kClassNan | kClassByValue}));
  EXPECT_EQ(Scaled({1, -2}, {kInf, 1}), Sets({kClassPosInf, kClassNegInf}));
}

TEST(Complex, AllowsTheInfinityThatAnnexGRecovers) {
  // (1 + i)(Inf + NaN i): NaN in both parts as written, infinite under Annex G.
  for (const ClassSet set : Scaled({1, 1}, {kInf, kNaN})) EXPECT_EQ(set, kClassNan | kClassInf);
}

TEST(Complex, DotCancelsInfinitiesPartByPart) {
  Fixture fixture(OpId::kComplexDot, DType::kF32, {2});
  fixture.SetReal(0, {kInf, 1, 1, 2});
  fixture.SetReal(1, {1, 1, kInf, 1});
  // Re: Inf - 1 + Inf - 2; Im: Inf + 1 + 1 + Inf.
  EXPECT_EQ(fixture.Measure().legal, std::vector<ClassSet>({kClassPosInf, kClassPosInf}));
  fixture.SetReal(1, {1, 1, -kInf, 1});
  EXPECT_EQ(fixture.Measure().legal[0], kClassNan);
}

// A finite product that overflows beside an infinity is a matter of range.
TEST(Complex, CountsFinitePartsBesideSpecialOnes) {
  Fixture fixture(OpId::kComplexDot, DType::kF32, {1});
  fixture.SetReal(0, {kInf, 0x1p116});
  fixture.SetReal(1, {-1, -4096});
  EXPECT_GE(fixture.Measure().scalar[static_cast<int>(Quantity::kMaxAbsSum)], 0x1p128);
}

TEST(Complex, MatrixVectorReadsNothingForZeroScalars) {
  Fixture fixture(OpId::kComplexGemv, DType::kF32, {1, 1});
  SetScalar(fixture, kComplexAlpha, 0);
  fixture.SetReal(0, {kNaN, 1});
  fixture.SetReal(2, {kNaN, kInf});
  EXPECT_EQ(fixture.Measure().legal, std::vector<ClassSet>({kClassZero, kClassZero}));
  SetScalar(fixture, kComplexBeta, 1);
  fixture.SetReal(2, {3, kInf});
  EXPECT_EQ(fixture.Measure().legal[1] & kClassPosInf, kClassPosInf);
}

TEST(Complex, AbsHasTheWholeRange) {
  Fixture fixture(OpId::kComplexAbs, DType::kF32, {5});
  fixture.SetReal(0, {3, 4, 0x1p127, 0, 0x1p-149, 0, -kInf, kNaN, kNaN, 1});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(Truth(evidence, 0), 5);
  EXPECT_EQ(Truth(evidence, 1), 0x1p127);
  EXPECT_EQ(Truth(evidence, 2), 0x1p-149);
  EXPECT_EQ(evidence.legal[3], kClassPosInf);
  EXPECT_EQ(evidence.legal[4], kClassNan);
  fixture.SetBits(0, {0x7f800000, 0x7fa00000, 0, 0, 0, 0, 0, 0, 0, 0});  // Inf + sNaN i
  EXPECT_EQ(fixture.Measure().legal[0], kClassPosInf | kClassNan);
}

}  // namespace
}  // namespace assay::fixtures
