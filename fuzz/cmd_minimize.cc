// SPDX-License-Identifier: Apache-2.0
//
// `assay minimize`: the simplest case with the same cause, as one line on stdout.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "fuzz/commands.h"
#include "fuzz/read_case.h"
#include "fuzz/triage_pass.h"

namespace assay {
namespace {

struct Options {
  std::string input, suite, assume, hang_limit = "2s";
  std::vector<std::string> backends;
};

Result<Minimized> MinimizeFirst(const Options& options, const CaseLine& line, int64_t limit_ms,
                                const std::vector<std::string>& specs) {
  Server all({specs, options.suite, options.assume, limit_ms});
  const Result<Served> served = all.Judge(line.value, Server::Detail::kKeys);
  if (!served.ok()) return served.error();
  if (served.value().violations.empty()) {
    return Error{"minimize", "no backend violates a contract on this case",
                 "`assay repro` shows how it was judged"};
  }
  const FindingRecord& finding = served.value().violations.front();
  Server one({{finding.backend_spec}, options.suite, options.assume, limit_ms});
  return MinimizeFinding(line.value, finding, one);
}

int Run(const Options& options) {
  const Result<CaseLine> line = ReadCase(options.input);
  if (!line.ok()) return Refuse(line.error());
  const Result<int64_t> limit = ParseDuration("--hang-limit", options.hang_limit);
  if (!limit.ok()) return Refuse(limit.error());
  if (const Status assume = CheckAssume(options.assume); !assume.ok()) {
    return Refuse(assume.error());
  }
  const std::vector<std::string>& specs =
      options.backends.empty() ? line.value().backends : options.backends;
  if (specs.empty()) {
    return Refuse({"minimize", "the case names no backend", "name one with --backend"});
  }
  const Result<Minimized> minimized =
      MinimizeFirst(options, line.value(), limit.value(), specs);
  if (!minimized.ok()) return Refuse(minimized.error());
  fmt::print(stderr, "{} in {} runs{}\n", minimized.value().record.signature,
             minimized.value().record.minimize_runs,
             minimized.value().exhausted ? ", where the budget of runs ended" : "");
  fmt::print("{}\n", minimized.value().record.minimized_line);
  return kExitOk;
}

}  // namespace

Command AddMinimize(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("minimize", "Print the simplest case with the same cause");
  command->add_option("case", options->input, "A case line, or a file with one or a fuzzer input")
      ->required();
  command->add_option("--backend", options->backends, "Instead of the line's own backends")
      ->type_name("BACKEND");
  command->add_option("--suite", options->suite, "Directory of contracts (the built-in ones)");
  command->add_option("--assume", options->assume, "Policies where none is declared: ieee or blas");
  command->add_option("--hang-limit", options->hang_limit, "A call that takes longer hangs")
      ->capture_default_str();
  return {command, [options] { return Run(*options); }};
}

}  // namespace assay
