// SPDX-License-Identifier: Apache-2.0
//
// FindingRecord to JSON and back, and what is refused.

#include "triage/finding_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "tests/unit/triage/sample_finding.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(FindingRecord, ComesBackFromItsJson) {
  const FindingRecord record = SampleFinding();
  for (const bool pretty : {false, true}) {
    const Result<FindingRecord> back = FindingFromJson(ToJson(record, pretty));
    ASSERT_TRUE(back.ok()) << back.error().Text();
    EXPECT_EQ(back.value(), record);
  }
}

TEST(FindingRecord, KeepsEveryBitOfTheRatio) {
  FindingRecord record = SampleFinding();
  for (const double ratio : {0.0, 1.0 + 0x1p-52, 0x1p-1074, std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::infinity()}) {
    record.ratio = ratio;
    const FindingRecord back = FindingFromJson(ToJson(record, false)).value();
    EXPECT_EQ(std::bit_cast<uint64_t>(back.ratio), std::bit_cast<uint64_t>(ratio));
  }
}

TEST(FindingRecord, IsOneLineUnlessPretty) {
  EXPECT_EQ(ToJson(SampleFinding(), false).find('\n'), std::string::npos);
  EXPECT_NE(ToJson(SampleFinding(), true).find('\n'), std::string::npos);
}

TEST(FindingRecord, SurvivesBytesThatAreNoUtf8) {
  FindingRecord record = SampleFinding();
  record.backend_spec = "cblas:/lib/\xff\xfe.so";
  const Result<FindingRecord> back = FindingFromJson(ToJson(record, false));
  ASSERT_TRUE(back.ok());
  EXPECT_THAT(back.value().backend_spec, HasSubstr("\xef\xbf\xbd"));  // U+FFFD
}

TEST(FindingRecord, RefusesWhatIsNoRecord) {
  EXPECT_THAT(FindingFromJson("").error().what, HasSubstr("no JSON"));
  EXPECT_THAT(FindingFromJson("{\"signature\":").error().what, HasSubstr("no JSON"));
  EXPECT_THAT(FindingFromJson("[]").error().what, HasSubstr("no JSON object"));
  EXPECT_EQ(FindingFromJson("{}").error().where, "member 'signature'");
  EXPECT_FALSE(FindingFromJson(std::string(200000, '[')).ok());
}

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(FindingRecord, NamesTheMemberThatDoesNotFit) {
  FindingRecord sample = SampleFinding();
  sample.ratio = 12.5;
  const std::string json = ToJson(sample, false);
  const auto bad = [&](const std::string& what, const std::string& by) {
    const Result<FindingRecord> record = FindingFromJson(Replaced(json, what, by));
    return record.ok() ? std::string("accepted") : record.error().where;
  };
  EXPECT_EQ(bad("\"count\":42", "\"count\":\"42\""), "member 'count'");
  EXPECT_EQ(bad("\"count\":42", "\"count\":18446744073709551615"), "member 'count'");
  EXPECT_EQ(bad("\"confirmed\":3", "\"confirmed\":4294967296"), "member 'confirmed'");
  EXPECT_EQ(bad("\"index\":[0,0]", "\"index\":[0,null]"), "member 'witness.index'");
  EXPECT_EQ(bad("\"version\":", "\"versoin\":"), "member 'backend.version'");
  EXPECT_EQ(bad("\"backend\":{", "\"backend\":7,\"other\":{"), "member 'backend'");
  EXPECT_EQ(bad("12.5 (bits 0x", "12.5 (bits 0y"), "member 'ratio'");
}

TEST(RatioDecade, IsTheFloorOfTheLogarithm) {
  EXPECT_EQ(RatioDecade(1), 0);
  EXPECT_EQ(RatioDecade(9.99), 0);
  EXPECT_EQ(RatioDecade(1000), 3);
  EXPECT_EQ(RatioDecade(0.5), -1);
  EXPECT_EQ(RatioDecade(0), -99);
  EXPECT_EQ(RatioDecade(std::numeric_limits<double>::infinity()), 99);
  EXPECT_EQ(RatioDecade(std::numeric_limits<double>::quiet_NaN()), 99);
}

}  // namespace
}  // namespace assay
