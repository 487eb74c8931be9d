// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/status.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(ParseDuration, TakesTheFourUnits) {
  EXPECT_EQ(ParseDuration("--time", "250ms").value(), 250);
  EXPECT_EQ(ParseDuration("--time", "60s").value(), 60'000);
  EXPECT_EQ(ParseDuration("--time", "5m").value(), 300'000);
  EXPECT_EQ(ParseDuration("--time", "2h").value(), 7'200'000);
}

TEST(ParseDuration, RefusesWhatIsNoPositiveTimeWithAUnit) {
  for (const char* text : {"", "60", "s", "-3s", "0s", "1.5s", "3 s", "3days", "99999999999999h"}) {
    const Result<int64_t> duration = ParseDuration("--time", text);
    ASSERT_FALSE(duration.ok()) << text;
    EXPECT_EQ(duration.error().where, "--time");
    EXPECT_THAT(duration.error().remedy, HasSubstr("60s"));
  }
}

TEST(ParseOps, GivesEachOperatorOnceInTheOrderOfTheTable) {
  EXPECT_EQ(ParseOps({"sum", "gemm", "sum"}).value(), (std::vector<OpId>{OpId::kGemm, OpId::kSum}));
  EXPECT_EQ(ParseOps({}).value().size(), static_cast<size_t>(kOpCount));
}

TEST(ParseOps, SuggestsTheNearestName) {
  const Result<std::vector<OpId>> ops = ParseOps({"gemn"});
  ASSERT_FALSE(ops.ok());
  EXPECT_THAT(ops.error().remedy, HasSubstr("'gemm'"));
}

TEST(FormatProgress, CountsTheRateOfThisRunAlone) {
  Progress progress;
  progress.elapsed_ms = 2'000;
  progress.cases = 1'234'567;
  progress.cases_now = 20'000;
  progress.doing = "fuzzing";
  EXPECT_THAT(FormatProgress(progress), HasSubstr("fuzzing: 1,234,567 cases, 10,000/s,"));
}

}  // namespace
}  // namespace assay
