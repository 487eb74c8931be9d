// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's handle on one worker: one process per quantum, one after the other. Starts it,
// sees whether it moves, and says how it ended. Loads no library under test.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/child_process.h"
#include "fuzz/campaign.h"
#include "fuzz/worker_block.h"

namespace assay {

using Clock = std::chrono::steady_clock;

// How a quantum ended, as the supervisor has to act on it.
struct QuantumEnd {
  enum class Kind : uint8_t {
    kByItself,     // `reason` says why
    kCrashed,      // while a backend ran
    kTimedOut,     // stopped, because a backend's call did not end
    kUnexplained,  // died while no backend ran
    kOwnBug,       // an invariant of ours broke
  };
  Kind kind = Kind::kByItself;
  WorkerEnd reason = WorkerEnd::kNone;
  std::string how;  // "signal 11 (SIGSEGV)"
};

class WorkerProcess {
 public:
  WorkerProcess(int index, std::chrono::milliseconds hang_limit)
      : index_(index), hang_limit_(hang_limit) {}
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int index() const { return index_; }
  bool running() const { return child_ > 0; }
  // REQUIRES !running(). `budget` cases at most, from these corpus entries (paths).
  Status Start(const CampaignDir& dir, const CampaignConfig& config, const CampaignState& state,
               const std::vector<std::string>& seeds, int64_t budget);
  // What the process shares. Valid from Start to the next Start.
  WorkerBlock& block() { return *static_cast<WorkerBlock*>(memory_->data()); }
  int log_fd() const { return log_.get(); }
  void ReadLog();
  const std::string& log() const { return log_text_; }  // its last few kilobytes
  void AskToStop() { block().stop = 1; }
  void Kill();  // whatever it does; what it counted stays readable in the block
  // Its end, if it has ended by now or is stopped here for not moving.
  std::optional<QuantumEnd> Poll(Clock::time_point now);
  // Where it writes new corpus entries.
  static std::string OutputOf(const CampaignDir& dir, int index);
  int64_t ResidentBytes() const;

 private:
  QuantumEnd EndFrom(const ChildEnd& end, bool stopped_late);

  int index_;
  std::chrono::milliseconds hang_limit_;
  pid_t child_ = -1;
  std::optional<SharedMemory> memory_;
  UniqueFd log_;
  std::string log_text_;
  uint64_t seen_ = 0;  // beats and cases at moved_
  Clock::time_point moved_;
};

}  // namespace assay
