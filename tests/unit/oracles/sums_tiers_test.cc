// SPDX-License-Identifier: Apache-2.0
//
// Every enclosure of a sum of products holds the truth that MPFR computes, and every magnitude
// bounds its own. ASSAY_TIER_CASES outputs are checked: 50,000 in the quick program, over a million
// in the slow one.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "oracles/dot2.h"
#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_sum.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 50000
#endif

namespace assay::fixtures {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBf16};

enum class Data { kTame, kWide, kTiny, kHuge, kIntegers, kSparse, kCount };

// Exponents that keep products of the type in interesting places.
double Draw(Data data, DType type, Random& random) {
  const FormatInfo& format = InfoOf(FormatOf(type));
  switch (data) {
    case Data::kTame:
      return random.Scaled(-3, 3);
    case Data::kWide:
      return random.Scaled(format.min_exponent * 2 / 5, format.max_exponent * 2 / 5);
    case Data::kTiny:
      return random.Scaled(format.min_exponent - format.precision, format.min_exponent * 2 / 5);
    case Data::kHuge:
      return random.Scaled(format.max_exponent / 3, format.max_exponent / 2 - 12);
    case Data::kIntegers:
      return random.Between(-50, 50);
    default:
      return random.Below(4) == 0 ? random.Scaled(-20, 20) : 0.0;
  }
}

double DrawScalar(Random& random) {
  constexpr double kSome[] = {1, -1, 0.5, -4, 1.25, 0x1.f6ac24p0, -0x1.05421ap1, 1e-30, 3e30};
  return kSome[random.Below(9)];
}

void Fill(Fixture& fixture, int operand, Data data, Random& random) {
  std::vector<double> reals;
  const OperandValues& values = fixture.values.operands[static_cast<size_t>(operand)];
  for (int64_t i = 0; i < values.count; ++i) reals.push_back(Draw(data, values.dtype, random));
  fixture.SetReal(operand, reals);
}

struct Counts {
  int64_t outputs = 0, exact_tier = 0;
};

// Checks every output of a measured gemm against MPFR.
void CheckGemm(Gemm& gemm, MpfrSum& sum, Counts& counts) {
  const Evidence& evidence = gemm.evidence;
  const auto& operand = gemm.values.operands;
  const int64_t m = gemm.values.dims[0], n = gemm.values.dims[1], k = gemm.values.dims[2];
  const bool ta = gemm.source.attributes[kGemmTransA].choice == 1;
  const bool tb = gemm.source.attributes[kGemmTransB].choice == 1;
  const double alpha = ScalarAttribute(gemm.source, kGemmAlpha);
  const double beta = ScalarAttribute(gemm.source, kGemmBeta);
  counts.exact_tier += evidence.tier == Tier::kExact ? 1 : 0;
  for (int64_t at = 0; at < m * n; ++at) {
    const int64_t i = at / n, j = at % n;
    const auto a = [&](int64_t p) { return operand[0].real[ta ? p * m + i : i * k + p]; };
    const auto b = [&](int64_t p) { return operand[1].real[tb ? j * k + p : p * n + j]; };
    ++counts.outputs;
    sum.Clear();
    for (int64_t p = 0; p < k; ++p) sum.AddProduct(a(p), b(p));
    sum.Multiply(alpha);
    if (beta != 0) sum.AddProduct(beta, operand[2].real[at]);
    if (!std::isfinite(sum.Nearest())) {
      EXPECT_FALSE(evidence.legal[at] & kClassByValue);
      EXPECT_TRUE(evidence.legal[at] & ClassOf(sum.Nearest()));
      continue;
    }
    ASSERT_TRUE(evidence.legal[at] & kClassByValue);
    ASSERT_TRUE(sum.Encloses(evidence.hi[at], evidence.lo[at], evidence.radius[at]))
        << "output " << at << " of " << m << "x" << n << "x" << k << ": " << evidence.hi[at]
        << " +- " << evidence.radius[at] << ", exact " << sum.Nearest();
    sum.Clear();
    for (int64_t p = 0; p < k; ++p) sum.AddProduct(std::fabs(a(p)), std::fabs(b(p)));
    sum.Multiply(std::fabs(alpha));
    if (beta != 0) sum.AddProduct(std::fabs(beta), std::fabs(operand[2].real[at]));
    const double abs_sum = QuantityOf(evidence, Quantity::kAbsSum, at);
    if (std::isfinite(sum.Nearest())) {
      ASSERT_TRUE(sum.BoundedTightly(abs_sum)) << abs_sum << " for " << sum.Nearest();
    }
    // Decisive for every accumulator up to double: see Dot2Problem::unit_out.
    const double unit = InfoOf(FormatOf(operand[2].dtype)).unit_roundoff;
    ASSERT_TRUE(evidence.radius[at] <= 0x1p-63 * abs_sum ||
                evidence.radius[at] <= 0x1p-20 * unit * std::fabs(evidence.hi[at]) ||
                evidence.radius[at] <= 0x1p-1074);
  }
}

