// SPDX-License-Identifier: Apache-2.0
//
// Result<T>, Status and the text of an Error.
#include "contracts/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace assay {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Error{"n", "odd number", "give an even one"};
  return n / 2;
}

Status CheckEven(int n) {
  if (n % 2 != 0) return Error{"n", "odd number", ""};
  return {};
}

TEST(Error, SaysWhereWhatAndRemedy) {
  EXPECT_EQ((Error{"gemm.kc:3:7", "unknown name 'epz'", "did you mean 'eps'?"}.Text()),
            "gemm.kc:3:7: unknown name 'epz' (did you mean 'eps'?)");
}

TEST(Error, LeavesOutWhatIsEmpty) {
  EXPECT_EQ((Error{"", "no memory", ""}.Text()), "no memory");
  EXPECT_EQ((Error{"--out", "names a file", ""}.Text()), "--out: names a file");
  EXPECT_EQ((Error{"", "no memory", "use --cases"}.Text()), "no memory (use --cases)");
}

TEST(Result, HoldsTheValueItWasReturned) {
  const Result<int> half = Half(8);
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(half.value(), 4);
}

TEST(Result, HoldsTheErrorItWasReturned) {
  const Result<int> half = Half(7);
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.error(), (Error{"n", "odd number", "give an even one"}));
}

TEST(Result, GivesAMutableReferenceToItsValue) {
  Result<std::string> text = std::string("ab");
  text.value() += "c";
  EXPECT_EQ(text.value(), "abc");
}

TEST(Result, MovesAMoveOnlyValueOut) {
  Result<std::unique_ptr<int>> owner = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(owner).value();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(*taken, 5);
}

TEST(Result, GivesTheErrorOfATemporaryByValue) {
  static_assert(!std::is_reference_v<decltype(Half(7).error())>);
  EXPECT_EQ(Half(7).error().where, "n");
}

TEST(Status, IsOkUnlessItHoldsAnError) {
  EXPECT_TRUE(CheckEven(2).ok());
  const Status odd = CheckEven(3);
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().what, "odd number");
}

TEST(ResultDeathTest, EndsTheProcessWhenTheWrongSideIsAskedFor) {
  EXPECT_EXIT((void)Half(7).value(), testing::ExitedWithCode(70), "holds an Error");
  EXPECT_EXIT((void)Half(8).error(), testing::ExitedWithCode(70), "holds a value");
  EXPECT_EXIT((void)CheckEven(2).error(), testing::ExitedWithCode(70), "is ok");
}

}  // namespace
}  // namespace assay
