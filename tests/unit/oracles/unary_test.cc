// SPDX-License-Identifier: Apache-2.0
//
// Special answers of scalar functions, row by row, and results at the ends of the range.
#include "oracles/unary.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

ClassSet SetOf(OpId op, double x, DType type = DType::kF32, int form = 0) {
  Fixture fixture(op, type, {1});
  if (op == OpId::kGelu) fixture.source.attributes[kGeluForm].choice = form;
  fixture.SetReal(0, {x});
  const ClassSet set = fixture.Measure().legal[0];
  EXPECT_EQ(fixture.MeasureHighest().legal[0], set);
  return set;
}

TEST(UnarySpecials, PropagateNan) {
  for (const OpId op :
       {OpId::kExp, OpId::kLog, OpId::kTanh, OpId::kSqrt, OpId::kErf, OpId::kGelu}) {
    EXPECT_EQ(SetOf(op, kNaN), kClassNan);
    EXPECT_EQ(SetOf(op, kNaN, DType::kF64), kClassNan);
  }
}

TEST(UnarySpecials, FollowTheTable) {
  EXPECT_EQ(SetOf(OpId::kExp, -kInf), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kExp, kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kExp, 0), kClassByValue);
  EXPECT_EQ(SetOf(OpId::kLog, 0.0), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kLog, -0.0), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kLog, -1), kClassNan);
  EXPECT_EQ(SetOf(OpId::kLog, -kInf), kClassNan);
  EXPECT_EQ(SetOf(OpId::kLog, kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kSqrt, -0.0), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kSqrt, 0.0), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kSqrt, -1), kClassNan);
  EXPECT_EQ(SetOf(OpId::kSqrt, kInf), kClassPosInf);
  for (const OpId op : {OpId::kTanh, OpId::kErf}) {
    EXPECT_EQ(SetOf(op, -0.0), kClassNegZero);
    EXPECT_EQ(SetOf(op, 0.0), kClassPosZero);
    EXPECT_EQ(SetOf(op, kInf), kClassByValue);
  }
  for (const int form : {0, 1}) {
    EXPECT_EQ(SetOf(OpId::kGelu, kInf, DType::kF32, form), kClassPosInf);
    EXPECT_EQ(SetOf(OpId::kGelu, -kInf, DType::kF32, form), kClassZero | kClassNan);
    EXPECT_EQ(SetOf(OpId::kGelu, -0.0, DType::kF32, form), kClassByValue);
  }
}

TEST(UnarySpecials, GiveOneAtTheInfinities) {
  for (const OpId op : {OpId::kTanh, OpId::kErf}) {
    Fixture fixture(op, DType::kF16, {2});
    fixture.SetReal(0, {kInf, -kInf});
    const Evidence& evidence = fixture.Measure();
    EXPECT_EQ(evidence.hi, (std::vector<double>{1, -1}));
    EXPECT_EQ(evidence.radius, (std::vector<double>{0, 0}));
    EXPECT_TRUE(evidence.special);
  }
}

TEST(UnaryRange, RoundsToInfinityBeyondEveryDouble) {
  EXPECT_EQ(SetOf(OpId::kExp, 800), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kExp, 1e30), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kExp, 710, DType::kF64), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kExp, 1e300, DType::kF64), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kExp, 709.78, DType::kF64), kClassByValue);
  // Between the ranges of f32 and f64 the truth decides.
  Fixture fixture(OpId::kExp, DType::kF32, {1});
  fixture.SetReal(0, {100});
  EXPECT_EQ(fixture.Measure().legal[0], kClassByValue);
  EXPECT_NEAR(fixture.evidence.hi[0] / 2.6881171418161356e43, 1, 1e-12);
}

TEST(UnaryRange, ReachesTheLargestDoubleFromBelow) {
  Fixture fixture(OpId::kExp, DType::kF64, {2});
  // The largest argument with a finite exponential, and its successor.
  fixture.SetReal(0, {0x1.62e42fefa39efp+9, 0x1.62e42fefa39f0p+9});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(evidence.legal[0], kClassByValue);
  EXPECT_LT(evidence.hi[0], kLargest);
  EXPECT_GT(evidence.hi[0], kLargest * (1 - 0x1p-40));
  EXPECT_TRUE(evidence.legal[1] & kClassPosInf);
}

TEST(UnaryRange, KeepsSubnormalTruthsWithinTheSmallestDouble) {
  Fixture fixture(OpId::kExp, DType::kF64, {3});
  fixture.SetReal(0, {-745, -746, -1e300});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(evidence.hi[0], 0x1p-1074);
  EXPECT_LE(evidence.radius[0], 0x1p-1074);
  EXPECT_EQ(evidence.hi[1] + evidence.lo[1], 0);
  EXPECT_EQ(evidence.hi[2], 0);
  EXPECT_LE(evidence.radius[2], 0x1p-1074);
}

