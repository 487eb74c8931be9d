// SPDX-License-Identifier: Apache-2.0
//
// Judged cases per second of every operator, on the cases that its mutators make, by the reference:
// where the time goes and how many cases needed a slow tier. Goal: to see an operator that falls
// behind. Not a goal: absolute speed of a machine.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/backend.h"
#include "engine/mutate.h"
#include "engine/pipeline.h"

namespace assay {
namespace {

constexpr int kCases = 192;

// Cases of one operator that the reference takes, a fixed set by seed.
std::vector<Case> CasesOf(OpId op) {
  MutationSpace space;
  space.ops = {op};
  std::vector<Case> cases;
  for (int i = 0; i < kCases; ++i) {
    Case value = FreshCase(space, Mix(i));
    for (int step = 0; step < 4; ++step) Mutate(value, space, Mix(1000 * i + step));
    cases.push_back(value);
  }
  return cases;
}

Session& ReferenceSession() {
  static Session& session = *[] {
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(OpenBackend("reference").value());
    SessionOptions options;
    options.suite = BuiltinSuite();
    return new Session(std::move(options), std::move(backends));
  }();
  return session;
}

void JudgedCases(benchmark::State& state, OpId op) {
  const std::vector<Case> cases = CasesOf(op);
  Session& session = ReferenceSession();
  PhaseTimes times;
  session.set_phase_times(&times);
  int64_t run = 0, balls = 0, exact = 0;
  for (auto _ : state) {
    for (const Case& value : cases) {
      const Record& record = session.RunCase(value);
      if (record.evidence == nullptr) continue;
      ++run;
      balls += record.evidence->tier == Tier::kBall ? 1 : 0;
      exact += record.evidence->tier == Tier::kExact ? 1 : 0;
    }
  }
  session.set_phase_times(nullptr);
  const auto count = static_cast<double>(run);
  state.counters["cases_per_s"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
  state.counters["kernel_us"] = static_cast<double>(times.kernel_ns) / count * 1e-3;
  state.counters["oracle_us"] = static_cast<double>(times.oracle_ns) / count * 1e-3;
  state.counters["check_us"] = static_cast<double>(times.check_ns) / count * 1e-3;
  state.counters["by_balls"] = static_cast<double>(balls) / count;
  state.counters["by_long_sums"] = static_cast<double>(exact) / count;
}

const int registered = [] {
  for (const OperatorDef& op : Operators()) {
    benchmark::RegisterBenchmark(("JudgedCases/" + std::string(op.name)).c_str(), JudgedCases,
                                 op.id);
  }
  return 0;
}();

}  // namespace
}  // namespace assay
