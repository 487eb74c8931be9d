// SPDX-License-Identifier: Apache-2.0
//
// Hard arguments: how close to a multiple of pi / 2 they come is measured with MPFR.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <set>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

// |sin x cos x|, half of the sine of 2 x: the distance to the next multiple of pi / 2, if small.
double DistanceToMultiple(double x) {
  mpfr_t value;
  mpfr_init2(value, 1300);
  mpfr_set_d(value, 2 * x, MPFR_RNDN);
  mpfr_sin(value, value, MPFR_RNDN);
  const double distance = std::fabs(mpfr_get_d(value, MPFR_RNDN)) / 2;
  mpfr_clear(value);
  return distance;
}

TEST(HardArguments, ComeCloseToMultiplesOfHalfPi) {
  for (const DType type : {DType::kF64, DType::kF32, DType::kF16}) {
    const int precision = InfoOf(FormatOf(type)).precision;
    Random random(7);
    int close = 0, beyond_few_parts = 0;
    constexpr int kDraws = 400;
    for (int i = 0; i < kDraws; ++i) {
      const double x = *DrawHardArgument(OpId::kCos, type, random);
      ASSERT_TRUE(std::isfinite(x) && x != 0);
      ASSERT_EQ(Round(FormatOf(type), x), x) << "not a number of the type";
      // A random number of this type comes that close once in 2^(precision - 14) draws.
      const double distance = DistanceToMultiple(x);
      close += distance < std::ldexp(1, -(precision - 14));
      beyond_few_parts += type == DType::kF64 && std::fabs(x) > 0x1p+40 && std::fabs(x) < 0x1p+47 &&
                          distance < 0x1p-38;
    }
    if (type != DType::kF16) EXPECT_GT(close, kDraws / 2) << NameOf(type);
    // Where a reduction with pi / 2 in three parts is off by several units.
    if (type == DType::kF64) EXPECT_GT(beyond_few_parts, 0);
  }
}

TEST(HardArguments, LieOnBothSidesOfWhereHyperbolicFunctionsOverflow) {
  Random random(3);
  // asinh of the largest f32: the largest argument with a finite hyperbolic sine.
  constexpr double kLargest = 0x1.65a9f8p+6;
  int below = 0, above = 0;
  for (int i = 0; i < 300; ++i) {
    const double x = std::fabs(*DrawHardArgument(OpId::kSinh, DType::kF32, random));
    below += x > 88.7229 && x <= kLargest;
    above += x > kLargest && x < 89.5;
  }
  EXPECT_GT(below, 10);
  EXPECT_GT(above, 10);
}

TEST(HardArguments, AreNotKnownOfSelections) {
  Random random(1);
  EXPECT_FALSE(DrawHardArgument(OpId::kRelu, DType::kF32, random).has_value());
}

}  // namespace
}  // namespace assay