TEST(UnaryTiers, AreNamed) {
  const auto tier_of = [](OpId op, DType type) {
    Fixture fixture(op, type, {1});
    fixture.SetReal(0, {0.75});
    return fixture.Measure().tier;
  };
  EXPECT_EQ(tier_of(OpId::kExp, DType::kF32), Tier::kLibm);
  EXPECT_EQ(tier_of(OpId::kExp, DType::kF64), Tier::kDot2);
  EXPECT_EQ(tier_of(OpId::kErf, DType::kF64), Tier::kBall);
  EXPECT_EQ(tier_of(OpId::kSqrt, DType::kF64), Tier::kDot2);
}

TEST(UnaryTiers, KeepExactAnswersExact) {
  EXPECT_EQ(LibmUnary(Function::kExp, 0).radius, 0);
  EXPECT_EQ(LibmUnary(Function::kLog, 1).hi, 0);
  EXPECT_EQ(LibmUnary(Function::kLog, 1).radius, 0);
  EXPECT_EQ(LibmUnary(Function::kGeluErf, 0).radius, 0);
  BallEvaluator balls;
  for (const Function function : {Function::kTanh, Function::kErf, Function::kGeluErf}) {
    EXPECT_EQ(balls.Evaluate(function, 0, 0).radius, 0);
  }
  EXPECT_EQ(balls.Evaluate(Function::kLog, 1, 0).hi, 0);
  EXPECT_EQ(balls.Evaluate(Function::kLog, 1, 0).radius, 0);
}

TEST(UnaryTiers, KeepExactAnswersOfElementaryFunctionsExact) {
  struct Exact {
    Function function;
    double x, y;
  };
  BallEvaluator balls;
  for (const Exact& exact : {Exact{Function::kCos, 0, 1},
                             {Function::kLgamma, 2, 0},
                             {Function::kAcosh, 1, 0},
                             {Function::kLog2, 0x1p-1074, -1074},
                             {Function::kExp2, -1074, 0x1p-1074},
                             {Function::kCbrt, -27, -3},
                             {Function::kTgamma, 11, 3628800},
                             {Function::kLog10, 1000, 3}}) {
    const Enclosure truth = balls.Evaluate(exact.function, exact.x, 0);
    EXPECT_EQ(truth.hi + truth.lo, exact.y) << static_cast<int>(exact.function);
    EXPECT_LE(truth.radius, std::fabs(exact.y) * 0x1p-100);
  }
}

TEST(UnaryRange, BoundsElementaryFunctionsAtTheEndsOfTheRange) {
  BallEvaluator balls;
  // The largest arguments with a finite hyperbolic sine and gamma, and what lies beyond.
  EXPECT_LT(balls.Evaluate(Function::kSinh, 0x1.633ce8fb9f87dp+9, 0).hi, kInf);
  EXPECT_EQ(balls.Evaluate(Function::kSinh, -1e300, 0).hi, -kInf);
  EXPECT_LT(balls.Evaluate(Function::kTgamma, 0x1.573fae561f647p+7, 0).hi, kInf);
  EXPECT_EQ(balls.Evaluate(Function::kTgamma, 1e10, 0).hi, kInf);
  EXPECT_LE(std::fabs(balls.Evaluate(Function::kTgamma, -250.5, 0).radius), 0x1p-1074);
  EXPECT_EQ(balls.Evaluate(Function::kSoftplus, 1e300, 0).hi, 1e300);
}

TEST(UnaryQuantities, MeasureMagnitudeAndCondition) {
  Fixture gelu(OpId::kGelu, DType::kF32, {2});
  gelu.SetReal(0, {-5, 3});
  const Evidence& evidence = gelu.Measure();
  EXPECT_EQ(QuantityOf(evidence, Quantity::kAbsX, 0), 5);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kCondition, 0), 25.93, 0.01);
  Fixture exp(OpId::kExp, DType::kF32, {1});
  EXPECT_TRUE(exp.Measure().element[static_cast<size_t>(Quantity::kCondition)].empty());
}

TEST(UnaryQuantities, TellTheTwoGelusApart) {
  // They differ by up to 4.73e-4, at -2.70.
  Fixture gelu(OpId::kGelu, DType::kF64, {1});
  gelu.SetReal(0, {-2.7});
  const double erf_form = gelu.Measure().hi[0];
  gelu.source.attributes[kGeluForm].choice = 1;
  EXPECT_NEAR(std::fabs(gelu.Measure().hi[0] - erf_form), 4.73e-4, 1e-6);
}

}  // namespace
}  // namespace assay::fixtures
