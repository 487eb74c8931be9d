// SPDX-License-Identifier: Apache-2.0
//
// `assay check`: contract and profile files, and what is wrong with them. Diagnostics are the
// answer, yet they go to stderr like every refusal, where editors look for them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "contracts/language/diagnostic.h"
#include "fuzz/commands.h"
#include "fuzz/output.h"

namespace assay {
namespace {

int Run(const std::vector<std::string>& files) {
  const std::vector<Diagnostic> diagnostics = CheckFiles(files);
  for (const Diagnostic& diagnostic : diagnostics) Print(stderr, "{}\n", diagnostic.Text());
  if (!diagnostics.empty()) return kExitUsage;
  Print("{} {} in order\n", files.size(), files.size() == 1 ? "file is" : "files are");
  return kExitOk;
}

}  // namespace

Command AddCheck(CLI::App& app) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("check", "Check contract and profile files");
  command->add_option("file", *files, "Files in the contract language (*.kc)")->required();
  return {command, [files] { return Run(*files); }};
}

}  // namespace assay
