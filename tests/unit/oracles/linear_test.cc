// SPDX-License-Identifier: Apache-2.0
//
// Linear operators with answers worked out by hand: truths, magnitudes and counts.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

using Reals = std::vector<double>;

Reals Truths(const Evidence& evidence) {
  Reals truths;
  for (size_t i = 0; i < evidence.hi.size(); ++i) {
    EXPECT_EQ(evidence.lo[i], 0) << i;
    EXPECT_EQ(evidence.radius[i], 0) << i;
    truths.push_back(evidence.hi[i]);
  }
  return truths;
}

// The same truths from the fast tier and from MPFR.
void ExpectTruths(Fixture& fixture, const Reals& expected) {
  EXPECT_EQ(Truths(fixture.Measure()), expected);
  EXPECT_EQ(Truths(fixture.MeasureHighest()), expected);
}

Reals Column(const Evidence& evidence, Quantity quantity) {
  return evidence.element[static_cast<size_t>(quantity)];
}

void ExpectBounds(const Evidence& evidence, Quantity quantity, const Reals& expected) {
  const Reals measured = Column(evidence, quantity);
  ASSERT_EQ(measured.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_GE(measured[i], expected[i]) << i;
    EXPECT_LE(measured[i], expected[i] * (1 + 0x1p-39)) << i;
  }
}

TEST(Gemv, ReadsItsMatrixEitherWay) {
  for (const int transposed : {0, 1}) {
    Fixture gemv(OpId::kGemv, DType::kF32, {2, 3});
    gemv.source.attributes[kGemmAlpha].real = 2;
    gemv.source.attributes[kGemmBeta].real = -1;
    gemv.source.attributes[kGemmTransA].choice = transposed;
    gemv.Reset({2, 3});
    gemv.SetReal(0, transposed != 0 ? Reals{1, 4, 2, 5, 3, 6} : Reals{1, 2, 3, 4, 5, 6});
    gemv.SetReal(1, {1, 0, -1});
    gemv.SetReal(2, {10, 20});
    ExpectTruths(gemv, {-14, -24});
    EXPECT_EQ(Column(gemv.evidence, Quantity::kNonZeros), (Reals{2, 2}));
    ExpectBounds(gemv.evidence, Quantity::kAbsSum, {18, 40});
    EXPECT_EQ(ScalarOf(gemv.evidence, Quantity::kLength), 3);
    EXPECT_EQ(ScalarOf(gemv.evidence, Quantity::kMaxAbsC), 20);
  }
}

TEST(BatchedGemm, KeepsItsBatchesApart) {
  Fixture batched(OpId::kBatchedGemm, DType::kF16, {2, 1, 2, 2});
  batched.source.attributes[kGemmBeta].real = 1;
  batched.SetReal(0, {1, 2, 3, 4});
  batched.SetReal(1, {1, 2, 3, 4, 5, 6, 7, 8});
  batched.SetReal(2, {100, 200, 300, 400});
  ExpectTruths(batched, {107, 210, 343, 450});
  EXPECT_EQ(ScalarOf(batched.evidence, Quantity::kMaxAbsSum),
            QuantityOf(batched.evidence, Quantity::kAbsSum, 3));
}

TEST(Mean, DividesTheExactSum) {
  Fixture mean(OpId::kMean, DType::kF32, {4});
  mean.SetReal(0, {1, 2, 4, -8});
  ExpectTruths(mean, {-0.25});
  ExpectBounds(mean.evidence, Quantity::kAbsSum, {3.75});
  EXPECT_EQ(ScalarOf(mean.evidence, Quantity::kLength), 4);
  EXPECT_GE(ScalarOf(mean.evidence, Quantity::kMaxAbsSum), 15);  // no order may overflow
}

TEST(Mean, EnclosesAQuotientThatNoDoubleHolds) {
  // 1/3 = 0x1.5555555555555p-2 + 2^-56 0.333...: the next part begins 0x1.5555555555555p-56.
  Fixture mean(OpId::kMean, DType::kF64, {3});
  mean.SetReal(0, {1, 0, 0});
  mean.Measure();
  EXPECT_EQ(mean.evidence.hi[0], 0x1.5555555555555p-2);
  EXPECT_NEAR(mean.evidence.lo[0], 0x1.5555555555555p-56, 0x1p-105);
  EXPECT_LE(mean.evidence.radius[0], 0x1p-104);
  EXPECT_GT(mean.evidence.radius[0], 0);
}

TEST(Asum, AddsMagnitudes) {
  Fixture asum(OpId::kAsum, DType::kF32, {4});
  asum.SetReal(0, {-1, 2, -0.0, -4});
  ExpectTruths(asum, {7});
  EXPECT_EQ(Column(asum.evidence, Quantity::kNonZeros), Reals{3});
}

