// SPDX-License-Identifier: Apache-2.0
//
// The reference loops: special rules of the BLAS text, functions against MPFR, gather's rejection.
#include "engine/backends/reference/reference.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>

#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> GemmOf(double alpha, double beta, int64_t k, std::vector<double> a,
                           std::vector<double> c) {
  PlacedCall call(OpId::kGemm, DType::kF32, {1, 2, k});
  call.Attribute(kGemmAlpha, alpha).Attribute(kGemmBeta, beta);
  call.Place(0, a).Place(1, std::vector<double>(static_cast<size_t>(2 * k), 1)).Place(2, c);
  EXPECT_EQ(call.Run(OpenReference()), ASSAY_OK);
  return call.Output();
}

TEST(Reference, DoesNotReadFactorsWhenAlphaIsZero) {
  EXPECT_EQ(GemmOf(0, 2, 1, {kNan}, {3, 4}), (std::vector<double>{6, 8}));
  EXPECT_EQ(GemmOf(0, 0, 1, {kNan}, {3, 4}), (std::vector<double>{0, 0}));
}

TEST(Reference, DoesNotReadCWhenBetaIsZero) {
  EXPECT_EQ(GemmOf(1, 0, 1, {5}, {kNan, kNan}), (std::vector<double>{5, 5}));
}

TEST(Reference, ScalesCWhenTheProductIsEmpty) {
  EXPECT_EQ(GemmOf(1, 0, 0, {}, {kNan, 4}), (std::vector<double>{0, 0}));
  EXPECT_EQ(GemmOf(1, 3, 0, {}, {3, 4}), (std::vector<double>{9, 12}));
  EXPECT_EQ(GemmOf(1, 1, 0, {}, {3, 4}), (std::vector<double>{3, 4}));
}

TEST(Reference, PropagatesNanThroughAlphaAndBeta) {
  EXPECT_TRUE(std::isnan(GemmOf(kNan, 0, 1, {1}, {3, 4})[0]));
  EXPECT_TRUE(std::isnan(GemmOf(0, kNan, 1, {1}, {3, 4})[0]));
}

// 2048 + 1 is a tie in f16, which rounds to 2048 each time; in f32 the ones add up to 8 first.
TEST(Reference, AccumulatesSixteenBitTypesInF32AndRoundsOnce) {
  PlacedCall call(OpId::kDot, DType::kF16, {9});
  call.Place(0, {2048, 1, 1, 1, 1, 1, 1, 1, 1}).Place(1, std::vector<double>(9, 1)).Place(2, {0});
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  EXPECT_EQ(call.Output(), std::vector<double>{2056});
}

TEST(Reference, WritesF32ResultsOfSixteenBitFactors) {
  PlacedCall call(OpId::kGemm, DType::kBf16, {1, 1, 2});
  call.operand(2).dtype = DType::kF32;
  call.Place(0, {257 - 1, 1}).Place(1, {1, 1}).Place(2, {0});
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  EXPECT_EQ(call.Output(), std::vector<double>{257});  // Not a bf16 number.
}

TEST(Reference, FollowsZeroAndNegativeStrides) {
  PlacedCall call(OpId::kDot, DType::kF64, {3});
  call.Layout(0, {3}, {0}).Layout(1, {3}, {-2});
  call.Place(0, {7, 7, 7}).Place(1, {1, 2, 3}).Place(2, {0});
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  EXPECT_EQ(call.Output(), std::vector<double>{42});
}

TEST(Reference, PropagatesNanThroughASoftmaxRowAndNoFurther) {
  PlacedCall call(OpId::kSoftmax, DType::kF32, {2, 3});
  call.Place(0, {1, kNan, -kInf, 0, 0, -kInf}).Place(1, std::vector<double>(6, 9));
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  const std::vector<double> out = call.Output();
  for (size_t j = 0; j < 3; ++j) EXPECT_TRUE(std::isnan(out[j]));
  EXPECT_EQ(out[3], 0.5);
  EXPECT_EQ(out[4], 0.5);
  EXPECT_EQ(out[5], 0);
}

TEST(Reference, SoftmaxSurvivesTheLargestInputs) {
  PlacedCall call(OpId::kSoftmax, DType::kF32, {1, 2});
  const double largest = std::numeric_limits<float>::max();
  call.Place(0, {largest, -largest}).Place(1, {9, 9});
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  EXPECT_EQ(call.Output(), (std::vector<double>{1, 0}));
}

TEST(Reference, GathersRowsAndRaisesForIndicesOutsideWithNothingWritten) {
  const auto gather = [](PlacedCall& call, double index) {
    call.operand(1).dtype = DType::kI64;
    call.Place(0, {1, 2, 3, 4, 5, 6}).Place(1, {2, index}).Place(2, {9, 9, 9, 9});
    return call.Run(OpenReference());
  };
  PlacedCall inside(OpId::kGather, DType::kF32, {3, 2, 2});
  EXPECT_EQ(gather(inside, 0), ASSAY_OK);
  EXPECT_EQ(inside.Output(), (std::vector<double>{5, 6, 1, 2}));
  for (const double index : {-1.0, 3.0, 1e18}) {
    PlacedCall outside(OpId::kGather, DType::kF32, {3, 2, 2});
    EXPECT_EQ(gather(outside, index), ASSAY_RAISED);
    EXPECT_EQ(outside.Output(), std::vector<double>(4, 9));
  }
}

