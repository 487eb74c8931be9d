// SPDX-License-Identifier: Apache-2.0
//
// What is declared of integers that have no quotient, and answers that are as declared or not.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

constexpr int64_t kLowest = -2147483648;

// One quotient, or what it leaves, of 32-bit numbers.
struct Division : Scene {
  Division(OpId op, int64_t x, int64_t y) : Scene(op, DType::kI32, {1}) {
    values.operands[0].integer = {x};
    values.operands[1].integer = {y};
    Set(Quantity::kOutsideCount, 1);
    evidence.legal[0] = kClassFinite | kClassZero;
    observation.real.clear();
    Answered(0);
  }
  Division& Answered(int64_t got) {
    observation.status = RunStatus::kOk;
    observation.bits = {EncodeInteger(DType::kI32, got)};
    return *this;
  }
  Division& Raised() {
    observation.status = RunStatus::kRaised;
    return *this;
  }
  ClauseVerdict Clause() { return Of("C-EXC-01", "division"); }
  Outcome Result() { return Clause().outcome; }
  Outcome Ends() { return Of("X-SAFE-01", "ends").outcome; }
};

TEST(Division, ByZeroIsUnderSpecifiedWithoutADeclaration) {
  Division division(OpId::kIntDiv, 7, 0);
  for (const int64_t got : {int64_t{0}, int64_t{-1}, kLowest}) {
    EXPECT_EQ(division.Answered(got).Result(), Outcome::kUnderSpecified);
  }
  EXPECT_EQ(division.Raised().Result(), Outcome::kUnderSpecified);
  EXPECT_EQ(division.Ends(), Outcome::kConforming);
}

TEST(Division, ByZeroAnswersAsDeclaredAndInNoOtherWay) {
  struct Row {
    DivisionPolicy policy;
    int64_t answer;
  };
  constexpr Row kRows[] = {{DivisionPolicy::kZero, 0},
                           {DivisionPolicy::kAllOnes, -1},
                           {DivisionPolicy::kWrap, kLowest},
                           {DivisionPolicy::kDividend, 7}};
  for (const Row& row : kRows) {
    Division division(OpId::kIntDiv, 7, 0);
    division.declared.division_by_zero = row.policy;
    for (const Row& other : kRows) {
      const Outcome due = &row == &other ? Outcome::kConforming : Outcome::kViolating;
      EXPECT_EQ(division.Answered(other.answer).Result(), due) << NameOf(row.policy);
    }
    EXPECT_EQ(division.Raised().Clause().error, ErrorClass::kPolicy);
  }
}

TEST(Division, IsRejectedWhereThatIsDeclared) {
  Division division(OpId::kIntRemainder, 7, 0);
  division.declared.division_by_zero = DivisionPolicy::kRaise;
  EXPECT_EQ(division.Raised().Result(), Outcome::kConforming);
  const ClauseVerdict accepted = division.Answered(0).Clause();
  EXPECT_EQ(accepted.outcome, Outcome::kViolating);
  EXPECT_EQ(accepted.error, ErrorClass::kPolicy);
  EXPECT_EQ(accepted.witness, 0);
}

TEST(Division, OfTheLowestByMinusOneHasADeclarationOfItsOwn) {
  Division division(OpId::kIntDiv, kLowest, -1);
  division.declared.division_by_zero = DivisionPolicy::kZero;
  EXPECT_EQ(division.Answered(0).Result(), Outcome::kUnderSpecified);
  division.declared.division_overflow = DivisionPolicy::kWrap;
  EXPECT_EQ(division.Answered(kLowest).Result(), Outcome::kConforming);
  EXPECT_EQ(division.Answered(2147483647).Result(), Outcome::kViolating);
}

TEST(Division, LeavesZeroOfTheLowestByMinusOneAndMayRejectItWhereDeclared) {
  Division division(OpId::kIntRemainder, kLowest, -1);
  EXPECT_EQ(division.Answered(0).Result(), Outcome::kNotTested);  // the values decide
  EXPECT_EQ(division.Raised().Result(), Outcome::kUnderSpecified);
  division.declared.division_overflow = DivisionPolicy::kRaise;
  EXPECT_EQ(division.Raised().Result(), Outcome::kConforming);
  division.declared.division_overflow = DivisionPolicy::kWrap;
  EXPECT_EQ(division.Raised().Result(), Outcome::kViolating);
}

TEST(Division, WithAQuotientMustNotBeRejected) {
  Division division(OpId::kIntDiv, 7, 2);
  division.Set(Quantity::kOutsideCount, 0);
  division.declared.division_by_zero = DivisionPolicy::kRaise;
  EXPECT_EQ(division.Raised().Result(), Outcome::kNotTested);
  EXPECT_EQ(division.Ends(), Outcome::kViolating);
}

}  // namespace
}  // namespace assay