TEST(Cumsum, GivesEveryPrefix) {
  Fixture cumsum(OpId::kCumsum, DType::kF32, {5});
  cumsum.SetReal(0, {1, 0x1p60, 0, -0x1p60, 0x1p-40});
  cumsum.Measure();
  const Reals hi = {1, 0x1p60, 0x1p60, 1, 1 + 0x1p-40}, lo = {0, 1, 1, 0, 0};
  for (int highest = 0; highest < 2; ++highest) {
    EXPECT_EQ(cumsum.evidence.hi, hi);
    EXPECT_EQ(cumsum.evidence.lo, lo);
    EXPECT_EQ(Column(cumsum.evidence, Quantity::kNonZeros), (Reals{1, 2, 2, 3, 4}));
    ExpectBounds(cumsum.evidence, Quantity::kAbsSum,
                 {1, 0x1p60 + 1, 0x1p60 + 1, 0x1p61 + 1, 0x1p61 + 1});
    cumsum.MeasureHighest();
    EXPECT_EQ(cumsum.evidence.radius, Reals(5, 0));
  }
}

TEST(Cumsum, FallsBackToAnExactPassWhereNothingElseDecides) {
  Fixture cumsum(OpId::kCumsum, DType::kF64, {4});
  cumsum.SetReal(0, {0x1p300, 1, -0x1p300, 0x1p-300});
  cumsum.Measure();
  EXPECT_EQ(cumsum.evidence.hi[3], 1);
  EXPECT_LE(cumsum.evidence.radius[3], 0x1p-63 * 0x1p301);
  cumsum.SetReal(0, {0x1p1000, 0x1p-1000, -0x1p1000, -0x1p-1000});
  cumsum.MeasureHighest();
  EXPECT_EQ(cumsum.evidence.hi, (Reals{0x1p1000, 0x1p1000, 0x1p-1000, 0}));
  EXPECT_EQ(cumsum.evidence.radius, Reals(4, 0));
}

TEST(Scal, MultipliesInPlace) {
  Fixture scal(OpId::kScal, DType::kF32, {3});
  scal.source.attributes[0].real = 3;
  scal.SetReal(0, {1, 0, -5});
  ExpectTruths(scal, {3, 0, -15});
  EXPECT_EQ(Column(scal.evidence, Quantity::kNonZeros), (Reals{1, 0, 1}));
  ExpectBounds(scal.evidence, Quantity::kAbsSum, {3, 0, 15});
  EXPECT_EQ(ScalarOf(scal.evidence, Quantity::kAlpha), 3);
}

TEST(Scal, KeepsBothHalvesOfAProductOfDoubles) {
  Fixture scal(OpId::kScal, DType::kF64, {1});
  scal.source.attributes[0].real = 1 + 0x1p-52;
  scal.SetReal(0, {1 + 0x1p-52});
  scal.Measure();
  EXPECT_EQ(scal.evidence.hi[0], 1 + 0x1p-51);
  EXPECT_EQ(scal.evidence.lo[0], 0x1p-104);
  EXPECT_LE(scal.evidence.radius[0], 0x1p-150);
}

TEST(Axpy, AddsAMultiple) {
  Fixture axpy(OpId::kAxpy, DType::kBf16, {3});
  axpy.source.attributes[0].real = -2;
  axpy.SetReal(0, {1, 2, 3});
  axpy.SetReal(1, {10, 4, 0.5});
  ExpectTruths(axpy, {8, 0, -5.5});
  ExpectBounds(axpy.evidence, Quantity::kAbsSum, {12, 8, 6.5});
}

