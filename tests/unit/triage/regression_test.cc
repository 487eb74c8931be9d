// SPDX-License-Identifier: Apache-2.0
//
// The file of known faults: what it must say, what is refused, and what counts as found again.

#include "triage/regression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "triage/durable.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFault =
    "[[fault]]\n"
    "report = 'https://example.org/1'\n"
    "library = 'openblas'\n"
    "versions = ['0.3.21']\n"
    "what = 'alpha = 0 reads a'\n";
const std::string kCase = "cases = ['dot x=f32[3] y=f32[3] out=f32[] backend=openblas']\n";
const std::string kKeys = "signatures = ['first', 'second']\n";

std::string ErrorOf(const std::string& text) {
  const Result<Regression> parsed = ParseRegression("faults.toml", text);
  return parsed.ok() ? "" : parsed.error().where + ": " + parsed.error().what;
}

TEST(Regression, ReadsAFaultWithItsCases) {
  const Result<Regression> parsed = ParseRegression("faults.toml", kFault + kKeys + kCase);
  ASSERT_TRUE(parsed.ok()) << parsed.error().Text();
  ASSERT_EQ(parsed.value().faults.size(), 1u);
  const KnownFault& fault = parsed.value().faults.front();
  EXPECT_EQ(fault.report, "https://example.org/1");
  EXPECT_THAT(fault.versions, ElementsAre("0.3.21"));
  EXPECT_EQ(fault.kind, FaultKind::kViolation);
  EXPECT_THAT(fault.signatures, ElementsAre("first", "second"));
  ASSERT_EQ(fault.cases.size(), 1u);
  EXPECT_EQ(fault.cases.front().value.op, OpId::kDot);
  EXPECT_THAT(fault.cases.front().backends, ElementsAre("openblas"));
}

TEST(Regression, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_THAT(ErrorOf("[[fault]\n"), HasSubstr("faults.toml:1:"));
  EXPECT_THAT(ErrorOf("[[falt]]\n"), HasSubstr("'falt' is unknown"));
  EXPECT_EQ(ErrorOf(""), "faults.toml: holds no fault");
  EXPECT_THAT(ErrorOf("fault = [1]\n"), HasSubstr("is no table"));
  EXPECT_THAT(ErrorOf("\n" + kFault + kCase), HasSubstr("faults.toml:2: 'signatures'"));
  EXPECT_THAT(ErrorOf(kFault + kKeys), HasSubstr("'cases' is no list of texts"));
  EXPECT_THAT(ErrorOf(kFault + kKeys + "cases = []\n"), HasSubstr("'cases'"));
  EXPECT_THAT(ErrorOf(kFault + kKeys + "cases = ['dott x=f32[3]']\n"), HasSubstr("column 1"));
  EXPECT_THAT(ErrorOf(kFault + kKeys + "cases = ['dot x=f32[3] y=f32[3] out=f32[]']\n"),
              HasSubstr("without a backend"));
  EXPECT_THAT(ErrorOf(kFault + kKeys + kCase + "kind = 'bug'\n"), HasSubstr("'kind' is none of"));
  EXPECT_THAT(ErrorOf(kFault + kKeys + kCase + "kinds = 'control'\n"),
              HasSubstr("'kinds' is unknown"));
  EXPECT_THAT(ErrorOf(kFault + kKeys + kCase + "kind = 'divergence'\n"),
              HasSubstr("'signatures' belongs to a violation"));
}

TEST(Regression, TakesOnlyTheReasonsOfTheClosedSet) {
  const std::string fault = kFault + kKeys + kCase +
                            "[[inexpressible]]\nreport = 'r'\nlibrary = 'l'\nwhat = 'w'\nreason = ";
  EXPECT_EQ(ErrorOf(fault + "'too_large'\n"), "");
  EXPECT_THAT(ErrorOf(fault + "'too_hard'\n"), HasSubstr("'reason' is none of"));
}

TEST(Regression, AFaultIsFoundByAnyOfItsSignatures) {
  const Result<Regression> parsed =
      ParseRegression("faults.toml", kFault + kKeys + kCase + kFault + "kind = 'divergence'\n" +
                                         kCase + kFault + "signatures = ['third']\n" + kCase);
  ASSERT_TRUE(parsed.ok()) << parsed.error().Text();
  FindingRecord other, second;
  other.signature = "fourth";
  second.signature = "second";
  second.first_seen = "worker 1, quantum 2, case 3";
  const std::vector<FindingRecord> findings = {other, second};
  const std::vector<Rediscovery> rows = Rediscover(parsed.value(), findings);
  ASSERT_EQ(rows.size(), 2u);  // a divergence is no fault to be found
  EXPECT_EQ(rows[0].found, &findings[1]);
  EXPECT_EQ(rows[1].found, nullptr);
  const std::string text = RediscoveryText(rows);
  EXPECT_THAT(text, HasSubstr("worker 1, quantum 2, case 3"));
  EXPECT_THAT(text, HasSubstr("1 of 2 known faults found"));
  EXPECT_THAT(RediscoveryJson(rows), HasSubstr("\"signature\": \"second\""));
}

TEST(Regression, TheCorpusOfThisTreeParses) {
  const std::string path = "corpora/regress/public_faults.toml";
  const Result<std::string> text = ReadFile(path, 1 << 24);
  ASSERT_TRUE(text.ok()) << text.error().Text();
  const Result<Regression> parsed = ParseRegression(path, text.value());
  ASSERT_TRUE(parsed.ok()) << parsed.error().Text();
  EXPECT_FALSE(parsed.value().faults.empty());
  EXPECT_FALSE(parsed.value().inexpressible.empty());
}

}  // namespace
}  // namespace assay
