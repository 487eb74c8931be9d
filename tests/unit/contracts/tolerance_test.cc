// SPDX-License-Identifier: Apache-2.0
//
// The tolerances of the suite as numbers, against the published formulas evaluated by hand or
// against exact arithmetic.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

constexpr double kU = 0x1p-24;
constexpr double kEta = 0x1p-149;
constexpr double kLambda = 0x1p-126;

double Gamma(double m, double u) { return m * u / (1 - m * u); }

// The rounding count that a gemm's or sum's tolerance is made of, for abs_sum = 1.
double Rounds(Scene& scene, double u = kU) {
  const double gamma = scene.Tolerance("C-PRC-01");
  return gamma / u / (1 + gamma);
}

struct RoundsRow {
  OpId op;
  DType type;
  double alpha, beta, nnz, rounds;
};

TEST(RoundingCount, FollowsTheTable) {
  const RoundsRow rows[] = {
      {OpId::kSum, DType::kF32, 1, 0, 5, 4},     {OpId::kSum, DType::kF32, 1, 0, 1, 0},
      {OpId::kDot, DType::kF32, 1, 0, 5, 5},     {OpId::kDot, DType::kF16, 1, 0, 5, 4},
      {OpId::kGemm, DType::kF32, 1, 0, 5, 5},    {OpId::kGemm, DType::kF32, -1, 0, 5, 5},
      {OpId::kGemm, DType::kF32, 0.25, 0, 5, 5}, {OpId::kGemm, DType::kF32, 3, 0, 5, 6},
      {OpId::kGemm, DType::kF32, 3, 1, 5, 7},    {OpId::kGemm, DType::kF32, 1, 1, 5, 6},
      {OpId::kGemm, DType::kBf16, 1, 0, 5, 4},   {OpId::kGemm, DType::kBf16, 2, 3, 5, 6},
      {OpId::kGemm, DType::kBf16, 2, 0.5, 5, 5}, {OpId::kGemm, DType::kBf16, 3, 0, 5, 6},
      {OpId::kGemm, DType::kBf16, 3, 0.5, 5, 7}, {OpId::kGemm, DType::kF32, 3, 3, 0, 1},
      {OpId::kGemm, DType::kF32, 3, 2, 0, 0},    {OpId::kGemm, DType::kF32, 0, 3, 5, 1},
      {OpId::kGemm, DType::kF32, 0, -2, 5, 0}};
  for (const RoundsRow& row : rows) {
    Scene scene(row.op, row.type, row.op == OpId::kGemm ? NamedDims{1, 1, 5} : NamedDims{5});
    scene.declared.accumulator = Accumulator{Format::kF32, false, 0, 0};
    scene.SetSums(1, row.nnz);
    scene.Set(Quantity::kAlpha, row.alpha);
    scene.Set(Quantity::kBeta, row.beta);
    EXPECT_NEAR(Rounds(scene), row.rounds, 1e-9)
        << DefOf(row.op).name << " " << NameOf(row.type) << " alpha " << row.alpha << " beta "
        << row.beta << " nnz " << row.nnz;
  }
}

TEST(RoundingCount, DoublesTheRoundoffOfATruncatingAccumulator) {
  Scene scene(OpId::kDot, DType::kF32, {5});
  scene.SetSums(1, 5);
  scene.declared.accumulator->truncates = true;
  EXPECT_NEAR(Rounds(scene, 2 * kU), 5, 1e-9);
}

TEST(RoundingCount, CoversADeclaredBlockUnit) {
  // ceil(K/b) ((b+1) 2^-(23+g) + 2^-23) S for b = 4, g = 0, K = 6: two blocks of 6 * 2^-23.
  Scene scene(OpId::kGemm, DType::kF16, {1, 1, 6});
  scene.declared.accumulator = Accumulator{Format::kF32, true, 4, 0};
  scene.SetSums(1, 6);
  const double bound = scene.Tolerance("C-PRC-01");
  EXPECT_GE(bound, 12 * 0x1p-23);
  EXPECT_LE(bound, 12.01 * 0x1p-23);
}

