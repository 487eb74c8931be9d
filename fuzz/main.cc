// SPDX-License-Identifier: Apache-2.0
//
// The entry point of the `assay` program: chooses a command, and turns what the command line
// library throws into refusals. Children of the program are commands with names that begin with
// "__".
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "contracts/suggest.h"
#include "engine/backend.h"
#include "fuzz/backend_info.h"
#include "fuzz/campaign.h"
#include "fuzz/commands.h"
#include "fuzz/output.h"
#include "fuzz/serve.h"
#include "fuzz/triage_pass.h"
#include "fuzz/worker.h"

namespace assay {
namespace {

int RunTriageChild(const std::string& path) {
  const Result<CampaignDir> dir = CampaignDir::Open(path);
  if (!dir.ok()) return Refuse(dir.error(), kExitEnvironment);
  const Result<CampaignConfig> config = ReadConfig(dir.value());
  if (!config.ok()) return Refuse(config.error(), kExitEnvironment);
  const Status done = TriagePending(dir.value(), config.value());
  return done.ok() ? kExitOk : Refuse(done.error(), kExitEnvironment);
}

// The exit code of a child's command, or -1 if it is none.
int RunChild(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "__worker") return RunWorkerChild(argc, argv);
  if (name == "__serve") return RunServeChild(argc, argv);
  if (name == "__backends") return RunBackendsChild();
  if (name == "__triage" && argc == 3) return RunTriageChild(argv[2]);
  return -1;
}

template <class T>
int RefuseWord(const std::string& where, const char* what, const std::string& word,
               const std::vector<T*>& known) {
  std::vector<std::string> names;
  for (const T* item : known) {
    if (!item->get_name().empty()) names.push_back(item->get_name());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return Refuse({where, fmt::format("unknown {} '{}'", what, word), DidYouMean(word, views)});
}

int RefuseParse(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string where =
      chosen.empty() ? "command line" : fmt::format("assay {}", command.get_name());
  const std::vector<std::string> extra = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty()) {
    if (extra.front().rfind("-", 0) == 0) {
      return RefuseWord(where, "option", extra.front(), command.get_options());
    }
    return Refuse({where, fmt::format("'{}' is one argument too many", extra.front()),
                   fmt::format("{} --help", chosen.empty() ? "assay" : where)});
  }
  return Refuse({where, error.what(), fmt::format("{} --help", chosen.empty() ? "assay" : where)});
}

int RunCommand(int argc, char** argv) {
  CLI::App app{"Assay: fuzzes ML kernels against written contracts.", "assay"};
  app.require_subcommand(1);
  const std::vector<Command> commands{AddList(app),   AddCheck(app), AddCalibrate(app),
                                      AddFuzz(app),   AddRepro(app), AddMinimize(app),
                                      AddReport(app), AddCorpus(app)};
  const std::vector<CLI::App*> known = app.get_subcommands({});
  const bool is_known = std::any_of(known.begin(), known.end(), [argc, argv](const CLI::App* each) {
    return argc > 1 && each->get_name() == argv[1];
  });
  if (argc > 1 && argv[1][0] != '-' && !is_known) {
    return RefuseWord("command line", "command", argv[1], known);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    const int code = app.exit(help, text, text);
    Write(stdout, text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return RefuseParse(app, error);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  ASSAY_CHECK(false, "a parsed command line names a command");
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::OpenStandardStreams();
  assay::PinLibraryEnvironment();
  const int child = assay::RunChild(argc, argv);
  return child >= 0 ? child : assay::Finish(assay::RunCommand(argc, argv));
}
