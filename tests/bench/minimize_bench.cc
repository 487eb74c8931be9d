// SPDX-License-Identifier: Apache-2.0
//
// Runs and time of the minimizer over findings of planted kernels, each as generation meets it: the
// first violating case of a fixed sequence, reduced under its own key. Budget: medians under 2,000
// runs and under 1 s.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/backend.h"
#include "engine/guarded_call.h"
#include "engine/mutate.h"
#include "engine/pipeline.h"
#include "triage/minimize.h"
#include "triage/signature.h"

namespace assay {
namespace {

constexpr int kEveryKernel = 8;   // of some hundreds of planted kernels
constexpr int kCasesTried = 250;  // a kernel that none of them shows is left out

class Hunt {
 public:
  explicit Hunt(const std::string& spec) {
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(OpenBackend(spec).value());
    SessionOptions options;
    options.suite = BuiltinSuite();
    options.settle = true;
    session_ = std::make_unique<Session>(std::move(options), std::move(backends));
  }

  // Key of the first violation; empty: none.
  std::string KeyFor(const Case& value) {
    const Record& record = session_->RunCase(value);
    const std::vector<Violation> violations = ViolationsOf(record);
    return violations.empty() ? "" : KeyOf(value, record.dims, violations.front(), "planted");
  }

  std::optional<Case> FirstViolation() {
    MutationSpace space;
    for (const OperatorDef& op : Operators()) {
      const Case value = FreshCase({{op.id}, {}, {}}, 1);
      const Record& record = session_->RunCase(value);
      if (record.unsupported == 0) space.ops.push_back(op.id);
    }
    for (int i = 0; i < kCasesTried && !space.ops.empty(); ++i) {
      Case value = FreshCase(space, Mix(i));
      for (int step = 0; step < i % 5; ++step) Mutate(value, space, Mix(1000 * i + step));
      if (!KeyFor(value).empty()) return value;
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<Session> session_;
};

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void MinimizePlantedFindings(benchmark::State& state) {
  InstallFaultHandlers();
  std::vector<double> runs, seconds;
  for (auto _ : state) {
    const std::vector<std::string> specs = PlantedSpecs();
    for (size_t i = 0; i < specs.size(); i += kEveryKernel) {
      Hunt hunt(specs[i]);
      const std::optional<Case> found = hunt.FirstViolation();
      if (!found) continue;
      const std::string key = hunt.KeyFor(*found);
      const auto start = std::chrono::steady_clock::now();
      const MinimizeResult result =
          Minimize(*found, [&](const Case& value) { return hunt.KeyFor(value) == key; });
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      runs.push_back(static_cast<double>(result.runs));
      seconds.push_back(took.count());
    }
  }
  state.counters["findings"] = static_cast<double>(runs.size());
  state.counters["median_runs"] = Median(runs);
  state.counters["median_s"] = Median(seconds);
}

BENCHMARK(MinimizePlantedFindings)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