TEST(Underflow, GrowsWithTheProductsAndBelongsToTheAccumulator) {
  // 1000 products 2^-75 * 2^-75 are 2^-150 each and round to 0 in every order; the truth is 500
  // eta.
  Scene scene(OpId::kDot, DType::kF32, {1000});
  scene.SetSums(500 * kEta, 1000, 1000 * 0x1p-75);
  scene.SetTruth(0, 500 * kEta);
  const double ratio = 500 * kEta / scene.Tolerance("C-PRC-01");
  EXPECT_NEAR(ratio, 1.000, 5e-4);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kVacuous);  // 0 is right: no force
}

TEST(Underflow, DoesNotVanishInDoubleItself) {
  Scene scene(OpId::kDot, DType::kF64, {3});
  scene.SetSums(0, 3, 1);
  EXPECT_GE(scene.Tolerance("C-PRC-01"), 3 * 0x1p-1074);
}

TEST(Underflow, IsLambdaPerOperationWhereResultsAreFlushed) {
  Scene scene(OpId::kDot, DType::kF32, {10});
  scene.SetSums(0, 10, 1);
  scene.declared.subnormals = SubnormalPolicy::kFlushOut;
  EXPECT_NEAR(scene.Tolerance("C-PRC-01") / kLambda, 20, 1e-4);
  scene.declared.subnormals = SubnormalPolicy::kFlushBoth;  // each factor may vanish: 2 lambda * 1
  EXPECT_NEAR(scene.Tolerance("C-PRC-01") / kLambda, 22, 1e-4);
}

TEST(Underflow, IsNothingForASumInGradualUnderflow) {
  Scene scene(OpId::kSum, DType::kF32, {3});
  scene.SetSums(0, 3);
  EXPECT_EQ(scene.Tolerance("C-PRC-01"), 0);
}

TEST(Gemm, AllowsTheTwoExtraRoundingsOfAlphaAndBeta) {
  // K = 1, cancelling: fl(fl(beta c) + fl(alpha fl(a b))). A bound with one rounding of the sum and
  // one of the output calls that wrong by 1.42; K + 2 roundings give 0.47.
  const float alpha = 0x1.f6ac24p0f, beta = 0x1.f8f9aap0f, c = -0x1.05421ap1f;
  const float a = 0x1.83fb92p0f, b = 0x1.5a591p0f;
  const float product = a * b;
  const float scaled_product = alpha * product;
  const float scaled_c = beta * c;
  const float got = scaled_c + scaled_product;

  // Exact: alpha*b is exact in double; times a as a sum of two doubles; beta*c is exact in double.
  const double ab = static_cast<double>(alpha) * b;
  const double high = ab * a, low = std::fma(ab, static_cast<double>(a), -high);
  const double bc = static_cast<double>(beta) * c;
  const double sum = high + bc;
  const double second = sum - high;  // TwoSum
  const double rest = ((high - (sum - second)) + (bc - second)) + low;
  const double abs_sum = std::fabs(high) + std::fabs(bc);

  Scene scene(OpId::kGemm, DType::kF32, {1, 1, 1});
  scene.SetSums(abs_sum, 1, a);
  scene.Set(Quantity::kAlpha, alpha);
  scene.Set(Quantity::kBeta, beta);
  scene.Set(Quantity::kMaxAbsSum, abs_sum);
  scene.SetTruth(0, sum, rest);
  scene.SetGot(0, got);
  const double error = std::fabs((got - sum) - rest);
  EXPECT_NEAR(error / (Gamma(1, kU) * abs_sum + kU * std::fabs(sum) + kEta), 1.42, 0.01);
  const ClauseVerdict verdict = scene.Of("C-PRC-01", "values");
  EXPECT_EQ(verdict.outcome, Outcome::kVacuous);  // so much cancels that 0 would pass as well
  EXPECT_NEAR(verdict.ratio, 0.47, 0.01);
}

