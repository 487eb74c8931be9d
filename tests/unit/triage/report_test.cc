// SPDX-License-Identifier: Apache-2.0
//
// The report as it is shown, against golden files that a person has read, and the facts that must
// never be left out.

#include "triage/report.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/unit/triage/sample_finding.h"
#include "triage/durable.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string Golden(const std::string& name) {
  const Result<std::string> text = ReadFile("tests/unit/triage/golden/" + name, 1 << 20);
  return text.ok() ? text.value() : text.error().Text();
}

FindingRecord ValueFinding() {
  FindingRecord record = SampleFinding();
  record.signature = "prc02_values_log_value_eigen_subnormal";
  record.raw_keys = {record.signature};
  record.contract = "C-PRC-02";
  record.clause = "values";
  record.op = "log";
  record.error = "value";
  record.dtypes = {"f32", "f32"};
  record.layouts = {"contiguous", "contiguous"};
  record.size_residues = {0};
  record.trigger = "subnormal";
  record.backend_family = "eigen";
  record.backend_spec = "eigen:avx512";
  record.backend_version = "3.4.0";
  record.backend_pins = "isa=avx512";
  record.ratio = 2097152;
  record.witness_index = {0};
  record.got = "-0x1.5d58ap+6 (-87.33655, bits 0xc2aeac50)";
  record.expected = "-0x1.601e68p+6 (-88.0297, bits 0xc2b00f34)";
  record.bound = "0x1p-18 (3.814697265625e-06, bits 0x3ed0000000000000)";
  record.minimized_line =
      "log x=f32[16]:fill(zero):set(0=0x1p-127) out=f32[16] backend=eigen:avx512";
  record.case_line = record.minimized_line;
  record.count = 1234567;
  return record;
}

ReportInput FullInput() {
  ReportInput input;
  input.directory = "campaign";
  FindingRecord twin = SampleFinding();
  twin.signature = "exc01_special_gemm_nan_appears_openblas_plain";
  twin.raw_keys = {twin.signature};
  twin.trigger = "plain";
  twin.count = 1;
  input.findings = {SampleFinding(), twin, ValueFinding()};
  FindingRecord flaky = SampleFinding();
  flaky.raw_keys = {"safe01_ends_dot_crash_blis_plain"};
  flaky.confirmed = 1;
  flaky.case_line = "dot x=f32[3] y=f32[3] out=f32[]";
  input.unconfirmed = {flaky};
  input.pending = 2;
  input.summary.cases = 240000;
  input.summary.rejected = 17;
  input.summary.divergent = 1200;
  input.summary.verdicts = {{"conforming", 1480211}, {"violating", 1234610}, {"vacuous", 0}};
  input.summary.unsupported = {{"onednn", "libdnnl.so.2: cannot open shared object file"}};
  input.summary.muted = {"blis gemm c after: 5000 hits"};
  return input;
}

