// SPDX-License-Identifier: Apache-2.0
//
// The reference's sums, norms, windows, indexed copies and collectives against small answers that
// are exact by hand, and against the answers that standards and reference libraries fix.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/backends/reference/reference.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

using Numbers = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Runs the call over operands in order, the last of them the destination.
Numbers Answer(PlacedCall& call, const std::vector<Numbers>& operands) {
  for (size_t i = 0; i < operands.size(); ++i) call.Place(static_cast<int>(i), operands[i]);
  EXPECT_EQ(call.Run(OpenReference()), ASSAY_OK);
  return call.Output();
}

Numbers Answer(OpId op, DType type, const NamedDims& dims, const std::vector<Numbers>& operands) {
  PlacedCall call(op, type, dims);
  return Answer(call, operands);
}

double Reduced(OpId op, const Numbers& x, DType type = DType::kF32) {
  return Answer(op, type, {static_cast<int64_t>(x.size())}, {x, {9}})[0];
}

TEST(ReferenceLinear, MultipliesAMatrixByAVectorAlsoTransposed) {
  PlacedCall plain(OpId::kGemv, DType::kF32, {2, 3});
  plain.Attribute(kGemmAlpha, 2).Attribute(kGemmBeta, 3);
  EXPECT_EQ(Answer(plain, {{1, 2, 3, 4, 5, 6}, {1, 0, -1}, {1, 10}}), (Numbers{-1, 26}));
  PlacedCall transposed(OpId::kGemv, DType::kF32, {2, 3});
  transposed.Choice(kGemmTransA, 1).Layout(0, {3, 2}, {2, 1});
  EXPECT_EQ(Answer(transposed, {{1, 2, 3, 4, 5, 6}, {1, 0, -1}, {9, 9}}), (Numbers{-4, -4}));
}

TEST(ReferenceLinear, DoesNotReadMatrixOrVectorWhenAlphaIsZero) {
  PlacedCall call(OpId::kGemv, DType::kF64, {1, 1});
  call.Attribute(kGemmAlpha, 0).Attribute(kGemmBeta, 2);
  EXPECT_EQ(Answer(call, {{kNan}, {kNan}, {4}}), Numbers{8});
}

TEST(ReferenceLinear, MultipliesEachMatrixOfABatchByItsOwn) {
  EXPECT_EQ(
      Answer(OpId::kBatchedGemm, DType::kF32, {2, 1, 1, 2}, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 9}}),
      (Numbers{17, 53}));
}

TEST(ReferenceLinear, WrapsIntegerSumsAt32Bits) {
  EXPECT_EQ(Answer(OpId::kInt8Gemm, DType::kI8, {1, 1, 2}, {{-128, 127}, {-128, 1}, {9}}),
            Numbers{16384 + 127});
  EXPECT_EQ(Answer(OpId::kInt8Gemm, DType::kU8, {1, 1, 2}, {{255, 1}, {-128, 1}, {9}}),
            Numbers{-32639});
}

TEST(ReferenceLinear, ScalesByMultiplyingAndLeavesYAloneForAlphaZero) {
  PlacedCall scal(OpId::kScal, DType::kF32, {2});
  scal.Attribute(0, 0);
  const Numbers scaled = Answer(scal, {{kNan, 5}});
  EXPECT_TRUE(std::isnan(scaled[0]));
  EXPECT_EQ(scaled[1], 0);
  PlacedCall none(OpId::kAxpy, DType::kF32, {1});
  none.Attribute(0, 0);
  EXPECT_EQ(Answer(none, {{kInf}, {7}}), Numbers{7});
  PlacedCall axpy(OpId::kAxpy, DType::kF32, {2});
  axpy.Attribute(0, 3);
  EXPECT_EQ(Answer(axpy, {{1, -2}, {10, 10}}), (Numbers{13, 4}));
}

TEST(ReferenceLinear, ActivatesBetweenBiasAndResidual) {
  PlacedCall call(OpId::kFusedLinear, DType::kF32, {1, 2, 2});
  call.Choice(kLinearActivation, 1);  // relu
  EXPECT_EQ(Answer(call, {{1, 2}, {3, 4, 5, 6}, {-20, 1}, {0.5, 0.25}, {9, 9}}),
            (Numbers{0.5, 17.25}));
}

// 2^-25 is stored as 0 in f16 (the tie goes to even), 2^-25 * 1024 exactly.
TEST(ReferenceLinear, UnscalesTheGradientsThatItStoredScaled) {
  for (const double scale : {1.0, 1024.0}) {
    PlacedCall call(OpId::kScaledGradient, DType::kF32, {2, 1, 1});
    call.Attribute(kGradientScale, scale).Choice(kGradientStore, 0);
    const double small = scale == 1 ? 0 : 0x1p-25;
    EXPECT_EQ(Answer(call, {{0x1p-25, 0x1p-20}, {4, 2}, {9, 9}}),
              (Numbers{4 * small + 0x1p-19, small + 0x1p-20}));
  }
}

