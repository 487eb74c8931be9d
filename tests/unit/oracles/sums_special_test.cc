// SPDX-License-Identifier: Apache-2.0
//
// Special answers of gemm, dot and sum, row by row: what IEEE 754 and the reference BLAS fix, and
// where they leave a choice.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr double kLargest32 = 0x1.fffffep127;
constexpr ClassSet kAnyOverflow = kClassInf | kClassNan;

// The set of one output alpha * sum a b + beta * c.
ClassSet SetOf(const std::vector<double>& a, const std::vector<double>& b, double alpha = 1,
               double beta = 0, double c = 0, DType type = DType::kF32) {
  Gemm gemm(type, 1, 1, static_cast<int64_t>(a.size()), alpha, beta);
  gemm.SetReal(0, a);
  gemm.SetReal(1, b);
  gemm.SetReal(2, {c});
  const ClassSet set = gemm.Measure().legal[0];
  EXPECT_EQ(gemm.MeasureHighest().legal[0], set);
  return set;
}

TEST(GemmSpecials, DoNotReadWhatAZeroScalarExcludes) {
  EXPECT_EQ(SetOf({kNaN}, {1}, 0, 0, kNaN), kClassPosZero);
  EXPECT_EQ(SetOf({kNaN}, {1}, -0.0, 0, kInf), kClassPosZero);
  EXPECT_EQ(SetOf({kNaN}, {1}, -0.0, -0.0, kInf), kClassZero);  // beta may be multiplied
  EXPECT_EQ(SetOf({kInf}, {kNaN}, 0, 1, 3), kClassByValue);
  EXPECT_EQ(SetOf({1}, {1}, 1, 0, kNaN), kClassByValue);
  EXPECT_EQ(SetOf({1}, {1}, 1, -0.0, kInf), kClassByValue);
}

TEST(GemmSpecials, LeaveCUnchangedForAlphaZeroAndBetaOne) {
  EXPECT_EQ(SetOf({1}, {1}, 0, 1, -0.0), kClassNegZero);
  EXPECT_EQ(SetOf({1}, {1}, 0, 1, 0.0), kClassPosZero);
  EXPECT_EQ(SetOf({1}, {1}, 0, 1, kNaN), kClassNan);
  EXPECT_EQ(SetOf({1}, {1}, 0, 1, -kInf), kClassNegInf);
  Gemm gemm(DType::kF32, 1, 1, 1, 0, 1);
  gemm.SetReal(0, {kNaN});
  gemm.SetReal(2, {0x1.234566p-3});
  EXPECT_EQ(gemm.Measure().hi[0], 0x1.234566p-3);
  EXPECT_EQ(gemm.evidence.radius[0], 0);
  EXPECT_EQ(QuantityOf(gemm.evidence, Quantity::kNonZeros, 0), 0);
  EXPECT_TRUE(gemm.evidence.special);
}

TEST(GemmSpecials, ScaleCAloneForAlphaZero) {
  EXPECT_EQ(SetOf({1}, {1}, 0, 2, kNaN), kClassNan);
  EXPECT_EQ(SetOf({1}, {1}, 0, -2, kInf), kClassNegInf);
  EXPECT_EQ(SetOf({1}, {1}, 0, kInf, 0), kClassNan);
  EXPECT_EQ(SetOf({1}, {1}, 0, 2, 0), kClassByValue);  // either zero
  Gemm gemm(DType::kF32, 1, 1, 1, 0, 0x1.fffffep0);
  gemm.SetReal(2, {0x1.fffffep0});
  gemm.Measure();
  EXPECT_EQ(gemm.evidence.hi[0] + gemm.evidence.lo[0], 0x1.fffffcp1 + 0x1p-46);
  EXPECT_EQ(gemm.evidence.radius[0], 0);
}

// A blocked kernel scales each block's partial sum: one that vanished meets the infinity alone.
TEST(GemmSpecials, AllowNanWhereAnInfiniteAlphaMeetsAVanishedBlock) {
  EXPECT_EQ(SetOf({1, 0x1p-127}, {1, 0x1p-127}, kInf, 0, 0), kClassPosInf | kClassNan);
  EXPECT_EQ(SetOf({1, 2}, {1, 2}, kInf, 0, 0), kClassPosInf);
}