ReportInput OnlyWith(const FindingRecord& record) {
  ReportInput input;
  input.findings = {record};
  return input;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(ReportText, LooksAsItIsShown) { EXPECT_EQ(ReportText(FullInput(), {}), Golden("report.txt")); }

TEST(ReportText, PutsTheKeyOnALineOfItsOwnWhereTheTableIsTooWide) {
  EXPECT_EQ(ReportText(FullInput(), {.width = 80}), Golden("report_narrow.txt"));
}

TEST(ReportJson, LooksAsItIsWritten) { EXPECT_EQ(ReportJson(FullInput()), Golden("report.json")); }

TEST(ReportText, SaysSoWhereNothingWasFound) {
  EXPECT_EQ(ReportText({}, {}), "No findings\n");
  ReportInput input;
  input.directory = "D";
  input.summary.cases = 1000;
  EXPECT_EQ(ReportText(input, {}), "No findings in D\nCases: 1,000\n");
  EXPECT_EQ(ReportJson({}), "[]\n");
}

TEST(ReportText, FitsItsWidthButForLinesToBePasted) {
  for (const int width : {120, 100, 80}) {
    for (const std::string& line : LinesOf(ReportText(FullInput(), {.width = width}))) {
      const bool pasted = line.starts_with("    gemm ") || line.starts_with("    log ");
      const bool listed = line.starts_with("  exc01_") || line.starts_with("  safe01_");
      if (!pasted && !listed) EXPECT_LE(line.size(), static_cast<size_t>(width)) << line;
    }
  }
}

TEST(ReportText, KeepsEveryCaseLineInOnePiece) {
  const std::string text = ReportText(FullInput(), {.width = 40});
  for (const FindingRecord& finding : FullInput().findings) {
    EXPECT_THAT(text, HasSubstr("\n    " + finding.minimized_line + "\n"));
  }
}

TEST(ReportText, HasNoEscapesUnlessAskedForColour) {
  EXPECT_THAT(ReportText(FullInput(), {}), Not(HasSubstr("\x1b")));
  const std::string coloured = ReportText(FullInput(), {.width = 120, .colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1m" + SampleFinding().signature + "\x1b[0m"));
  EXPECT_EQ(LinesOf(coloured).size(), LinesOf(ReportText(FullInput(), {})).size());
}

TEST(ReportText, ShowsTheErrorWhereThereIsNoRatio) {
  FindingRecord record = ValueFinding();
  EXPECT_THAT(ReportText(OnlyWith(record), {}), HasSubstr("2.1e+06 x bound"));
  record.ratio = std::numeric_limits<double>::infinity();
  EXPECT_THAT(ReportText(OnlyWith(record), {}), Not(HasSubstr("x bound")));
  record.ratio = 0;
  EXPECT_THAT(ReportText(OnlyWith(record), {}), Not(HasSubstr("x bound")));
}

TEST(ReportJson, HasTheMembersThatReadersRelyOn) {
  const nlohmann::json array = nlohmann::json::parse(ReportJson(FullInput()));
  ASSERT_EQ(array.size(), 3u);
  for (const auto& finding : array) {
    for (const char* name :
         {"signature", "facets", "class", "clause", "operator", "dtypes", "backend", "verdict",
          "ratio", "witness", "case", "minimized_case", "count", "first_seen"}) {
      EXPECT_TRUE(finding.contains(name)) << name;
    }
    for (const char* name : {"name", "version", "pins", "spec"}) {
      EXPECT_TRUE(finding["backend"].contains(name)) << name;
    }
    for (const char* name : {"index", "got", "expected", "bound"}) {
      EXPECT_TRUE(finding["witness"].contains(name)) << name;
    }
  }
  EXPECT_EQ(array[2]["ratio"], "2.097e+06 (bits 0x4140000000000000)");  // 2^21
  EXPECT_EQ(array[0]["ratio"], "inf");
}

FindingRecord Like(const std::string& key, const std::string& clause, const std::string& line) {
  FindingRecord record = SampleFinding();
  record.signature = key;
  record.clause = clause;
  record.minimized_line = line;
  return record;
}

TEST(MayShareACause, GroupsOneClauseOrOneShapeOfOneKernel) {
  const FindingRecord a = Like("a", "special", "sum x=f32[16]:set(4=nan) out=f32[]");
  const FindingRecord b = Like("b", "values", "sum x=f32[16]:fill(zero):set(8=1) out=f32[]");
  const FindingRecord c = Like("c", "values", "sum x=f32[3]:strides(2) out=f32[]");
  const FindingRecord d = Like("d", "guards", "sum x=f32[3] out=f32[]");
  FindingRecord elsewhere = a;
  elsewhere.signature = "elsewhere";
  elsewhere.backend_family = "netlib";
  EXPECT_THAT(MayShareACause({a, d, elsewhere, c, b}), ElementsAre(ElementsAre("a", "c", "b")));
  EXPECT_THAT(MayShareACause({a, c, d}), IsEmpty());
  EXPECT_THAT(MayShareACause({Like("x", "special", ""), Like("y", "values", "")}), IsEmpty());
  EXPECT_THAT(MayShareACause({}), IsEmpty());
}

TEST(WantsColour, OnlyOnATerminalAndWithoutNoColor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(WantsColour(ends[1]));
  close(ends[0]);
  close(ends[1]);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || isatty(terminal) != 1) GTEST_SKIP() << "no pseudo-terminal here";
  unsetenv("NO_COLOR");
  EXPECT_TRUE(WantsColour(terminal));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(WantsColour(terminal));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(WantsColour(terminal));
  unsetenv("NO_COLOR");
  close(terminal);
}

}  // namespace
}  // namespace assay
