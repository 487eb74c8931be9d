// SPDX-License-Identifier: Apache-2.0
#include "fuzz/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>

#include "contracts/operator.h"
#include "engine/runner.h"
#include "fuzz/cli.h"
#include "fuzz/output.h"

namespace assay {
namespace {

template <class Enum, size_t kSize>
std::string NonZero(const std::array<int64_t, kSize>& counts, size_t first) {
  std::vector<std::string> parts;
  for (size_t i = first; i < kSize; ++i) {
    if (counts[i] != 0) {
      parts.push_back(fmt::format("{} {}", counts[i], NameOf(static_cast<Enum>(i))));
    }
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string AllOutcomes(const std::array<int64_t, kOutcomeCount>& counts) {
  std::vector<std::string> parts;
  for (int i = 0; i < kOutcomeCount; ++i) {
    parts.push_back(
        fmt::format("{} {}", counts[static_cast<size_t>(i)], NameOf(static_cast<Outcome>(i))));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Per clause, how many of the runs it had an opinion about it could not decide, or not without
// force: what says whether the cases ask anything.
std::string ClauseShares(const CampaignState& state) {
  std::string text;
  for (const auto& [name, counts] : state.clauses) {
    const auto of = [&counts](Outcome outcome) { return counts[static_cast<size_t>(outcome)]; };
    const int64_t vacuous = of(Outcome::kVacuous), open = of(Outcome::kInconclusive);
    const int64_t judged = of(Outcome::kConforming) + of(Outcome::kViolating) + vacuous + open;
    if (judged == 0) continue;
    const auto percent = [judged](int64_t count) {
      return 100 * static_cast<double>(count) / static_cast<double>(judged);
    };
    fmt::format_to(std::back_inserter(text), "  {:<22} {:>10} {:>9} {:>5.2f} % {:>9} {:>5.2f} %\n",
                   name, judged, vacuous, percent(vacuous), open, percent(open));
  }
  if (text.empty()) return text;
  return fmt::format("{:<24} {:>10} {:>9} {:>7} {:>9}\n{}", "runs judged by clause", "judged",
                     "vacuous", "", "inconclusive", text);
}

std::vector<std::string> MutedSides(const CampaignConfig& config, const CampaignState& state) {
  std::vector<std::string> sides;
  for (const MuteEntry& entry : state.mutes) {
    const size_t at = static_cast<size_t>(entry.backend);
    if (entry.muted == 0 || at >= config.backends.size()) continue;
    const OperatorDef& op = DefOf(entry.op);
    if (entry.operand == kWholeCall) {
      sides.push_back(fmt::format("{} {}: left out after it ended the process {} times",
                                  config.backends[at].spec, op.name, entry.hits));
      continue;
    }
    sides.push_back(fmt::format("{} {} {} {}: {} hits", config.backends[at].spec, op.name,
                                op.operands[static_cast<size_t>(entry.operand)].name,
                                entry.side == Side::kBefore ? "before" : "after", entry.hits));
  }
  return sides;
}

CampaignSummary SummaryOf(const CampaignConfig& config, const CampaignState& state) {
  CampaignSummary summary;
  summary.cases = state.Cases();
  for (const int64_t count : state.rejects) summary.rejected += count;
  summary.divergent = state.divergent;
  for (int i = 0; i < kOutcomeCount; ++i) {
    int64_t sum = 0;
    for (const auto& [_, counts] : state.clauses) sum += counts[static_cast<size_t>(i)];
    summary.verdicts.emplace_back(NameOf(static_cast<Outcome>(i)), sum);
  }
  // Cases say how often, but for those that do not; these see the fewest runs but for a drawn few.
  const auto runs = state.clauses.find("C-ORD-02/runs");
  if (runs != state.clauses.end() && runs->second[static_cast<size_t>(Outcome::kConforming)] > 0) {
    summary.equal_runs = kDefaultRuns;
  }
  for (const BackendInfo& info : config.unsupported) {
    summary.unsupported.emplace_back(info.spec, info.reason);
  }
  summary.muted = MutedSides(config, state);
  return summary;
}

}  // namespace

Result<ReportInput> ReportOf(const CampaignDir& dir, const CampaignConfig& config,
                             const CampaignState& state) {
  Result<std::vector<FindingRecord>> findings = dir.Findings();
  if (!findings.ok()) return findings.error();
  Result<std::vector<FindingRecord>> unconfirmed = dir.Unconfirmed();
  if (!unconfirmed.ok()) return unconfirmed.error();
  const Result<std::vector<FindingRecord>> pending = dir.Pending();
  if (!pending.ok()) return pending.error();
  return ReportInput{dir.path(), std::move(findings).value(), std::move(unconfirmed).value(),
                     static_cast<int64_t>(pending.value().size()), SummaryOf(config, state)};
}

std::string FormatCounts(const CampaignState& state, const CampaignResult& result) {
  std::string text =
      fmt::format("runs: {}\nrejected inputs: {}\nworkers replaced: {}\n", AllOutcomes(state.runs),
                  NonZero<Reject>(state.rejects, 1), result.deaths);
  text += ClauseShares(state);
  if (const std::vector<int64_t>& rss = result.rss_bytes; !rss.empty()) {
    fmt::format_to(
        std::back_inserter(text),
        "memory of a worker: {} MB at the start, {} MB in the middle, {} MB at the end\n",
        rss.front() >> 20, rss[rss.size() / 2] >> 20, rss.back() >> 20);
  }
  return text;
}

int Conclude(const CampaignDir& dir, const CampaignConfig& config, const CampaignState& state,
             const CampaignResult& result) {
  const Result<ReportInput> input = ReportOf(dir, config, state);
  if (!input.ok()) return Refuse(input.error(), kExitEnvironment);
  Print("{}{}", ReportText(input.value(), {.colour = WantsColour(STDOUT_FILENO)}),
        FormatCounts(state, result));
  // Both may go to one file: what is said last must not land in the middle of a line.
  std::fflush(stdout);
  if (result.interrupted) {
    Print(stderr, "assay: interrupted; go on with: assay fuzz --resume {}\n", dir.path());
    return kExitInterrupted;
  }
  if (input.value().findings.empty()) return kExitOk;
  Print("Exit code 1 means that violations were found: the kernels above broke a contract.\n");
  return kExitViolated;
}

}  // namespace assay
