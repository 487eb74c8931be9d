// SPDX-License-Identifier: Apache-2.0
//
// `assay fuzz`: checks what was asked for, sets the campaign up or takes it up again, runs it and
// says what it came to. Nothing is written before everything asked for has been checked.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <limits>
#include <memory>

#include "contracts/operator.h"
#include "fuzz/commands.h"
#include "fuzz/output.h"
#include "fuzz/summary.h"
#include "fuzz/supervisor.h"

namespace assay {
namespace {

struct Options {
  std::vector<std::string> ops, backends;
  std::string suite, assume, time, out, resume;
  std::string hang_limit = "2s";
  int64_t quantum = 20'000;
  int workers = 2;
  // Read as text: the command line library wraps or clamps what is out of range.
  std::string cases, seed = "1";
};

struct Campaign {
  CampaignDir dir;
  CampaignConfig config;
  CampaignState state;
};

constexpr int kMaxWorkers = 256;

template <class T>
Result<T> ParseNumber(const char* where, std::string_view text, T least) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && number >= least) return number;
  return Error{where, fmt::format("'{}' is not in range", text),
               fmt::format("a whole number, at least {} and at most {}", least,
                           std::numeric_limits<T>::max())};
}

Result<CampaignLimits> LimitsOf(const Options& options) {
  CampaignLimits limits;
  if (!options.time.empty()) {
    const Result<int64_t> time = ParseDuration("--time", options.time);
    if (!time.ok()) return time.error();
    limits.time_ms = time.value();
  }
  if (!options.cases.empty()) {
    const Result<int64_t> cases = ParseNumber<int64_t>("--cases", options.cases, 1);
    if (!cases.ok()) return cases.error();
    limits.cases = cases.value();
  }
  return limits;
}

// Backends that were named must open; discovery keeps what does not, with the reason.
Status ChooseBackends(const std::vector<std::string>& specs, CampaignConfig& config) {
  Print(stderr, "assay: opening backends\n");
  const Result<std::vector<BackendInfo>> infos = QueryBackends(specs);
  if (!infos.ok()) return infos.error();
  for (const BackendInfo& info : infos.value()) {
    (info.ok() ? config.backends : config.unsupported).push_back(info);
  }
  return {};
}

Result<CampaignConfig> ConfigOf(const Options& options) {
  CampaignConfig config;
  const Result<uint64_t> seed = ParseNumber<uint64_t>("--seed", options.seed, 0);
  if (!seed.ok()) return seed.error();
  config.seed = seed.value();
  config.workers = options.workers;
  config.quantum = options.quantum;
  config.assume = options.assume;
  if (options.workers < 1 || options.workers > kMaxWorkers) {
    return Error{"--workers", fmt::format("{} workers", options.workers),
                 fmt::format("1 to {}", kMaxWorkers)};
  }
  if (options.quantum < 1) return Error{"--quantum", "no cases in a quantum", "1 or more"};
  const Result<int64_t> limit = ParseDuration("--hang-limit", options.hang_limit);
  if (!limit.ok()) return limit.error();
  config.hang_limit_ms = limit.value();
  const Result<std::vector<OpId>> ops = ParseOps(options.ops);
  if (!ops.ok()) return ops.error();
  for (const OpId op : ops.value()) config.ops.emplace_back(DefOf(op).name);
  if (const Status assume = CheckAssume(options.assume); !assume.ok()) return assume.error();
  const Result<std::shared_ptr<const Suite>> suite = OpenSuite(options.suite);
  if (!suite.ok()) return suite.error();
  if (!options.suite.empty()) config.suite = std::filesystem::absolute(options.suite).string();
  if (const Status chosen = ChooseBackends(options.backends, config); !chosen.ok()) {
    return chosen.error();
  }
  return config;
}

std::string FirstFreeFolder() {
  std::error_code ignored;
  for (int number = 1;; ++number) {
    std::string path = fmt::format("campaigns/{}", number);
    if (!std::filesystem::exists(path, ignored)) return path;
  }
}

Result<Campaign> Begin(const Options& options) {
  const std::string path = options.out.empty() ? FirstFreeFolder() : options.out;
  std::error_code error;
  // Refused before libraries are opened; Create decides for good.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_empty(path, error)) {
    const bool file = !std::filesystem::is_directory(path, error);
    return Error{"--out", fmt::format("'{}' {}", path, file ? "is a file" : "is not empty"),
                 file ? "a directory that is new or empty"
                      : "a new directory, or go on with this one by --resume"};
  }
  Result<CampaignConfig> config = ConfigOf(options);
  if (!config.ok()) return config.error();
  Result<CampaignDir> dir = CampaignDir::Create(path);
  if (!dir.ok()) return dir.error();
  if (const Status written = WriteConfig(dir.value(), config.value()); !written.ok()) {
    return written.error();
  }
  CampaignState state;
  state.workers.resize(static_cast<size_t>(config.value().workers));
  if (const Status written = WriteState(dir.value(), state); !written.ok()) return written.error();
  return Campaign{std::move(dir).value(), std::move(config).value(), std::move(state)};
}

