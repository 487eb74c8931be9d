// SPDX-License-Identifier: Apache-2.0
//
// 1 - 0.01^(1 / (R - 1)), by hand: 0.01^(1/99) = exp(-4.605170 / 99) = 0.954548, 0.01^(1/15) =
// 0.735642, 0.01^(1/3) = 0.215443.
#include "engine/equal_runs.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(EqualRuns, ExcludeWhatShowsInAllButOneOfAHundredTrials) {
  EXPECT_NEAR(LargestUnseenProbability(100), 0.045452, 1e-6);
  EXPECT_NEAR(LargestUnseenProbability(16), 0.264358, 1e-6);
  EXPECT_NEAR(LargestUnseenProbability(4), 0.784557, 1e-6);
  EXPECT_DOUBLE_EQ(LargestUnseenProbability(2), 0.99);
}

TEST(EqualRuns, ExcludeNothingWhereNothingIsCompared) {
  EXPECT_EQ(LargestUnseenProbability(1), 1);
  EXPECT_EQ(LargestUnseenProbability(0), 1);
}

TEST(EqualRuns, AreSaidInWords) {
  EXPECT_EQ(EqualRunsText(100),
            "100 equal runs exclude, at 99 %, only schedules that differ with probability above "
            "4.5 %");
}

}  // namespace
}  // namespace assay
