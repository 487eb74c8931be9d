// SPDX-License-Identifier: Apache-2.0
//
// Products known by hand, their special answers, and generated ones against MPFR.
// ASSAY_TIER_CASES / 10 products are checked.
#include "oracles/product.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_number.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 20000
#endif

namespace assay::fixtures {
namespace {

Evidence Product(DType type, const std::vector<double>& x) {
  Fixture prod(OpId::kProd, type, NamedDims{static_cast<int64_t>(x.size())});
  prod.SetReal(0, x);
  const auto sets = prod.MeasureHighest().legal;
  EXPECT_EQ(prod.Measure().legal, sets);
  return prod.evidence;
}
ClassSet Classes(const std::vector<double>& x) { return Product(DType::kF32, x).legal[0]; }

TEST(Prod, MultipliesExactlyWhatFits) {
  const Evidence evidence = Product(DType::kF32, {3, -5, 7, 0.25});
  EXPECT_EQ(evidence.hi[0], -26.25);
  EXPECT_EQ(evidence.legal[0], kClassByValue);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 0), 26.25, 1e-9);
  EXPECT_NEAR(ScalarOf(evidence, Quantity::kMaxAbsSum), 105, 1e-6);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kSubnormalCount), 0);
  const Evidence one = Product(DType::kF64, {0.1});
  EXPECT_EQ(one.hi[0], 0.1);
  EXPECT_EQ(one.radius[0], 0);
}

TEST(Prod, OfNothingIsOne) {
  const Evidence evidence = Product(DType::kF16, {});
  EXPECT_EQ(evidence.hi[0], 1);
  EXPECT_EQ(evidence.radius[0], 0);
  EXPECT_EQ(evidence.legal[0], kClassByValue);
}

TEST(Prod, FollowsTheTable) {
  EXPECT_EQ(Classes({1, kNaN, 0}), kClassNan);
  EXPECT_EQ(Classes({0, 2, kInf}), kClassNan);
  EXPECT_EQ(Classes({-2, kInf}), kClassNegInf);
  EXPECT_EQ(Classes({-2, -kInf, 3}), kClassPosInf);
  EXPECT_EQ(Classes({0, -2}), kClassNegZero);
  EXPECT_EQ(Classes({-0.0, -2}), kClassPosZero);
}

TEST(Prod, MayLeaveTheRangeInSomeOrder) {
  EXPECT_EQ(Classes({0x1p100, -0x1p100, 0x1p-100}), kClassByValue | kClassNegInf);
  EXPECT_EQ(Classes({0x1p-100, -0x1p-100, 0x1p100}), kClassByValue | kClassNegZero | kClassFinite);
  EXPECT_EQ(Classes({0x1p-100, 0x1p-100, 0x1p100, 0x1p100}),
            kClassByValue | kClassPosZero | kClassFinite | kClassPosInf | kClassNan);
  EXPECT_EQ(Classes({0x1p100, 0x1p100, 0}), kClassPosZero | kClassNan);
  EXPECT_EQ(Classes({0x1p-100, 0x1p-100, kInf}), kClassPosInf | kClassNan);
  EXPECT_GT(
      ScalarOf(Product(DType::kF32, {0x1p-100, 0x1p-100, 0x1p100}), Quantity::kSubnormalCount), 0);
}

TEST(Prod, SettlesTheEdgesOfTheRangeOfDouble) {
  EXPECT_EQ(Product(DType::kF64, {0x1p600, -0x1p600}).hi[0], -kInf);
  // (1 + 2^-52) (1 - 2^-53) 2^1024 is barely above 2^1024.
  const Evidence edge = Product(DType::kF64, {(1 + 0x1p-52) * 0x1p512, (1 - 0x1p-53) * 0x1p512});
  EXPECT_EQ(edge.hi[0], std::numeric_limits<double>::max());
  EXPECT_GT(edge.lo[0], 0x1p970);
  const Evidence vanished = Product(DType::kF64, {0x1p-1000, -0x1p-1000});
  EXPECT_EQ(vanished.hi[0], 0);
  EXPECT_GT(vanished.radius[0], 0);
  const Evidence subnormal = Product(DType::kF64, {0x3p-600, 0x5p-470});
  EXPECT_EQ(subnormal.hi[0], 0xfp-1070);
}

TEST(Prod, EnclosesTheTruthOfGeneratedElements) {
  constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBf16, DType::kF64};
  Random random(6);
  for (int round = 0; round < ASSAY_TIER_CASES / 10; ++round) {
    const int n = random.Between(1, 40);
    const int reach = round % 7 == 0 ? 100 : 6;
    std::vector<double> x;
    for (int i = 0; i < n; ++i) x.push_back(random.Scaled(-reach, reach));
    Fixture prod(OpId::kProd, kTypes[round % 4], NamedDims{n});
    prod.SetReal(0, x);
    const Evidence& evidence = round % 13 == 0 ? prod.MeasureHighest() : prod.Measure();
    if (!(evidence.legal[0] & kClassByValue) || std::isinf(evidence.hi[0])) continue;
    Mpfr truth(1);
    for (const double value : prod.values.operands[0].real) truth = truth * Mpfr(value);
    ASSERT_TRUE(Encloses(evidence, 0, truth)) << "round " << round << ": " << evidence.hi[0];
    ASSERT_LE(evidence.radius[0], 0x1p-80 * std::fabs(evidence.hi[0]) + 0x1p-1070);
  }
}

}  // namespace
}  // namespace assay::fixtures