// 3 x 3 image 1..9 under a 2 x 2 kernel, padding 1, stride 2, dilation 1: outputs 2 x 2.
TEST(Conv2d, CountsNoTapInPadding) {
  Fixture conv(OpId::kConv2d, DType::kF32, {1, 1, 3, 3, 1, 2, 2});
  conv.source.attributes[kConvStride].real = 2;
  conv.source.attributes[kConvPadding].real = 1;
  conv.Reset({1, 1, 3, 3, 1, 2, 2});
  conv.SetReal(0, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  conv.SetReal(1, {1, 10, 100, 1000});
  ExpectTruths(conv, {1000, 2 * 100 + 3 * 1000, 4 * 10 + 7 * 1000, 5 + 60 + 800 + 9000});
  EXPECT_EQ(Column(conv.evidence, Quantity::kNonZeros), (Reals{1, 2, 2, 4}));
}

TEST(Conv2d, AddsChannelsAndDilatesTaps) {
  // Two images, two channels of 1 x 3; two filters of 1 x 2, dilated to reach over the middle.
  Fixture conv(OpId::kConv2d, DType::kF16, {2, 2, 1, 3, 2, 1, 2});
  conv.source.attributes[kConvDilation].real = 2;
  conv.Reset({2, 2, 1, 3, 2, 1, 2});
  conv.SetReal(0, {1, 99, 2, 3, 99, 4, 5, 99, 6, 7, 99, 8});
  conv.SetReal(1, {1, 2, 3, 4, 1, 0, 0, -1});
  // filter 0: 1 x0 + 2 x2 + 3 y0 + 4 y2; filter 1: x0 - y2
  ExpectTruths(conv, {1 + 4 + 9 + 16, 1 - 4, 5 + 12 + 21 + 32, 5 - 8});
}

TEST(AvgPool, DividesByValidOrByAllPlaces) {
  for (const int all : {0, 1}) {
    Fixture pool(OpId::kAvgPool, DType::kF32, {1, 1, 3, 3});
    pool.source.attributes[kPoolPadding].real = 1;
    pool.source.attributes[kPoolCount].choice = all;
    pool.Reset({1, 1, 3, 3});
    pool.SetReal(0, {8, 2, 4, 16, 4, 8, 32, 12, 24});
    if (all == 0) {
      ExpectTruths(pool, {8, 3, 24, 12});
      ExpectBounds(pool.evidence, Quantity::kAbsSum, {8, 3, 24, 12});
    } else {
      ExpectTruths(pool, {2, 1.5, 12, 12});
    }
    EXPECT_EQ(Column(pool.evidence, Quantity::kNonZeros), (Reals{1, 2, 2, 4}));
  }
}

TEST(ScatterAdd, AddsEveryUpdateOfARow) {
  Fixture scatter(OpId::kScatterAdd, DType::kF32, {3, 2, 4});
  scatter.SetReal(0, {1, 2, 3, 4, 5, 6, 7, 8});
  scatter.SetInteger(1, {2, 0, 2, 2});
  scatter.SetReal(2, {10, 20, 30, 40, 0, 60});
  ExpectTruths(scatter, {13, 24, 30, 40, 13, 76});
  EXPECT_EQ(Column(scatter.evidence, Quantity::kNonZeros), (Reals{2, 2, 1, 1, 3, 4}));
  EXPECT_EQ(ScalarOf(scatter.evidence, Quantity::kExtent), 3);
  EXPECT_EQ(ScalarOf(scatter.evidence, Quantity::kOutsideCount), 0);
}

TEST(Collectives, GiveAllRanksTheSameSum) {
  Fixture reduce(OpId::kAllReduce, DType::kF32, {3, 2});
  reduce.SetReal(0, {1, 2, 10, 20, 100, 0});
  ExpectTruths(reduce, {111, 22, 111, 22, 111, 22});
  EXPECT_EQ(Column(reduce.evidence, Quantity::kNonZeros), (Reals{3, 2, 3, 2, 3, 2}));
  EXPECT_EQ(ScalarOf(reduce.evidence, Quantity::kRanks), 3);
  reduce.source.attributes[kCollectiveReduction].choice = 2;
  ExpectTruths(reduce, {100, 20, 100, 20, 100, 20});
  EXPECT_EQ(Column(reduce.evidence, Quantity::kAbsSum), Reals(6, 0));
  reduce.source.attributes[kCollectiveReduction].choice = 3;
  ExpectTruths(reduce, {1, 0, 1, 0, 1, 0});
}

TEST(Collectives, ScatterTheReducedPartsAndGatherTheBuffers) {
  // buffers[rank][part][1]
  Fixture scatter(OpId::kReduceScatter, DType::kF64, {2, 1});
  scatter.SetReal(0, {1, 2, 10, 20});
  ExpectTruths(scatter, {11, 22});
  scatter.source.attributes[kCollectiveReduction].choice = 1;
  ExpectTruths(scatter, {5.5, 11});
  scatter.source.attributes[kCollectiveReduction].choice = 3;
  ExpectTruths(scatter, {1, 2});
  Fixture gather(OpId::kAllGather, DType::kF64, {2, 2});
  gather.SetReal(0, {1, 2, 3, 4});
  ExpectTruths(gather, {1, 2, 3, 4, 1, 2, 3, 4});
}

TEST(Int8Gemm, IsExact) {
  Fixture gemm(OpId::kInt8Gemm, DType::kI8, {1, 2, 3});
  gemm.SetInteger(0, {-128, 127, 1});
  gemm.SetInteger(1, {-128, 1, 127, 2, 0, -3});
  ExpectTruths(gemm, {16384 + 16129, -128 + 254 - 3});
  EXPECT_EQ(Column(gemm.evidence, Quantity::kNonZeros), (Reals{2, 3}));
  EXPECT_EQ(Column(gemm.evidence, Quantity::kAbsSum), (Reals{32513, 385}));
}

TEST(Int8Gemm, GoesBeyond32Bits) {
  const int64_t k = 140000;  // 140000 * 2^14 > 2^31
  Fixture gemm(OpId::kInt8Gemm, DType::kI8, {1, 1, k});
  gemm.SetInteger(0, std::vector<int64_t>(static_cast<size_t>(k), -128));
  gemm.SetInteger(1, std::vector<int64_t>(static_cast<size_t>(k), -128));
  ExpectTruths(gemm, {140000.0 * 16384});
}

TEST(ScaledGradient, UndoesTheScaleOfWhatWasStored) {
  Fixture gradient(OpId::kScaledGradient, DType::kF32, {2, 1, 2});
  gradient.source.attributes[kGradientScale].real = 4;
  gradient.SetReal(0, {1, 0.5});
  gradient.SetReal(1, {3, 5, 7, 11});
  ExpectTruths(gradient, {3 + 3.5, 5 + 5.5, 1.5});
  const Evidence& evidence = gradient.evidence;
  EXPECT_EQ(ScalarOf(evidence, Quantity::kOverflowCount), 0);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kSubnormalCount), 0);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kScale), 4);
  ExpectBounds(evidence, Quantity::kRescaling, {10 * 0x1p-24, 16 * 0x1p-24, 2 * 0x1p-24});
  ExpectBounds(evidence, Quantity::kAbsSum, {6.5, 10.5, 1.5});
}

