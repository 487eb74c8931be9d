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
//   unconfirmed/<raw key>/     what a fresh process did not repeat
//   counters.bin               hits per raw key (mapped)
//
// Everything is written under a temporary name, fsynced and renamed; the directory is fsynced
// after. A folder that has its name is complete.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/result.h"

namespace assay {

// One record of a finding, the JSON of record.json and of `report --json`. Numbers that are floats
// are texts with bits, so that nothing is lost to JSON.
struct FindingRecord {
  std::string signature;
  std::vector<std::string> raw_keys;
  std::string contract, clause, op, error, verdict;  // class = contract id
  std::vector<std::string> dtypes, layouts;
  std::vector<int> size_residues;
  std::string trigger;
  std::string backend_family, backend_spec, backend_version, backend_pins;
  double ratio = 0;  // +Inf is written as the text "inf"
  std::vector<int64_t> witness_index;
  std::string got, expected, bound;
  std::string case_line, minimized_line;
  std::string first_seen;  // "worker 0, quantum 3, case 1234": never a clock
  int64_t count = 0;       // filled from the counters when read
  int confirmed = 0, confirm_runs = 0;
  int64_t minimize_runs = 0;
};
std::string ToJson(const FindingRecord& record, bool pretty);
Result<FindingRecord> FindingFromJson(std::string_view json);

class CampaignDir {
 public:
  // Creates (must not exist or be an empty directory) or opens for resume.
  static Result<CampaignDir> Create(const std::string& path);
  static Result<CampaignDir> Open(const std::string& path);
  const std::string& path() const { return path_; }
  std::string Sub(std::string_view name) const;

  // Durable: when it returns ok the folder has its name. False: there already (another worker).
  Result<bool> AddPending(const std::string& raw_key, const FindingRecord& record) const;
  Result<std::vector<FindingRecord>> Pending() const;  // sorted by raw key
  // Moves pending -> findings under its key, or merges it into the finding that has the key.
  Status Promote(const std::string& raw_key, const FindingRecord& confirmed) const;
  Status Demote(const std::string& raw_key, const FindingRecord& unconfirmed) const;
  Result<std::vector<FindingRecord>> Findings() const;  // sorted by key, counts filled in
  Status Event(const std::string& json_line) const;

 private:
  std::string path_;
};

// Temporary name, write, fsync, rename, fsync of the directory.
Status WriteDurably(const std::string& path, std::string_view content);
Result<std::string> ReadFile(const std::string& path, int64_t max_bytes);

// Hits per raw key in a mapped file: fixed slots of 64 bytes key + 8 bytes count, a count per
// worker process would race: updates are atomic adds. Order of slots is order of first hit.
class HitCounters {
 public:
  static Result<HitCounters> Map(const std::string& path);
  // Adds one; returns the count before. Full table: returns an ever growing count of slot "other".
  uint64_t Add(std::string_view raw_key);
  uint64_t CountOf(std::string_view raw_key) const;
  std::vector<std::pair<std::string, uint64_t>> All() const;  // sorted by key

 private:
  void* map_ = nullptr;
};

}  // namespace assay