TEST(SumTiers, EncloseTheTruthOfGeneratedGemms) {
  Random random(1);
  MpfrSum sum;
  Counts counts;
  for (int round = 0; counts.outputs < ASSAY_TIER_CASES; ++round) {
    const DType type = kTypes[random.Below(4)];
    const int64_t m = random.Between(1, 6), n = random.Between(1, 18);
    const int64_t k = random.Below(20) == 0 ? random.Between(100, 200) : random.Between(1, 20);
    Gemm gemm(type, m, n, k);
    gemm.source.attributes[kGemmTransA].choice = random.Below(2);
    gemm.source.attributes[kGemmTransB].choice = random.Below(2);
    if (random.Below(2) == 0) {
      gemm.SetScalars(DrawScalar(random), random.Below(3) == 0 ? 0 : DrawScalar(random));
    }
    gemm.Reset({m, n, k});
    const auto data = static_cast<Data>(random.Below(static_cast<int>(Data::kCount)));
    for (int operand = 0; operand < 3; ++operand) Fill(gemm, operand, data, random);
    gemm.Measure();
    CheckGemm(gemm, sum, counts);
    if (::testing::Test::HasFatalFailure()) return;
    if (round % 16 == 0) {
      gemm.MeasureHighest();
      CheckGemm(gemm, sum, counts);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(counts.exact_tier, 0) << "tiny f64 products must leave the fast tier";
}

// Ogita, Rump, Oishi (2005), algorithm 6.1: a dot product of condition about 2^bits. The second
// half cancels the first.
void IllConditioned(DType type, int64_t n, int bits, Random& random, Fixture& dot) {
  const Format format = FormatOf(type);
  std::vector<double> x(static_cast<size_t>(n)), y(x.size());
  MpfrSum sum;
  const auto symmetric = [&] { return 2 * random.Unit() - 1; };
  for (int64_t i = 0; i < n; ++i) {
    const bool growing = i < n / 2;
    const int step =
        static_cast<int>((i - n / 2) * (bits / 2) / std::max<int64_t>(1, n - n / 2 - 1));
    const int exponent = growing ? random.Below(bits / 2 + 1) : bits / 2 - step;
    x[i] = Round(format, std::ldexp(symmetric(), exponent));
    y[i] = std::ldexp(symmetric(), exponent);
    if (!growing && x[i] != 0) y[i] = (y[i] - sum.Nearest()) / x[i];
    y[i] = Round(format, y[i]);
    sum.AddProduct(x[i], y[i]);
  }
  for (size_t i = x.size(); i > 1; --i) {
    const auto other = static_cast<size_t>(random.Below(static_cast<int>(i)));
    std::swap(x[i - 1], x[other]);
    std::swap(y[i - 1], y[other]);
  }
  dot.SetReal(0, x);
  dot.SetReal(1, y);
}

TEST(SumTiers, EncloseTheTruthOfIllConditionedDots) {
  Random random(2);
  MpfrSum sum;
  for (int round = 0; round < ASSAY_TIER_CASES / 20; ++round) {
    const DType type = random.Below(2) == 0 ? DType::kF32 : DType::kF64;
    const int64_t n = random.Between(6, 90);
    Fixture dot(OpId::kDot, type, {n});
    IllConditioned(type, n, random.Between(4, 110), random, dot);
    const Evidence& evidence = dot.Measure();
    sum.Clear();
    for (int64_t i = 0; i < n; ++i) {
      sum.AddProduct(dot.values.operands[0].real[i], dot.values.operands[1].real[i]);
    }
    ASSERT_TRUE(sum.Encloses(evidence.hi[0], evidence.lo[0], evidence.radius[0])) << round;
  }
}

TEST(SumTiers, EncloseTheTruthOfLongSums) {
  Random random(3);
  MpfrSum sum;
  for (const int64_t n : {1, 31, 32, 33, 1000, 40000, 200000}) {
    for (const DType type : kTypes) {
      Fixture fixture(OpId::kSum, type, {n});
      Fill(fixture, 0, Data::kTame, random);
      const Evidence& evidence = fixture.Measure();
      sum.Clear();
      for (const double x : fixture.values.operands[0].real) sum.AddProduct(x, 1);
      EXPECT_TRUE(sum.Encloses(evidence.hi[0], evidence.lo[0], evidence.radius[0])) << n;
      sum.Clear();
      for (const double x : fixture.values.operands[0].real) sum.AddProduct(std::fabs(x), 1);
      EXPECT_TRUE(sum.BoundedTightly(QuantityOf(evidence, Quantity::kAbsSum, 0))) << n;
    }
  }
}

// The instruction sets differ in speed alone.
TEST(SumTiers, GiveTheSameBitsOnEveryInstructionSet) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    Dot2Problem problem;
    problem.rows = random.Between(1, 6);
    problem.columns = random.Between(1, 20);
    problem.length = random.Between(1, 70);
    problem.panels = random.Below(2) == 0;
    problem.exact_products = random.Below(2) == 0;
    problem.alpha = DrawScalar(random);
    problem.beta = random.Below(2) == 0 ? 0 : DrawScalar(random);
    const auto draw = [&](int64_t count) {
      std::vector<double> values;
      for (int64_t i = 0; i < count; ++i) values.push_back(float(random.Scaled(-30, 30)));
      return values;
    };
    const std::vector<double> a = draw(problem.rows * problem.length);
    const std::vector<double> b = draw((problem.columns + 7) / 8 * 8 * problem.length);
    const std::vector<double> c = draw(problem.rows * problem.columns);
    problem.a = a.data();
    problem.b = b.data();
    problem.c = c.data();
    const auto count = static_cast<size_t>(problem.rows * problem.columns);
    std::vector<std::vector<double>> base(5, std::vector<double>(count)), other = base;
    RunDot2(problem,
            {base[0].data(), base[1].data(), base[2].data(), base[3].data(), base[4].data()},
            LaneSet::kBase);
    for (int lanes = 1; lanes <= static_cast<int>(MachineLanes()); ++lanes) {
      RunDot2(problem,
              {other[0].data(), other[1].data(), other[2].data(), other[3].data(), other[4].data()},
              static_cast<LaneSet>(lanes));
      ASSERT_EQ(base, other) << "round " << round << ", lanes " << lanes;
    }
  }
}

}  // namespace
}  // namespace assay::fixtures
