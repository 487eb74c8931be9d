// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of linear operators, answers worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "contracts/judge.h"
#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

double Emulated(const Values& values, DefectModel model, int64_t index = 0) {
  Emulator emulator(values);
  double out = kNaN;
  EXPECT_TRUE(emulator.Emulate(model, index, &out));
  return out;
}

// 1024.5 needs twelve bits: exact in hf32, 1024 in tf32 and 1024 in bf16.
TEST(LinearEmulator, RoundsOperandsOfEveryOperator) {
  const auto expect = [](Fixture& fixture, double truth, double narrow, int64_t index = 0) {
    EXPECT_EQ(fixture.Measure().hi[static_cast<size_t>(index)], truth);
    EXPECT_EQ(Emulated(fixture.values, DefectModel::kHf32Operands, index), truth);
    EXPECT_EQ(Emulated(fixture.values, DefectModel::kTf32Operands, index), narrow);
    EXPECT_EQ(Emulated(fixture.values, DefectModel::kBf16Operands, index), narrow);
  };
  for (const OpId op : {OpId::kSum, OpId::kAsum}) {
    Fixture fixture(op, DType::kF32, {2});
    fixture.SetReal(0, {1024.5, 1});
    expect(fixture, 1025.5, 1025);
  }
  Fixture mean(OpId::kMean, DType::kF32, {2});
  mean.SetReal(0, {1024.5, 2});
  expect(mean, 513.25, 513);
  Fixture cumsum(OpId::kCumsum, DType::kF32, {3});
  cumsum.SetReal(0, {1, 1024.5, 5});
  expect(cumsum, 1025.5, 1025, 1);
  Fixture gemv(OpId::kGemv, DType::kF32, {2, 1});
  gemv.SetReal(0, {1, 1024.5});
  gemv.SetReal(1, {2});
  expect(gemv, 2049, 2048, 1);
  Fixture batched(OpId::kBatchedGemm, DType::kF32, {2, 1, 1, 1});
  batched.SetReal(0, {1, 1});
  batched.SetReal(1, {1, 1024.5});
  expect(batched, 1024.5, 1024, 1);
  Fixture scal(OpId::kScal, DType::kF32, {2});
  scal.source.attributes[0].real = 2;
  scal.SetReal(0, {1, 1024.5});
  expect(scal, 2049, 2048, 1);
  Fixture axpy(OpId::kAxpy, DType::kF32, {1});
  axpy.SetReal(0, {1024.5});
  axpy.SetReal(1, {-1000});
  expect(axpy, 24.5, 24);
  Fixture conv(OpId::kConv2d, DType::kF32, {1, 1, 1, 2, 1, 1, 1});
  conv.SetReal(0, {1, 1024.5});
  conv.SetReal(1, {4});
  expect(conv, 4098, 4096, 1);
  Fixture pool(OpId::kAvgPool, DType::kF32, {1, 1, 2, 2});
  pool.SetReal(0, {1024.5, -1024, 0, 0});
  expect(pool, 0.125, 0);
  Fixture scatter(OpId::kScatterAdd, DType::kF32, {2, 1, 1});
  scatter.SetReal(0, {1024.5});
  scatter.SetInteger(1, {1});
  scatter.SetReal(2, {0, -1024});
  expect(scatter, 0.5, 0, 1);
  Fixture reduce(OpId::kAllReduce, DType::kF32, {2, 1});
  reduce.SetReal(0, {1024.5, 1});
  expect(reduce, 1025.5, 1025, 1);
  Fixture gather(OpId::kAllGather, DType::kF32, {2, 1});
  gather.SetReal(0, {1, 1024.5});
  expect(gather, 1024.5, 1024, 3);
  Fixture fused(OpId::kFusedLinear, DType::kF32, {1, 1, 1});
  fused.source.attributes[kLinearActivation].choice = 1;  // relu
  fused.SetReal(0, {1024.5});
  fused.SetReal(1, {1});
  fused.SetReal(2, {-1000});
  fused.SetReal(3, {0.25});
  expect(fused, 24.75, 24.25);
  Fixture gradient(OpId::kScaledGradient, DType::kF32, {1, 1, 1});
  gradient.source.attributes[kGradientScale].real = 2;
  gradient.SetReal(0, {1});
  gradient.SetReal(1, {1024.5});
  expect(gradient, 1024.5, 1024);
}

TEST(LinearEmulator, KeepsAnF16AccumulatorThroughADivision) {
  Fixture mean(OpId::kMean, DType::kF32, {4});
  mean.SetReal(0, {2048, 1, 1, 2});
  EXPECT_EQ(mean.Measure().hi[0], 513);
  EXPECT_EQ(Emulated(mean.values, DefectModel::kF16Accumulator), 512.5);  // 2048 1 1 are lost
}

TEST(LinearEmulator, FlushesInputsProductsAndAnswers) {
  Fixture sum(OpId::kSum, DType::kF32, {2});
  sum.SetReal(0, {0x1p-127, 0x1p-126});
  EXPECT_EQ(Emulated(sum.values, DefectModel::kFlushed), 0x1p-126);
  Fixture dot(OpId::kDot, DType::kF32, {2});
  dot.SetReal(0, {0x1p-70, 0x1p-60});
  dot.SetReal(1, {0x1p-60, 0x1p-60});
  EXPECT_EQ(Emulated(dot.values, DefectModel::kFlushed), 0x1p-120);
  dot.SetReal(0, {0x1p-63, 0x1p-63});
  dot.SetReal(1, {0x1p-63, -0x1.8p-64});
  EXPECT_EQ(dot.Measure().hi[0], 0x1p-128);
  EXPECT_EQ(Emulated(dot.values, DefectModel::kFlushed), 0x1p-126);  // only one product is normal
  dot.SetReal(1, {0x1p-63, -0x1.8p-63});
  EXPECT_EQ(Emulated(dot.values, DefectModel::kFlushed), 0);  // the answer is not
}

TEST(LinearEmulator, StoresEveryIntermediateOfAnUnfusedLayer) {
  Fixture fused(OpId::kFusedLinear, DType::kF32, {1, 1, 1});
  fused.SetReal(0, {2049});
  fused.SetReal(1, {1});
  fused.SetReal(2, {-2048});
  fused.SetReal(3, {0x1p-20});
  EXPECT_EQ(fused.Measure().hi[0], 1 + 0x1p-20);
  // f16 in place of f32: 2049 -> 2048, 0, then the residual in f32.
  EXPECT_EQ(Emulated(fused.values, DefectModel::kRoundedIntermediate), 0x1p-20);
}

TEST(LinearEmulator, HasNoModelOfIntegers) {
  double out = 0;
  Fixture gemm(OpId::kInt8Gemm, DType::kI8, {1, 1, 1});
  EXPECT_FALSE(Emulator(gemm.values).Emulate(DefectModel::kTf32Operands, 0, &out));
  EXPECT_TRUE(Emulator(gemm.values).Emulate(DefectModel::kZero, 0, &out));
}

}  // namespace
}  // namespace assay::fixtures
