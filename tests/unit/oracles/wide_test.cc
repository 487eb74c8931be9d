// SPDX-License-Identifier: Apache-2.0
//
// Numbers that carry their error: every operation of Wide and Ball encloses what MPFR computes from
// the same doubles, over the whole range in which a bound is promised.
#include "oracles/wide.h"

#include <gtest/gtest.h>

#include <vector>

#include "oracles/number/ball_value.h"
#include "oracles/wide_exp_table.h"
#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_number.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 20000
#endif

namespace assay::fixtures {
namespace {

bool Holds(const Enclosure& truth, const Mpfr& exact) {
  const Mpfr distance = Abs(exact - Mpfr(truth.hi) - Mpfr(truth.lo));
  return distance <= Mpfr(truth.radius) + Abs(exact) * Mpfr(0x1p-500);
}

// A chain of all operations on four numbers; M is Mpfr, Wide or Ball.
template <class M>
std::vector<M> Chain(const double* x) {
  const M a(x[0]), b(x[1]), c(x[2]), d(x[3]);
  const M product = a * b, difference = product - c * d, sum = product + c;
  const M square = sum * sum + b * b;
  const M root = Sqrt(square);
  return {product, difference, sum, difference / b, root, sum / root, (difference * root) / square};
}

TEST(Numbers, EncloseChainsOfArithmetic) {
  Random random(14);
  for (int round = 0; round < 20000; ++round) {
    const int reach = round % 5 == 0 ? 200 : 10;
    double x[4];
    for (double& value : x) value = random.Scaled(-reach, reach);
    if (round % 3 == 0) x[3] = x[0] * (1 + random.Scaled(-52, -1));
    if (round % 6 == 0) x[2] = x[1];
    const std::vector<Mpfr> exact = Chain<Mpfr>(x);
    const std::vector<Wide> wide = Chain<Wide>(x);
    const std::vector<Ball> balls = Chain<Ball>(x);
    for (size_t i = 0; i < exact.size(); ++i) {
      ASSERT_TRUE(Holds(EnclosureOf(wide[i]), exact[i])) << "round " << round << ", step " << i;
      ASSERT_TRUE(Holds(EnclosureOf(balls[i]), exact[i])) << "round " << round << ", step " << i;
    }
    if (reach == 10) ASSERT_LE(wide[0].radius, std::fabs(wide[0].hi) * 0x1p-99);
  }
}

TEST(Numbers, HaveTheRootsOfTwo) {
  for (int j = 0; j < 64; ++j) {
    const Mpfr root = Exp(Log(Mpfr(2)) * Mpfr(j) / Mpfr(64));
    const Mpfr distance = Abs(root - Mpfr(kRootsOfTwo[j][0]) - Mpfr(kRootsOfTwo[j][1]));
    EXPECT_TRUE(distance <= Mpfr(0x1p-106)) << j;
  }
}

// Far tighter than the radius that is claimed, so that the analysis has the slack it speaks of.
TEST(Numbers, HaveExponentialsWithinTheAnalysedError) {
  Random random(17);
  for (int round = 0; round < ASSAY_TIER_CASES; ++round) {
    const double x = random.Scaled(-30, 9);
    if (!(std::fabs(x) < 600)) continue;
    const Wide exp = Exp(Wide(x)), expm1 = Expm1(Wide(x)), log = Log(Wide(std::fabs(x)));
    const Mpfr exact = Exp(Mpfr(x));
    const auto off = [](const Wide& wide) { return Mpfr(wide.hi) + Mpfr(wide.lo); };
    ASSERT_TRUE(Abs(off(exp) - exact) <= exact * Mpfr(0x1p-102)) << x;
    ASSERT_TRUE(Holds(EnclosureOf(expm1), exact - Mpfr(1))) << x;
    ASSERT_LE(expm1.radius, std::fabs(expm1.hi) * 0x1p-88) << x;
    ASSERT_TRUE(Holds(EnclosureOf(log), Log(Abs(Mpfr(x))))) << x;
    ASSERT_LE(log.radius, std::fabs(log.hi) * 0x1p-88) << x;
    if (std::fabs(x) < 0.0053) {
      ASSERT_TRUE(Abs(off(expm1) - (exact - Mpfr(1))) <= Abs(exact - Mpfr(1)) * Mpfr(0x1p-97)) << x;
    }
  }
}

// What a radius of the argument does.
TEST(Numbers, EncloseFunctionsOfWholeIntervals) {
  Random random(18);
  for (int round = 0; round < 4000; ++round) {
    const double x = random.Scaled(-12, 8);
    const double reach = std::fabs(x) * std::ldexp(1, random.Between(-90, -3));
    for (const double end : {x - reach, x + reach}) {
      const Wide whole(x, 0, std::fabs(end - x));
      EXPECT_TRUE(Holds(EnclosureOf(Exp(whole)), Exp(Mpfr(end)))) << x << " " << reach;
      EXPECT_TRUE(Holds(EnclosureOf(Expm1(whole)), Exp(Mpfr(end)) - Mpfr(1))) << x << " " << reach;
      if (x < 0) continue;
      EXPECT_TRUE(Holds(EnclosureOf(Log(whole)), Log(Mpfr(end)))) << x << " " << reach;
      EXPECT_TRUE(Holds(EnclosureOf(Log1p(whole)), Log(Mpfr(1) + Mpfr(end)))) << x << " " << reach;
    }
  }
}

TEST(Numbers, EncloseExponentialsAndLogarithms) {
  Random random(15);
  for (int round = 0; round < 5000; ++round) {
    const double x = random.Scaled(-20, 9), y = std::fabs(random.Scaled(-60, 40));
    if (x < 700) {
      EXPECT_TRUE(Holds(EnclosureOf(Exp(Wide(x))), Exp(Mpfr(x)))) << x;
      EXPECT_TRUE(Holds(EnclosureOf(Exp(Ball(x))), Exp(Mpfr(x)))) << x;
    }
    EXPECT_TRUE(Holds(EnclosureOf(Log1p(Wide(y))), Log(Mpfr(1) + Mpfr(y)))) << y;
    EXPECT_TRUE(Holds(EnclosureOf(Log1p(Ball(y))), Log(Mpfr(1) + Mpfr(y)))) << y;
  }
}

TEST(Numbers, CarryTheErrorOfTheirArgument) {
  for (const double radius : {0x1p-40, 0x1p-8, 3.0}) {
    for (const double side : {-1.0, 1.0}) {
      const Mpfr moved = Mpfr(2) + Mpfr(side * radius);
      EXPECT_TRUE(Holds(EnclosureOf(Exp(Wide(2, 0, radius))), Exp(moved)));
      if (radius > 2) continue;
      EXPECT_TRUE(Holds(EnclosureOf(Log1p(Wide(2, 0, radius))), Log(Mpfr(1) + moved)));
      EXPECT_TRUE(Holds(EnclosureOf(Sqrt(Wide(2, 0, radius))), Sqrt(moved)));
      EXPECT_TRUE(Holds(EnclosureOf(Wide(1) / Wide(2, 0, radius)), Mpfr(1) / moved));
    }
  }
}

TEST(Numbers, SumProductsOfDoubles) {
  Random random(16);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> a, b;
    Mpfr exact, weighted;
    std::vector<Wide> weights;
    for (int i = 0; i < 40; ++i) {
      a.push_back(random.Scaled(-30, 30));
      b.push_back(random.Scaled(-30, 30));
      exact = exact + Mpfr(a.back()) * Mpfr(b.back());
      weights.push_back(Wide(std::fabs(a.back())));
      weighted = weighted + Abs(Mpfr(a.back())) * Mpfr(b.back());
    }
    Wide wide;
    SumOfProducts(a.data(), b.data(), 40, wide);
    Ball ball;
    SumOfProducts(a.data(), b.data(), 40, ball);
    ASSERT_TRUE(Holds(EnclosureOf(wide), exact));
    ASSERT_TRUE(Holds(EnclosureOf(ball), exact));
    ASSERT_TRUE(Holds(EnclosureOf(WeightedSum(weights.data(), b.data(), 1, 40)), weighted));
  }
}

TEST(Numbers, KeepABoundWhereProductsUnderflow) {
  const double tiny[] = {0x1.8p-600, 0x1.4p-580};
  Wide wide;
  SumOfProducts(tiny, tiny, 2, wide);
  EXPECT_TRUE(
      Holds(EnclosureOf(wide), Mpfr(tiny[0]) * Mpfr(tiny[0]) + Mpfr(tiny[1]) * Mpfr(tiny[1])));
  EXPECT_TRUE(Holds(EnclosureOf(Wide(tiny[0]) * Wide(tiny[1])), Mpfr(tiny[0]) * Mpfr(tiny[1])));
  EXPECT_TRUE(Holds(EnclosureOf(Sqrt(Wide(0x1.8p-1070))), Sqrt(Mpfr(0x1.8p-1070))));
}

TEST(Numbers, HaveNoBoundWhereThereIsNone) {
  EXPECT_EQ(EnclosureOf(Wide(1) / Wide(0)).radius, kInf);
  EXPECT_EQ(EnclosureOf(Ball(1) / Ball(0)).radius, kInf);
  EXPECT_EQ(EnclosureOf(Wide(0x1p1000) * Wide(0x1p1000)).radius, kInf);
  EXPECT_EQ(EnclosureOf(Wide(1) / Wide(1, 0, 2)).radius, kInf);
}

TEST(Numbers, TellHowFarABallLiesBeyondTheDoubles) {
  const Ball large(0x1p1000);
  EXPECT_EQ(EnclosureOf(-(large * large)).hi, -kInf);
  const Ball edge = Ball(std::numeric_limits<double>::max()) + Ball(0x1p970);
  EXPECT_EQ(EnclosureOf(edge).hi, std::numeric_limits<double>::max());
  EXPECT_EQ(EnclosureOf(edge).lo, 0x1p970);
  const Enclosure tiny = EnclosureOf(Ball(0x1p-1000) * Ball(0x1p-1000));
  EXPECT_EQ(tiny.hi, 0);
  EXPECT_GT(tiny.radius, 0);
  EXPECT_LE(tiny.radius, 0x1p-1074);
  EXPECT_EQ(EnclosureOf(Exp(Ball(-1e300))).hi, 0);
}

TEST(Numbers, KeepAsManyBitsAsAsked) {
  const Ball third = Ball(1) / Ball(3);
  const BallPrecision precision(400);
  const Ball finer = Ball(1) / Ball(3);
  const Enclosure difference = EnclosureOf(third - finer);
  EXPECT_GT(difference.radius, 0x1p-140);
  EXPECT_LE(difference.radius, 0x1p-120);
  EXPECT_LE(EnclosureOf(finer - Ball(1) / Ball(3)).radius, 0x1p-390);
  {
    const BallPrecision inner(64);
    EXPECT_GT(EnclosureOf(Ball(1) / Ball(3) - finer).radius, 0x1p-80);
  }
  EXPECT_LE(EnclosureOf(Ball(1) / Ball(3) - finer).radius, 0x1p-390);
}

}  // namespace
}  // namespace assay::fixtures
