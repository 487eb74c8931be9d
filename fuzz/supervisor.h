// SPDX-License-Identifier: Apache-2.0
//
// A campaign: workers that may die at any instant under one loop that may not. Starts quantum after
// quantum, sees hangs and crashes and turns them into findings, takes over what workers learned,
// lets a child confirm and minimize, shows progress. One thread; loads no library under test.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "fuzz/campaign.h"
#include "fuzz/status.h"
#include "fuzz/worker_process.h"
#include "triage/findings.h"

namespace assay {

struct CampaignLimits {
  int64_t time_ms = 0;  // of fuzzing; 0: no such limit
  int64_t cases = 0;    // of the whole campaign; 0: no such limit
};

struct CampaignResult {
  bool interrupted = false;
  std::string own_bug;             // what broke, when an invariant of ours did
  int64_t deaths = 0;              // of workers: crashes, hangs, many faults
  std::vector<int64_t> rss_bytes;  // of one worker: at the start, in the middle, at the end
};

class Supervisor {
 public:
  Supervisor(CampaignDir dir, CampaignConfig config, CampaignState state, CampaignLimits limits,
             std::vector<std::string> clause_names, HitCounters hits);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Until a limit, an interrupt (SIGINT, SIGTERM) or an Error of the environment. Workers have
  // ended and everything is written when it returns.
  Result<CampaignResult> Run();
  const CampaignState& state() const { return state_; }

 private:
  int64_t BudgetOf(int worker) const;
  Status StartIdleWorkers();
  Result<std::vector<std::string>> SeedEntries();
  Status CutQuantum(WorkerProcess& worker);
  void SayWhatIsReached();
  Status FinishQuantum(WorkerProcess& worker, const QuantumEnd& end);
  Status NoteDeath(WorkerProcess& worker, const QuantumEnd& end);
  Status NoteUnexplained(WorkerProcess& worker, const QuantumEnd& end);
  Status Harvest(int worker);
  void Event(const std::string& json_line);
  Status PollTriage(bool start);
  Status FinishTriage();
  Status Fuzz();
  Status Step(Clock::time_point now);
  void BeginStop();
  Status ReadSignals();
  void Wait();
  void SampleMemory();
  void LookAtFindings(bool now);
  bool LimitReached() const;
  bool AnyRunning() const;
  int64_t ElapsedMs() const;
  Progress Now(const std::string& doing);

  CampaignDir dir_;
  CampaignConfig config_;
  CampaignState state_;
  CampaignLimits limits_;
  std::vector<std::string> clause_names_;
  HitCounters hits_;
  std::vector<int64_t> targets_;       // cases per worker, with limits_.cases
  std::deque<WorkerProcess> workers_;  // their address is their identity
  StatusLine status_;
  UniqueFd signals_;
  pid_t triage_ = -1;
  Clock::time_point start_;
  int64_t start_cases_ = 0;
  int64_t corpus_ = 0;
  std::map<std::string, Reject> entries_;  // of the corpus, by name, as far as they were looked at
  int findings_ = 0, pending_ = 0;         // as of looked_ms_
  int64_t looked_ms_ = -1;
  int64_t sample_due_ms_ = 0, sample_interval_ms_ = 1000;
  bool stopping_ = false;
  Clock::time_point stop_begun_, interrupted_at_;
  int unexplained_ = 0;
  CampaignResult result_;
};

}  // namespace assay
