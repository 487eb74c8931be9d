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

namespace assay {
namespace {

struct Options {
  std::string directory;
  bool json = false;
};

int Run(const Options& options) {
  const Result<CampaignDir> dir = CampaignDir::Open(options.directory);
  if (!dir.ok()) return Refuse(dir.error());
  const Result<CampaignConfig> config = ReadConfig(dir.value());
  if (!config.ok()) return Refuse(config.error());
  const Result<CampaignState> state = ReadState(dir.value());
  if (!state.ok()) return Refuse(state.error());
  const Result<ReportInput> input = ReportOf(dir.value(), config.value(), state.value());
  if (!input.ok()) return Refuse(input.error());
  Print("{}", options.json ? ReportJson(input.value())
                           : ReportText(input.value(), {.colour = WantsColour(STDOUT_FILENO)}));
  return input.value().findings.empty() ? kExitOk : kExitViolated;
}

}  // namespace

Command AddReport(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Show what a campaign found");
  command->add_option("directory", options->directory, "Directory of the campaign")->required();
  command->add_flag("--json", options->json, "As a JSON array of findings");
  return {command, [options] { return Run(*options); }};
}

}  // namespace assay
