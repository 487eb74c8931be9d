// SPDX-License-Identifier: Apache-2.0
//
// Rounding counts and underflow terms of every operator that adds products, against the published
// table and against kernels that round as often as they may.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "contracts/language/rounding.h"
#include "contracts/operator.h"

namespace assay {
namespace {

constexpr double kEta = 0x1p-149, kLambda = 0x1p-126, kU = 0x1p-24;

// One operator with an f32 accumulator, and evidence of its scalars.
struct Rules {
  explicit Rules(OpId op, DType type = DType::kF32) {
    NamedDims dims;
    dims.resize(static_cast<int>(DefOf(op).dimensions.size()), 4);
    value = MakeCase(op, type, dims);
    values.source = &value;
    values.op = &DefOf(op);
    program.family = DefOf(op).family;
    program.accumulator = Format::kF32;
    program.u = kU;
    program.exact_products = type == DType::kF16 || type == DType::kBf16;
    evidence.scalar.fill(std::numeric_limits<double>::quiet_NaN());
    Set(Quantity::kAlpha, 1);
    Set(Quantity::kBeta, 0);
    Set(Quantity::kMaxAbsA, 1);
    Set(Quantity::kLength, 4);
    Set(Quantity::kRanks, 4);
    Set(Quantity::kScale, 1);
  }
  Rules(const Rules&) = delete;

  void Set(Quantity quantity, double number) {
    evidence.scalar[static_cast<int>(quantity)] = number;
  }
  void Flush(bool inputs) {
    program.flush = kLambda;
    program.flush_input = inputs ? kLambda : 0;
  }
  double Rounds(double nnz) const { return RoundingRule(program, evidence, values).At(nnz); }
  double Underflow(double nnz, double operand_sum = 0) const {
    return UnderflowRule(program, evidence, values).At(nnz, operand_sum, Rounds(nnz));
  }

  Case value;
  Values values;
  Program program;
  Evidence evidence;
};

// a + alpha x y: the product, the addition, and alpha where it is no power of two.
TEST(RoundingRule, CountsUpdatesAndTriangularProductsAsSumsOfProducts) {
  for (const OpId op : {OpId::kGer, OpId::kSyr}) {
    Rules rules(op);
    rules.Set(Quantity::kBeta, 1);
    EXPECT_EQ(rules.Rounds(1), 2);
    EXPECT_EQ(rules.Rounds(0), 0);
    rules.Set(Quantity::kAlpha, 3);
    EXPECT_EQ(rules.Rounds(1), 3);
  }
  for (const OpId op : {OpId::kTrmv, OpId::kTrmm}) {
    Rules rules(op);
    EXPECT_EQ(rules.Rounds(4), 4);
    EXPECT_EQ(rules.Underflow(4), 4 * kEta / 2 * (1 + 4 * kU / (1 - 4 * kU)));
    rules.Set(Quantity::kAlpha, 3);
    EXPECT_EQ(rules.Rounds(4), 5);
  }
}

TEST(RoundingRule, CountsAdditionsOfPlainSums) {
  for (const OpId op : {OpId::kSum, OpId::kAsum, OpId::kCumsum, OpId::kScatterAdd, OpId::kAllReduce,
                        OpId::kReduceScatter}) {
    Rules rules(op);
    EXPECT_EQ(rules.Rounds(5), 4) << DefOf(op).name;
    EXPECT_EQ(rules.Rounds(1), 0) << DefOf(op).name;
    EXPECT_EQ(rules.Rounds(0), 0) << DefOf(op).name;
  }
}

TEST(RoundingRule, AllowsAMeanToMultiplyByAReciprocal) {
  Rules mean(OpId::kMean);
  EXPECT_EQ(mean.Rounds(4), 3);  // n = 4: dividing rounds nothing
  mean.Set(Quantity::kLength, 5);
  EXPECT_EQ(mean.Rounds(5), 6);  // n + 1
  Rules reduce(OpId::kAllReduce);
  reduce.value.attributes[kCollectiveReduction].choice = 1;
  EXPECT_EQ(reduce.Rounds(4), 3);
  reduce.Set(Quantity::kRanks, 3);
  EXPECT_EQ(reduce.Rounds(3), 4);
  EXPECT_EQ(Rules(OpId::kAvgPool).Rounds(9), 10);  // window + 1
}

TEST(RoundingRule, CountsProductsUnlessTheyAreExact) {
  for (const OpId op :
       {OpId::kDot, OpId::kConv2d, OpId::kFusedLinear, OpId::kGemv, OpId::kBatchedGemm}) {
    EXPECT_EQ(Rules(op).Rounds(5), 5) << DefOf(op).name;
    EXPECT_EQ(Rules(op, DType::kF16).Rounds(5), 4) << DefOf(op).name;
  }
  Rules gemv(OpId::kGemv);
  gemv.Set(Quantity::kAlpha, 3);
  gemv.Set(Quantity::kBeta, 1);
  EXPECT_EQ(gemv.Rounds(5), 7);
}

TEST(RoundingRule, AddsTheBiasOfAFusedLayerAfterABlockUnit) {
  Rules fused(OpId::kFusedLinear, DType::kF16);
  fused.program.block = 4;
  fused.Set(Quantity::kLength, 6);
  // Two blocks of (4 + 1) + 1 units, and one addition.
  EXPECT_EQ(fused.Rounds(7), 13);
}

TEST(RoundingRule, CountsOfScalAndAxpy) {
  Rules scal(OpId::kScal), axpy(OpId::kAxpy);
  EXPECT_EQ(scal.Rounds(1), 0);
  EXPECT_EQ(axpy.Rounds(1), 1);
  for (Rules* rules : {&scal, &axpy}) rules->Set(Quantity::kAlpha, 3);
  EXPECT_EQ(scal.Rounds(1), 1);
  EXPECT_EQ(axpy.Rounds(1), 2);
  EXPECT_EQ(axpy.Rounds(0), 0);  // y + alpha 0
}

TEST(RoundingRule, CountsOfAScaledGradient) {
  Rules gradient(OpId::kScaledGradient);
  gradient.Set(Quantity::kScale, 1024);
  EXPECT_EQ(gradient.Rounds(5), 5);
  gradient.Set(Quantity::kScale, 1000);
  EXPECT_EQ(gradient.Rounds(5), 7);
}

TEST(RoundingRule, IsNothingForExactAnswers) {
  EXPECT_EQ(Rules(OpId::kInt8Gemm, DType::kI8).Rounds(100), 0);
  EXPECT_EQ(Rules(OpId::kInt8Gemm, DType::kI8).Underflow(100, 50), 0);
  EXPECT_EQ(Rules(OpId::kAllGather).Rounds(0), 0);
}

// Floats in [1, 2), the same on every platform.
class Floats {
 public:
  float Next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return 1 + static_cast<float>(state_ >> 41) * 0x1p-23f;
  }

