// SPDX-License-Identifier: Apache-2.0
#include "fuzz/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fuzz/worker.h"

namespace assay {
namespace {

constexpr size_t kLogBytes = 4096;
// Opening libraries, or our own work on one case, takes nowhere near as long.
constexpr std::chrono::milliseconds kOwnLimit{60'000};

// libFuzzer takes a comma-separated list.
Result<std::string> WriteSeeds(const CampaignDir& dir, int index,
                               const std::vector<std::string>& names) {
  if (names.empty()) return std::string();
  const std::string path = dir.Sub(fmt::format("work/seeds-{}", index));
  const Status written = WriteDurably(path, fmt::format("{}", fmt::join(names, ",")));
  if (!written.ok()) return written.error();
  return path;
}

std::vector<std::string> ArgumentsOf(const WorkerTask& task) {
  return {"assay",
          "__worker",
          task.campaign,
          std::to_string(task.worker),
          std::to_string(task.quantum),
          task.seeds,
          task.output};
}

}  // namespace

WorkerProcess::~WorkerProcess() {
  if (running()) Kill();
}

void WorkerProcess::Kill() {
  KillChild(child_);
  child_ = -1;
  log_.reset();
}

std::string WorkerProcess::OutputOf(const CampaignDir& dir, int index) {
  return dir.Sub(fmt::format("work/new-{}", index));
}

Status WorkerProcess::Start(const CampaignDir& dir, const CampaignConfig& config,
                            const CampaignState& state, const std::vector<std::string>& corpus,
                            int64_t budget) {
  const std::string output = OutputOf(dir, index_);
  std::error_code error;
  std::filesystem::remove_all(output, error);
  std::filesystem::create_directories(output, error);
  if (error) return Error{output, error.message(), "a directory that can be written"};
  Result<std::string> seeds = WriteSeeds(dir, index_, corpus);
  if (!seeds.ok()) return seeds.error();
  Result<SharedMemory> memory = SharedMemory::Create(sizeof(WorkerBlock));
  if (!memory.ok()) return memory.error();
  memory_.reset();
  memory_.emplace(std::move(memory).value());
  block().backend = -1;
  block().budget = static_cast<uint64_t>(budget);
  block().seed = config.seed;
  const size_t mutes = std::min<size_t>(state.mutes.size(), kMaxMutes);
  std::copy_n(state.mutes.begin(), mutes, block().mutes.begin());
  block().mute_count = static_cast<uint32_t>(mutes);
  Result<Pipe> log = MakePipe();
  if (!log.ok()) return log.error();
  const WorkerTask task{dir.path(), index_, state.workers[static_cast<size_t>(index_)].quanta,
                        seeds.value(), output};
  const Result<pid_t> child = SpawnChild(OwnProgram(), ArgumentsOf(task),
                                         {{memory_->fd(), kWorkerBlockFd},
                                          {log.value().write.get(), STDOUT_FILENO},
                                          {log.value().write.get(), STDERR_FILENO}});
  if (!child.ok()) return child.error();
  child_ = child.value();
  log_ = std::move(log.value().read);
  fcntl(log_.get(), F_SETFL, O_NONBLOCK);
  log_text_.clear();
  seen_ = 0;
  moved_ = Clock::now();
  return {};
}

void WorkerProcess::ReadLog() {
  char chunk[4096];
  for (;;) {
    const ssize_t got = read(log_.get(), chunk, sizeof chunk);
    if (got == 0) log_.reset();
    if (got <= 0) return;
    log_text_.append(chunk, static_cast<size_t>(got));
    if (log_text_.size() > kLogBytes) log_text_.erase(0, log_text_.size() - kLogBytes);
  }
}

std::optional<QuantumEnd> WorkerProcess::Poll(Clock::time_point now) {
  std::optional<ChildEnd> end = PollChild(child_);
  bool late = false;
  if (!end) {
    const uint64_t seen = block().beat + block().counts.cases;
    if (seen != seen_) moved_ = now;
    seen_ = seen;
    const auto limit = block().backend >= 0 ? hang_limit_ : kOwnLimit;
    late = now - moved_ > limit;
    if (!late) return std::nullopt;
    end = KillChild(child_);
  }
  child_ = -1;
  if (log_.get() >= 0) ReadLog();
  log_.reset();
  return EndFrom(*end, late);
}

QuantumEnd WorkerProcess::EndFrom(const ChildEnd& end, bool stopped_late) {
  QuantumEnd result;
  result.how = end.Text();
  result.reason = static_cast<WorkerEnd>(block().ended.load());
  if (result.reason != WorkerEnd::kNone) return result;
  if (block().backend < 0) {
    const bool broken = end.signal == 0 && end.exit_code == kInvariantExitCode;
    result.kind = broken ? QuantumEnd::Kind::kOwnBug : QuantumEnd::Kind::kUnexplained;
  } else if (stopped_late) {
    result.kind = QuantumEnd::Kind::kTimedOut;
    result.how = fmt::format("no return within {} ms", hang_limit_.count());
  } else {
    result.kind = QuantumEnd::Kind::kCrashed;
  }
  return result;
}

int64_t WorkerProcess::ResidentBytes() const {
  if (!running()) return 0;
  std::ifstream statm(fmt::format("/proc/{}/statm", child_));
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace assay
