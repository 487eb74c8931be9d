// SPDX-License-Identifier: Apache-2.0
//
// What a broken invariant looks like from outside: exit code and text.
#include "contracts/invariant.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace assay {
namespace {

TEST(Invariant, LetsATrueConditionPassAndEvaluatesItOnce) {
  int evaluations = 0;
  ASSAY_CHECK(++evaluations == 1, "counted");
  EXPECT_EQ(evaluations, 1);
}

TEST(InvariantDeathTest, ExitsWith70AndNamesPlaceConditionAndMessage) {
  EXPECT_EXIT(
      ASSAY_CHECK(1 + 1 == 3, "sums are off"), testing::ExitedWithCode(70),
      "^(\\.\\./)*tests/unit/contracts/invariant_test\\.cc:[0-9]+: invariant broken: 1 \\+ 1 == 3: "
      "sums are off\n$");
}

TEST(InvariantDeathTest, RunsNoExitHandlers) {
  EXPECT_EXIT(
      {
        std::atexit([] { std::_Exit(71); });
        ASSAY_CHECK(false, "stop");
      },
      testing::ExitedWithCode(70), "stop");
}

}  // namespace
}  // namespace assay
