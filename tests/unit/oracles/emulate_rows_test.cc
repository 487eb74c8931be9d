// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of the operators over rows, on data whose narrow answer is worked out by hand.
#include "oracles/emulate_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

double Emulated(const Fixture& fixture, DefectModel model, int64_t index = 0) {
  Emulator emulator(fixture.values);
  double out = kNaN;
  EXPECT_TRUE(emulator.Emulate(model, index, &out));
  return out;
}

TEST(RowEmulator, LosesASmallVarianceFarFromZeroInOnePass) {
  // x^2 = 2^26 + 2^14 + 1 rounds to 2^26 + 2^14 in f32 beside 2^26.
  Fixture variance(OpId::kVariance, DType::kF32, NamedDims{2});
  variance.SetReal(0, {8192, 8193});
  EXPECT_EQ(variance.Measure().hi[0], 0.25);
  EXPECT_EQ(Emulated(variance, DefectModel::kOnePass), 0);
  EXPECT_EQ(Emulated(variance, DefectModel::kFlushed), 0.25);
  Fixture norm(OpId::kLayerNorm, DType::kF32, {1, 2});
  norm.source.attributes[kNormEpsilon].real = 0.1875;
  norm.SetReal(0, {8192, 8193});
  norm.SetReal(1, {1, 1});
  // 0.5 / sqrt(0.25 + 0.1875) = 0.756 against 0.5 / sqrt(0.1875) = 1.155
  EXPECT_NEAR(norm.Measure().hi[1], 0.5 / std::sqrt(0.4375), 1e-12);
  EXPECT_NEAR(Emulated(norm, DefectModel::kOnePass, 1), 0.5 / std::sqrt(0.1875), 1e-6);
}

TEST(RowEmulator, KeepsF64ApartFromF32) {
  Fixture variance(OpId::kVariance, DType::kF64, NamedDims{2});
  variance.SetReal(0, {8192, 8193});
  EXPECT_EQ(Emulated(variance, DefectModel::kOnePass), 0.25);
}

TEST(RowEmulator, StagnatesInNarrowSums) {
  const int64_t n = 4096;
  const std::vector<double> ones(static_cast<size_t>(n), 1);
  Fixture nrm2(OpId::kNrm2, DType::kF32, NamedDims{n});
  nrm2.SetReal(0, ones);
  EXPECT_EQ(nrm2.Measure().hi[0], 64);
  EXPECT_EQ(Emulated(nrm2, DefectModel::kBf16Accumulator), 16);  // sqrt 256
  EXPECT_EQ(Emulated(nrm2, DefectModel::kF16Accumulator), Round(Format::kF32, std::sqrt(2048)));
  Fixture softmax(OpId::kSoftmax, DType::kF32, {1, n});
  softmax.SetReal(0, ones);
  EXPECT_EQ(Emulated(softmax, DefectModel::kF16Accumulator), 1.0 / 2048);
  Fixture sum(OpId::kLogSumExp, DType::kF32, {1, n});
  sum.SetReal(0, std::vector<double>(static_cast<size_t>(n), 0));
  EXPECT_EQ(Emulated(sum, DefectModel::kBf16Accumulator), Round(Format::kF32, std::log(256)));
}

TEST(RowEmulator, RoundsNarrowProducts) {
  Fixture prod(OpId::kProd, DType::kF32, NamedDims{2});
  prod.SetReal(0, {3, 683});  // 2049 has twelve bits
  EXPECT_EQ(Emulated(prod, DefectModel::kF16Accumulator), 2048);
}

