// SPDX-License-Identifier: Apache-2.0
//
// Runs the tame tests and the probes of a contract on each planted kernel and compares what came
// out with what the kernel's state demands.
#include "engine/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "contracts/case.h"
#include "contracts/invariant.h"
#include "contracts/suggest.h"
#include "engine/backend.h"
#include "engine/pipeline.h"
#include "engine/probe.h"
#include "engine/protocol.h"

namespace assay {
namespace {

// Probes are asked in rounds, each of one case per probe, operator and type: so many rounds walk
// through every enumerated variant of a probe.
constexpr uint64_t kMaxRounds = 40;
// A row that takes many operators and types sees fewer variants of each, but never fewer than this.
constexpr uint64_t kMinRounds = 6;
constexpr uint64_t kCasesPerRow = 3000;
// A wrong kernel is told apart by one violation; the rest only show that it was no accident.
constexpr int kCasesToConvict = 200;

struct Protocol {
  std::string contract;
  OpSet ops;  // of its scope
  std::vector<Probe> probes;
  Measurement measurement;
};

Result<Protocol> ProtocolOf(const ContractInfo& info) {
  Protocol protocol{info.id, 0, {}, info.measurement};
  for (const OpId op : info.operators) protocol.ops |= Bit(op);
  for (const std::string& name : info.probes) {
    const std::optional<Probe> probe = ParseProbe(name);
    if (!probe) {
      return Error{info.file,
                   "contract " + info.id + " measures by '" + name + "', which is no probe",
                   DidYouMean(name, ProbeNames())};
    }
    protocol.probes.push_back(*probe);
  }
  return protocol;
}

Result<std::vector<Protocol>> ChooseProtocols(const Suite& suite, const CalibrationFilter& filter) {
  const std::vector<ContractInfo> infos = ContractsOf(suite);
  std::vector<std::string_view> known;
  for (const ContractInfo& info : infos) known.push_back(info.id);
  for (const std::string& wanted : filter.contracts) {
    if (std::ranges::find(known, wanted) == known.end()) {
      return Error{wanted, "the suite has no such contract", DidYouMean(wanted, known)};
    }
  }
  std::vector<Protocol> protocols;
  for (const ContractInfo& info : infos) {
    const bool chosen = filter.contracts.empty() ||
                        std::ranges::find(filter.contracts, info.id) != filter.contracts.end();
    if (!chosen) continue;
    Result<Protocol> protocol = ProtocolOf(info);
    if (!protocol.ok()) return protocol.error();
    protocols.push_back(std::move(protocol).value());
  }
  return protocols;
}

// Calls function(op, type) for everything among `ops` that the kernel takes.
template <class Function>
void ForEachOpAndType(const PlantedKernel& kernel, OpSet ops, const Function& function) {
  for (const OperatorDef& def : Operators()) {
    if ((kernel.ops & ops & Bit(def.id)) == 0) continue;
    for (const DType type : InputTypesOf(def.id)) {
      if ((kernel.types >> static_cast<unsigned>(type) & 1) != 0) function(def.id, type);
    }
  }
}

// An output that was not written fails every contract. One clause says so in place of all others,
// which then have nothing to look at.
bool IsUnwritten(const Verdict& verdict) {
  return std::ranges::any_of(verdict.clauses, [](const ClauseVerdict& clause) {
    return clause.outcome == Outcome::kViolating && clause.error == ErrorClass::kUnwritten;
  });
}

void CountVerdict(const Verdict& verdict, const std::string& line, CalibrationRow& row) {
  const bool unwritten = IsUnwritten(verdict);
  for (const ClauseVerdict& clause : verdict.clauses) {
    if (clause.contract != row.contract) continue;
    const bool hidden = unwritten && clause.outcome == Outcome::kNotTested;
    const Outcome outcome = hidden ? Outcome::kViolating : clause.outcome;
    ++row.outcomes[static_cast<size_t>(outcome)];
    row.worst_ratio = std::max(row.worst_ratio, clause.ratio);
    const bool violates = outcome == Outcome::kViolating;
    if (violates && row.first_violation.empty()) row.first_violation = line;
  }
}

void RunOne(Session& session, const Case& value, CalibrationRow& row) {
  const Record& record = session.RunCase(value);
  for (const BackendOutcome& outcome : record.outcomes) {
    ++row.cases;
    const std::string line = row.first_violation.empty()
                                 ? PrintCase({value, {session.backends()[0]->spec()}})
                                 : std::string();
    CountVerdict(outcome.verdict, line, row);
  }
}

// One recipe of cases.
struct Question {
  Probe probe;
  OpId op;
  DType type;
};

std::vector<Question> QuestionsFor(const Protocol& protocol, const PlantedKernel& kernel) {
  std::vector<Question> questions;
  for (const Probe probe : protocol.probes) {
    ForEachOpAndType(kernel, protocol.ops, [&](OpId op, DType type) {
      if (Applies(probe, op)) questions.push_back({probe, op, type});
    });
  }
  return questions;
}

bool IsConvicted(const CalibrationRow& row) {
  return row.state != PlantedState::kGood && row.cases >= kCasesToConvict &&
         row.Count(Outcome::kViolating) > 0;
}

void RunProbes(Session& session, const Protocol& protocol, const PlantedKernel& kernel,
               CalibrationRow& row) {
  const std::vector<Question> questions = QuestionsFor(protocol, kernel);
  if (questions.empty()) return;
  const uint64_t rounds =
      std::clamp<uint64_t>(kCasesPerRow / questions.size(), kMinRounds, kMaxRounds);
  for (uint64_t seed = 0; seed < rounds && !IsConvicted(row); ++seed) {
    for (const Question& question : questions) {
      Case value = MakeProbeCase(question.probe, question.op, question.type, seed);
      value.repeats = protocol.measurement.repeats;
      RunOne(session, value, row);
    }
  }
}

std::string ComplaintAbout(const CalibrationRow& row) {
  const bool violates = row.Count(Outcome::kViolating) > 0;
  const std::string found =
      fmt::format("{} of {} cases give a violation", row.Count(Outcome::kViolating), row.cases);
  switch (row.state) {
    case PlantedState::kBaseline:
      if (row.basic.failed == 0) return "passes the tame tests, which a baseline must not";
      return violates ? "" : "is no longer told apart: " + found;
    case PlantedState::kBad:
      if (row.basic.failed > 0) return "fails tame tests, so that no contract is needed to see it";
      return violates ? "" : "is no longer told apart: " + found;
    case PlantedState::kGood:
      if (row.basic.failed > 0) return "fails tame tests";
      if (violates) return "is flagged: " + found;
      return row.Count(Outcome::kConforming) > 0 ? "" : "is never found conforming";
  }
  return "";
}

CalibrationRow Measure(const std::shared_ptr<const Suite>& suite, const Protocol& protocol,
                       const PlantedKernel& kernel) {
  CalibrationRow row;
  row.contract = protocol.contract;
  row.family = kernel.family;
  row.kernel = kernel.name;
  row.state = kernel.state;
  Result<std::unique_ptr<Backend>> backend = OpenBackend("planted:" + std::string(kernel.name));
  ASSAY_CHECK(backend.ok(), "a planted kernel opens");
  const AssayBackend* table = backend.value()->table();
  ForEachOpAndType(kernel, protocol.ops, [&](OpId op, DType type) {
    const BasicCounts counts = RunBasicTests(*table, op, type);
    row.basic.passed += counts.passed;
    row.basic.failed += counts.failed;
  });
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::move(backend).value());
  SessionOptions options;
  options.suite = suite;
  options.settle = true;
  Session session(std::move(options), std::move(backends));
  RunProbes(session, protocol, kernel, row);
  ForEachOpAndType(kernel, protocol.ops, [&](OpId op, DType type) {
    if (IsConvicted(row)) return;
    for (const Case& value : ProtocolCases(protocol.measurement, protocol.probes, op, type)) {
      RunOne(session, value, row);
    }
  });
  row.complaint = ComplaintAbout(row);
  return row;
}

CalibrationClass ClassOf(const Protocol& protocol, std::span<const CalibrationRow> rows) {
  CalibrationClass result;
  result.equal_runs = protocol.measurement.repeats;
  result.contract = rows.front().contract;
  result.family = rows.front().family;
  int kernels[3] = {};
  for (const CalibrationRow& row : rows) {
    ++kernels[static_cast<size_t>(row.state)];
    if (row.complaint.empty()) continue;
    result.complaints.push_back(
        fmt::format("{} kernel {} {}", NameOf(row.state), row.kernel, row.complaint));
  }
  if (kernels[0] < 1 || kernels[1] < 2 || kernels[2] < 1) {
    result.complaints.push_back(
        fmt::format("{} baseline, {} bad and {} good kernels are too few: at least 1, 2 and 1",
                    kernels[0], kernels[1], kernels[2]));
  }
  result.sound = result.complaints.empty();
  return result;
}

// One row to be measured; those of one class stand together.
struct Task {
  const Protocol* protocol;
  const PlantedKernel* kernel;
};

bool SameClass(const Task& a, const Task& b) {
  return a.protocol == b.protocol && a.kernel->family == b.kernel->family;
}

std::vector<Task> TasksFor(std::span<const Protocol> protocols) {
  std::vector<Task> tasks;
  for (const Protocol& protocol : protocols) {
    for (int family = 0; family < kFamilyCount; ++family) {
      for (const PlantedKernel& kernel : PlantedTable()) {
        if (kernel.family != static_cast<Family>(family)) continue;
        if ((kernel.ops & protocol.ops) == 0) continue;
        if (Serves(kernel, protocol.contract)) tasks.push_back({&protocol, &kernel});
      }
    }
  }
  return tasks;
}

// A session is one thread's, so every row has its own; rows come out in the order of the tasks,
// whichever thread measured them.
std::vector<CalibrationRow> MeasureAll(const std::shared_ptr<const Suite>& suite,
                                       std::span<const Task> tasks) {
  std::vector<CalibrationRow> rows(tasks.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < tasks.size(); i = next++) {
      rows[i] = Measure(suite, *tasks[i].protocol, *tasks[i].kernel);
    }
  };
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(cores, tasks.size()); ++i) {
    helpers.emplace_back([&work] {
      work();
      EndSessionThread();
    });
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  return rows;
}

}  // namespace

