// SPDX-License-Identifier: Apache-2.0
//
// Special answers of operators of one and two elements, row by row: IEEE 754-2019 and C, Annex F.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

ClassSet SetOf(OpId op, double x) {
  ClassSet set = 0;
  for (const DType type : {DType::kF32, DType::kF64}) {
    Fixture fixture(op, type, {1});
    fixture.SetReal(0, {x});
    set = fixture.Measure().legal[0];
    EXPECT_EQ(fixture.MeasureHighest().legal[0], set);
  }
  return set;
}

ClassSet SetOf(OpId op, double x, double y, int style = 0) {
  ClassSet set = 0;
  for (const DType type : {DType::kF32, DType::kF64}) {
    Fixture fixture(op, type, {1});
    if (op == OpId::kRemainder) fixture.source.attributes[kRemainderStyle].choice = style;
    fixture.SetReal(0, {x});
    fixture.SetReal(1, {y});
    set = fixture.Measure().legal[0];
    EXPECT_EQ(fixture.MeasureHighest().legal[0], set);
  }
  return set;
}

double TruthOf(OpId op, double x, double y, int style = 0) {
  Fixture fixture(op, DType::kF64, {1});
  if (op == OpId::kRemainder) fixture.source.attributes[kRemainderStyle].choice = style;
  fixture.SetReal(0, {x});
  fixture.SetReal(1, {y});
  EXPECT_EQ(fixture.Measure().legal[0], kClassByValue);
  EXPECT_EQ(fixture.evidence.radius[0], 0);
  return fixture.evidence.hi[0];
}

TEST(PointSpecials, PropagateNan) {
  for (const OpId op : {OpId::kExpm1, OpId::kLog1p, OpId::kRsqrt, OpId::kSigmoid, OpId::kSilu,
                        OpId::kMish, OpId::kRelu, OpId::kClamp}) {
    EXPECT_EQ(SetOf(op, kNaN), kClassNan) << DefOf(op).name;
  }
  for (const OpId op :
       {OpId::kAdd, OpId::kMul, OpId::kDiv, OpId::kMinimum, OpId::kMaximum, OpId::kRemainder}) {
    EXPECT_EQ(SetOf(op, kNaN, 1), kClassNan) << DefOf(op).name;
    EXPECT_EQ(SetOf(op, 1, kNaN), kClassNan) << DefOf(op).name;
    EXPECT_EQ(SetOf(op, kInf, kNaN), kClassNan) << DefOf(op).name;
  }
}

TEST(PointSpecials, OfOneElementFollowTheTable) {
  EXPECT_EQ(SetOf(OpId::kExpm1, kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kExpm1, -kInf), kClassByValue);  // -1
  EXPECT_EQ(SetOf(OpId::kExpm1, -0.0), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kLog1p, -1), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kLog1p, -1.5), kClassNan);
  EXPECT_EQ(SetOf(OpId::kLog1p, kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kLog1p, -0.0), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kRsqrt, 0.0), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kRsqrt, -0.0), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kRsqrt, -1), kClassNan);
  EXPECT_EQ(SetOf(OpId::kRsqrt, -kInf), kClassNan);
  EXPECT_EQ(SetOf(OpId::kRsqrt, kInf), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kSigmoid, -kInf), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kSigmoid, kInf), kClassByValue);  // 1
  for (const OpId op : {OpId::kSilu, OpId::kMish}) {
    EXPECT_EQ(SetOf(op, kInf), kClassPosInf);
    EXPECT_EQ(SetOf(op, -kInf), kClassZero | kClassNan);
    EXPECT_EQ(SetOf(op, -0.0), kClassByValue);
  }
  EXPECT_EQ(SetOf(OpId::kRelu, kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kRelu, -kInf), kClassByValue);  // a zero of either sign
  EXPECT_EQ(SetOf(OpId::kRelu, -0.0), kClassByValue);
}