TEST(ScaledGradient, RoundsToTheStore) {
  // 3.1e-8 in f16: one subnormal unit, 2^-24, at scale 1; 520 * 2^-9 2^-10 after scaling by 2^15.
  Fixture gradient(OpId::kScaledGradient, DType::kF32, {1, 1, 0});
  gradient.SetReal(0, {3.1e-8});
  EXPECT_EQ(gradient.Measure().hi[0], 0x1p-24);
  EXPECT_EQ(ScalarOf(gradient.evidence, Quantity::kSubnormalCount), 1);
  gradient.source.attributes[kGradientScale].real = 0x1p15;
  gradient.Measure();
  EXPECT_EQ(gradient.evidence.hi[0],
            Round(Format::kF16, Round(Format::kF32, 3.1e-8) * 0x1p15) * 0x1p-15);
  EXPECT_NEAR(gradient.evidence.hi[0], 3.0996e-8, 1e-12);
  EXPECT_EQ(ScalarOf(gradient.evidence, Quantity::kSubnormalCount), 0);
}

TEST(ScaledGradient, EnclosesBothStoresOfAProductThatTwoRoundingsMove) {
  // (tie - 2^-23)(1 + 2^-23) lies below a tie of f16 by less than f32 can say.
  const double scale = 1 + 0x1p-23, dy = 1 + 0x1p-11 - 0x1p-23, exact = dy * scale;
  const double by_f32 = Round(Format::kF16, Round(Format::kF32, exact));
  const double direct = Round(Format::kF16, exact);
  ASSERT_NE(by_f32, direct);
  Fixture gradient(OpId::kScaledGradient, DType::kF32, {1, 1, 0});
  gradient.source.attributes[kGradientScale].real = scale;
  gradient.SetReal(0, {dy});
  const Evidence& evidence = gradient.Measure();
  EXPECT_NEAR(evidence.hi[0], by_f32 / scale, 0x1p-50);
  EXPECT_LE(std::fabs(evidence.hi[0] - direct / scale), evidence.radius[0]);
  EXPECT_LE(evidence.radius[0], 0x1.001p-10);
}

TEST(SubnormalCount, CountsInputsAndTruths) {
  Fixture sum(OpId::kSum, DType::kF32, {3});
  sum.SetReal(0, {0x1p-130, 1, 0x1p-149});
  EXPECT_EQ(ScalarOf(sum.Measure(), Quantity::kSubnormalCount), 2);
  sum.SetReal(0, {0x1p-130, 0, 0});
  EXPECT_EQ(ScalarOf(sum.Measure(), Quantity::kSubnormalCount), 2);  // the truth too
  sum.SetReal(0, {0, 1, 2});
  EXPECT_EQ(ScalarOf(sum.Measure(), Quantity::kSubnormalCount), 0);
}

}  // namespace
}  // namespace assay::fixtures
