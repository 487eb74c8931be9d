// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of element-wise operators, on arguments whose lost bits are known.
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

bool HasModel(const Values& values, DefectModel model) {
  Emulator emulator(values);
  double out = kNaN;
  return emulator.Emulate(model, 0, &out);
}

TEST(PointEmulation, LosesTheBitsOfNarrowArguments) {
  // 2048.5 has 13 bits; relu gives it back.
  Fixture relu(OpId::kRelu, DType::kF32, {1});
  relu.SetReal(0, {2048.5});
  EXPECT_EQ(Emulated(relu.values, DefectModel::kF16Accumulator), 2048);
  EXPECT_EQ(Emulated(relu.values, DefectModel::kBf16Operands), 2048);
  EXPECT_EQ(Emulated(relu.values, DefectModel::kTf32Operands), 2048);
  EXPECT_EQ(Emulated(relu.values, DefectModel::kHf32Operands), 2048);
  EXPECT_EQ(Emulated(relu.values, DefectModel::kZero), 0);
  // 1024.5 has 12, which hf32 keeps.
  relu.SetReal(0, {1024.5});
  EXPECT_EQ(Emulated(relu.values, DefectModel::kHf32Operands), 1024.5);
  EXPECT_EQ(Emulated(relu.values, DefectModel::kTf32Operands), 1024);
}

TEST(PointEmulation, RoundsResultsOfNarrowAccumulators) {
  // 3 * 683 = 2049 has 12 bits, its factors 2 and 10.
  Fixture mul(OpId::kMul, DType::kF32, {1});
  mul.SetReal(0, {3});
  mul.SetReal(1, {683});
  EXPECT_EQ(Emulated(mul.values, DefectModel::kF16Accumulator), 2048);
  EXPECT_EQ(Emulated(mul.values, DefectModel::kTf32Operands), 2049);
  // The square root of 2 in f16.
  Fixture sqrt(OpId::kSqrt, DType::kF32, {1});
  sqrt.SetReal(0, {2});
  EXPECT_EQ(Emulated(sqrt.values, DefectModel::kF16Accumulator), 0x1.6ap+0);
}

TEST(PointEmulation, FlushesSubnormals) {
  Fixture add(OpId::kAdd, DType::kF32, {2});
  add.SetReal(0, {0x1p-127, 0x1.8p-126});
  add.SetReal(1, {0x1p-126, -0x1p-126});
  EXPECT_EQ(Emulated(add.values, DefectModel::kFlushed, 0), 0x1p-126);
  EXPECT_EQ(Emulated(add.values, DefectModel::kFlushed, 1), 0);  // 2^-127, by itself subnormal
  Fixture cast(OpId::kCast, DType::kF32, {1});
  cast.source.operands[1].dtype = DType::kF16;
  cast.Reset({1});
  cast.SetReal(0, {0x1p-20});
  EXPECT_EQ(Emulated(cast.values, DefectModel::kFlushed), 0);
  EXPECT_EQ(Emulated(cast.values, DefectModel::kBf16Operands), 0x1p-20);
}

TEST(PointEmulation, CastsInTwoRoundings) {
  // 1 + 2^-4 + 2^-13 is above the middle of 1 and 1.125; in bf16 it is the middle.
  Fixture cast(OpId::kCast, DType::kF32, {1});
  cast.source.operands[1].dtype = DType::kF8e4m3;
  cast.Reset({1});
  cast.SetReal(0, {1 + 0x1p-4 + 0x1p-13});
  EXPECT_EQ(Emulated(cast.values, DefectModel::kF16Accumulator), 1);
  EXPECT_EQ(Emulated(cast.values, DefectModel::kBf16Accumulator), 1);
}

TEST(PointEmulation, QuantizesNarrowArguments) {
  Fixture quantize(OpId::kQuantize, DType::kF32, {2});
  quantize.SetReal(0, {100.4990234375, 1000});  // in bf16 100.5, whose even neighbour is 100
  EXPECT_EQ(Emulated(quantize.values, DefectModel::kBf16Operands, 0), 100);
  EXPECT_EQ(Emulated(quantize.values, DefectModel::kBf16Operands, 1), 127);
}

TEST(PointEmulation, FindsMaximaOfNarrowElements) {
  Fixture max(OpId::kMax, DType::kF32, {2});
  max.SetReal(0, {1, 2048.5});
  EXPECT_EQ(Emulated(max.values, DefectModel::kF16Accumulator), 2048);
  Fixture argmax(OpId::kArgmax, DType::kF32, {2});
  EXPECT_FALSE(HasModel(argmax.values, DefectModel::kF16Accumulator));
  EXPECT_FALSE(HasModel(max.values, DefectModel::kNoShift));
}

}  // namespace
}  // namespace assay::fixtures
