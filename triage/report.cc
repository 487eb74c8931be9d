// SPDX-License-Identifier: Apache-2.0
//
// The table is sized by what it holds. Facts that a reader needs in order to trust it (what was
// not confirmed, muted, unsupported) stand below it, never in place of a row.

#include "triage/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "contracts/case.h"
#include "engine/equal_runs.h"

namespace assay {
namespace {

constexpr int kColumns = 6;
using Row = std::array<std::string, kColumns>;
constexpr std::string_view kTitles[kColumns] = {"KEY",     "CLASS",          "OPERATOR",
                                                "BACKEND", "RATIO OR ERROR", "COUNT"};

std::string Grouped(int64_t number) {
  std::string digits = fmt::format("{}", number);
  const size_t sign = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

// A ratio says most where it is a number; where it is none, the error does.
std::string RatioOrError(const FindingRecord& finding) {
  if (!(finding.ratio > 1) || std::isinf(finding.ratio)) return finding.error;
  return fmt::format("{:.3g} x bound", finding.ratio);
}

Row RowOf(const FindingRecord& finding) {
  return {finding.signature,      finding.contract,      finding.op,
          finding.backend_family, RatioOrError(finding), Grouped(finding.count)};
}

class Table {
 public:
  Table(const std::vector<FindingRecord>& findings, const TextStyle& style) : style_(style) {
    for (int i = 0; i < kColumns; ++i) widths_[i] = kTitles[i].size();
    for (const FindingRecord& finding : findings) {
      const Row row = RowOf(finding);
      for (int i = 0; i < kColumns; ++i) widths_[i] = std::max(widths_[i], row[i].size());
    }
    size_t total = 0;
    for (size_t width : widths_) total += width + 2;
    stacked_ = total - 2 > static_cast<size_t>(std::max(style.width, 0));
  }

  std::string Header() const {
    Row titles;
    for (int i = 0; i < kColumns; ++i) titles[i] = kTitles[i];
    return Line(titles, true);
  }

  std::string Line(const Row& row, bool bold) const {
    const std::string key = Bold(row[0], true) + (stacked_ ? "\n  " : "");
    std::string line = key;
    if (!stacked_) line.append(widths_[0] - row[0].size(), ' ');
    for (int i = 1; i < kColumns; ++i) {
      const size_t padding = widths_[i] - row[i].size();
      const bool right = i == kColumns - 1;
      line += "  ";
      if (right) line.append(padding, ' ');
      line += Bold(row[i], bold);
      if (!right) line.append(padding, ' ');
    }
    return line + "\n";
  }

 private:
  std::string Bold(const std::string& text, bool bold) const {
    return style_.colour && bold ? "\x1b[1m" + text + "\x1b[0m" : text;
  }

  const TextStyle style_;
  std::array<size_t, kColumns> widths_{};
  bool stacked_ = false;
};

void AddTable(const ReportInput& input, const TextStyle& style, std::string& text) {
  if (input.findings.empty()) return;
  const Table table(input.findings, style);
  text += table.Header();
  for (const FindingRecord& finding : input.findings) {
    text += table.Line(RowOf(finding), false);
    const bool minimized = !finding.minimized_line.empty();
    text += "    " + (minimized ? finding.minimized_line : finding.case_line) + "\n";
  }
  text += "\n";
}

void AddHeadline(const ReportInput& input, std::string& text) {
  const size_t count = input.findings.size();
  text += count == 0 ? "No findings" : fmt::format("{} finding{}", count, count == 1 ? "" : "s");
  if (!input.directory.empty()) text += " in " + input.directory;
  if (input.pending > 0) text += fmt::format(", {} more not yet confirmed", input.pending);
  text += "\n";
}

void AddCounts(const CampaignSummary& summary, std::string& text) {
  std::vector<std::string> parts;
  if (summary.cases > 0) parts.push_back(Grouped(summary.cases));
  if (summary.divergent > 0) {
    parts.push_back(Grouped(summary.divergent) + " with bits that differ between backends");
  }
  if (summary.rejected > 0) parts.push_back(Grouped(summary.rejected) + " inputs rejected");
  if (!parts.empty()) text += fmt::format("Cases: {}\n", fmt::join(parts, "; "));
}

void AddVerdicts(const CampaignSummary& summary, std::string& text) {
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : summary.verdicts) {
    if (count > 0) parts.push_back(fmt::format("{} {}", outcome, Grouped(count)));
  }
  if (!parts.empty()) text += fmt::format("Clause verdicts: {}\n", fmt::join(parts, "; "));
  if (summary.equal_runs > 1) {
    text += fmt::format("Equal bits: {}\n", EqualRunsText(summary.equal_runs));
  }
}

void AddList(std::string_view title, const std::vector<std::string>& items, std::string& text) {
  if (items.empty()) return;
  text += fmt::format("{}\n", title);
  for (const std::string& item : items) text += fmt::format("  {}\n", item);
}

std::vector<std::string> UnconfirmedItems(const std::vector<FindingRecord>& unconfirmed) {
  std::vector<std::string> items;
  for (const FindingRecord& record : unconfirmed) {
    const std::string key = record.raw_keys.empty() ? record.signature : record.raw_keys.front();
    items.push_back(fmt::format("{}: repeated in {} of {} runs; {}", key, record.confirmed,
                                record.confirm_runs, record.case_line));
  }
  return items;
}

// The case without its values: what a kernel branches on.
std::string SkeletonOf(const FindingRecord& finding) {
  Result<CaseLine> line = ParseCase(finding.minimized_line);
  if (!line.ok()) return "";
  CaseLine bare{std::move(line).value().value, {}};
  for (Tensor& tensor : bare.value.operands) {
    tensor.fill = {};
    tensor.overrides.clear();
  }
  return PrintCase(bare, CaseStyle::kFull);
}

struct Likeness {
  std::string clause, skeleton;
};

bool MayShare(const Likeness& a, const Likeness& b) {
  return a.clause == b.clause || (!a.skeleton.empty() && a.skeleton == b.skeleton);
}

}  // namespace

std::vector<std::vector<std::string>> MayShareACause(const std::vector<FindingRecord>& findings) {
  std::vector<Likeness> likenesses;
  for (const FindingRecord& finding : findings) {
    const std::string kernel = finding.op + " " + finding.backend_family + " ";
    const std::string skeleton = SkeletonOf(finding);
    likenesses.push_back({kernel + finding.contract + " " + finding.clause,
                          skeleton.empty() ? "" : kernel + skeleton});
  }
  std::vector<std::vector<std::string>> groups;
  std::vector<bool> placed(findings.size(), false);
  for (size_t i = 0; i < findings.size(); ++i) {
    if (placed[i]) continue;
    placed[i] = true;
    std::vector<size_t> members = {i};
    for (size_t at = 0; at < members.size(); ++at) {
      for (size_t j = 0; j < findings.size(); ++j) {
        if (placed[j] || !MayShare(likenesses[members[at]], likenesses[j])) continue;
        placed[j] = true;
        members.push_back(j);
      }
    }
    if (members.size() < 2) continue;
    std::sort(members.begin(), members.end());
    std::vector<std::string>& group = groups.emplace_back();
    for (size_t member : members) group.push_back(findings[member].signature);
  }
  return groups;
}

std::string ReportText(const ReportInput& input, const TextStyle& style) {
  std::string text;
  AddTable(input, style, text);
  AddHeadline(input, text);
  AddCounts(input.summary, text);
  AddVerdicts(input.summary, text);
  std::vector<std::string> shared, unsupported;
  for (const std::vector<std::string>& group : MayShareACause(input.findings)) {
    shared.push_back(fmt::format("{}", fmt::join(group, ", ")));
  }
  for (const auto& [backend, reason] : input.summary.unsupported) {
    unsupported.push_back(fmt::format("{}: {}", backend, reason));
  }
  AddList("Keys that may share a cause:", shared, text);
  AddList("Not confirmed by a fresh process:", UnconfirmedItems(input.unconfirmed), text);
  AddList("Muted (a guard page gave way to slack, so these hide further hits):",
          input.summary.muted, text);
  AddList("Unsupported here:", unsupported, text);
  return text;
}

std::string ReportJson(const ReportInput& input) { return ToJson(input.findings) + "\n"; }

bool WantsColour(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(fd) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace assay