bool CalibrationReport::MayGrade(std::string_view contract, Family family) const {
  return std::ranges::any_of(classes, [&](const CalibrationClass& each) {
    return each.contract == contract && each.family == family && each.sound;
  });
}

bool CalibrationReport::sound() const {
  return !classes.empty() && std::ranges::all_of(classes, &CalibrationClass::sound);
}

bool CalibrationReport::only_inconclusive() const {
  return !sound() && std::ranges::all_of(rows, [](const CalibrationRow& row) {
    return row.complaint.empty() ||
           (row.Count(Outcome::kViolating) == 0 && row.Count(Outcome::kInconclusive) > 0);
  });
}

Result<CalibrationReport> Calibrate(std::shared_ptr<const Suite> suite,
                                    const CalibrationFilter& filter) {
  const Result<std::vector<Protocol>> protocols = ChooseProtocols(*suite, filter);
  if (!protocols.ok()) return protocols.error();
  const std::vector<Task> tasks = TasksFor(protocols.value());
  if (tasks.empty()) {
    return Error{"", "no contract of the suite has planted kernels",
                 "name contracts of the built-in suite; `assay list contracts` shows them"};
  }
  CalibrationReport report;
  report.rows = MeasureAll(suite, tasks);
  for (size_t first = 0, end = 0; first < tasks.size(); first = end) {
    while (end < tasks.size() && SameClass(tasks[first], tasks[end])) ++end;
    report.classes.push_back(
        ClassOf(*tasks[first].protocol, std::span(report.rows).subspan(first, end - first)));
  }
  return report;
}

}  // namespace assay
