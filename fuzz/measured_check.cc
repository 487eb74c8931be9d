// SPDX-License-Identifier: Apache-2.0
#include "fuzz/measured_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "contracts/invariant.h"
#include "engine/backend.h"
#include "engine/backends/planted/table.h"
#include "engine/guarded_call.h"
#include "engine/mutate.h"
#include "engine/pipeline.h"
#include "engine/probe.h"
#include "engine/protocol.h"

namespace assay {
namespace {

constexpr uint64_t kFreshCases = 200;   // per operator and type
constexpr uint64_t kSeedsPerProbe = 8;  // of each probe, operator and type

Diagnostic At(const Diagnostic& place, std::string message, std::string expected,
              std::string suggestion = "") {
  Diagnostic diagnostic = place;
  diagnostic.message = std::move(message);
  diagnostic.expected = std::move(expected);
  diagnostic.suggestion = std::move(suggestion);
  return diagnostic;
}

// Clauses whose precondition some generated case meets.
class Generation {
 public:
  explicit Generation(const CheckedFiles& files) : files_(files), met_(files.clauses.size()) {
    Result<std::unique_ptr<Backend>> backend = OpenBackend("reference");
    ASSAY_CHECK(backend.ok(), "the reference opens");
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::move(backend).value());
    SessionOptions options;
    options.suite = files.suite;
    options.assume = "ieee";  // the question is what the inputs are, not what is declared
    session_ = std::make_unique<Session>(std::move(options), std::move(backends));
  }

  std::vector<bool> Run() && {
    for (const Operators& each : Asked()) {
      for (const DType type : InputTypesOf(each.op)) {
        if (AllMet(each.op)) break;
        Probes(each, type);
        Fresh(each.op, type);
      }
    }
    return std::move(met_);
  }

 private:
  struct Operators {
    OpId op;
    std::vector<const ContractInfo*> contracts;
  };

  std::vector<Operators> Asked() {
    infos_ = ContractsOf(*files_.suite);
    std::vector<Operators> asked;
    for (const ClausePlace& clause : files_.clauses) {
      const auto info = std::ranges::find(infos_, clause.contract, &ContractInfo::id);
      for (const OpId op : clause.operators) {
        auto found = std::ranges::find(asked, op, &Operators::op);
        if (found == asked.end()) found = asked.insert(asked.end(), {op, {}});
        if (std::ranges::find(found->contracts, &*info) == found->contracts.end()) {
          found->contracts.push_back(&*info);
        }
      }
    }
    return asked;
  }

  bool AllMet(OpId op) const {
    for (size_t i = 0; i < met_.size(); ++i) {
      const std::vector<OpId>& ops = files_.clauses[i].operators;
      if (!met_[i] && std::ranges::find(ops, op) != ops.end()) return false;
    }
    return true;
  }

  void Probes(const Operators& each, DType type) {
    for (const ContractInfo* info : each.contracts) {
      std::vector<Probe> probes;
      for (const std::string& name : info->probes) {
        const std::optional<Probe> probe = ParseProbe(name);
        if (!probe || !Applies(*probe, each.op)) continue;
        probes.push_back(*probe);
        for (uint64_t seed = 0; seed < kSeedsPerProbe; ++seed) {
          Run(MakeProbeCase(*probe, each.op, type, seed));
        }
      }
      for (const Case& value : ProtocolCases(info->measurement, probes, each.op, type)) Run(value);
    }
  }

  void Fresh(OpId op, DType type) {
    const MutationSpace space{{op}, {{type}}, AtomsOf(*files_.suite)};
    for (uint64_t seed = 0; seed < kFreshCases && !AllMet(op); ++seed) Run(FreshCase(space, seed));
  }

  void Run(const Case& value) {
    for (const BackendOutcome& outcome : session_->RunCase(value).outcomes) {
      for (const ClauseVerdict& verdict : outcome.verdict.clauses) {
        if (verdict.outcome == Outcome::kRejected) continue;
        for (size_t i = 0; i < met_.size(); ++i) {
          const ClausePlace& clause = files_.clauses[i];
          if (clause.contract == verdict.contract && clause.clause == verdict.clause) {
            met_[i] = true;
          }
        }
      }
    }
  }

  const CheckedFiles& files_;
  std::vector<bool> met_;
  std::vector<ContractInfo> infos_;
  std::unique_ptr<Session> session_;
};

bool SomeKernelCanViolate(const ClausePlace& clause) {
  return std::ranges::any_of(PlantedTable(), [&](const PlantedKernel& kernel) {
    return kernel.state == PlantedState::kBad && Serves(kernel, clause.contract) &&
           std::ranges::any_of(clause.operators,
                               [&](OpId op) { return (kernel.ops & Bit(op)) != 0; });
  });
}

}  // namespace

std::vector<Diagnostic> MeasuredDiagnostics(const CheckedFiles& files) {
  std::vector<Diagnostic> found;
  for (const ProbePlace& each : files.probes) {
    if (ParseProbe(each.probe)) continue;
    found.push_back(At(each.place, fmt::format("unknown probe '{}'", each.probe),
                       JoinNames(ProbeNames()), NearestName(each.probe, ProbeNames())));
  }
  if (!found.empty() || files.clauses.empty()) return found;
  InstallFaultHandlers();
  const std::vector<bool> met = Generation(files).Run();
  for (size_t i = 0; i < met.size(); ++i) {
    const ClausePlace& clause = files.clauses[i];
    if (!met[i] && !clause.operators.empty()) {
      found.push_back(At(
          clause.place,
          fmt::format("vacuous: no generated case meets '{}' and its precondition", clause.clause),
          "a condition that some inputs meet"));
      found.back().warning = true;
    }
    if (!SomeKernelCanViolate(clause)) {
      found.push_back(At(clause.place,
                         fmt::format("no calibration kernel can violate '{}'", clause.clause),
                         "a planted kernel that serves " + clause.contract +
                             " and takes one of these operators; without it the clause grades "
                             "nothing"));
      found.back().warning = true;
    }
  }
  return found;
}

}  // namespace assay
