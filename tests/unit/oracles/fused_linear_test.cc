// SPDX-License-Identifier: Apache-2.0
//
// fused_linear: activations of exact pre-activations, by hand and against MPFR's functions.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <vector>

#include "oracles/enclosure.h"
#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_sum.h"

namespace assay::fixtures {
namespace {

enum { kNone, kRelu, kGeluErf, kGeluTanh, kSilu, kSigmoid, kTanh, kActivations };

// The referee: activation and residual in 300 bits, from an exact z.
class MpfrActivation {
 public:
  MpfrActivation() {
    mpfr_inits2(kBits, z_, y_, t_, nullptr);
    mpfr_set_zero(z_, 1);
  }
  ~MpfrActivation() { mpfr_clears(z_, y_, t_, nullptr); }
  MpfrActivation(const MpfrActivation&) = delete;

  void Add(double a, double b) {
    mpfr_set_d(t_, a, MPFR_RNDN);
    mpfr_mul_d(t_, t_, b, MPFR_RNDN);
    mpfr_add(z_, z_, t_, MPFR_RNDN);
  }
  void Finish(int activation, double residual) {
    Activate(activation);
    activated_ = std::fabs(mpfr_get_d(y_, MPFR_RNDN));
    mpfr_add_d(y_, y_, residual, MPFR_RNDN);
  }
  double activated() const { return activated_; }
  double Distance(const Evidence& evidence, int64_t at) {
    mpfr_sub_d(t_, y_, evidence.hi[at], MPFR_RNDN);
    mpfr_sub_d(t_, t_, evidence.lo[at], MPFR_RNDN);
    return std::fabs(mpfr_get_d(t_, MPFR_RNDN));
  }

 private:
  static constexpr mpfr_prec_t kBits = 1200;

  // y = 1 / (1 + exp(-t))
  void Logistic() {
    mpfr_neg(t_, t_, MPFR_RNDN);
    mpfr_exp(y_, t_, MPFR_RNDN);
    mpfr_add_ui(y_, y_, 1, MPFR_RNDN);
    mpfr_ui_div(y_, 1, y_, MPFR_RNDN);
  }
  void Activate(int activation) {
    switch (activation) {
      case kNone:
        mpfr_set(y_, z_, MPFR_RNDN);
        return;
      case kRelu:
        mpfr_set(y_, z_, MPFR_RNDN);
        if (mpfr_sgn(y_) < 0) mpfr_set_zero(y_, 1);
        return;
      case kGeluErf:
        mpfr_sqrt_ui(t_, 2, MPFR_RNDN);
        mpfr_div(t_, z_, t_, MPFR_RNDN);
        mpfr_neg(t_, t_, MPFR_RNDN);
        mpfr_erfc(y_, t_, MPFR_RNDN);
        mpfr_mul(y_, y_, z_, MPFR_RNDN);
        mpfr_div_2ui(y_, y_, 1, MPFR_RNDN);
        return;
      case kGeluTanh:
        mpfr_pow_ui(t_, z_, 3, MPFR_RNDN);
        mpfr_mul_ui(t_, t_, 44715, MPFR_RNDN);
        mpfr_div_ui(t_, t_, 1000000, MPFR_RNDN);
        mpfr_add(t_, t_, z_, MPFR_RNDN);
        mpfr_const_pi(y_, MPFR_RNDN);
        mpfr_ui_div(y_, 8, y_, MPFR_RNDN);
        mpfr_sqrt(y_, y_, MPFR_RNDN);
        mpfr_mul(t_, t_, y_, MPFR_RNDN);
        Logistic();
        mpfr_mul(y_, y_, z_, MPFR_RNDN);
        return;
      case kSilu:
      case kSigmoid:
        mpfr_set(t_, z_, MPFR_RNDN);
        Logistic();
        if (activation == kSilu) mpfr_mul(y_, y_, z_, MPFR_RNDN);
        return;
      default:
        mpfr_tanh(y_, z_, MPFR_RNDN);
        return;
    }
  }

  mpfr_t z_, y_, t_;
  double activated_ = 0;
};

TEST(FusedLinear, AppliesBiasActivationAndResidual) {
  Fixture fused(OpId::kFusedLinear, DType::kF32, {1, 3, 2});
  fused.source.attributes[kLinearActivation].choice = kRelu;
  fused.SetReal(0, {2, 3});
  fused.SetReal(1, {1, 1, 0, 1, -1, 0});
  fused.SetReal(2, {10, 0, -4});
  fused.SetReal(3, {100, 200, 300});
  const Evidence& evidence = fused.Measure();
  EXPECT_EQ(evidence.hi, (std::vector<double>{115, 200, 300}));  // z = 15, -1, -4
  EXPECT_EQ(evidence.radius, std::vector<double>(3, 0));
  EXPECT_EQ(evidence.element[static_cast<size_t>(Quantity::kNonZeros)],
            (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(evidence.element[static_cast<size_t>(Quantity::kBias)],
            (std::vector<double>{100, 200, 300}));
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 1), 5, 1e-9);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kActivated, 0), 15, 1e-9);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kActivated, 1), 0);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kLipschitz), 1);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kMaxAbsC), 10);
}

