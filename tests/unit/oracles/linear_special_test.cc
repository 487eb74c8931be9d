// SPDX-License-Identifier: Apache-2.0
//
// Special answers of linear operators, row by row of what IEEE 754 and the reference BLAS fix.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

using Reals = std::vector<double>;
using Classes = std::vector<ClassSet>;

constexpr double kLargest32 = 0x1.fffffep127;

Classes ClassesOf(Fixture& fixture) {
  const Classes classes = fixture.Measure().legal;
  EXPECT_EQ(fixture.MeasureHighest().legal, classes);
  return classes;
}

Classes OfReduction(OpId op, const Reals& x) {
  Fixture fixture(op, DType::kF32, {static_cast<int64_t>(x.size())});
  fixture.SetReal(0, x);
  return ClassesOf(fixture);
}

TEST(GemvSpecials, AreThoseOfGemm) {
  Fixture gemv(OpId::kGemv, DType::kF32, {2, 1});
  gemv.source.attributes[kGemmBeta].real = 1;
  gemv.SetReal(0, {kNaN, 2});
  gemv.SetReal(1, {1});
  gemv.SetReal(2, {1, kInf});
  EXPECT_EQ(ClassesOf(gemv), (Classes{kClassNan, kClassPosInf}));
  gemv.source.attributes[kGemmAlpha].real = 0;  // a is not read, y is kept
  gemv.SetReal(2, {-0.0, kInf});
  EXPECT_EQ(ClassesOf(gemv), (Classes{kClassNegZero, kClassPosInf}));
  gemv.source.attributes[kGemmBeta].real = 0;
  EXPECT_EQ(ClassesOf(gemv), (Classes{kClassPosZero, kClassPosZero}));
}

TEST(BatchedGemmSpecials, StayInTheirBatch) {
  Fixture batched(OpId::kBatchedGemm, DType::kF32, {2, 1, 1, 1});
  batched.SetReal(0, {kInf, 1});
  batched.SetReal(1, {0, 1});
  EXPECT_EQ(ClassesOf(batched), (Classes{kClassNan, kClassByValue}));
  EXPECT_EQ(batched.evidence.hi[1], 1);
}

TEST(MeanSpecials, FollowTheTable) {
  EXPECT_EQ(OfReduction(OpId::kMean, {}), Classes{kClassNan});
  EXPECT_EQ(OfReduction(OpId::kMean, {1, kNaN}), Classes{kClassNan});
  EXPECT_EQ(OfReduction(OpId::kMean, {kInf, -kInf}), Classes{kClassNan});
  EXPECT_EQ(OfReduction(OpId::kMean, {kInf, 1}), Classes{kClassPosInf});
  EXPECT_EQ(OfReduction(OpId::kMean, {-0.0, -0.0}), Classes{kClassByValue});
  // A sum beyond every double has a mean that need not be.
  Fixture mean(OpId::kMean, DType::kF64, {4});
  mean.SetReal(0, Reals(4, 1e308));
  EXPECT_EQ(ClassesOf(mean), Classes{kClassPosInf | kClassFinite});
}

TEST(AsumSpecials, LeaveTheChoiceBetweenNanAndInfinity) {
  EXPECT_EQ(OfReduction(OpId::kAsum, {}), Classes{kClassPosZero});
  EXPECT_EQ(OfReduction(OpId::kAsum, {1, kNaN}), Classes{kClassNan});
  EXPECT_EQ(OfReduction(OpId::kAsum, {-kInf, kInf}), Classes{kClassPosInf});
  EXPECT_EQ(OfReduction(OpId::kAsum, {-kInf, kNaN}), Classes{kClassNan | kClassPosInf});
}

TEST(CumsumSpecials, BeginWhereTheyAreMet) {
  Fixture cumsum(OpId::kCumsum, DType::kF32, {4});
  cumsum.SetReal(0, {1, kInf, 2, -kInf});
  EXPECT_EQ(ClassesOf(cumsum), (Classes{kClassByValue, kClassPosInf, kClassPosInf, kClassNan}));
  EXPECT_TRUE(cumsum.evidence.special);
  cumsum.SetReal(0, {1, 2, kNaN, 3});
  EXPECT_EQ(ClassesOf(cumsum), (Classes{kClassByValue, kClassByValue, kClassNan, kClassNan}));
  EXPECT_EQ(cumsum.evidence.hi[1], 3);
  cumsum.SetReal(0, {kLargest32, kLargest32, -kLargest32, -kLargest32});
  EXPECT_EQ(ClassesOf(cumsum), (Classes{kClassByValue | kClassPosInf, kClassByValue | kClassPosInf,
                                        kClassByValue | kClassInf | kClassNan,
                                        kClassByValue | kClassInf | kClassNan}));
}

