// SPDX-License-Identifier: Apache-2.0
#include "fuzz/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <iterator>

#include "contracts/operator.h"
#include "fuzz/cli.h"

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
    parts.push_back(fmt::format("{} {}", counts[static_cast<size_t>(i)],
                                NameOf(static_cast<Outcome>(i))));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string MutedSides(const CampaignConfig& config, const CampaignState& state) {
  std::string text;
  for (const MuteEntry& entry : state.mutes) {
    const size_t at = static_cast<size_t>(entry.backend);
    if (entry.muted == 0 || at >= config.backends.size()) continue;
    const OperatorDef& op = DefOf(entry.op);
    fmt::format_to(std::back_inserter(text), "muted: {}, {}, {} operand {}, after {} hits\n",
                   config.backends[at].spec, op.name,
                   entry.side == Side::kBefore ? "before" : "after",
                   op.operands[static_cast<size_t>(entry.operand)].name, entry.hits);
  }
  return text;
}

}  // namespace

std::string FormatCounts(const CampaignConfig& config, const CampaignState& state,
                         const CampaignResult& result, int unconfirmed, int pending) {
  std::string text;
  const auto line = [&text](const std::string& content) { text += content + "\n"; };
  line(fmt::format("cases: {}; backends: {}; cases on which backends differ in bits: {}",
                   state.Cases(), config.backends.size(), state.divergent));
  line("runs: " + AllOutcomes(state.runs));
  line("rejected inputs: " + NonZero<Reject>(state.rejects, 1));
  for (const BackendInfo& info : config.unsupported) {
    line(fmt::format("unsupported: {}: {}", info.spec, info.reason));
  }
  text += MutedSides(config, state);
  line(fmt::format("unconfirmed: {}; not yet confirmed: {}; workers replaced: {}", unconfirmed,
                   pending, result.deaths));
  if (const std::vector<int64_t>& rss = result.rss_bytes; !rss.empty()) {
    line(fmt::format("memory of a worker: {} MB at the start, {} MB in the middle, {} MB at the end",
                     rss.front() >> 20, rss[rss.size() / 2] >> 20, rss.back() >> 20));
  }
  return text;
}

int Conclude(const CampaignDir& dir, const CampaignConfig& config, const CampaignState& state,
             const CampaignResult& result) {
  const Result<std::vector<FindingRecord>> findings = dir.Findings();
  if (!findings.ok()) return Refuse(findings.error(), kExitEnvironment);
  const Result<std::vector<FindingRecord>> unconfirmed = dir.Unconfirmed();
  if (!unconfirmed.ok()) return Refuse(unconfirmed.error(), kExitEnvironment);
  const Result<std::vector<FindingRecord>> pending = dir.Pending();
  if (!pending.ok()) return Refuse(pending.error(), kExitEnvironment);
  fmt::print("{}", FormatCounts(config, state, result, static_cast<int>(unconfirmed.value().size()),
                                static_cast<int>(pending.value().size())));
  fmt::print("campaign: {}\n", dir.path());
  if (result.interrupted) {
    fmt::print(stderr, "assay: interrupted; go on with: assay fuzz --resume {}\n", dir.path());
    return kExitInterrupted;
  }
  if (findings.value().empty()) return kExitOk;
  fmt::print("Exit code 1 means that violations were found: {} of them, listed above.\n",
             findings.value().size());
  return kExitViolated;
}

}  // namespace assay
