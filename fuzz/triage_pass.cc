// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage_pass.h"

#include "contracts/operator.h"
#include "triage/minimize.h"

namespace assay {
namespace {

// A run that ends a process costs a start of one, a run that hangs costs its limit.
int64_t RunBudget(const FindingRecord& finding) {
  if (finding.error == NameOf(ErrorClass::kTimeout)) return 12;
  if (finding.error == NameOf(ErrorClass::kCrash)) return 400;
  return 2000;
}

// In how many of kConfirmRuns fresh processes it shows.
Result<int> Confirm(const Case& value, const FindingRecord& finding, Server& server) {
  int confirmed = 0;
  for (int run = 0; run < kConfirmRuns; ++run) {
    server.Restart();
    const Result<Served> served = server.Judge(value, Server::Detail::kKeys);
    if (!served.ok()) return served.error();
    if (FindCause(served.value(), finding) != nullptr) ++confirmed;
  }
  return confirmed;
}

Status TriageOne(const CampaignDir& dir, const CampaignConfig& config, FindingRecord finding) {
  const std::string raw_key = finding.raw_keys.at(0);
  const Result<CaseLine> line = ParseCase(finding.case_line);
  if (!line.ok()) return line.error();
  Server server({{finding.backend_spec}, config.suite, config.assume, config.hang_limit_ms});
  const Result<int> confirmed = Confirm(line.value().value, finding, server);
  if (!confirmed.ok()) return confirmed.error();
  finding.confirmed = confirmed.value();
  finding.confirm_runs = kConfirmRuns;
  if (finding.confirmed < kConfirmRuns) return dir.Demote(raw_key, finding);
  Result<Minimized> minimized = MinimizeFinding(line.value().value, finding, server);
  if (!minimized.ok()) return minimized.error();
  FindingRecord& record = minimized.value().record;
  record.case_line = finding.case_line;
  record.first_seen = finding.first_seen;
  record.confirmed = finding.confirmed;
  record.confirm_runs = kConfirmRuns;
  return dir.Promote(raw_key, record);
}

}  // namespace

Result<Minimized> MinimizeFinding(const Case& value, const FindingRecord& finding, Server& server) {
  Status trouble;
  const StillFails still_fails = [&](const Case& candidate) {
    if (!trouble.ok() || !CheckCase(candidate).ok()) return false;
    const Result<Served> served = server.Judge(candidate, Server::Detail::kKeys);
    if (!served.ok()) trouble = served.error();
    return served.ok() && FindCause(served.value(), finding) != nullptr;
  };
  const MinimizeResult minimized = Minimize(value, still_fails, RunBudget(finding));
  if (!trouble.ok()) return trouble.error();
  server.Restart();
  const Result<Served> served = server.Judge(minimized.value);
  if (!served.ok()) return served.error();
  const FindingRecord* violation = FindCause(served.value(), finding);
  // Seen a moment ago, gone in a fresh process: the original is what is known to repeat.
  Minimized result{violation == nullptr ? finding : *violation,
                   violation == nullptr ? value : minimized.value, minimized.exhausted};
  result.record.signature = result.record.raw_keys.at(0);
  result.record.minimized_line = PrintCase({result.value, {finding.backend_spec}});
  result.record.minimize_runs = minimized.runs;
  return result;
}

Status TriagePending(const CampaignDir& dir, const CampaignConfig& config) {
  const Result<std::vector<FindingRecord>> pending = dir.Pending();
  if (!pending.ok()) return pending.error();
  for (const FindingRecord& finding : pending.value()) {
    if (const Status done = TriageOne(dir, config, finding); !done.ok()) return done;
  }
  return {};
}

}  // namespace assay
