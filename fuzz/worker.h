// SPDX-License-Identifier: Apache-2.0
//
// One quantum of fuzzing in one process: libFuzzer drives, every case is judged, violations are
// recorded and execution goes on. Everything it learns is in the block it shares with the
// supervisor and in the campaign directory by the time a case ends, so that it may die at any
// instant.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/child_process.h"
#include "engine/mutate.h"
#include "fuzz/campaign.h"
#include "fuzz/feedback.h"
#include "fuzz/session.h"
#include "fuzz/worker_block.h"
#include "triage/findings.h"
#include "triage/signature.h"

namespace assay {

// A library that was abandoned in this many calls is not trusted further: OpenBLAS is known to run
// out of buffers at 289.
inline constexpr int kMaxFaultsPerBackend = 128;

struct WorkerTask {
  std::string campaign;  // directory
  int worker = 0;
  int64_t quantum = 0;
  std::string seeds;   // file with the seed inputs' names, comma separated; "" for none
  std::string output;  // empty directory for new corpus entries
};

class Worker {
 public:
  static Result<std::unique_ptr<Worker>> Create(const WorkerTask& task, WorkerBlock& block);

  // libFuzzer's callbacks. `counters` are its extra counters. -1: keep the input out of the corpus.
  int TestOneInput(std::span<const uint8_t> bytes, std::span<uint8_t> counters);
  // In place; gives the new size, at most `capacity`.
  size_t Mutate(std::span<uint8_t> buffer, size_t size, uint64_t seed);
  size_t CrossOver(std::span<const uint8_t> a, std::span<const uint8_t> b, std::span<uint8_t> out,
                   uint64_t seed);

 private:
  Worker(const WorkerTask& task, WorkerBlock& block, CampaignDir dir, HitCounters hits,
         OpenedSession session, MutationSpace space);
  [[noreturn]] void End(WorkerEnd reason);
  void CountOutcomes(const Record& record);
  void NoteViolation(const Record& record, const Violation& violation);
  void NoteFault(const Record& record, const BackendOutcome& outcome);

  WorkerTask task_;
  WorkerBlock& block_;
  CampaignDir dir_;
  HitCounters hits_;
  OpenedSession session_;
  MutationSpace space_;
  Feedback feedback_;
  Case case_;
  NamedDims dims_;
  std::unordered_set<std::string> recorded_;  // raw keys known to be durable
  WorkerEnd end_ = WorkerEnd::kNone;          // due before the next case
};

// `assay __worker DIR WORKER QUANTUM SEEDS OUTPUT`: does not return when it could start.
int RunWorkerChild(int argc, char** argv);

// Runs libFuzzer with `worker` behind its callbacks (fuzz/target.cc). Ends the process.
[[noreturn]] void RunFuzzer(Worker& worker, std::vector<std::string> arguments);

}  // namespace assay