TEST(ScalSpecials, MultiplyEvenByZero) {
  Fixture scal(OpId::kScal, DType::kF32, {4});
  scal.source.attributes[0].real = 0;
  scal.SetReal(0, {kNaN, kInf, -kInf, 5});
  EXPECT_EQ(ClassesOf(scal), (Classes{kClassNan, kClassNan, kClassNan, kClassByValue}));
  EXPECT_EQ(scal.evidence.hi[3], 0);
  scal.source.attributes[0].real = -2;
  EXPECT_EQ(ClassesOf(scal), (Classes{kClassNan, kClassNegInf, kClassPosInf, kClassByValue}));
  scal.source.attributes[0].real = kInf;
  scal.SetReal(0, {0, 1, -1, kNaN});
  EXPECT_EQ(ClassesOf(scal), (Classes{kClassNan, kClassPosInf, kClassNegInf, kClassNan}));
}

TEST(AxpySpecials, LeaveYForAZeroAlpha) {
  Fixture axpy(OpId::kAxpy, DType::kF32, {4});
  axpy.source.attributes[0].real = 0;
  axpy.SetReal(0, {kNaN, kInf, 1, 1});
  axpy.SetReal(1, {-0.0, 2, kNaN, -kInf});
  EXPECT_EQ(ClassesOf(axpy), (Classes{kClassNegZero, kClassByValue, kClassNan, kClassNegInf}));
  EXPECT_EQ(axpy.evidence.hi[1], 2);
  axpy.source.attributes[0].real = -1;
  axpy.SetReal(1, {1, kInf, kNaN, -kInf});
  EXPECT_EQ(ClassesOf(axpy), (Classes{kClassNan, kClassNan, kClassNan, kClassNegInf}));
}

TEST(ConvSpecials, FollowTheProductsOfTheWindow) {
  Fixture conv(OpId::kConv2d, DType::kF32, {1, 1, 1, 3, 1, 1, 1});
  conv.SetReal(0, {0, 1, -1});
  conv.SetReal(1, {kInf});
  EXPECT_EQ(ClassesOf(conv), (Classes{kClassNan, kClassPosInf, kClassNegInf}));
}

TEST(ConvSpecials, AllowZerosOfPaddingToBeMultiplied) {
  // A row of three under 1 x 3, padding 1: the ends hang over.
  Fixture conv(OpId::kConv2d, DType::kF32, {1, 1, 1, 3, 1, 1, 3});
  conv.source.attributes[kConvPadding].real = 1;
  conv.Reset({1, 1, 1, 3, 1, 1, 3});  // the rows above and below lie in padding alone
  conv.SetReal(0, {1, 1, 1});
  conv.SetReal(1, {kNaN, 1, 1});
  const Classes classes = ClassesOf(conv);
  ASSERT_EQ(classes.size(), 9u);
  EXPECT_EQ(classes[1], kClassByValue | kClassNan);  // in padding: the value is 0
  EXPECT_EQ(classes[3], kClassByValue | kClassNan);  // the NaN meets padding
  EXPECT_EQ(conv.evidence.hi[3], 2);
  EXPECT_EQ(conv.evidence.radius[3], 0);
  EXPECT_EQ(classes[4], kClassNan);
  EXPECT_EQ(classes[5], kClassNan);
}

TEST(PoolSpecials, AreThoseOfAMean) {
  Fixture pool(OpId::kAvgPool, DType::kF32, {1, 1, 2, 4});
  pool.SetReal(0, {kInf, 1, 1, 2, -kInf, 1, 3, 4});
  EXPECT_EQ(ClassesOf(pool), (Classes{kClassNan, kClassByValue}));
  EXPECT_EQ(pool.evidence.hi[1], 2.5);
  pool.SetReal(0, {kInf, 1, kNaN, 2, kInf, 1, 3, 4});
  EXPECT_EQ(ClassesOf(pool), (Classes{kClassPosInf, kClassNan}));
}