 private:
  uint64_t state_ = 1;
};

TEST(RoundingRule, HoldsForAnAxpyAndNoFewerRoundingsWould) {
  Rules axpy(OpId::kAxpy);
  axpy.Set(Quantity::kAlpha, 1.5 + 0x1p-23);
  Floats floats;
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const float alpha = floats.Next(), x = floats.Next(), y = floats.Next() * 0x1p-6f;
    const float product = alpha * x;
    const float got = product + y;
    const double truth = static_cast<double>(alpha) * x + y;  // 48 bits and few more: exact enough
    worst = std::fmax(worst, std::fabs(got - truth) / (kU * truth));
  }
  EXPECT_LE(worst, axpy.Rounds(1));
  EXPECT_GT(worst, axpy.Rounds(1) - 1);
}

TEST(RoundingRule, HoldsForAMeanByReciprocal) {
  Rules mean(OpId::kMean);
  mean.Set(Quantity::kLength, 3);
  const float third = 1.0f / 3;
  Floats floats;
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const float x = floats.Next(), y = floats.Next(), z = floats.Next();
    const float both = x + y;
    const float sum = both + z;
    const float got = sum * third;
    const double truth = (static_cast<double>(x) + y + z) / 3;
    worst = std::fmax(worst, std::fabs(got - truth) / (kU * truth));
  }
  EXPECT_LE(worst, mean.Rounds(3));
  EXPECT_GT(worst, 2);  // more than the additions alone
}

TEST(UnderflowRule, IsNothingForAdditionsAndGrowsWithProducts) {
  for (const OpId op : {OpId::kSum, OpId::kCumsum, OpId::kScatterAdd, OpId::kAllReduce}) {
    EXPECT_EQ(Rules(op).Underflow(7), 0) << DefOf(op).name;
  }
  for (const OpId op : {OpId::kDot, OpId::kConv2d, OpId::kFusedLinear, OpId::kGemv}) {
    EXPECT_NEAR(Rules(op).Underflow(8, 3) / (4 * kEta), 1, 1e-5) << DefOf(op).name;
  }
}

TEST(UnderflowRule, AllowsDivisionsBeforeOrAfterASum) {
  EXPECT_EQ(Rules(OpId::kMean).Underflow(3), 4 * kEta / 2);
  EXPECT_EQ(Rules(OpId::kAvgPool).Underflow(3), 4 * kEta / 2);
}

TEST(UnderflowRule, CountsFlushedAnswersAndInputs) {
  Rules axpy(OpId::kAxpy);
  axpy.Flush(/*inputs=*/true);
  axpy.Set(Quantity::kAlpha, 2);
  // A flushed product counts twice, the sum once; x loses lambda alpha, y lambda.
  EXPECT_NEAR(axpy.Underflow(1) / kLambda, 6, 1e-5);
  Rules scal(OpId::kScal);
  EXPECT_EQ(scal.Underflow(1), 0);  // alpha = 1
  scal.Set(Quantity::kAlpha, 0.5);
  EXPECT_NEAR(scal.Underflow(1) / (kEta / 2), 1, 1e-5);
  Rules reduce(OpId::kAllReduce);
  reduce.Flush(/*inputs=*/false);
  reduce.value.attributes[kCollectiveReduction].choice = 2;
  EXPECT_EQ(reduce.Underflow(0), kLambda);  // a subnormal maximum
}

TEST(UnderflowRule, KeepsAScaledGradientsProducts) {
  Rules gradient(OpId::kScaledGradient);
  gradient.Set(Quantity::kScale, 4);
  // Products in full, since they may be unscaled first, the unscaled operand, the last division.
  EXPECT_NEAR(gradient.Underflow(6, 3) / (kEta / 2), 6 + 3 + 1, 1e-4);
}

}  // namespace
}  // namespace assay
