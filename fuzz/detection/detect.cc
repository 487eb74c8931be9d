// SPDX-License-Identifier: Apache-2.0
//
// The detection benchmark's hunts: each planted bug under each way of making cases and each seed,
// every one in a forked process, until the bug shows or the limit is reached. Prints one JSON
// object a line to stdout; tests/bench/detection.py starts it and makes the table.
//
//   assay-detect [--kernel NAME]... [--arm ARM[=INPUTS]]... [--seeds N] [--jobs N]
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "contracts/suggest.h"
#include "engine/backend.h"
#include "engine/guarded_call.h"
#include "fuzz/cli.h"
#include "fuzz/detection/arms.h"
#include "fuzz/detection/hunter.h"
#include "fuzz/detection/quarry.h"

namespace assay {
namespace {

struct Arm {
  std::string name;
  uint64_t limit = 200'000;
};

// "uniform=10000".
Result<Arm> ParseArm(const std::string& text) {
  Arm arm;
  const size_t equals = std::min(text.find('='), text.size());
  arm.name = text.substr(0, equals);
  const std::vector<std::string> names = ArmNames();
  if (std::find(names.begin(), names.end(), arm.name) == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    return Error{"--arm", "there is no arm '" + arm.name + "'", DidYouMean(arm.name, known)};
  }
  if (equals == text.size()) return arm;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + equals + 1, end, arm.limit);
  if (parsed.ec != std::errc{} || parsed.ptr != end || arm.limit == 0) {
    return Error{"--arm", "'" + text + "' has no number of inputs", "write ARM=20000"};
  }
  return arm;
}

struct Job {
  const Quarry* quarry;
  const Arm* arm;
  uint64_t seed;
};

// Results of all jobs, in memory that the children share.
std::span<Catch> SharedCatches(size_t count) {
  void* memory = mmap(nullptr, count * sizeof(Catch), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSAY_CHECK(memory != MAP_FAILED, "memory for the results");
  return {static_cast<Catch*>(memory), count};
}

// libFuzzer speaks on stderr whatever it is told.
[[noreturn]] void RunChild(const Job& job, Catch& result) {
  if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(kExitEnvironment);
  InstallFaultHandlers();
  Hunter hunter(*job.quarry, job.arm->limit, result);
  RunArm(job.arm->name, hunter, job.seed);
}

void PrintCatch(const Job& job, const Catch& result) {
  const nlohmann::ordered_json line = {{"kernel", job.quarry->name},
                                       {"contracts", job.quarry->contracts},
                                       {"family", job.quarry->family},
                                       {"state", job.quarry->state},
                                       {"arm", job.arm->name},
                                       {"limit", job.arm->limit},
                                       {"seed", job.seed},
                                       {"found", result.found},
                                       {"inputs", result.inputs},
                                       {"seconds", result.seconds},
                                       {"clause", result.clause},
                                       {"case", result.line},
                                       {"died", !result.ended}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

// A kernel that traps ends its process, the worker's in a campaign, and breaks X-SAFE-01 by that.
// Nothing else here divides integers that a case chooses.
void NoteTrap(const Job& job, int status, Catch& result) {
  const bool trapped = WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE;
  if (!trapped || !job.quarry->contracts.empty()) return;
  result.found = result.ended = true;
  constexpr std::string_view kClause = "X-SAFE-01/ends";
  std::copy(kClause.begin(), kClause.end(), result.clause);
}

void RunAll(std::span<const Job> jobs, size_t at_once) {
  const std::span<Catch> catches = SharedCatches(jobs.size());
  std::map<pid_t, size_t> running;
  for (size_t next = 0; next < jobs.size() || !running.empty();) {
    if (next < jobs.size() && running.size() < at_once) {
      const pid_t child = fork();
      ASSAY_CHECK(child >= 0, "a process for the next hunt");
      if (child == 0) RunChild(jobs[next], catches[next]);
      running.emplace(child, next++);
      continue;
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    const auto at = running.find(ended);
    if (at == running.end()) continue;
    NoteTrap(jobs[at->second], status, catches[at->second]);
    PrintCatch(jobs[at->second], catches[at->second]);
    running.erase(at);
  }
}

int Detect(int argc, char** argv) {
  CLI::App app("hunts planted bugs");
  std::vector<std::string> kernels, arm_texts = {"guided"};
  uint64_t seeds = 1;
  size_t at_once = 2;
  app.add_option("--kernel", kernels);
  app.add_option("--arm", arm_texts);
  app.add_option("--seeds", seeds);
  app.add_option("--jobs", at_once)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const Result<std::vector<Quarry>> quarries = ChooseQuarries(kernels);
  if (!quarries.ok()) return Refuse(quarries.error(), kExitUsage);
  std::vector<Arm> arms;
  for (const std::string& text : arm_texts) {
    Result<Arm> arm = ParseArm(text);
    if (!arm.ok()) return Refuse(arm.error(), kExitUsage);
    arms.push_back(arm.value());
  }
  std::vector<Job> jobs;
  for (const Quarry& quarry : quarries.value()) {
    for (const Arm& arm : arms) {
      for (uint64_t seed = 1; seed <= seeds; ++seed) jobs.push_back({&quarry, &arm, seed});
    }
  }
  RunAll(jobs, at_once);
  return kExitOk;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::PinLibraryEnvironment();
  return assay::Detect(argc, argv);
}
