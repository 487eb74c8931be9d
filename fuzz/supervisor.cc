// SPDX-License-Identifier: Apache-2.0
//
// The loop. Clocks decide when to stop, to look and to print, never what a case is.
#include "fuzz/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace assay {
namespace {

constexpr int kTickMs = 50;
// For a worker that was asked to stop, to end its case.
constexpr std::chrono::seconds kStopGrace{10};
// `timeout` and shells signal the process and its group: two at once are one request.
constexpr std::chrono::seconds kSameRequest{1};
constexpr int64_t kLookIntervalMs = 1'000;

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set, number);
  return set;
}

int64_t CountEntries(const std::string& directory) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(directory, error);
  return error ? 0 : std::distance(begin(entries), end(entries));
}

}  // namespace

Supervisor::Supervisor(CampaignDir dir, CampaignConfig config, CampaignState state,
                       CampaignLimits limits, std::vector<std::string> clause_names,
                       HitCounters hits)
    : dir_(std::move(dir)),
      config_(std::move(config)),
      state_(std::move(state)),
      limits_(limits),
      clause_names_(std::move(clause_names)),
      hits_(std::move(hits)) {
  state_.workers.resize(static_cast<size_t>(config_.workers));
  const int64_t missing = std::max<int64_t>(limits_.cases - state_.Cases(), 0);
  for (int i = 0; i < config_.workers; ++i) {
    workers_.emplace_back(i, std::chrono::milliseconds(config_.hang_limit_ms));
    const int64_t share = missing / config_.workers + (i < missing % config_.workers ? 1 : 0);
    targets_.push_back(state_.workers[static_cast<size_t>(i)].cases + share);
  }
  const sigset_t set = WatchedSignals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

Supervisor::~Supervisor() {
  if (triage_ > 0) KillChild(triage_);
  const sigset_t set = WatchedSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

Result<CampaignResult> Supervisor::Run() {
  start_ = Clock::now();
  start_cases_ = state_.Cases();
  corpus_ = CountEntries(dir_.Sub("corpus"));
  std::error_code ignored;
  std::filesystem::create_directories(dir_.Sub("work"), ignored);
  // Counted even where no quantum starts.
  if (const auto entries = SeedEntries(); !entries.ok()) return entries.error();
  LookAtFindings(true);
  SayWhatIsReached();
  status_.Show(Now("fuzzing"), true);
  const Status fuzzed = Fuzz();
  std::filesystem::remove_all(dir_.Sub("work"), ignored);
  if (!fuzzed.ok()) return fuzzed.error();
  if (!result_.interrupted && result_.own_bug.empty()) {
    if (const Status finished = FinishTriage(); !finished.ok()) return finished.error();
  }
  LookAtFindings(true);
  status_.Show(Now("done"), true);
  status_.Finish();
  return result_;
}

Status Supervisor::Fuzz() {
  for (;;) {
    const Clock::time_point now = Clock::now();
    if (const Status step = Step(now); !step.ok()) return step;
    if (!AnyRunning() && (stopping_ || LimitReached())) return {};
    if (const Status triage = PollTriage(true); !triage.ok()) return triage;
    LookAtFindings(false);
    SampleMemory();
    status_.Show(Now(stopping_ ? "stopping" : "fuzzing"));
    Wait();
  }
}

Status Supervisor::Step(Clock::time_point now) {
  if (const Status read = ReadSignals(); !read.ok()) return read;
  if (LimitReached()) BeginStop();
  for (WorkerProcess& worker : workers_) {
    if (!worker.running()) continue;
    const std::optional<QuantumEnd> end = worker.Poll(now);
    const bool cut = !end && stopping_ && now - stop_begun_ > kStopGrace;
    if (!end && !cut) continue;
    const Status done = cut ? CutQuantum(worker) : FinishQuantum(worker, *end);
    if (!done.ok()) return done;
  }
  return stopping_ ? Status() : StartIdleWorkers();
}

int64_t Supervisor::BudgetOf(int worker) const {
  if (limits_.cases == 0) return config_.quantum;
  const size_t at = static_cast<size_t>(worker);
  return std::min(config_.quantum, targets_[at] - state_.workers[at].cases);
}

Status Supervisor::StartIdleWorkers() {
  for (WorkerProcess& worker : workers_) {
    const int64_t budget = BudgetOf(worker.index());
    if (worker.running() || budget <= 0) continue;
    const Result<std::vector<std::string>> seeds = SeedEntries();
    if (!seeds.ok()) return seeds.error();
    const Status begun = worker.Start(dir_, config_, state_, seeds.value(), budget);
    if (!begun.ok()) return begun;
  }
  return {};
}

void Supervisor::SayWhatIsReached() {
  if (limits_.cases == 0 || start_cases_ < limits_.cases) return;
  status_.Say(fmt::format(
      "assay: nothing to run: --cases {} is the campaign's total, and it has {} cases already; "
      "name a larger number to go on",
      limits_.cases, start_cases_));
}

void Supervisor::BeginStop() {
  if (stopping_) return;
  stopping_ = true;
  stop_begun_ = Clock::now();
  for (WorkerProcess& worker : workers_) {
    if (worker.running()) worker.AskToStop();
  }
}

bool Supervisor::LimitReached() const {
  if (result_.interrupted || !result_.own_bug.empty()) return true;
  if (limits_.time_ms > 0 && ElapsedMs() >= limits_.time_ms) return true;
  if (limits_.cases == 0) return false;
  return !AnyRunning() &&
         std::all_of(workers_.begin(), workers_.end(),
                     [this](const WorkerProcess& worker) { return BudgetOf(worker.index()) <= 0; });
}

bool Supervisor::AnyRunning() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const WorkerProcess& worker) { return worker.running(); });
}