TEST(ReferenceReduction, GivesTheAnswersOfSmallIntegers) {
  const Numbers x = {3, -4, 1, 8};
  EXPECT_EQ(Reduced(OpId::kMean, x), 2);
  EXPECT_EQ(Reduced(OpId::kAsum, x), 16);
  EXPECT_EQ(Reduced(OpId::kProd, x), -96);
  EXPECT_EQ(Reduced(OpId::kMax, x), 8);
  EXPECT_EQ(Reduced(OpId::kMin, x), -4);
  EXPECT_EQ(Reduced(OpId::kVariance, x), (1 + 36 + 1 + 36) / 4.0);
  EXPECT_EQ(Reduced(OpId::kNrm2, {3, -4}), 5);
  EXPECT_EQ(Reduced(OpId::kArgmax, x), 3);
  EXPECT_EQ(Answer(OpId::kCumsum, DType::kF32, {4}, {x, Numbers(4, 9)}), (Numbers{3, -1, 0, 8}));
  PlacedCall sample(OpId::kVariance, DType::kF64, {3});
  sample.Attribute(kVarianceCorrection, 1);
  EXPECT_EQ(Answer(sample, {{1, 2, 3}, {9}}), Numbers{1});
}

TEST(ReferenceReduction, GivesTheNeutralElementOfNothing) {
  EXPECT_TRUE(std::isnan(Reduced(OpId::kMean, {})));
  EXPECT_TRUE(std::isnan(Reduced(OpId::kVariance, {})));
  EXPECT_EQ(Reduced(OpId::kProd, {}), 1);
  EXPECT_EQ(Reduced(OpId::kNrm2, {}), 0);
  EXPECT_EQ(Reduced(OpId::kMax, {}), -kInf);
  EXPECT_EQ(Reduced(OpId::kMin, {}), kInf);
  PlacedCall argmax(OpId::kArgmax, DType::kF32, {0});
  argmax.Place(0, {}).Place(1, {9});
  EXPECT_EQ(argmax.Run(OpenReference()), ASSAY_RAISED);
}

// Squares of these over- or underflow f32 and f64; the norms are powers of two times 5.
TEST(ReferenceReduction, TakesNormsOfTheWholeRange) {
  for (const double scale : {0x1p-149, 0x1p-100, 0x1p100, 0x1p125}) {
    EXPECT_EQ(Reduced(OpId::kNrm2, {3 * scale, 4 * scale}), 5 * scale) << scale;
  }
  for (const double scale : {0x1p-1074, 0x1p-600, 0x1p600, 0x1p1021}) {
    EXPECT_EQ(Reduced(OpId::kNrm2, {3 * scale, 4 * scale}, DType::kF64), 5 * scale) << scale;
  }
}

TEST(ReferenceReduction, PropagatesNanAndInfinity) {
  for (const OpId op : {OpId::kMax, OpId::kMin, OpId::kProd, OpId::kNrm2, OpId::kAsum,
                        OpId::kVariance, OpId::kMean}) {
    for (const Numbers& x : {Numbers{kNan, 1, 2}, Numbers{1, kNan, 2}, Numbers{1, 2, kNan}}) {
      EXPECT_TRUE(std::isnan(Reduced(op, x))) << DefOf(op).name;
    }
  }
  EXPECT_EQ(Reduced(OpId::kNrm2, {1, -kInf}), kInf);
  EXPECT_EQ(Reduced(OpId::kMax, {-kInf, -kInf}), -kInf);
  EXPECT_TRUE(std::isnan(Reduced(OpId::kProd, {0, kInf})));
}

// IEEE 754-2019, 9.6: +0 is larger than -0.
TEST(ReferenceReduction, OrdersZerosBySign) {
  for (const Numbers& zeros : {Numbers{-0.0, 0.0}, Numbers{0.0, -0.0}}) {
    EXPECT_FALSE(std::signbit(Reduced(OpId::kMax, zeros)));
    EXPECT_TRUE(std::signbit(Reduced(OpId::kMin, zeros)));
  }
}

TEST(ReferenceReduction, FindsTheFirstNanOrElseTheFirstMaximum) {
  EXPECT_EQ(Reduced(OpId::kArgmax, {1, 7, 7}), 1);
  EXPECT_EQ(Reduced(OpId::kArgmax, {1, kNan, kInf, kNan}), 1);
  EXPECT_EQ(Reduced(OpId::kArgmax, {-kInf, -kInf}), 0);
}

