// SPDX-License-Identifier: Apache-2.0
//
// `assay repro`: one case again, in a process of its own, with everything there is to say about it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "contracts/judge.h"
#include "engine/equal_runs.h"
#include "fuzz/cli.h"
#include "fuzz/commands.h"
#include "fuzz/output.h"
#include "fuzz/read_case.h"
#include "fuzz/serve.h"

namespace assay {
namespace {

// All that open, where neither the command line nor the case names any.
Status DefaultBackends(ServeOptions& serve) {
  if (!serve.backends.empty()) return {};
  const Result<std::vector<BackendInfo>> infos = QueryBackends({});
  if (!infos.ok()) return infos.error();
  for (const BackendInfo& info : infos.value()) {
    if (info.ok()) serve.backends.push_back(info.spec);
  }
  return {};
}

void PrintClause(const ServedClause& clause) {
  Print("  {}/{}: {}", clause.contract, clause.clause, clause.outcome);
  if (clause.outcome == "violating") Print(" ({})", clause.error);
  if (!clause.reason.empty()) Print(" ({})", clause.reason);
  if (!clause.bound.starts_with("none")) Print(", ratio {:.6g}", clause.ratio);
  Print("\n");
  if (clause.equal_runs > 1) Print("    {}\n", EqualRunsText(clause.equal_runs));
  if (clause.outcome != "violating") return;
  Print("    witness   {}\n", clause.witness);
  Print("    got       {}\n", clause.got);
  Print("    expected  {}\n", clause.expected);
  Print("    bound     {}\n", clause.bound);
  Print("    ratio     {:.6g}\n", clause.ratio);
}

// Whoever reads a violation must see which limits are nobody's promise.
void PrintAssumptions(const Suite& suite, const std::string& assume, const Case& value,
                      const ServedBackend& backend) {
  const bool violated = std::any_of(backend.clauses.begin(), backend.clauses.end(),
                                    [](const auto& c) { return c.outcome == "violating"; });
  if (!violated) return;
  const auto declared =
      DeclarationsOf(suite, backend.backend.profile, value.op, value.operands[0].dtype, assume);
  if (!declared.ok()) return;
  for (const DeclarationInfo& each : declared.value()) {
    if (each.profile != "assumed" && each.profile != assume) continue;
    Print("  assumed   {} from \"{}\"\n", each.key, each.source);
  }
}

void PrintServed(const CaseLine& line, const Served& served, const Suite& suite,
                 const std::string& assume) {
  Print("case      {}\n", PrintCase({line.value, {}}));
  for (const ServedBackend& backend : served.backends) {
    Print("\nbackend   {} ({} {})\n", backend.backend.spec, backend.backend.family,
          backend.backend.version);
    Print("  call: {}{}{}\n", backend.status, backend.detail.empty() ? "" : ": ", backend.detail);
    for (const ServedClause& clause : backend.clauses) PrintClause(clause);
    PrintAssumptions(suite, assume, line.value, backend);
  }
  if (served.unsupported > 0) Print("\n{} backends do not support it\n", served.unsupported);
  if (served.divergent) Print("\nbackends differ in bits\n");
  for (const FindingRecord& finding : served.violations) {
    Print("\nviolated  {}\n", finding.raw_keys.at(0));
    if (served.died.empty()) continue;
    Print("    witness   none: the whole call\n    got       {}\n    expected  {}\n", finding.got,
          finding.expected);
    Print("    bound     {}\n    ratio     {:.6g}\n", finding.bound, finding.ratio);
  }
}

// Nothing but inconclusive is no all-clear.
bool OnlyInconclusive(const Served& served) {
  bool any = false;
  for (const ServedBackend& backend : served.backends) {
    for (const ServedClause& clause : backend.clauses) {
      if (clause.outcome == "conforming") return false;
      any = any || clause.outcome == "inconclusive";
    }
  }
  return any;
}

int Run(const CaseOptions& options) {
  Result<CaseRequest> request = CheckCaseOptions(options);
  if (!request.ok()) return Refuse(request.error());
  const Status chosen = DefaultBackends(request.value().serve);
  if (!chosen.ok()) return Refuse(chosen.error());
  const CaseLine& line = request.value().line;
  Server server(request.value().serve);
  const Result<Served> served = server.Judge(line.value);
  if (!served.ok()) return Refuse(served.error());
  if (!served.value().died.empty() && served.value().violations.empty()) {
    return Refuse({"repro", "the process died outside of any call: " + served.value().died,
                   "name one backend with --backend"},
                  kExitEnvironment);
  }
  const auto suite = OpenSuite(request.value().serve.suite);
  if (!suite.ok()) return Refuse(suite.error());
  PrintServed(line, served.value(), *suite.value(), request.value().serve.assume);
  if (!served.value().violations.empty()) return kExitViolated;
  return OnlyInconclusive(served.value()) ? kExitInconclusive : kExitOk;
}

}  // namespace

Command AddRepro(CLI::App& app) {
  const auto options = std::make_shared<CaseOptions>();
  CLI::App* command = app.add_subcommand("repro", "Run one case and show how it was judged");
  AddCaseOptions(*command, *options);
  return {command, [options] { return Run(*options); }};
}

}  // namespace assay
