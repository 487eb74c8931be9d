// SPDX-License-Identifier: Apache-2.0
//
// What an export holds, in which order, and that the seeds that come with the program are cases.

#include "triage/corpus_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/codec.h"
#include "tests/unit/triage/sample_finding.h"
#include "tests/unit/triage/scratch_dir.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDot = "dot x=f32[3] y=f32[3] out=f32[]";
constexpr const char* kSum = "sum x=f64[7]:strides(2) out=f64[]";

void AddEntry(const CampaignDir& campaign, const std::string& name, const std::string& text) {
  std::array<uint8_t, kMaxEncodedSize> bytes;
  const size_t size = Encode(ParseCase(text).value().value, bytes);
  ASSERT_TRUE(WriteDurably(campaign.Sub("corpus/" + name),
                           {reinterpret_cast<const char*>(bytes.data()), size})
                  .ok());
}

CampaignDir CampaignWithAll(const ScratchDir& dir) {
  CampaignDir campaign = CampaignDir::Create(dir / "campaign").value();
  FindingRecord finding = SampleFinding();
  EXPECT_TRUE(campaign.Promote("raw_z", finding).ok());
  finding.signature = "a_key";
  finding.case_line = finding.minimized_line = "exp x=f32[1]:set(0=nan) out=f32[1]";
  EXPECT_TRUE(campaign.Promote("raw_a", finding).ok());
  AddEntry(campaign, "bb", kSum);
  AddEntry(campaign, "aa", kDot);
  AddEntry(campaign, "cc", kDot);
  EXPECT_TRUE(WriteDurably(campaign.Sub("corpus/dd"), std::string(1 << 20, '\x5a')).ok());
  EXPECT_TRUE(WriteDurably(campaign.Sub("corpus/ee"), "garbage").ok());
  return campaign;
}

std::vector<std::string> LinesOf(const std::string& path) {
  std::istringstream stream(ReadFile(path, 1 << 20).value());
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(ExportCorpus, WritesFindingsByKeyThenEntriesByName) {
  const ScratchDir dir;
  const CampaignDir campaign = CampaignWithAll(dir);
  const Result<ExportCounts> counts = ExportCorpus(campaign, dir / "out.cases");
  ASSERT_TRUE(counts.ok()) << counts.error().Text();
  const std::vector<std::string> lines = LinesOf(dir / "out.cases");
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0][0], '#');
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 1, lines.end()),
              ElementsAre("exp x=f32[1]:set(0=nan) out=f32[1]", SampleFinding().case_line,
                          SampleFinding().minimized_line, kDot, kSum));
  EXPECT_EQ(counts.value().findings, 3);
  EXPECT_EQ(counts.value().seeds, 2);
  EXPECT_EQ(counts.value().duplicates, 2);
  EXPECT_EQ(counts.value().rejected, 2);
}

TEST(ExportCorpus, IndexesEveryLineByItsNumber) {
  const ScratchDir dir;
  const CampaignDir campaign = CampaignWithAll(dir);
  ASSERT_TRUE(ExportCorpus(campaign, dir / "out.cases").ok());
  const std::vector<std::string> index = LinesOf(dir / "out.cases.index.jsonl");
  const std::vector<std::string> lines = LinesOf(dir / "out.cases");
  ASSERT_EQ(index.size(), 5u);
  EXPECT_EQ(index[0], R"({"line":2,"signature":"a_key","operator":"exp","dtypes":["f32","f32"],)"
                      R"("source":"findings/a_key/case"})");
  EXPECT_EQ(index[4], R"({"line":6,"signature":"seed","operator":"sum","dtypes":["f64","f64"],)"
                      R"("source":"corpus/bb"})");
  for (const std::string& text : index) {
    const nlohmann::json entry = nlohmann::json::parse(text);
    const std::string& line = lines[entry["line"].get<size_t>() - 1];
    EXPECT_TRUE(line.starts_with(entry["operator"].get<std::string>() + " ")) << text;
  }
}

TEST(ExportCorpus, GivesTheSameBytesAgainAndReadsBack) {
  const ScratchDir dir;
  const CampaignDir campaign = CampaignWithAll(dir);
  ASSERT_TRUE(ExportCorpus(campaign, dir / "one").ok());
  ASSERT_TRUE(ExportCorpus(campaign, dir / "two").ok());
  EXPECT_EQ(LinesOf(dir / "one"), LinesOf(dir / "two"));
  EXPECT_EQ(LinesOf(dir / "one.index.jsonl"), LinesOf(dir / "two.index.jsonl"));
  const Result<std::vector<CorpusLine>> back =
      ParseCorpus("one", ReadFile(dir / "one", 1 << 20).value());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value().size(), 5u);
}

TEST(ExportCorpus, SaysWhereItCannotWrite) {
  const ScratchDir dir;
  const CampaignDir campaign = CampaignWithAll(dir);
  std::ofstream(dir / "file") << "x";
  EXPECT_THAT(ExportCorpus(campaign, dir / "file/out").error().remedy, HasSubstr("is a file"));
}

TEST(ParseCorpus, SkipsCommentsAndBlankLinesAndCountsThem) {
  const std::string text = std::string("# comment\n\n  # another\n") + kDot + "\r\n" + kSum;
  const std::vector<CorpusLine> lines = ParseCorpus("f", text).value();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].number, 4);
  EXPECT_EQ(lines[1].number, 5);
  EXPECT_EQ(PrintCase(lines[1].line), kSum);
}

TEST(ParseCorpus, NamesFileLineAndColumnOfWhatIsNoCase) {
  const Error error = ParseCorpus("f", std::string(kDot) + "\ndott x=f32[3]\n").error();
  EXPECT_THAT(error.where, HasSubstr("f:2: column "));
}

TEST(Seeds, AreCasesOfTheOperatorTheirFileIsNamedAfterWithoutSpecialValues) {
  for (const OperatorDef& def : Operators()) {
    const std::string path = "corpora/seeds/" + std::string(def.name) + ".case";
    const Result<std::string> text = ReadFile(path, 1 << 20);
    ASSERT_TRUE(text.ok()) << text.error().Text();
    const Result<std::vector<CorpusLine>> lines = ParseCorpus(path, text.value());
    ASSERT_TRUE(lines.ok()) << lines.error().Text();
    EXPECT_GE(lines.value().size(), 3u) << path;
    for (const CorpusLine& each : lines.value()) {
      const Case& value = each.line.value;
      EXPECT_EQ(value.op, def.id) << path << ":" << each.number;
      Values values;
      MakeValues(value, def.dims(value).value(), values);
      for (size_t i = 0; i < values.operands.size(); ++i) {
        if (def.operands[i].role == Role::kOutput) continue;
        EXPECT_FALSE(values.operands[i].any_nan || values.operands[i].any_inf);
      }
    }
  }
}

}  // namespace
}  // namespace assay
