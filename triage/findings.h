// SPDX-License-Identifier: Apache-2.0
//
// The campaign directory. Findings are folders, the truth; counters of hits live in a mapped file
// that survives the death of every process. A worker writes a raw violation durably to pending/
// before its next case; the supervisor confirms and minimizes it in fresh processes and gives it
// its final name.
//
//   campaign.toml              what was asked for: seed, operators, backends, suite, limits
//   state.json                 where the campaign stands: next quantum per worker, cases done
//   events.jsonl               one line per event
//   corpus/                    fuzzer inputs, by content hash
//   pending/<raw key>/         case (one line), record.json: durable, not yet confirmed
//   findings/<key>/            case, minimized, record.json
//   unconfirmed/<raw key>/     case, record.json: what a fresh process did not repeat
//   counters.bin               hits per raw key (mapped)
//
// Everything is written under a temporary (hidden) name, fsynced and renamed; the directory is
// fsynced after. A folder that has its name is complete.
//
// A raw key moves in two steps: its finding gets its name (or, if it has one, lists the raw key),
// then pending/<raw key> goes. A death between the two leaves a pending key that a finding lists;
// Open finishes the move. A death between the two steps of Demote leaves the key pending.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/result.h"
#include "triage/durable.h"
#include "triage/finding_record.h"
#include "triage/hit_counters.h"

namespace assay {

// One value per process or many, in any number of processes: all state is in the file system.
class CampaignDir {
 public:
  // Creates (must not exist or be an empty directory) or opens for resume. Opening finishes what a
  // dead process left half done, if the directory can be written at all.
  static Result<CampaignDir> Create(const std::string& path);
  static Result<CampaignDir> Open(const std::string& path);
  const std::string& path() const { return path_; }
  std::string Sub(std::string_view name) const;

  // Durable: when it returns ok the folder has its name. False: there already (another worker), or
  // a finding lists the raw key.
  Result<bool> AddPending(const std::string& raw_key, const FindingRecord& record) const;
  Result<std::vector<FindingRecord>> Pending() const;  // sorted by raw key
  // Moves pending -> findings under confirmed.signature, or merges it into the finding that
  // has that name: the case of the smallest raw key, the simplest minimized case. The order of
  // promotions does not matter, and doing it again changes nothing.
  Status Promote(const std::string& raw_key, const FindingRecord& confirmed) const;
  // Moves pending -> unconfirmed, in place of an older one of the same raw key.
  Status Demote(const std::string& raw_key, const FindingRecord& unconfirmed) const;
  // Sorted by key; the count is the sum over the raw keys.
  Result<std::vector<FindingRecord>> Findings() const;
  Result<std::vector<FindingRecord>> Unconfirmed() const;  // sorted by raw key, counts filled in
  // Appends one line. REQUIRES no newline in it.
  Status Event(const std::string& json_line) const;

 private:
  explicit CampaignDir(std::string path) : path_(std::move(path)) {}
  Status Recover() const;
  Status Place(const std::string& raw_key, const FindingRecord& confirmed) const;

  std::string path_;
};

// A name of a folder of findings: [a-z0-9_], 1 to kMaxFolderKey characters.
inline constexpr size_t kMaxFolderKey = 60;
bool IsKey(std::string_view text);

}  // namespace assay