TEST(PointSpecials, OfElementaryFunctionsFollowAnnexF) {
  for (const OpId op : {OpId::kSin, OpId::kCos, OpId::kTan}) {
    EXPECT_EQ(SetOf(op, kInf), kClassNan) << DefOf(op).name;
  }
  for (const OpId op : {OpId::kSin, OpId::kTan, OpId::kAsin, OpId::kAtan, OpId::kSinh, OpId::kAsinh,
                        OpId::kAtanh, OpId::kCbrt}) {
    EXPECT_EQ(SetOf(op, -0.0), kClassNegZero) << DefOf(op).name;
    EXPECT_EQ(SetOf(op, 0.0), kClassPosZero) << DefOf(op).name;
  }
  for (const OpId op : {OpId::kAsin, OpId::kAcos, OpId::kAtanh}) {
    EXPECT_EQ(SetOf(op, 1.5), kClassNan) << DefOf(op).name;
    EXPECT_EQ(SetOf(op, -kInf), kClassNan) << DefOf(op).name;
  }
  EXPECT_EQ(SetOf(OpId::kAcos, 1), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kAcosh, 1), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kAcosh, 0.5), kClassNan);
  EXPECT_EQ(SetOf(OpId::kAtanh, 1), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kAtanh, -1), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kCosh, -kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kSinh, -kInf), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kExp2, -kInf), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kLog2, -0.0), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kErfc, kInf), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kTgamma, -0.0), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kTgamma, -3), kClassNan);
  EXPECT_EQ(SetOf(OpId::kTgamma, -kInf), kClassNan);
  EXPECT_EQ(SetOf(OpId::kTgamma, -3.5), kClassByValue);
  EXPECT_EQ(SetOf(OpId::kLgamma, -3), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kLgamma, -kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kSoftplus, -kInf), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kAbs, -0.0), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kAbs, -kInf), kClassPosInf);
}

TEST(PointSpecials, LeaveALimitOpenWhereTheFormulaHasNone) {
  Fixture fixture(OpId::kSoftsign, DType::kF32, {2});
  fixture.SetReal(0, {kInf, -kInf});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(evidence.hi, (std::vector<double>{1, -1}));
  EXPECT_EQ(evidence.legal[0], kClassByValue | kClassNan);
}

TEST(PointSpecials, HaveTheirLimitsAtTheInfinities) {
  for (const DType type : {DType::kF16, DType::kF64}) {
    Fixture expm1(OpId::kExpm1, type, {1});
    expm1.SetReal(0, {-kInf});
    EXPECT_EQ(expm1.Measure().hi[0], -1);
    Fixture sigmoid(OpId::kSigmoid, type, {1});
    sigmoid.SetReal(0, {kInf});
    EXPECT_EQ(sigmoid.Measure().hi[0], 1);
    Fixture relu(OpId::kRelu, type, {1});
    relu.SetReal(0, {-kInf});
    EXPECT_EQ(relu.Measure().hi[0], 0);
  }
}

TEST(PointSpecials, ClampToTheBounds) {
  Fixture fixture(OpId::kClamp, DType::kF32, {5});
  fixture.source.attributes[kClampLow].real = -2;
  fixture.source.attributes[kClampHigh].real = 3;
  fixture.SetReal(0, {-kInf, -1, 0.5, 7, kInf});
  EXPECT_EQ(fixture.Measure().hi, (std::vector<double>{-2, -1, 0.5, 3, 3}));
  fixture.source.attributes[kClampHigh].real = kInf;
  EXPECT_EQ(fixture.Measure().legal[4], kClassPosInf);
  EXPECT_EQ(fixture.evidence.hi[3], 7);
  // A NaN bound gives NaN or is no bound.
  fixture.source.attributes[kClampLow].real = kNaN;
  fixture.source.attributes[kClampHigh].real = 3;
  EXPECT_EQ(fixture.Measure().legal[1], kClassByValue | kClassNan);
  EXPECT_EQ(fixture.evidence.hi[1], -1);
  EXPECT_EQ(fixture.evidence.legal[0], kClassNegInf | kClassNan);
}