// idamax of the reference BLAS compares with >: NaN counts in first place only.
TEST(ReferenceReduction, FindsTheLargestMagnitudeAsTheReferenceBlasDoes) {
  EXPECT_EQ(Reduced(OpId::kAmax, {1, -7, 7}), 1);
  EXPECT_EQ(Reduced(OpId::kAmax, {1, kNan, 3, 2}), 2);
  EXPECT_EQ(Reduced(OpId::kAmax, {kNan, 1, 3, 2}), 0);
}

TEST(ReferenceRows, ShiftsLogSoftmaxAndLogSumExp) {
  const double largest = std::numeric_limits<float>::max();
  EXPECT_EQ(Answer(OpId::kLogSoftmax, DType::kF32, {1, 2}, {{1000, 0}, {9, 9}}),
            (Numbers{0, -1000}));
  EXPECT_EQ(Answer(OpId::kLogSumExp, DType::kF32, {4, 2},
                   {{largest, 0, -kInf, -kInf, kInf, 1, -kInf, 3}, {9, 9, 9, 9}}),
            (Numbers{largest, -kInf, kInf, 3}));
  EXPECT_TRUE(std::isnan(Answer(OpId::kLogSumExp, DType::kF32, {1, 2}, {{kInf, kNan}, {9}})[0]));
  EXPECT_EQ(Answer(OpId::kLogSumExp, DType::kF32, {1, 0}, {{}, {9}}), Numbers{-kInf});
}

TEST(ReferenceRows, NormalizesByTheBiasedVariance) {
  PlacedCall layer(OpId::kLayerNorm, DType::kF32, {1, 2});
  layer.Attribute(kNormEpsilon, 0);
  EXPECT_EQ(Answer(layer, {{1, 5}, {2, 3}, {10, 20}, {9, 9}}), (Numbers{8, 23}));
  PlacedCall rms(OpId::kRmsNorm, DType::kF32, {1, 2});
  rms.Attribute(kNormEpsilon, 0.5);
  EXPECT_EQ(Answer(rms, {{2, kInf}, {1, 1}, {9, 9}})[0], 0);
  EXPECT_EQ(Answer(rms, {{1, -4}, {6, 3}, {9, 9}}), (Numbers{2, -4}));  // 17/2 + 1/2 = 9
  PlacedCall batch(OpId::kBatchNorm, DType::kF32, {1, 2});
  batch.Attribute(kNormEpsilon, 0);
  EXPECT_EQ(Answer(batch, {{3, kInf}, {1, 0}, {4, 1}, {5, -1}, {7, 0}, {9, 9}}),
            (Numbers{12, -kInf}));
}

// Equal scores make every weight the same power of two.
TEST(ReferenceRows, AttendsToVisibleKeysOnly) {
  PlacedCall call(OpId::kAttention, DType::kF32, {1, 2, 2, 1});
  call.Choice(kAttentionCausal, 1);
  EXPECT_EQ(Answer(call, {{0, 0}, {5, 7}, {2, 4}, {0, 0, 0, 0}, {9, 9}}), (Numbers{2, 3}));
  PlacedCall masked(OpId::kAttention, DType::kF32, {1, 1, 2, 1});
  EXPECT_EQ(Answer(masked, {{1}, {5, 7}, {2, 4}, {0, -kInf}, {9}}), Numbers{2});
  PlacedCall large(OpId::kAttention, DType::kF32, {1, 1, 2, 1});
  large.Attribute(kAttentionScale, 100);
  EXPECT_EQ(Answer(large, {{10}, {1, 0}, {2, 4}, {0, 0}, {9}}), Numbers{2});
}

TEST(ReferenceWindows, ConvolvesWithStridePaddingAndDilation) {
  const Numbers x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(Answer(OpId::kConv2d, DType::kF32, {1, 1, 3, 3, 1, 2, 2},
                   {x, {1, 10, 100, 1000}, {9, 9, 9, 9}}),
            (Numbers{5421, 6532, 8754, 9865}));
  PlacedCall dilated(OpId::kConv2d, DType::kF32, {1, 1, 3, 3, 1, 2, 2});
  dilated.Attribute(kConvDilation, 2).Layout(2, {1, 1, 1, 1}, {1, 1, 1, 1});
  EXPECT_EQ(Answer(dilated, {x, {1, 10, 100, 1000}, {9}}), Numbers{9731});
  PlacedCall padded(OpId::kConv2d, DType::kF32, {1, 1, 3, 3, 1, 2, 2});
  padded.Attribute(kConvPadding, 1).Attribute(kConvStride, 3).Layout(2, {1, 1, 2, 2}, {4, 4, 2, 1});
  EXPECT_EQ(Answer(padded, {x, {1, 10, 100, 1000}, {9, 9, 9, 9}}), (Numbers{1000, 300, 70, 9}));
}