TEST(Gemm, CountsTheRoundingOfBetaTimesCBesideExactProducts) {
  // f16 operands, f32 accumulator, K = 1: fl(a b + fl(beta c)). Both roundings go up by almost half
  // a unit, so one rounding of S = |a b| + |beta c| does not cover them.
  const float beta = 1 + 3 * 0x1p-23f, c = 1 + 0x1.6p-1f + 0x1p-23f, a = 0x1p-11f, b = 1 + 0x1p-10f;
  const float scaled_c = beta * c;
  const float got = a * b + scaled_c;
  const double exact_c = static_cast<double>(beta) * c, exact_ab = static_cast<double>(a) * b;
  const double truth = exact_c + exact_ab, rest = exact_ab - (truth - exact_c);
  Scene scene(OpId::kGemm, DType::kF16, {1, 1, 1}, DType::kF32);
  scene.declared.accumulator = Accumulator{Format::kF32, false, 0, 0};
  scene.SetSums(truth, 1, b);
  scene.Set(Quantity::kBeta, beta);
  scene.Set(Quantity::kMaxAbsSum, truth);
  scene.SetTruth(0, truth, rest);
  scene.SetGot(0, got);
  const ClauseVerdict verdict = scene.Of("C-PRC-01", "values");
  EXPECT_EQ(verdict.outcome, Outcome::kConforming);
  EXPECT_NEAR(scene.Tolerance("C-PRC-01") / (2 * kU * truth), 1, 1e-6);
}

Scene& Softmax(Scene& scene) {
  scene.SetTruth(0, 0.25);
  scene.SetEach(Quantity::kShift, 2);
  scene.SetEach(Quantity::kMeanShift, 0.5);
  scene.Set(Quantity::kLength, 8);
  scene.declared.ulp_limit_exp = 1;
  return scene;
}

TEST(Softmax, FollowsItsFormula) {
  Scene scene(OpId::kSoftmax, DType::kF32, {1, 8});
  Softmax(scene);
  scene.declared.kappa = 1;
  scene.declared.tiles = 0;
  // p (kappa (d + dbar) u + 2 eps + (n+1) u) + u p + 2 eta, eps = 2u: (2.5 + 4 + 9 + 1) u / 4.
  EXPECT_NEAR(scene.Tolerance("C-PRC-02") / (16.5 * kU / 4), 1, 1e-5);
}

TEST(Softmax, AssumesTheWeakestFormWhereNoneIsDeclared) {
  Scene scene(OpId::kSoftmax, DType::kF32, {1, 8});
  Softmax(scene);
  // kappa 3, R = n: 3 * 2.5 + 4 + 9 + 2 * 8 * 3 + 1.
  EXPECT_NEAR(scene.Tolerance("C-PRC-02") / (69.5 * kU / 4), 1, 1e-4);
}

TEST(Softmax, LeavesTheLastRoundingToTheImageOfANarrowerOutput) {
  Scene scene(OpId::kSoftmax, DType::kF16, {1, 8});
  Softmax(scene);
  scene.declared.accumulator = Accumulator{Format::kF32, false, 0, 0};
  scene.declared.kappa = 1;
  scene.declared.tiles = 0;
  EXPECT_NEAR(scene.Tolerance("C-PRC-02") / (15.5 * kU / 4), 1, 1e-5);
}

TEST(Softmax, StaysANumberFarBelowTheMaximum) {
  Scene scene(OpId::kSoftmax, DType::kF32, {1, 8});
  Softmax(scene);
  scene.SetTruth(0, 0);
  scene.SetEach(Quantity::kShift, 1e9);
  const double bound = scene.Tolerance("C-PRC-02");
  EXPECT_GE(bound, 2 * kEta);
  EXPECT_LT(bound, kLambda);
}