int64_t Supervisor::ElapsedMs() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count();
}

// A second interrupt waits for no case to end.
Status Supervisor::ReadSignals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) continue;
    const bool again = result_.interrupted && Clock::now() - interrupted_at_ > kSameRequest;
    for (size_t i = 0; again && i < workers_.size(); ++i) {
      if (!workers_[i].running()) continue;
      if (const Status cut = CutQuantum(workers_[i]); !cut.ok()) return cut;
    }
    if (!result_.interrupted) interrupted_at_ = Clock::now();
    result_.interrupted = true;
  }
  return {};
}

void Supervisor::Wait() {
  std::vector<pollfd> ready{{signals_.get(), POLLIN, 0}};
  for (const WorkerProcess& worker : workers_) {
    if (worker.log_fd() >= 0) ready.push_back({worker.log_fd(), POLLIN, 0});
  }
  poll(ready.data(), ready.size(), kTickMs);
  for (WorkerProcess& worker : workers_) {
    if (worker.log_fd() >= 0) worker.ReadLog();
  }
}

// One sample a second; a campaign of days keeps every other one, again and again.
void Supervisor::SampleMemory() {
  WorkerProcess& first = workers_.front();
  // Not before its libraries are loaded.
  const bool begun = first.running() && first.block().counts.cases > 0;
  const int64_t resident = begun ? first.ResidentBytes() : 0;
  std::vector<int64_t>& samples = result_.rss_bytes;
  if (resident == 0 || ElapsedMs() < sample_due_ms_) return;
  samples.push_back(resident);
  if (samples.size() == 1024) {
    for (size_t i = 0; i < 512; ++i) samples[i] = samples[2 * i];
    samples.resize(512);
    sample_interval_ms_ *= 2;
  }
  sample_due_ms_ = ElapsedMs() + sample_interval_ms_;
}

void Supervisor::LookAtFindings(bool now) {
  if (!now && looked_ms_ >= 0 && ElapsedMs() - looked_ms_ < kLookIntervalMs) return;
  looked_ms_ = ElapsedMs();
  const Result<std::vector<std::string>> findings = ListFolders(dir_.Sub("findings"));
  const Result<std::vector<std::string>> pending = ListFolders(dir_.Sub("pending"));
  if (findings.ok()) findings_ = static_cast<int>(findings.value().size());
  if (pending.ok()) pending_ = static_cast<int>(pending.value().size());
}

Progress Supervisor::Now(const std::string& doing) {
  Progress progress;
  progress.elapsed_ms = ElapsedMs();
  progress.cases = state_.Cases();
  progress.violations = state_.violations;
  for (WorkerProcess& worker : workers_) {
    if (!worker.running()) continue;
    progress.cases += static_cast<int64_t>(worker.block().counts.cases);
    progress.violations += static_cast<int64_t>(worker.block().counts.violations);
    progress.rss_bytes += worker.ResidentBytes();
  }
  progress.cases_now = progress.cases - start_cases_;
  progress.findings = findings_;
  progress.pending = pending_;
  progress.corpus = corpus_;
  progress.restarts = result_.deaths;
  progress.doing = doing;
  return progress;
}

}  // namespace assay