TEST(RowEmulator, OverflowsWithoutTheShift) {
  for (const OpId op : {OpId::kLogSoftmax, OpId::kLogSumExp}) {
    Fixture row(op, DType::kF32, {1, 2});
    row.SetReal(0, {100, 99});
    EXPECT_TRUE(std::isinf(Emulated(row, DefectModel::kNoShift)));
  }
  Fixture attention(OpId::kAttention, DType::kF32, {1, 1, 2, 1});
  attention.SetReal(2, {1, 2});
  attention.SetReal(3, {100, 100});
  EXPECT_TRUE(std::isnan(Emulated(attention, DefectModel::kNoShift)));
  EXPECT_EQ(Emulated(attention, DefectModel::kFlushed), 1.5);
}

TEST(RowEmulator, StoresScoresOfAttentionInTheOutputsType) {
  // Scores 2049 and 2048: a difference of 1, of 0 in f16.
  Fixture attention(OpId::kAttention, DType::kF32, {1, 1, 2, 1});
  attention.SetReal(0, {1});
  attention.SetReal(1, {2049, 2048});
  attention.SetReal(2, {0, 1});
  EXPECT_NEAR(attention.Measure().hi[0], 1 / (1 + std::exp(1.0)), 1e-12);
  EXPECT_EQ(Emulated(attention, DefectModel::kRoundedIntermediate), 0.5);
  EXPECT_EQ(Emulated(attention, DefectModel::kTf32Operands), 0.5);
  EXPECT_NEAR(Emulated(attention, DefectModel::kHf32Operands), 1 / (1 + std::exp(1.0)), 1e-3);
}

TEST(RowEmulator, SumsProbabilitiesOfAttentionNarrowly) {
  const int64_t keys = 1024;
  Fixture attention(OpId::kAttention, DType::kF32, {1, 1, keys, 1});
  attention.SetReal(2, std::vector<double>(static_cast<size_t>(keys), 1));
  EXPECT_EQ(Emulated(attention, DefectModel::kBf16Accumulator), 4);  // 1024 / 256
}

TEST(RowEmulator, SeesOnlyWhatCausalityShows) {
  Fixture attention(OpId::kAttention, DType::kF32, {1, 2, 2, 1});
  attention.source.attributes[kAttentionCausal].choice = 1;
  attention.SetReal(2, {1, 3});
  EXPECT_EQ(Emulated(attention, DefectModel::kFlushed, 0), 1);
  EXPECT_EQ(Emulated(attention, DefectModel::kFlushed, 1), 2);
}

TEST(RowEmulator, FlushesSubnormals) {
  Fixture rms(OpId::kRmsNorm, DType::kF32, {1, 2});
  rms.source.attributes[kNormEpsilon].real = 1;
  rms.SetReal(0, {0x1p-130, 0});
  rms.SetReal(1, {1, 1});
  EXPECT_EQ(rms.Measure().hi[0], 0x1p-130);
  EXPECT_EQ(Emulated(rms, DefectModel::kFlushed), 0);
  Fixture batch(OpId::kBatchNorm, DType::kF32, {1, 1});
  batch.source.attributes[kNormEpsilon].real = 0;
  batch.SetReal(0, {3});
  batch.SetReal(1, {1});
  batch.SetReal(2, {4});
  batch.SetReal(3, {6});
  batch.SetReal(4, {0x1p-140});
  EXPECT_EQ(Emulated(batch, DefectModel::kFlushed), 6);
}

TEST(RowEmulator, RefusesModelsThatDoNotApply) {
  double out = 0;
  Fixture norm(OpId::kRmsNorm, DType::kF32, {1, 2});
  EXPECT_FALSE(EmulateRows(norm.values, DefectModel::kNoShift, 0, &out));
  EXPECT_FALSE(EmulateRows(norm.values, DefectModel::kOnePass, 0, &out));
  EXPECT_FALSE(EmulateRows(norm.values, DefectModel::kTf32Operands, 0, &out));
  Fixture softmax(OpId::kSoftmax, DType::kF32, {1, 2});
  EXPECT_FALSE(EmulateRows(softmax.values, DefectModel::kRoundedIntermediate, 0, &out));
}

}  // namespace
}  // namespace assay::fixtures