TEST(FusedLinear, SeesWhatABiasCancels) {
  // 1000.37 - 1000 as f16 operands would have it: an exact difference far below the product.
  Fixture fused(OpId::kFusedLinear, DType::kF16, {1, 1, 2});
  fused.SetReal(0, {1000, 1});
  fused.SetReal(1, {1, 0x1.7ap-2});
  fused.SetReal(2, {-1000});
  EXPECT_EQ(fused.Measure().hi[0], 0x1.7ap-2);
  double eager = 0;
  ASSERT_TRUE(Emulator(fused.values).Emulate(DefectModel::kRoundedIntermediate, 0, &eager));
  EXPECT_EQ(eager, 0.5);  // 1000.37 is 1000.5 in f16
}

struct Round {
  DType type;
  int exponent;
};

void CheckAgainstMpfr(const Round& round, int activation, bool highest, Random& random) {
  const int64_t m = 2, n = 3, k = 5;
  Fixture fused(OpId::kFusedLinear, round.type, {m, n, k});
  fused.source.attributes[kLinearActivation].choice = activation;
  for (int operand = 0; operand < 4; ++operand) {
    std::vector<double> reals;
    for (int64_t i = 0; i < fused.values.operands[static_cast<size_t>(operand)].count; ++i) {
      reals.push_back(random.Scaled(-round.exponent, round.exponent));
    }
    fused.SetReal(operand, reals);
  }
  const Evidence& evidence = highest ? fused.MeasureHighest() : fused.Measure();
  const auto& operands = fused.values.operands;
  for (int64_t at = 0; at < m * n; ++at) {
    MpfrActivation referee;
    for (int64_t p = 0; p < k; ++p) {
      referee.Add(operands[0].real[at / n * k + p], operands[1].real[p * n + at % n]);
    }
    referee.Add(operands[2].real[at % n], 1);
    referee.Finish(activation, operands[3].real[at]);
    ASSERT_TRUE(evidence.legal[at] & kClassByValue);
    const double distance = referee.Distance(evidence, at);
    ASSERT_LE(distance, evidence.radius[at] * (1 + 0x1p-40)) << activation << " at " << at;
    const double activated = QuantityOf(evidence, Quantity::kActivated, at);
    ASSERT_GE(activated, referee.activated() * (1 - 0x1p-50));
    // Decisive: far below one rounding of the bound lipschitz u sum|.| + u |activation|.
    const double unit = InfoOf(FormatOf(round.type)).unit_roundoff;
    const double reach =
        ScalarOf(evidence, Quantity::kLipschitz) * QuantityOf(evidence, Quantity::kAbsSum, at) +
        activated;
    ASSERT_LE(evidence.radius[at], 0x1p-8 * unit * reach + 0x1p-800);
  }
}

TEST(FusedLinear, EnclosesWhatMpfrComputes) {
  Random random(11);
  for (const Round round : {Round{DType::kF32, 2}, Round{DType::kF64, 2}, Round{DType::kF16, 3},
                            Round{DType::kBf16, 6}, Round{DType::kF64, 8}}) {
    for (int activation = 0; activation < kActivations; ++activation) {
      for (int repeat = 0; repeat < 6; ++repeat) {
        CheckAgainstMpfr(round, activation, repeat % 2 == 1, random);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(FusedLinear, DeclaresSlopesThatNoActivationExceeds) {
  // Secants of MPFR's values over a fine grid.
  for (int activation = 0; activation < kActivations; ++activation) {
    Fixture fused(OpId::kFusedLinear, DType::kF32, {1, 1, 0});
    fused.source.attributes[kLinearActivation].choice = activation;
    const double lipschitz = ScalarOf(fused.Measure(), Quantity::kLipschitz);
    double steepest = 0, before = 0;
    for (int i = -200; i <= 200; ++i) {
      MpfrActivation referee;
      referee.Add(i / 32.0, 1);
      referee.Finish(activation, 10);
      Evidence zero;
      zero.hi = zero.lo = {0};
      const double value = referee.Distance(zero, 0);  // f(z) + 10 > 0
      if (i > -200) steepest = std::fmax(steepest, (value - before) * 32);
      before = value;
    }
    EXPECT_LE(steepest, lipschitz * (1 + 1e-9)) << activation;
    EXPECT_GE(steepest, lipschitz * 0.998) << activation;
  }
}

}  // namespace
}  // namespace assay::fixtures