TEST(PointSpecials, OfArithmeticFollowIeee754) {
  EXPECT_EQ(SetOf(OpId::kAdd, kInf, -kInf), kClassNan);
  EXPECT_EQ(SetOf(OpId::kAdd, kInf, 1), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kAdd, 1, -kInf), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kAdd, 1, -1), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kAdd, 0.0, -0.0), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kAdd, -0.0, -0.0), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kMul, 0, kInf), kClassNan);
  EXPECT_EQ(SetOf(OpId::kMul, -2, kInf), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kMul, -0.0, 3), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kMul, -0.0, -3), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kDiv, 0, 0), kClassNan);
  EXPECT_EQ(SetOf(OpId::kDiv, kInf, -kInf), kClassNan);
  EXPECT_EQ(SetOf(OpId::kDiv, 1, 0.0), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kDiv, 1, -0.0), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kDiv, -kInf, 0.0), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kDiv, -1, kInf), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kDiv, 0.0, -1), kClassNegZero);
}

TEST(PointSpecials, ChooseOfTwoWhateverTheirOrder) {
  for (const auto& [x, y] : {std::pair(0.0, -0.0), std::pair(-0.0, 0.0)}) {
    EXPECT_EQ(SetOf(OpId::kMaximum, x, y), kClassZero);
    EXPECT_EQ(SetOf(OpId::kMinimum, x, y), kClassZero);
  }
  EXPECT_EQ(SetOf(OpId::kMaximum, -0.0, -1), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kMinimum, 0.0, 1), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kMaximum, -kInf, -kInf), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kMinimum, kInf, -kInf), kClassNegInf);
  EXPECT_EQ(TruthOf(OpId::kMaximum, -kInf, 2), 2);
  EXPECT_EQ(TruthOf(OpId::kMinimum, 3, -2), -2);
}

TEST(PointSpecials, OfPowersFollowAnnexF) {
  const OpId pow = OpId::kPow;
  EXPECT_EQ(TruthOf(pow, kNaN, 0.0), 1);
  EXPECT_EQ(TruthOf(pow, kInf, -0.0), 1);
  EXPECT_EQ(TruthOf(pow, 1, kNaN), 1);
  EXPECT_EQ(TruthOf(pow, 1, -kInf), 1);
  EXPECT_EQ(TruthOf(pow, -1, kInf), 1);
  EXPECT_EQ(TruthOf(pow, -1, -kInf), 1);
  EXPECT_EQ(TruthOf(pow, -1, 3), -1);
  EXPECT_EQ(SetOf(pow, 2, kNaN), kClassNan);
  EXPECT_EQ(SetOf(pow, kNaN, 2), kClassNan);
  EXPECT_EQ(SetOf(pow, -2, 0.5), kClassNan);
  EXPECT_EQ(SetOf(pow, 0.0, -3), kClassPosInf);
  EXPECT_EQ(SetOf(pow, -0.0, -3), kClassNegInf);
  EXPECT_EQ(SetOf(pow, -0.0, -2), kClassPosInf);
  EXPECT_EQ(SetOf(pow, -0.0, -0.5), kClassPosInf);
  EXPECT_EQ(SetOf(pow, 0.0, -kInf), kClassPosInf);
  EXPECT_EQ(SetOf(pow, -0.0, 3), kClassNegZero);
  EXPECT_EQ(SetOf(pow, -0.0, 2), kClassPosZero);
  EXPECT_EQ(SetOf(pow, -0.0, 0.5), kClassPosZero);
  EXPECT_EQ(SetOf(pow, 0.5, -kInf), kClassPosInf);
  EXPECT_EQ(SetOf(pow, -0.5, kInf), kClassPosZero);
  EXPECT_EQ(SetOf(pow, 2, kInf), kClassPosInf);
  EXPECT_EQ(SetOf(pow, -2, -kInf), kClassPosZero);
  EXPECT_EQ(SetOf(pow, -kInf, 0.5), kClassPosInf);
  EXPECT_EQ(SetOf(pow, -kInf, -3), kClassNegZero);
  EXPECT_EQ(SetOf(pow, -kInf, -2), kClassPosZero);
  EXPECT_EQ(SetOf(pow, -kInf, 3), kClassNegInf);
  EXPECT_EQ(SetOf(pow, kInf, -0.5), kClassPosZero);
  EXPECT_EQ(SetOf(pow, kInf, 2), kClassPosInf);
  EXPECT_EQ(SetOf(pow, -3, 2), kClassByValue);
}

