// SPDX-License-Identifier: Apache-2.0
//
// Quantization against exact quotients by MPFR, and answers worked out by hand.
#include "oracles/quantize.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr ClassSet kAny = kClassNan | kClassInf | kClassZero | kClassFinite;

void SetStep(Case& value, double scale, double zero_point) {
  value.attributes[kQuantizeScale].real = scale;
  value.attributes[kQuantizeZeroPoint].real = zero_point;
}

TEST(Quantize, MeasuresTheStepsBeforeTheyAreRounded) {
  Fixture quantize(OpId::kQuantize, DType::kF32, {4});
  SetStep(quantize.source, 0.25, 3);
  quantize.SetReal(0, {1.125, -0.5, 1000, 0});
  const Evidence& evidence = quantize.Measure();
  EXPECT_EQ(evidence.hi, (std::vector<double>{7.5, 1, 4003, 3}));
  EXPECT_EQ(evidence.radius, (std::vector<double>{0, 0, 0, 0}));
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 0), 4.5, 1e-9);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kScale), 0.25);
}

TEST(Quantize, EnclosesTheQuotientOfMpfr) {
  Random random(31);
  mpfr_t exact, difference;
  mpfr_inits2(400, exact, difference, nullptr);
  Fixture quantize(OpId::kQuantize, DType::kF32, {1});
  for (int round = 0; round < 5000; ++round) {
    const double scale = std::fabs(double(float(random.Scaled(-20, 20))));
    const double x = float(random.Scaled(-30, 30));
    const int zero_point = random.Between(-128, 255);
    SetStep(quantize.source, scale, zero_point);
    quantize.SetReal(0, {x});
    const Evidence& evidence = quantize.Measure();
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_div_d(exact, exact, scale, MPFR_RNDN);
    mpfr_add_si(exact, exact, zero_point, MPFR_RNDN);
    mpfr_sub_d(difference, exact, evidence.hi[0], MPFR_RNDN);
    mpfr_sub_d(difference, difference, evidence.lo[0], MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    ASSERT_LE(mpfr_cmp_d(difference, evidence.radius[0] + 0x1p-200), 0) << x << " / " << scale;
    ASSERT_LE(evidence.radius[0], (std::fabs(x / scale) + 256) * 0x1p-100);
  }
  mpfr_clears(exact, difference, nullptr);
}

TEST(Quantize, LeavesNanAndUselessScalesOpen) {
  Fixture quantize(OpId::kQuantize, DType::kF32, {2});
  SetStep(quantize.source, 1, 0);
  quantize.SetReal(0, {kNaN, -kInf});
  EXPECT_EQ(quantize.Measure().legal[0], kAny);
  EXPECT_EQ(quantize.evidence.legal[1], kClassByValue);
  EXPECT_EQ(quantize.evidence.hi[1], -kInf);
  EXPECT_TRUE(quantize.evidence.special);
  for (const double scale : {0.0, -1.0, kInf, kNaN}) {
    SetStep(quantize.source, scale, 0);
    EXPECT_EQ(quantize.Measure().legal[1], kAny);
  }
}

TEST(Dequantize, MultipliesExactly) {
  for (const DType type : {DType::kI8, DType::kU8}) {
    Fixture dequantize(OpId::kDequantize, type, {3});
    const double scale = double(0.1f);
    SetStep(dequantize.source, scale, 7);
    dequantize.SetInteger(0, {100, 7, 0});
    const Evidence& evidence = dequantize.Measure();
    EXPECT_EQ(evidence.hi, (std::vector<double>{93 * scale, 0, -7 * scale}));
    EXPECT_EQ(evidence.legal[1], kClassByValue);
    SetStep(dequantize.source, kInf, 7);
    EXPECT_EQ(dequantize.Measure().legal,
              (std::vector<ClassSet>{kClassPosInf, kClassNan, kClassNegInf}));
  }
}

}  // namespace
}  // namespace assay::fixtures