// No order of this sum is finite: its infinity meets the one of c. c alone makes the output
// special, so that nothing else says how large the sum is.
TEST(GemmSpecials, AllowNanWhereAScaledSumOverflowsAgainstAnInfiniteC) {
  EXPECT_EQ(SetOf({0x1p20}, {0x1p20}, 0x1p100, 1, -kInf), kClassNegInf | kClassNan);
  EXPECT_EQ(SetOf({0x1p20}, {0x1p20}, 0x1p100, 1, kInf), kClassPosInf);
  EXPECT_EQ(SetOf({0x1p20}, {0x1p20}, 0x1p80, 1, -kInf), kClassNegInf);
}

TEST(GemmSpecials, TreatAnEmptySumAsAlphaZero) {
  EXPECT_EQ(SetOf({}, {}, 1, 0, kNaN), kClassPosZero);
  EXPECT_EQ(SetOf({}, {}, -1, 0, kNaN), kClassZero);  // -1 * +0 in reference BLAS, transposed
  EXPECT_EQ(SetOf({}, {}, 1, 1, -0.0), kClassZero);   // unchanged, or 0 + (-0)
  EXPECT_EQ(SetOf({}, {}, 0, 1, -0.0), kClassNegZero);
  EXPECT_EQ(SetOf({}, {}, kNaN, 1, 5), kClassByValue | kClassNan);
  EXPECT_EQ(SetOf({}, {}, kInf, 0, 5), kClassPosZero | kClassNan);
}

TEST(GemmSpecials, SpreadANanScalarEverywhere) {
  EXPECT_EQ(SetOf({1}, {1}, kNaN), kClassNan);
  EXPECT_EQ(SetOf({0}, {0}, kNaN), kClassNan);
  EXPECT_EQ(SetOf({1}, {1}, 1, kNaN, 0), kClassNan);
  EXPECT_EQ(SetOf({1}, {1}, 0, kNaN, 1), kClassNan);
}

TEST(GemmSpecials, KeepANanInItsRowAndColumn) {
  Gemm gemm(DType::kF32, 3, 9, 2);
  std::vector<double> a(6, 1), b(18, 1);
  a[1 * 2 + 1] = kNaN;  // row 1
  b[0 * 9 + 4] = kNaN;  // column 4
  gemm.SetReal(0, a);
  gemm.SetReal(1, b);
  const Evidence& evidence = gemm.Measure();
  EXPECT_TRUE(evidence.special);
  EXPECT_EQ(evidence.tier, Tier::kTable);
  for (int64_t at = 0; at < 27; ++at) {
    const bool struck = at / 9 == 1 || at % 9 == 4;
    EXPECT_EQ(evidence.legal[at], struck ? kClassNan : kClassByValue) << at;
    if (!struck) {
      EXPECT_EQ(evidence.hi[at], 2);
      EXPECT_EQ(evidence.radius[at], 0);
    }
  }
}

TEST(GemmSpecials, MultiplyZeroByInfinityToNan) {
  EXPECT_EQ(SetOf({0, 1}, {kInf, 1}), kClassNan);
  EXPECT_EQ(SetOf({kNaN, 1}, {0, 1}), kClassNan);
}

TEST(GemmSpecials, AddInfinitiesBySign) {
  EXPECT_EQ(SetOf({kInf, 1}, {2, 1}), kClassPosInf);
  EXPECT_EQ(SetOf({kInf, 1}, {-2, 1}), kClassNegInf);
  EXPECT_EQ(SetOf({kInf, kInf}, {2, -1}), kClassNan);
  EXPECT_EQ(SetOf({kInf, 1}, {2, 1}, -3), kClassNegInf);
  EXPECT_EQ(SetOf({kInf}, {2}, 1, 1, -kInf), kClassNan);
  EXPECT_EQ(SetOf({kInf}, {2}, 1, 1, kInf), kClassPosInf);
  EXPECT_EQ(SetOf({1}, {2}, 1, -1, kInf), kClassNegInf);
  EXPECT_EQ(SetOf({1}, {2}, 1, 1, kNaN), kClassNan);
  EXPECT_EQ(SetOf({1}, {2}, 1, kInf, 0), kClassNan);
}