TEST(ScatterSpecials, ComeFromTheContributionsOfAnElement) {
  Fixture scatter(OpId::kScatterAdd, DType::kF32, {3, 1, 3});
  scatter.SetReal(0, {kInf, kNaN, -kInf});
  scatter.SetInteger(1, {0, 1, 0});
  scatter.SetReal(2, {1, 1, kInf});
  EXPECT_EQ(ClassesOf(scatter), (Classes{kClassNan, kClassNan, kClassPosInf}));
}

TEST(ScatterSpecials, LeaveRowsOpenThatSomePolicyAddsTo) {
  Fixture scatter(OpId::kScatterAdd, DType::kF32, {5, 1, 2});
  scatter.SetReal(0, {7, 1});
  scatter.SetInteger(1, {-2, 1});  // clamp: row 0; wrap and modulo: row 3
  scatter.SetReal(2, {1, 2, 3, 4, 5});
  const Classes classes = ClassesOf(scatter);
  EXPECT_EQ(classes[1], kClassByValue);
  EXPECT_EQ(scatter.evidence.hi[1], 3);
  EXPECT_EQ(classes[2], kClassByValue);
  EXPECT_EQ(classes[4], kClassByValue);
  EXPECT_FALSE(classes[0] & kClassByValue);
  EXPECT_FALSE(classes[3] & kClassByValue);
  EXPECT_EQ(ScalarOf(scatter.evidence, Quantity::kOutsideCount), 1);
}

uint32_t PoliciesOf(Fixture& scatter, const Reals& out, RunStatus status = RunStatus::kOk) {
  Observation observation;
  observation.status = status;
  observation.real = out;
  return Emulator(scatter.values).MatchingPolicies(observation);
}

uint32_t BitOf(IndexPolicy policy) { return uint32_t{1} << static_cast<int>(policy); }

TEST(ScatterPolicies, AreToldApartByWhereTheUpdateWent) {
  Fixture scatter(OpId::kScatterAdd, DType::kF32, {5, 1, 2});
  scatter.SetReal(0, {7, 1});
  scatter.SetInteger(1, {-7, 1});
  scatter.SetReal(2, {1, 2, 3, 4, 5});
  EXPECT_EQ(PoliciesOf(scatter, {1, 3, 3, 4, 5}), BitOf(IndexPolicy::kDrop));
  EXPECT_EQ(PoliciesOf(scatter, {8, 3, 3, 4, 5}), BitOf(IndexPolicy::kClamp));
  EXPECT_EQ(PoliciesOf(scatter, {1, 3, 3, 11, 5}), BitOf(IndexPolicy::kModulo));
  EXPECT_EQ(PoliciesOf(scatter, {1, 3, 3, 4, 12}), 0u);
  EXPECT_EQ(PoliciesOf(scatter, {kNaN, 3, 3, 4, 5}), 0u);
  EXPECT_EQ(PoliciesOf(scatter, {}, RunStatus::kRaised),
            BitOf(IndexPolicy::kRaise) | BitOf(IndexPolicy::kWrapNegative));
  scatter.SetInteger(1, {-2, 1});
  EXPECT_EQ(PoliciesOf(scatter, {1, 3, 3, 11, 5}),
            BitOf(IndexPolicy::kModulo) | BitOf(IndexPolicy::kWrapNegative));
  scatter.SetInteger(1, {2, 1});
  EXPECT_NE(PoliciesOf(scatter, {1, 3, 10, 4, 5}) >> 31, 0u);
  EXPECT_EQ(PoliciesOf(scatter, {1, 3, 3, 4, 5}), 0u);
}

TEST(CollectiveSpecials, SpreadANanOfOneRankToAll) {
  Fixture reduce(OpId::kAllReduce, DType::kF32, {2, 3});
  reduce.SetReal(0, {kNaN, kInf, 1, 1, -kInf, 1});
  EXPECT_EQ(ClassesOf(reduce),
            (Classes{kClassNan, kClassNan, kClassByValue, kClassNan, kClassNan, kClassByValue}));
}

TEST(CollectiveSpecials, MayIgnoreANanInAMaximum) {
  Fixture reduce(OpId::kAllReduce, DType::kF32, {2, 4});
  reduce.source.attributes[kCollectiveReduction].choice = 2;
  reduce.SetReal(0, {kNaN, kNaN, -kInf, kNaN, 1, -kInf, -kInf, kNaN});
  const Classes classes = ClassesOf(reduce);
  EXPECT_EQ(classes[0], kClassByValue | kClassNan);
  EXPECT_EQ(reduce.evidence.hi[4], 1);
  EXPECT_EQ(classes[1], kClassNegInf | kClassNan);
  EXPECT_EQ(classes[2], kClassNegInf);  // not the smallest finite number
  EXPECT_EQ(classes[3], kClassNan);
}