TEST(PointSpecials, OfRemaindersFollowTheirStyle) {
  const OpId op = OpId::kRemainder;
  for (const int style : {0, 1, 2}) {
    EXPECT_EQ(SetOf(op, kInf, 2, style), kClassNan);
    EXPECT_EQ(SetOf(op, 1, 0.0, style), kClassNan);
    EXPECT_EQ(TruthOf(op, 1, kInf, style), 1);
  }
  for (const int style : {0, 1}) {
    EXPECT_EQ(TruthOf(op, -1, kInf, style), -1);
    EXPECT_EQ(SetOf(op, -4, 2, style), kClassNegZero);
    EXPECT_EQ(SetOf(op, 4, -2, style), kClassPosZero);
    EXPECT_EQ(SetOf(op, -0.0, kInf, style), kClassNegZero);
  }
  EXPECT_EQ(SetOf(op, -1, kInf, 2), kClassPosInf);
  EXPECT_EQ(SetOf(op, 1, -kInf, 2), kClassNegInf);
  EXPECT_EQ(SetOf(op, -4, 2, 2), kClassZero);
  EXPECT_EQ(SetOf(op, -0.0, kInf, 2), kClassZero);
  EXPECT_EQ(TruthOf(op, 5, 3, 0), 2);
  EXPECT_EQ(TruthOf(op, 5, 3, 1), -1);
  EXPECT_EQ(TruthOf(op, -5, 3, 2), 1);
  EXPECT_EQ(TruthOf(op, 5, -3, 2), -1);
}

TEST(PointSpecials, OfHypotenusesPreferInfinityToNan) {
  EXPECT_EQ(SetOf(OpId::kHypot, kInf, kNaN), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kHypot, kNaN, -kInf), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kHypot, kNaN, 1), kClassNan);
  EXPECT_EQ(SetOf(OpId::kHypot, -0.0, -0.0), kClassPosZero);
  EXPECT_EQ(TruthOf(OpId::kHypot, -3, 0), 3);
  EXPECT_EQ(TruthOf(OpId::kHypot, -3, 4), 5);
}

TEST(PointRange, LeavesInfinityWhereTheTruthIsBeyondEveryDouble) {
  const double largest = std::numeric_limits<double>::max();
  Fixture add(OpId::kAdd, DType::kF64, {3});
  add.SetReal(0, {largest, largest, largest});
  add.SetReal(1, {largest, 0x1p970, 0x1p969});
  EXPECT_EQ(add.Measure().legal[0], kClassPosInf);
  EXPECT_EQ(add.evidence.legal[1], kClassPosInf);  // the tie goes to Inf
  EXPECT_EQ(add.evidence.legal[2], kClassByValue | kClassPosInf);
  Fixture mul(OpId::kMul, DType::kF64, {2});
  mul.SetReal(0, {-1e200, 0x1p-1000});
  mul.SetReal(1, {1e200, 0x1p-70});
  EXPECT_EQ(mul.Measure().legal[0], kClassNegInf);
  EXPECT_EQ(mul.evidence.hi[1], 0x1p-1070);
  EXPECT_EQ(mul.evidence.radius[1], 0);
}

}  // namespace
}  // namespace assay::fixtures
