// SPDX-License-Identifier: Apache-2.0
//
// `assay corpus`: a campaign's cases in a form that other tools read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "fuzz/commands.h"
#include "fuzz/output.h"
#include "triage/corpus_export.h"

namespace assay {
namespace {

struct Options {
  std::string directory, out;
};

int Export(const Options& options) {
  const Result<CampaignDir> dir = CampaignDir::Open(options.directory);
  if (!dir.ok()) return Refuse(dir.error());
  const Result<ExportCounts> counts = ExportCorpus(dir.value(), options.out);
  if (!counts.ok()) return Refuse(counts.error());
  Print(stderr,
        "{} lines of findings, {} of the corpus, {} duplicates and {} inputs that are "
        "no case left out\n",
        counts.value().findings, counts.value().seeds, counts.value().duplicates,
        counts.value().rejected);
  return kExitOk;
}

}  // namespace

Command AddCorpus(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("corpus", "Handle a campaign's cases");
  command->require_subcommand(1);
  CLI::App* exported = command->add_subcommand("export", "Write the cases as lines, with an index");
  exported->add_option("directory", options->directory, "Directory of the campaign")->required();
  exported->add_option("--out", options->out, "File to write; its index goes beside it")
      ->required();
  return {command, [options] { return Export(*options); }};
}

}  // namespace assay
