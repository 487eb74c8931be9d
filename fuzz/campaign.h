// SPDX-License-Identifier: Apache-2.0
//
// What a campaign was asked to do (campaign.toml) and where it stands (state.json), as values with
// their text forms. Nothing here runs anything.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "contracts/judge.h"
#include "contracts/result.h"
#include "contracts/verdict.h"
#include "engine/codec.h"
#include "fuzz/backend_info.h"
#include "fuzz/worker_block.h"
#include "triage/findings.h"

namespace assay {

struct CampaignConfig {
  uint64_t seed = 1;
  int workers = 1;
  int64_t quantum = 20'000;       // cases per worker process
  int64_t hang_limit_ms = 2'000;  // a call that takes longer is a timeout
  std::vector<std::string> ops;
  std::string suite;  // directory; empty: the built-in one
  std::string assume;
  std::vector<BackendInfo> backends;     // that opened, in the order of the session
  std::vector<BackendInfo> unsupported;  // that discovery could not open, with the reason
};
std::string ToToml(const CampaignConfig& config);
Result<CampaignConfig> ConfigFromToml(const std::string& where, const std::string& text);

struct WorkerState {
  int64_t quanta = 0;  // finished ones; the next has this number
  int64_t cases = 0;
};

// Sums over all finished quanta.
struct CampaignState {
  std::vector<WorkerState> workers;
  int64_t violations = 0;
  int64_t divergent = 0;
  int64_t replaced = 0;  // workers replaced after many faults
  std::array<int64_t, kOutcomeCount> runs{};
  std::map<std::string, std::array<int64_t, kOutcomeCount>> clauses;  // "C-PRC-01/values"
  std::array<int64_t, kRejectCount> rejects{};
  std::vector<MuteEntry> mutes;
  // Corpus entries that are no case, by name, each of them counted in `rejects`. Bytes that are no
  // plain character are written %xx.
  std::set<std::string> rejected_entries;
  int64_t Cases() const;
};
std::string ToJson(const CampaignState& state);
Result<CampaignState> StateFromJson(const std::string& where, const std::string& text);

// Adds what a finished worker counted. `clause_names` names the block's clauses by position.
void AddCounts(const WorkerCounts& counts, const std::vector<std::string>& clause_names,
               CampaignState& state);
// Hits add up; a side that either muted stays muted.
void MergeMutes(const WorkerBlock& block, CampaignState& state);

// Counts a corpus entry that is no case, once per campaign. False: it was counted before.
bool NoteRejectedEntry(const std::string& name, Reject reject, CampaignState& state);

// From and to the campaign's own files; the state is written durably.
Result<CampaignConfig> ReadConfig(const CampaignDir& dir);
Status WriteConfig(const CampaignDir& dir, const CampaignConfig& config);
Result<CampaignState> ReadState(const CampaignDir& dir);
Status WriteState(const CampaignDir& dir, const CampaignState& state);

// The suite's clauses in a fixed order, at most kMaxClauses: what the positions in a block mean.
std::vector<std::string> ClauseNames(const Suite& suite);

}  // namespace assay
