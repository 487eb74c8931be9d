// SPDX-License-Identifier: Apache-2.0
//
// `assay check`: contract and profile files, and what is wrong with them. Diagnostics are the
// answer, yet they go to stderr like every refusal, where editors look for them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "contracts/checked_files.h"
#include "contracts/language/format.h"
#include "fuzz/commands.h"
#include "fuzz/measured_check.h"
#include "fuzz/output.h"
#include "triage/durable.h"

namespace assay {
namespace {

constexpr int64_t kLargestSource = 1 << 20;  // what the parser takes

int Run(const std::vector<std::string>& files) {
  CheckedFiles checked = ReadAndCheck(files);
  std::vector<Diagnostic>& diagnostics = checked.diagnostics;
  if (checked.good) {
    for (Diagnostic& each : MeasuredDiagnostics(checked)) diagnostics.push_back(std::move(each));
  }
  for (const Diagnostic& diagnostic : diagnostics) Print(stderr, "{}\n", diagnostic.Text());
  const auto warnings = std::ranges::count_if(diagnostics, &Diagnostic::warning);
  if (warnings < std::ssize(diagnostics)) return kExitUsage;
  Print("{} {} in order", files.size(), files.size() == 1 ? "file is" : "files are");
  if (warnings > 0) Print(", with {} {}", warnings, warnings == 1 ? "warning" : "warnings");
  Print("\n");
  return kExitOk;
}

// Rewrites each file in the canonical layout. A file with errors is left alone.
int FormatFiles(const std::vector<std::string>& files) {
  int exit_code = kExitOk;
  for (const std::string& path : files) {
    const Result<std::string> text = ReadFile(path, kLargestSource);
    if (!text.ok()) return Refuse(text.error());
    const Result<std::string> formatted = FormatSource(path, text.value());
    if (!formatted.ok()) {
      Print(stderr, "{}\n", formatted.error().what);
      exit_code = kExitUsage;
      continue;
    }
    if (formatted.value() == text.value()) continue;
    const Status written = WriteDurably(path, formatted.value());
    if (!written.ok()) return Refuse(written.error(), kExitEnvironment);
    Print("{} is formatted\n", path);
  }
  return exit_code;
}

}  // namespace

Command AddCheck(CLI::App& app) {
  struct Options {
    std::vector<std::string> files;
    bool format = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Check contract and profile files");
  command->add_option("file", options->files, "Files in the contract language (*.kc)")->required();
  command->add_flag("--format", options->format, "Rewrite them in the canonical layout");
  return {command, [options] {
            return options->format ? FormatFiles(options->files) : Run(options->files);
          }};
}

}  // namespace assay
