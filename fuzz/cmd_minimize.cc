// SPDX-License-Identifier: Apache-2.0
//
// `assay minimize`: the simplest case with the same cause, as one line on stdout.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "fuzz/commands.h"
#include "fuzz/output.h"
#include "fuzz/read_case.h"
#include "fuzz/triage_pass.h"

namespace assay {
namespace {

Result<Minimized> MinimizeFirst(const CaseRequest& request) {
  Server all(request.serve);
  const Result<Served> served = all.Judge(request.line.value, Server::Detail::kKeys);
  if (!served.ok()) return served.error();
  if (served.value().violations.empty()) {
    return Error{"minimize", "no backend violates a contract on this case",
                 "`assay repro` shows how it was judged"};
  }
  const FindingRecord& finding = served.value().violations.front();
  ServeOptions only = request.serve;
  only.backends = {finding.backend_spec};
  Server one(only);
  return MinimizeFinding(request.line.value, finding, one);
}

int Run(const CaseOptions& options) {
  const Result<CaseRequest> request = CheckCaseOptions(options);
  if (!request.ok()) return Refuse(request.error());
  if (request.value().serve.backends.empty()) {
    return Refuse({"minimize", "the case names no backend", "name one with --backend"});
  }
  const Result<Minimized> minimized = MinimizeFirst(request.value());
  if (!minimized.ok()) return Refuse(minimized.error());
  Print(stderr, "{} in {} runs{}\n", minimized.value().record.signature,
        minimized.value().record.minimize_runs,
        minimized.value().exhausted ? ", where the budget of runs ended" : "");
  Print("{}\n", minimized.value().record.minimized_line);
  return kExitOk;
}

}  // namespace

Command AddMinimize(CLI::App& app) {
  const auto options = std::make_shared<CaseOptions>();
  CLI::App* command = app.add_subcommand("minimize", "Print the simplest case with the same cause");
  AddCaseOptions(*command, *options);
  return {command, [options] { return Run(*options); }};
}

}  // namespace assay