Result<Campaign> TakeUp(const std::string& path) {
  Result<CampaignDir> dir = CampaignDir::Open(path);
  if (!dir.ok()) return dir.error();
  Result<CampaignConfig> config = ReadConfig(dir.value());
  if (!config.ok()) return config.error();
  Result<CampaignState> state = ReadState(dir.value());
  if (!state.ok()) return state.error();
  // Map would take an empty file for a new one, and the findings' counts would start anew.
  const auto counts = HitCounters::Read(dir.value().Sub("counters.bin"));
  if (!counts.ok()) return counts.error();
  return Campaign{std::move(dir).value(), std::move(config).value(), std::move(state).value()};
}

// One supervisor per campaign. Gone with the process, however it ends.
Result<UniqueFd> LockCampaign(const std::string& path) {
  const std::string file = path + "/lock";
  UniqueFd fd(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (fd.get() >= 0 && flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  return Error{path, "another `assay fuzz` runs this campaign",
               "wait for it, or use another --out"};
}

int RunCampaign(Campaign campaign, CampaignLimits limits) {
  const Result<UniqueFd> lock = LockCampaign(campaign.dir.path());
  if (!lock.ok()) return Refuse(lock.error());
  const Result<std::shared_ptr<const Suite>> suite = OpenSuite(campaign.config.suite);
  if (!suite.ok()) return Refuse(suite.error());
  Result<HitCounters> hits = HitCounters::Map(campaign.dir.Sub("counters.bin"));
  if (!hits.ok()) return Refuse(hits.error(), kExitEnvironment);
  Supervisor supervisor(campaign.dir, campaign.config, campaign.state, limits,
                        ClauseNames(*suite.value()), std::move(hits).value());
  const Result<CampaignResult> result = supervisor.Run();
  if (!result.ok()) return Refuse(result.error(), kExitEnvironment);
  if (!result.value().own_bug.empty()) {
    Print(stderr, "assay: a bug of Assay itself ended the campaign: {}\n", result.value().own_bug);
    return kInvariantExitCode;
  }
  return Conclude(campaign.dir, campaign.config, supervisor.state(), result.value());
}

int Run(const Options& options) {
  Result<CampaignLimits> limits = LimitsOf(options);
  if (!limits.ok()) return Refuse(limits.error());
  Result<Campaign> campaign = options.resume.empty() ? Begin(options) : TakeUp(options.resume);
  if (!campaign.ok()) return Refuse(campaign.error());
  if (limits.value().time_ms == 0 && limits.value().cases == 0) {
    Print(stderr, "assay: no --time and no --cases: Ctrl-C ends the campaign\n");
  }
  const CampaignConfig& config = campaign.value().config;
  Print(stderr, "assay: {} backends, {} unsupported, in {}\n", config.backends.size(),
        config.unsupported.size(), campaign.value().dir.path());
  return RunCampaign(std::move(campaign).value(), limits.value());
}

}  // namespace

Command AddFuzz(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("fuzz", "Run a fuzzing campaign");
  command->add_option("--op", options->ops, "Operators (all)")->type_name("OP");
  command->add_option("--backend", options->backends, "Backends (all that are installed)")
      ->type_name("BACKEND");
  command->add_option("--suite", options->suite, "Directory of contracts (the built-in ones)")
      ->type_name("DIR");
  command->add_option("--assume", options->assume, "Policies where none is declared: ieee or blas");
  command->add_option("--time", options->time, "How long to fuzz: 60s, 5m, 1h");
  command->add_option("--cases", options->cases, "How many cases to run")->type_name("INT");
  command->add_option("--workers", options->workers, "Processes that fuzz")->capture_default_str();
  command->add_option("--seed", options->seed, "Decides every case")
      ->type_name("UINT")
      ->capture_default_str();
  command->add_option("--hang-limit", options->hang_limit, "A call that takes longer hangs")
      ->capture_default_str();
  command->add_option("--quantum", options->quantum)->group("");
  command->add_option("--out", options->out, "New directory of the campaign");
  CLI::Option* resume = command->add_option("--resume", options->resume, "Directory to go on with");
  for (const char* fixed : {"--op", "--backend", "--suite", "--assume", "--workers", "--seed",
                            "--hang-limit", "--quantum", "--out"}) {
    resume->excludes(command->get_option(fixed));
  }
  return {command, [options] { return Run(*options); }};
}

}  // namespace assay