TEST(CollectiveSpecials, KeepTheSignOfACopiedZero) {
  Fixture gather(OpId::kAllGather, DType::kF32, {1, 4});
  gather.SetReal(0, {-0.0, 0.0, kNaN, -kInf});
  EXPECT_EQ(ClassesOf(gather), (Classes{kClassNegZero, kClassPosZero, kClassNan, kClassNegInf}));
}

TEST(ScaledGradientSpecials, NeverHideAnOverflow) {
  Fixture gradient(OpId::kScaledGradient, DType::kF32, {2, 2, 1});
  gradient.source.attributes[kGradientScale].real = 0x1p15;
  gradient.SetReal(0, {2, 1, 1, 1});  // 2 * 2^15 = 65536 overflows f16
  gradient.SetReal(1, {0, 1});
  const Classes classes = ClassesOf(gradient);
  EXPECT_EQ(classes,
            (Classes{kClassNan | kClassInf, kClassNan | kClassInf, kClassByValue, kClassByValue}));
  EXPECT_EQ(ScalarOf(gradient.evidence, Quantity::kOverflowCount), 1);
  EXPECT_EQ(gradient.evidence.hi[3], 2);
}

TEST(ScaledGradientSpecials, FollowTheDataWhereNothingOverflows) {
  Fixture gradient(OpId::kScaledGradient, DType::kF32, {1, 2, 1});
  gradient.source.attributes[kGradientScale].real = -2;
  gradient.SetReal(0, {kInf, kNaN});
  gradient.SetReal(1, {3});
  EXPECT_EQ(ClassesOf(gradient), (Classes{kClassPosInf, kClassPosInf, kClassNan, kClassNan}));
  EXPECT_EQ(ScalarOf(gradient.evidence, Quantity::kOverflowCount), 0);
  gradient.source.attributes[kGradientScale].real = 0;
  gradient.SetReal(0, {1, 1});
  EXPECT_EQ(ClassesOf(gradient), Classes(4, kClassNan));  // 0 / 0
}

Classes OfFused(int activation, double x, double bias, double residual) {
  Fixture fused(OpId::kFusedLinear, DType::kF32, {1, 1, 1});
  fused.source.attributes[kLinearActivation].choice = activation;
  fused.SetReal(0, {x});
  fused.SetReal(1, {1});
  fused.SetReal(2, {bias});
  fused.SetReal(3, {residual});
  return ClassesOf(fused);
}

TEST(FusedLinearSpecials, PassThroughTheActivation) {
  enum { kNone, kRelu, kGeluErf, kGeluTanh, kSilu, kSigmoid, kTanh };
  for (int activation = kNone; activation <= kTanh; ++activation) {
    EXPECT_EQ(OfFused(activation, kNaN, 0, 0), Classes{kClassNan}) << activation;
    EXPECT_EQ(OfFused(activation, kInf, -kInf, 0), Classes{kClassNan}) << activation;
    EXPECT_EQ(OfFused(activation, 1, 0, kNaN), Classes{kClassNan}) << activation;
    EXPECT_EQ(OfFused(activation, 1, 0, -kInf), Classes{kClassNegInf}) << activation;
    const bool bounded = activation == kSigmoid || activation == kTanh;
    EXPECT_EQ(OfFused(activation, kInf, 0, 1), Classes{bounded ? kClassByValue : kClassPosInf})
        << activation;
    EXPECT_EQ(OfFused(activation, kInf, 0, -kInf), Classes{bounded ? kClassNegInf : kClassNan})
        << activation;
  }
  EXPECT_EQ(OfFused(kNone, -kInf, 0, 1), Classes{kClassNegInf});
  EXPECT_EQ(OfFused(kRelu, -kInf, 0, 1), Classes{kClassByValue});
  EXPECT_EQ(OfFused(kTanh, -kInf, 0, 1), Classes{kClassByValue});
  for (const int activation : {kGeluErf, kGeluTanh, kSilu}) {
    EXPECT_EQ(OfFused(activation, -kInf, 0, 1), Classes{kClassByValue | kClassNan});
  }
}

}  // namespace
}  // namespace assay::fixtures
