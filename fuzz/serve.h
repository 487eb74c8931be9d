// SPDX-License-Identifier: Apache-2.0
//
// One case judged in a process of its own: what the program says to its `assay __serve` child and
// what comes back. Used by confirmation, minimizing, repro; the outcome of a child that dies is an
// outcome like any other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contracts/case.h"
#include "engine/isolate.h"
#include "fuzz/backend_info.h"
#include "triage/findings.h"

namespace assay {

struct ServeOptions {
  std::vector<std::string> backends;  // specs
  std::string suite;                  // directory, "" built in
  std::string assume;
  int64_t hang_limit_ms = 2'000;
};

// One clause's verdict as texts.
struct ServedClause {
  std::string contract, clause, outcome, error, reason;
  double ratio = 0;
  int equal_runs = 0;  // calls that were compared and gave the same bits; 0: none were compared
  std::string witness, got, expected, bound;  // WitnessText
};

struct ServedBackend {
  BackendInfo backend;
  std::string status;  // of the call: "ok", "guard_hit", ...
  std::string detail;
  std::vector<ServedClause> clauses;
};

struct Served {
  std::string reject;                     // why the case does not run; empty when it does
  std::vector<ServedBackend> backends;    // those that support the case
  std::vector<FindingRecord> violations;  // raw_keys[0] is the key of this case
  int unsupported = 0;
  bool divergent = false;
  std::string died;  // how the child ended, when it did not answer
};

// One thread at a time.
class Server {
 public:
  explicit Server(const ServeOptions& options);
  // kKeys leaves `backends` empty, which is what a predicate needs. An Error when the child cannot
  // run at all: a backend that does not open, a broken suite, a bug of ours.
  enum class Detail : char { kKeys = 'k', kFull = 'f' };
  Result<Served> Judge(const Case& value, Detail detail = Detail::kFull);
  // The next Judge is answered by a fresh process.
  void Restart() { runner_.Restart(); }

 private:
  Status Hello();
  Result<Served> Died(const Case& value, const IsolateReply& reply) const;
  IsolatedRunner runner_;
  std::vector<BackendInfo> infos_;  // as the first child said
};

// The violation of `served` that has the cause of `finding`: the same key but for its trigger.
// Null: none.
const FindingRecord* FindCause(const Served& served, const FindingRecord& finding);

// The child's side. Arguments as Server passes them.
int RunServeChild(int argc, char** argv);

}  // namespace assay