TEST(Gelu, HasTwoLevels) {
  Scene scene(OpId::kGelu, DType::kF32, {1});
  scene.SetTruth(0, -1.4e-6);
  scene.SetEach(Quantity::kAbsX, 5);
  scene.SetEach(Quantity::kCondition, 26);
  scene.declared.ulp_limit = 1;
  // tail: |y| (2 C u + 2k u + 3u); absolute: |x|/2 (u + 2k u) + 3u|y|.
  const double tail = 1.4e-6 * (52 + 2 + 3) * kU, absolute = 2.5 * 3 * kU + 3 * kU * 1.4e-6;
  EXPECT_NEAR(scene.Tolerance("C-PRC-02") / tail, 1, 1e-6) << "undeclared is judged at the tail";
  scene.declared.level = GeluLevel::kTail;
  EXPECT_NEAR(scene.Tolerance("C-PRC-02") / tail, 1, 1e-6);
  scene.declared.level = GeluLevel::kAbsolute;
  EXPECT_NEAR(scene.Tolerance("C-PRC-02") / absolute, 1, 1e-6);
  scene.declared.level = GeluLevel::kTail;
  scene.value.attributes[kGeluForm].choice = 1;  // the tanh form has no tail level
  EXPECT_NEAR(scene.Tolerance("C-PRC-02") / absolute, 1, 1e-6);
}

TEST(UlpClass, TakesTheUlpOfTheTruthsBinade) {
  Scene scene(OpId::kExp, DType::kF32, {3});
  scene.SetEach(Quantity::kAbsX, 1);
  scene.declared.ulp_limit = 3;
  scene.SetTruth(0, 1.5);
  scene.SetTruth(1, 1, -0x1p-60);  // just below 1: the lower binade
  scene.SetTruth(2, 0x1p-140);     // subnormal: eta
  EXPECT_EQ(scene.Tolerance("C-PRC-02", 0), 3 * 0x1p-23);
  EXPECT_EQ(scene.Tolerance("C-PRC-02", 1), 3 * 0x1p-24);
  EXPECT_EQ(scene.Tolerance("C-PRC-02", 2), 3 * kEta);
  scene.declared.subnormals = SubnormalPolicy::kFlushOut;
  EXPECT_EQ(scene.Tolerance("C-PRC-02", 2), 3 * kEta + kLambda);
}

TEST(UlpClass, IsCountedInTheAccumulatorOfANarrowType) {
  Scene scene(OpId::kExp, DType::kBf16, {1});
  scene.declared.accumulator = Accumulator{Format::kF32, false, 0, 0};
  scene.SetEach(Quantity::kAbsX, 1);
  scene.declared.ulp_limit = 1;
  scene.SetTruth(0, 1.5);
  EXPECT_EQ(scene.Tolerance("C-PRC-02"), 0x1p-23);
}

TEST(UlpClass, HoldsForDeclaredArgumentsAndAboveTheDeclaredFloor) {
  Scene scene(OpId::kCos, DType::kF32, {1});
  scene.declared.ulp_limit = 1;
  scene.declared.argument_limit = 5e9;
  scene.SetTruth(0, 0.75);
  scene.SetEach(Quantity::kAbsX, 5e9);
  EXPECT_EQ(scene.Tolerance("C-PRC-02"), 0x1p-24);
  scene.SetEach(Quantity::kAbsX, 5.1e9);
  EXPECT_TRUE(std::isinf(scene.Tolerance("C-PRC-02")));
  scene.declared.argument_limit.reset();
  scene.declared.error_floor = 1e-6;
  EXPECT_EQ(scene.Tolerance("C-PRC-02"), 1e-6);
  scene.declared.error_floor = 1e-12;  // below an ulp it says nothing
  EXPECT_EQ(scene.Tolerance("C-PRC-02"), 0x1p-24);
}

TEST(UlpClass, SaysNothingOfLogWhereItsInputMayBeFlushed) {
  Scene scene(OpId::kLog, DType::kF32, {1});
  scene.declared.ulp_limit = 3;
  scene.declared.subnormals = SubnormalPolicy::kFlushIn;
  scene.SetTruth(0, std::log(0x1p-149));
  scene.SetEach(Quantity::kAbsX, 0x1p-149);
  EXPECT_EQ(scene.Tolerance("C-PRC-02"), std::numeric_limits<double>::infinity());
  scene.SetEach(Quantity::kAbsX, 1);
  EXPECT_LT(scene.Tolerance("C-PRC-02"), 1e-4);
}

}  // namespace
}  // namespace assay