TEST(ReferenceWindows, PoolsDataAndNeverPadding) {
  const Numbers x = {-1, -2, -3, -4};
  const auto pooled = [&x](OpId op, int count) {
    PlacedCall call(op, DType::kF32, {1, 1, 2, 2});
    call.Attribute(kPoolPadding, 1).Layout(1, {1, 1, 2, 2}, {4, 4, 2, 1});
    if (op == OpId::kAvgPool) call.Choice(kPoolCount, count);
    return Answer(call, {x, {9, 9, 9, 9}});
  };
  EXPECT_EQ(pooled(OpId::kMaxPool, 0), x);
  EXPECT_EQ(pooled(OpId::kAvgPool, 0), x);
  EXPECT_EQ(pooled(OpId::kAvgPool, 1), (Numbers{-0.25, -0.5, -0.75, -1}));
  EXPECT_TRUE(
      std::isnan(Answer(OpId::kMaxPool, DType::kF32, {1, 1, 2, 2}, {{1, kNan, 2, 3}, {9}})[0]));
}

TEST(ReferenceIndexed, CopiesByIndexAlongBothAxesAndInBatches) {
  const Numbers table = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(Answer(OpId::kEmbedding, DType::kF32, {3, 2, 2, 1}, {table, {2, 0}, {9, 9, 9, 9}}),
            (Numbers{5, 6, 1, 2}));
  PlacedCall columns(OpId::kIndexSelect, DType::kF32, {3, 2, 1});
  columns.Attribute(kIndexSelectAxis, 1).Layout(2, {3, 1}, {1, 1});
  EXPECT_EQ(Answer(columns, {table, {1}, {9, 9, 9}}), (Numbers{2, 4, 6}));
  PlacedCall outside(OpId::kIndexSelect, DType::kF32, {3, 2, 1});
  outside.Attribute(kIndexSelectAxis, 1).Layout(2, {3, 1}, {1, 1});
  outside.Place(0, table).Place(1, {2}).Place(2, {9, 9, 9});
  EXPECT_EQ(outside.Run(OpenReference()), ASSAY_RAISED);
  EXPECT_EQ(outside.Output(), (Numbers{9, 9, 9}));
}

TEST(ReferenceIndexed, AddsUpRepeatedIndicesAndLeavesOtherRowsAlone) {
  // 2048 + 1 is a tie in f16; two ones are added before the only rounding.
  EXPECT_EQ(Answer(OpId::kScatterAdd, DType::kF16, {2, 1, 2}, {{1, 1}, {1, 1}, {5, 2048}}),
            (Numbers{5, 2050}));
  PlacedCall outside(OpId::kScatterAdd, DType::kF32, {2, 1, 2});
  outside.Place(0, {1, 1}).Place(1, {0, -1}).Place(2, {5, 6});
  EXPECT_EQ(outside.Run(OpenReference()), ASSAY_RAISED);
  EXPECT_EQ(outside.Output(), (Numbers{5, 6}));
}

TEST(ReferenceCollective, GivesEveryRankTheReduction) {
  const Numbers buffers = {1, -5, 2, 7, 6, 1};  // three ranks of two
  const auto reduced = [&buffers](int reduction) {
    PlacedCall call(OpId::kAllReduce, DType::kF32, {3, 2});
    call.Choice(kCollectiveReduction, reduction);
    return Answer(call, {buffers, Numbers(6, 9)});
  };
  EXPECT_EQ(reduced(0), (Numbers{9, 3, 9, 3, 9, 3}));
  EXPECT_EQ(reduced(1), (Numbers{3, 1, 3, 1, 3, 1}));
  EXPECT_EQ(reduced(2), (Numbers{6, 7, 6, 7, 6, 7}));
  EXPECT_EQ(reduced(3), (Numbers{1, -5, 1, -5, 1, -5}));
}

TEST(ReferenceCollective, ScattersPartsAndGathersBuffers) {
  // Rank 0 holds parts (1 2) and (3 4), rank 1 (10 20) and (30 40).
  EXPECT_EQ(Answer(OpId::kReduceScatter, DType::kF32, {2, 2},
                   {{1, 2, 3, 4, 10, 20, 30, 40}, Numbers(4, 9)}),
            (Numbers{11, 22, 33, 44}));
  EXPECT_EQ(Answer(OpId::kAllGather, DType::kF32, {2, 2}, {{1, 2, 3, 4}, Numbers(8, 9)}),
            (Numbers{1, 2, 3, 4, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace assay