TEST(GemmSpecials, AllowBothAssociationsOfAlpha) {
  // alpha b = 0 in f32 and a = Inf.
  EXPECT_EQ(SetOf({kInf}, {0x1p-100}, 0x1p-100), kClassPosInf | kClassNan);
  // alpha b = Inf in f32 and a = 0: the value 0 or NaN.
  EXPECT_EQ(SetOf({0}, {0x1p100}, 0x1p100) & (kClassByValue | kClassNan),
            kClassByValue | kClassNan);
  // alpha = Inf: after the sum, the sum's sign; folded, each term's.
  EXPECT_EQ(SetOf({1, 2}, {1, 1}, kInf), kClassPosInf);
  EXPECT_EQ(SetOf({1, 2}, {1, 1}, -kInf), kClassNegInf);
  EXPECT_EQ(SetOf({1, 0}, {1, 1}, kInf), kClassPosInf | kClassNan);
  EXPECT_EQ(SetOf({0, 0}, {1, 1}, kInf), kClassNan);
  EXPECT_EQ(SetOf({1, 2}, {1, -1}, kInf), kAnyOverflow);
}

TEST(GemmSpecials, AdmitWhatPartialSumsReach) {
  // Truth finite, one order overflows upward, another downward.
  EXPECT_EQ(SetOf({kLargest32, kLargest32, -kLargest32}, {1, 1, 1}), kClassByValue | kAnyOverflow);
  EXPECT_EQ(SetOf({kLargest32, 1}, {0.75, 1}), kClassByValue | kClassPosInf);
  EXPECT_EQ(SetOf({-kLargest32, 1}, {0.75, 1}), kClassByValue | kClassNegInf);
  EXPECT_EQ(SetOf({kLargest32 / 4, 1}, {1, 1}), kClassByValue);
  // Folded into b, alpha overflows, though the truth is 1e30.
  EXPECT_EQ(SetOf({1e-30}, {1e30}, 1e30), kClassByValue | kAnyOverflow);
  // An infinity of the data met by an overflow of the other sign.
  EXPECT_EQ(SetOf({kInf, -kLargest32, -kLargest32}, {1, 1, 1}), kClassPosInf | kClassNan);
}

TEST(GemmSpecials, GiveTheInfinityOfATruthBeyondDouble) {
  const double largest = std::numeric_limits<double>::max();
  const ClassSet up = SetOf({largest, largest}, {2, 1}, 1, 0, 0, DType::kF64);
  EXPECT_FALSE(up & kClassByValue);
  EXPECT_TRUE(up & kClassPosInf);
}

TEST(SumSpecials, FollowTheTable) {
  const auto set_of = [](const std::vector<double>& x) {
    Fixture sum(OpId::kSum, DType::kF16, {static_cast<int64_t>(x.size())});
    sum.SetReal(0, x);
    return sum.Measure().legal[0];
  };
  EXPECT_EQ(set_of({}), kClassPosZero);
  EXPECT_EQ(set_of({1, kNaN, kInf}), kClassNan);
  EXPECT_EQ(set_of({1, kInf, -kInf}), kClassNan);
  EXPECT_EQ(set_of({1, kInf, kInf}), kClassPosInf);
  EXPECT_EQ(set_of({-kInf, 1, 1}), kClassNegInf);
  EXPECT_EQ(set_of({-0.0, -0.0}), kClassByValue);  // a zero of either sign
}

TEST(DotSpecials, FollowTheTable) {
  Fixture empty(OpId::kDot, DType::kF64, {0});
  EXPECT_EQ(empty.Measure().legal[0], kClassPosZero);
  EXPECT_FALSE(std::signbit(empty.evidence.hi[0]));
  Fixture dot(OpId::kDot, DType::kF64, {2});
  dot.SetReal(0, {0, 1});
  dot.SetReal(1, {kInf, 1});
  EXPECT_EQ(dot.Measure().legal[0], kClassNan);
}

}  // namespace
}  // namespace assay::fixtures
