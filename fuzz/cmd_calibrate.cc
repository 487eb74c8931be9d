// SPDX-License-Identifier: Apache-2.0
//
// `assay calibrate`: proves that the contracts tell wrong kernels from right ones. The planted
// kernels are ours and part of the program, so this runs in the process itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/calibrate.h"
#include "engine/guarded_call.h"
#include "fuzz/commands.h"
#include "fuzz/output.h"

namespace assay {
namespace {

struct Options {
  std::vector<std::string> classes;
  std::string suite;
  bool json = false;
};

int Run(const Options& options) {
  const Result<std::shared_ptr<const Suite>> suite = OpenSuite(options.suite);
  if (!suite.ok()) return Refuse(suite.error());
  InstallFaultHandlers();
  const Result<CalibrationReport> report = Calibrate(suite.value(), {options.classes});
  if (!report.ok()) return Refuse(report.error());
  Print("{}", options.json ? CalibrationJson(report.value()) : CalibrationText(report.value()));
  if (report.value().sound()) return kExitOk;
  return report.value().only_inconclusive() ? kExitInconclusive : kExitViolated;
}

}  // namespace

Command AddCalibrate(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("calibrate", "Measure the contracts on planted good and bad kernels");
  command->add_option("class", options->classes, "Contracts, such as C-PRC-01 (all)");
  command->add_option("--suite", options->suite, "Directory of contracts (the built-in ones)")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "As JSON");
  return {command, [options] { return Run(*options); }};
}

}  // namespace assay
