// SPDX-License-Identifier: Apache-2.0
//
// Narrower models on data that tells them apart, answers worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "contracts/judge.h"
#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr DefectModel kOperandModels[] = {DefectModel::kTf32Operands, DefectModel::kHf32Operands,
                                          DefectModel::kBf16Operands};

double Emulated(const Values& values, DefectModel model, int64_t index = 0) {
  Emulator emulator(values);
  double out = kNaN;
  EXPECT_TRUE(emulator.Emulate(model, index, &out));
  return out;
}

TEST(Emulator, LosesAProductThatF16CannotHold) {
  // 3 * 683 = 2049 has 12 bits.
  Fixture dot(OpId::kDot, DType::kF16, {2});
  dot.SetReal(0, {3, -2048});
  dot.SetReal(1, {683, 1});
  EXPECT_EQ(dot.Measure().hi[0], 1);
  EXPECT_EQ(Emulated(dot.values, DefectModel::kF16Accumulator), 0);
  EXPECT_EQ(Emulated(dot.values, DefectModel::kBf16Accumulator), 0);
  EXPECT_EQ(Emulated(dot.values, DefectModel::kTf32Operands), 1);  // f16 operands fit tf32
}

TEST(Emulator, StagnatesAtTheAccumulatorsPrecision) {
  const int64_t n = 4096;
  Fixture sum(OpId::kSum, DType::kF32, {n});
  sum.SetReal(0, std::vector<double>(static_cast<size_t>(n), 1));
  EXPECT_EQ(Emulated(sum.values, DefectModel::kF16Accumulator), 2048);
  EXPECT_EQ(Emulated(sum.values, DefectModel::kBf16Accumulator), 256);
}

TEST(Emulator, LosesTheLowBitOfWideOddOperands) {
  // 13 significant bits against a power of two, on either side.
  for (const int wide : {0, 1}) {
    Gemm gemm(DType::kF32, 1, 1, 2);
    gemm.SetReal(wide, {4097, 8191});
    gemm.SetReal(1 - wide, {2, -1});
    const double truth = gemm.Measure().hi[0];
    EXPECT_EQ(truth, 2 * 4097 - 8191);
    for (const DefectModel model : kOperandModels) {
      EXPECT_NE(Emulated(gemm.values, model), truth) << NameOf(FormatOf(DType::kF32));
    }
    EXPECT_NE(Emulated(gemm.values, DefectModel::kF16Accumulator), truth);
    EXPECT_NE(Emulated(gemm.values, DefectModel::kBf16Accumulator), truth);
  }
}

TEST(Emulator, TellsHf32FromTf32ByTheTwelfthBit) {
  Fixture sum(OpId::kSum, DType::kF32, {1});
  sum.SetReal(0, {1024.5});
  EXPECT_EQ(Emulated(sum.values, DefectModel::kHf32Operands), 1024.5);
  EXPECT_EQ(Emulated(sum.values, DefectModel::kTf32Operands), 1024);
  sum.SetReal(0, {2050.5});
  EXPECT_EQ(Emulated(sum.values, DefectModel::kHf32Operands), 2050);
}

TEST(Emulator, OverflowsAnF16Accumulator) {
  Fixture sum(OpId::kSum, DType::kF16, {4});
  sum.SetReal(0, {60000, 60000, -60000, -59968});
  EXPECT_EQ(sum.Measure().hi[0], 32);
  EXPECT_EQ(Emulated(sum.values, DefectModel::kF16Accumulator), kInf);
}

TEST(Emulator, AppliesAlphaBetaAndTranspositions) {
  Gemm gemm(DType::kF32, 2, 2, 2, 2, -1);
  gemm.source.attributes[kGemmTransA].choice = 1;
  gemm.source.attributes[kGemmTransB].choice = 1;
  gemm.SetReal(0, {1, 2, 3, 4});  // op(a) = 1 3; 2 4
  gemm.SetReal(1, {5, 6, 7, 8});  // op(b) = 5 7; 6 8
  gemm.SetReal(2, {1, 1, 1, 1});
  const Evidence& evidence = gemm.Measure();
  for (int64_t at = 0; at < 4; ++at) {
    EXPECT_EQ(Emulated(gemm.values, DefectModel::kBf16Operands, at), evidence.hi[at]);
    EXPECT_EQ(Emulated(gemm.values, DefectModel::kF16Accumulator, at), evidence.hi[at]);
  }
}

TEST(Emulator, GivesNanForAnUnshiftedSoftmaxOfLargeEntries) {
  Fixture softmax(OpId::kSoftmax, DType::kF32, {1, 2});
  softmax.SetReal(0, {100, 99});
  EXPECT_TRUE(std::isnan(Emulated(softmax.values, DefectModel::kNoShift)));
  softmax.SetReal(0, {1, 1});
  EXPECT_EQ(Emulated(softmax.values, DefectModel::kNoShift), 0.5);
  EXPECT_EQ(Emulated(softmax.values, DefectModel::kZero), 0);
}

TEST(Emulator, RefusesModelsThatDoNotApply) {
  double out = 0;
  Fixture exp(OpId::kExp, DType::kF32, {1});
  Emulator unary(exp.values);
  EXPECT_TRUE(unary.Emulate(DefectModel::kZero, 0, &out));
  EXPECT_FALSE(unary.Emulate(DefectModel::kOnePass, 0, &out));
  EXPECT_FALSE(unary.Emulate(DefectModel::kNoShift, 0, &out));
  Fixture sum(OpId::kSum, DType::kF32, {1});
  EXPECT_FALSE(Emulator(sum.values).Emulate(DefectModel::kNoShift, 0, &out));
  Fixture gather(OpId::kGather, DType::kF32, {1, 1, 1});
  EXPECT_FALSE(Emulator(gather.values).Emulate(DefectModel::kZero, 0, &out));
}

}  // namespace
}  // namespace assay::fixtures
