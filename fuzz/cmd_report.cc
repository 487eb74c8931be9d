// SPDX-License-Identifier: Apache-2.0
//
// `assay report`: what a campaign found, while it runs or afterwards.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "fuzz/commands.h"
#include "fuzz/output.h"
#include "fuzz/summary.h"
#include "triage/durable.h"
#include "triage/regression.h"

namespace assay {
namespace {

struct Options {
  std::string directory;
  std::string regression;
  bool json = false;
};

constexpr int64_t kMaxRegressionBytes = 1 << 24;

// Which of the known faults the campaign found.
int ShowRediscovery(const Options& options, const std::vector<FindingRecord>& findings) {
  const Result<std::string> text = ReadFile(options.regression, kMaxRegressionBytes);
  if (!text.ok()) return Refuse(text.error());
  const Result<Regression> regression = ParseRegression(options.regression, text.value());
  if (!regression.ok()) return Refuse(regression.error());
  const std::vector<Rediscovery> rows = Rediscover(regression.value(), findings);
  Print("{}", options.json ? RediscoveryJson(rows) : RediscoveryText(rows));
  return kExitOk;
}

int Run(const Options& options) {
  const Result<CampaignDir> dir = CampaignDir::Open(options.directory);
  if (!dir.ok()) return Refuse(dir.error());
  const Result<CampaignConfig> config = ReadConfig(dir.value());
  if (!config.ok()) return Refuse(config.error());
  const Result<CampaignState> state = ReadState(dir.value());
  if (!state.ok()) return Refuse(state.error());
  const Result<ReportInput> input = ReportOf(dir.value(), config.value(), state.value());
  if (!input.ok()) return Refuse(input.error());
  if (!options.regression.empty()) return ShowRediscovery(options, input.value().findings);
  Print("{}", options.json ? ReportJson(input.value())
                           : ReportText(input.value(), {.colour = WantsColour(STDOUT_FILENO)}));
  return input.value().findings.empty() ? kExitOk : kExitViolated;
}

}  // namespace

Command AddReport(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Show what a campaign found");
  command->add_option("directory", options->directory, "Directory of the campaign")->required();
  command
      ->add_option("--regress", options->regression,
                   "File of known faults: which of them the campaign found, instead")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "As a JSON array");
  return {command, [options] { return Run(*options); }};
}

}  // namespace assay