// Exact to far more than double, then rounded to double.
double ExactGelu(double x, bool tanh_form) {
  mpfr_t value, argument;
  mpfr_inits2(300, value, argument, nullptr);
  mpfr_set_d(value, x, MPFR_RNDN);
  if (tanh_form) {
    // 0.044715 is the decimal number, not a double near it.
    mpfr_pow_ui(argument, value, 3, MPFR_RNDN);
    mpfr_mul_ui(argument, argument, 44715, MPFR_RNDN);
    mpfr_div_ui(argument, argument, 1000000, MPFR_RNDN);
    mpfr_add(argument, argument, value, MPFR_RNDN);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_ui_div(value, 2, value, MPFR_RNDN);
    mpfr_sqrt(value, value, MPFR_RNDN);
    mpfr_mul(argument, argument, value, MPFR_RNDN);
    mpfr_tanh(argument, argument, MPFR_RNDN);
    mpfr_add_ui(argument, argument, 1, MPFR_RNDN);
  } else {
    mpfr_sqrt_ui(argument, 2, MPFR_RNDN);
    mpfr_div(argument, value, argument, MPFR_RNDN);
    mpfr_neg(argument, argument, MPFR_RNDN);
    mpfr_erfc(argument, argument, MPFR_RNDN);
  }
  mpfr_mul_d(argument, argument, x / 2, MPFR_RNDN);
  const double result = mpfr_get_d(argument, MPFR_RNDN);
  mpfr_clears(value, argument, nullptr);
  return result;
}

TEST(Reference, KeepsTheRelativeAccuracyOfGeluInTheTail) {
  const std::vector<double> inputs = {-12, -9, -6, -5.5, -4, -1, -0.25, 0.25, 1, 4, 9};
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const int form : {0, 1}) {
      PlacedCall call(OpId::kGelu, type, {static_cast<int64_t>(inputs.size())});
      call.Choice(kGeluForm, form);
      call.Place(0, inputs).Place(1, std::vector<double>(inputs.size(), 9));
      ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
      const std::vector<double> out = call.Output();
      for (size_t i = 0; i < inputs.size(); ++i) {
        const uint64_t exact = Encode(type, ExactGelu(inputs[i], form == 1));
        EXPECT_LE(UlpDistance(type, Encode(type, out[i]), exact), 1u)
            << NameOf(type) << " form " << form << " at " << inputs[i];
      }
    }
  }
}

TEST(Reference, TakesTheLimitOfGeluAtInfinity) {
  for (const int form : {0, 1}) {
    PlacedCall call(OpId::kGelu, DType::kF32, {3});
    call.Choice(kGeluForm, form);
    call.Place(0, {kInf, -kInf, kNan}).Place(1, {9, 9, 9});
    ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
    const std::vector<double> out = call.Output();
    EXPECT_EQ(out[0], kInf);
    EXPECT_EQ(out[1], 0);
    EXPECT_TRUE(std::isnan(out[2]));
  }
}

TEST(Reference, AgreesWithMpfrOnTheOtherFunctions) {
  struct Function {
    OpId op;
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    uint64_t ulp;  // glibc's own bounds for x86-64, from its manual
  };
  const Function functions[] = {{OpId::kExp, mpfr_exp, 1},
                                {OpId::kLog, mpfr_log, 1},
                                {OpId::kTanh, mpfr_tanh, 2},
                                {OpId::kSqrt, mpfr_sqrt, 0},
                                {OpId::kErf, mpfr_erf, 1}};
  const std::vector<double> inputs = {0.125, 0.5, 1, 1.5, 3, 7.25, 20};
  for (const Function& function : functions) {
    for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBf16}) {
      PlacedCall call(function.op, type, {static_cast<int64_t>(inputs.size())});
      call.Place(0, inputs).Place(1, std::vector<double>(inputs.size(), 9));
      ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
      const std::vector<double> out = call.Output();
      for (size_t i = 0; i < inputs.size(); ++i) {
        mpfr_t value;
        mpfr_init2(value, 300);
        mpfr_set_d(value, inputs[i], MPFR_RNDN);
        function.exact(value, value, MPFR_RNDN);
        const uint64_t exact = Encode(type, mpfr_get_d(value, MPFR_RNDN));
        mpfr_clear(value);
        if (std::isinf(Decode(type, exact))) {
          EXPECT_EQ(out[i], kInf);
          continue;
        }
        EXPECT_LE(UlpDistance(type, Encode(type, out[i]), exact), function.ulp)
            << DefOf(function.op).name << " " << NameOf(type) << " " << inputs[i];
      }
    }
  }
}

}  // namespace
}  // namespace assay
