// SPDX-License-Identifier: Apache-2.0
//
// Enclosures of scalar functions against MPFR: the C library tier over the 16-bit types and samples
// of f32, balls over samples of f64. ASSAY_TIER_CASES scales the samples; the slow program takes
// every 16-bit input and a million of the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "oracles/unary.h"
#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_function.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 20000
#endif

namespace assay::fixtures {
namespace {

constexpr bool kSlow = ASSAY_TIER_CASES >= 1000000;

bool InDomain(Function function, double x) {
  return std::isfinite(x) && (UnaryClasses(function, x) & kClassByValue) != 0;
}

std::string Describe(Function function, double x, const Enclosure& truth, double exact) {
  char text[200];
  std::snprintf(text, sizeof text, "function %d at %a: %a + %a +- %a, exact about %a",
                static_cast<int>(function), x, truth.hi, truth.lo, truth.radius, exact);
  return text;
}

// The radius that the tier promises: relative to the truth, or below every format it serves.
void CheckLibm(Function function, double x, MpfrFunction& referee) {
  if (!InDomain(function, x)) return;
  const Enclosure truth = LibmUnary(function, x);
  referee.Evaluate(function, x);
  const double exact = referee.Nearest();
  if (std::isinf(truth.hi)) {
    ASSERT_GE(std::fabs(exact), std::numeric_limits<double>::max() / 2);
    return;
  }
  ASSERT_TRUE(referee.Encloses(truth)) << Describe(function, x, truth, exact);
  // Of a Bessel function the radius is relative to its amplitude.
  const double size =
      function == Function::kJ0 ? std::fmin(1, 1 / std::sqrt(std::fabs(x))) : std::fabs(exact);
  ASSERT_LE(truth.radius, 0x1p-44 * size + 0x1p-999);
}

TEST(LibmTier, EnclosesEveryInputOfSixteenBits) {
  MpfrFunction referee;
  for (const DType type : {DType::kF16, DType::kBf16}) {
    for (uint64_t bits = 0; bits < 0x10000; bits += kSlow ? 1 : 23) {
      for (const Function function : kFunctions) {
        CheckLibm(function, Decode(type, bits), referee);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(LibmTier, EnclosesSamplesOfSingles) {
  Random random(1);
  MpfrFunction referee;
  for (int round = 0; round < ASSAY_TIER_CASES; ++round) {
    const Function function = kFunctions[static_cast<size_t>(round) % std::size(kFunctions)];
    // Half of them where the functions bend, half over all bit patterns.
    const double x = random.Below(2) == 0 ? float(random.Scaled(-8, 6))
                                          : Decode(DType::kF32, random.Bits() & 0xffffffff);
    CheckLibm(function, x, referee);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(WideTier, EnclosesSamplesOfDoubles) {
  Random random(7);
  MpfrFunction referee;
  int64_t decided = 0, rounds = 0;
  for (int round = 0; round < ASSAY_TIER_CASES; ++round) {
    const Function function = kFunctions[static_cast<size_t>(round) % std::size(kFunctions)];
    const double x =
        random.Below(4) != 0 ? random.Scaled(-8, 6) : Decode(DType::kF64, random.Bits());
    if (!InDomain(function, x)) continue;
    const Enclosure truth = WideUnary(function, x);
    if (std::isinf(truth.radius)) continue;  // left to balls
    referee.Evaluate(function, x);
    const double exact = referee.Nearest();
    ASSERT_TRUE(referee.Encloses(truth)) << Describe(function, x, truth, exact);
    ++rounds;
    decided += truth.radius <= 0x1p-75 * std::fabs(truth.hi) ? 1 : 0;
  }
  EXPECT_GE(decided, rounds * 9 / 10);
}

TEST(WideTier, EnclosesTheTruthAtTheEdgesOfItsShortcuts) {
  MpfrFunction referee;
  for (const double edge : {0.0054, 0.00541, 0.0055,     0x1p-300, 0x1p-301,  0x1p-968, 0x1p-1074,
                            0.4,    0.41,    0.70710678, 1.0,      1.4142136, 2.0,      20.0,
                            50.0,   354.0,   400.0,      623.0,    709.69,    745.0}) {
    for (double x : {edge, std::nextafter(edge, 0), std::nextafter(edge, 1000), -edge,
                     std::nextafter(-edge, 0), std::nextafter(-edge, -1000)}) {
      for (const Function function : kFunctions) {
        if (!InDomain(function, x)) continue;
        const Enclosure truth = WideUnary(function, x);
        if (std::isinf(truth.radius)) continue;
        referee.Evaluate(function, x);
        EXPECT_TRUE(referee.Encloses(truth)) << Describe(function, x, truth, referee.Nearest());
      }
    }
  }
}

TEST(BallTier, EnclosesSamplesOfDoubles) {
  Random random(2);
  MpfrFunction referee;
  BallEvaluator balls;
  for (int round = 0; round < ASSAY_TIER_CASES / 4; ++round) {
    const Function function = kFunctions[static_cast<size_t>(round) % std::size(kFunctions)];
    const double x =
        random.Below(4) != 0 ? random.Scaled(-8, 6) : Decode(DType::kF64, random.Bits());
    if (!InDomain(function, x)) continue;
    const Enclosure truth = balls.Evaluate(function, x, 0);
    referee.Evaluate(function, x);
    const double exact = referee.Nearest();
    if (std::isinf(truth.hi)) {
      ASSERT_EQ(truth.hi, exact);
      continue;
    }
    ASSERT_TRUE(referee.Encloses(truth)) << Describe(function, x, truth, exact);
    ASSERT_LE(truth.radius, 0x1p-100 * std::fabs(exact) + 0x1p-1074);
  }
}

TEST(BallTier, EnclosesTheTruthAtTheEdgesOfItsShortcuts) {
  BallEvaluator balls;
  MpfrFunction referee;
  for (const double x :
       {1e-300, 0x1p-1074, 0.5,     3.0,  29.9,  37.0, -37.0, -39.9,   399.0, 709.0,
        799.0,  -799.0,    -1e-300, 0.75, -0.75, -2.5, 171.5, -180.25, 320.5, 1e15}) {
    for (const Function function : kFunctions) {
      if (!InDomain(function, x)) continue;
      const Enclosure truth = balls.Evaluate(function, x, 400);
      referee.Evaluate(function, x);
      if (std::isinf(truth.hi)) {
        EXPECT_EQ(referee.Nearest(), truth.hi);
        continue;
      }
      EXPECT_TRUE(referee.Encloses(truth)) << Describe(function, x, truth, referee.Nearest());
    }
  }
}

TEST(SquareRoot, EnclosesTheRootOfEveryMagnitude) {
  Random random(3);
  MpfrFunction referee;
  for (int round = 0; round < ASSAY_TIER_CASES; ++round) {
    const double x = std::fabs(random.Scaled(-1074, 1023));
    const Enclosure truth = SquareRoot(x);
    referee.Evaluate(Function::kSqrt, x);
    ASSERT_TRUE(referee.Encloses(truth)) << Describe(Function::kSqrt, x, truth, referee.Nearest());
    ASSERT_LE(truth.radius, 0x1p-104 * truth.hi);
  }
  EXPECT_EQ(SquareRoot(9).radius, 0);
  EXPECT_EQ(SquareRoot(0x1p-1074).hi, 0x1p-537);
}

TEST(ReciprocalRoot, EnclosesTheRootOfEveryMagnitude) {
  Random random(5);
  MpfrFunction referee;
  for (int round = 0; round < ASSAY_TIER_CASES; ++round) {
    const double x = std::fabs(random.Scaled(-1074, 1023));
    const Enclosure truth = ReciprocalRoot(x);
    referee.Evaluate(Function::kRsqrt, x);
    ASSERT_TRUE(referee.Encloses(truth)) << Describe(Function::kRsqrt, x, truth, referee.Nearest());
    ASSERT_LE(truth.radius, 0x1p-98 * truth.hi);
  }
  EXPECT_EQ(ReciprocalRoot(4).hi, 0.5);
  EXPECT_EQ(ReciprocalRoot(4).radius, 0);
  EXPECT_EQ(ReciprocalRoot(0x1p-1074).hi, 0x1p537);
}

TEST(TailCondition, BoundsTheConditionFromAbove) {
  Random random(6);
  MpfrFunction referee;
  for (int round = 0; round < ASSAY_TIER_CASES / 10; ++round) {
    const double x = float(random.Scaled(-6, 5));
    for (const Function function :
         {Function::kSigmoid, Function::kSilu, Function::kMish, Function::kSoftplus}) {
      const double exact = referee.TailCondition(function, x);
      const double bound = TailCondition(function, x);
      ASSERT_GE(bound, exact * (1 - 0x1p-40)) << x;
      // Far above 0 mish's is bounded by its limit form.
      ASSERT_LE(bound, exact * (1 + 0x1p-30) + 0x1p-130) << x;
    }
  }
  // |x| (1 - sigmoid(x)) at -2 and, for mish, -> |x| far below 0.
  EXPECT_NEAR(TailCondition(Function::kSilu, -2), 1.7615941559557649, 1e-9);
  EXPECT_NEAR(TailCondition(Function::kMish, -30), 30, 1e-9);
}

TEST(GeluCondition, BoundsTheConditionFromAbove) {
  Random random(4);
  MpfrFunction referee;
  BallEvaluator balls;
  for (int round = 0; round < ASSAY_TIER_CASES / 10; ++round) {
    const double x = float(random.Scaled(-6, 4));
    for (const Function function : {Function::kGeluErf, Function::kGeluTanh}) {
      const double exact = referee.GeluCondition(function, x);
      for (const double bound :
           {LibmGeluCondition(function, x), balls.GeluCondition(function, x)}) {
        ASSERT_GE(bound, exact * (1 - 0x1p-52)) << x;
        // Mills' bound, used far out, is within 1/x^2 of the condition.
        ASSERT_LE(bound, exact * (1 + 0x1p-9) + 0x1p-900) << x;
      }
    }
  }
  EXPECT_NEAR(LibmGeluCondition(Function::kGeluErf, -5), 26, 0.1);
  EXPECT_NEAR(LibmGeluCondition(Function::kGeluErf, -10), 101, 0.1);
}

}  // namespace
}  // namespace assay::fixtures
