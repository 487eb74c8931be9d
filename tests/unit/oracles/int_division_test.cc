// SPDX-License-Identifier: Apache-2.0
//
// Quotients and remainders of integers, worked out by hand: C23, 6.5.6, for truncated division,
// the definition of floor for the other.
#include "oracles/int_division.h"

#include <gtest/gtest.h>

#include <vector>

#include "contracts/int_division.h"
#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

struct Divided : Fixture {
  Divided(OpId op, DType type, const std::vector<int64_t>& x, const std::vector<int64_t>& y,
          bool floored)
      : Fixture(op, type, {static_cast<int64_t>(x.size())}) {
    source.attributes[kIntDivisionStyle].choice = floored;
    SetInteger(0, x);
    SetInteger(1, y);
    Measure();
  }
};

std::vector<double> Answers(OpId op, const std::vector<int64_t>& x, const std::vector<int64_t>& y,
                            bool floored = false) {
  return Divided(op, DType::kI32, x, y, floored).evidence.hi;
}

TEST(IntDivision, TruncatesOrFloors) {
  const std::vector<int64_t> x = {7, -7, 7, -7, 6}, y = {2, 2, -2, -2, -3};
  EXPECT_EQ(Answers(OpId::kIntDiv, x, y), (std::vector<double>{3, -3, -3, 3, -2}));
  EXPECT_EQ(Answers(OpId::kIntRemainder, x, y), (std::vector<double>{1, -1, 1, -1, 0}));
  EXPECT_EQ(Answers(OpId::kIntDiv, x, y, true), (std::vector<double>{3, -4, -4, 3, -2}));
  EXPECT_EQ(Answers(OpId::kIntRemainder, x, y, true), (std::vector<double>{1, 1, -1, -1, 0}));
}

TEST(IntDivision, IsExactBeyondDoubles) {
  // (2^63 - 1) / 1, and 2^53 + 1, which no double holds.
  const Divided divided(OpId::kIntDiv, DType::kI64, {INT64_MAX, 9007199254740993}, {1, -1}, false);
  EXPECT_EQ(divided.evidence.hi[0], 0x1p63);
  EXPECT_EQ(divided.evidence.lo[0], -1);
  EXPECT_EQ(divided.evidence.hi[1] + 0x1p53, -divided.evidence.lo[1] - 1);
  EXPECT_EQ(divided.evidence.radius[0], 0);
}

TEST(IntDivision, LeavesWhatHasNoQuotientToADeclaration) {
  for (const bool floored : {false, true}) {
    const Divided divided(OpId::kIntDiv, DType::kI8, {5, -128, -127, 0}, {0, -1, -1, 0}, floored);
    EXPECT_EQ(divided.evidence.legal[0] & kClassByValue, 0);
    EXPECT_EQ(divided.evidence.legal[1] & kClassByValue, 0);
    EXPECT_EQ(divided.evidence.hi[2], 127);
    EXPECT_EQ(divided.evidence.legal[3] & kClassByValue, 0);
    EXPECT_EQ(ScalarOf(divided.evidence, Quantity::kOutsideCount), 3);
  }
}

TEST(IntDivision, LeavesZeroOfTheLowestNumberByMinusOne) {
  const Divided divided(OpId::kIntRemainder, DType::kI64, {INT64_MIN, 3}, {-1, 0}, false);
  EXPECT_EQ(divided.evidence.hi[0], 0);
  EXPECT_NE(divided.evidence.legal[0] & kClassByValue, 0);
  EXPECT_EQ(divided.evidence.legal[1] & kClassByValue, 0);
}

TEST(IntDivision, KnowsNoMinusOneOfUnsignedNumbers) {
  EXPECT_EQ(QuotientOf(0, 255, LimitsOf(DType::kU8)), Quotient::kThere);
  EXPECT_EQ(QuotientOf(0, 0, LimitsOf(DType::kU8)), Quotient::kByZero);
  EXPECT_EQ(QuotientOf(-128, -1, LimitsOf(DType::kI8)), Quotient::kBeyond);
  EXPECT_EQ(QuotientOf(-128, -1, LimitsOf(DType::kI32)), Quotient::kThere);
}

}  // namespace
}  // namespace assay::fixtures
