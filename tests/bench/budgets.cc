// SPDX-License-Identifier: Apache-2.0
//
// The benchmark program: Google Benchmark's report, then one line for each budget of the project
// with what this run measured. Budgets are ratios within one run, so that they mean the same on any
// machine. A budget whose benchmarks were filtered out is not judged.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

// Figures by "benchmark/counter"; "time" is the benchmark's own, in nanoseconds.
using Figures = std::map<std::string, double>;

class Collector : public benchmark::ConsoleReporter {
 public:
  explicit Collector(Figures& figures) : figures_(figures) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) continue;
      const std::string name = run.run_name.function_name + "/";
      for (const auto& [counter, value] : run.counters) figures_[name + counter] = value;
    }
    ConsoleReporter::ReportRuns(runs);
  }

 private:
  Figures& figures_;
};

struct Budget {
  const char* what;
  const char* figure;
  const char* over;  // the figure divided by this one; null: as it is
  bool at_least;
  double limit;
};

constexpr Budget kBudgets[] = {
    {"judged cases per second against a bare loop",
     "JudgedAgainstBare/reference_and_openblas/ratio", nullptr, true, 0.5},
    {"scaling of two judging workers against two bare loops", "TwoWorkers/ratio", nullptr, true,
     0.95},
    {"gemm: MPFR's time per multiply-add over the oracle's", "MpfrFma/f32/time_per_mac",
     "Whole/gemm_f32_64x64x64/time_per_mac", true, 100},
    {"gemm of f64: the same", "MpfrFma/f64/time_per_mac", "Whole/gemm_f64_64x64x64/time_per_mac",
     true, 100},
    {"dot: the same", "MpfrFma/f32/time_per_mac", "Whole/dot_f32_65536/time_per_mac", true, 100},
    {"sum: MPFR's time per addition over the oracle's", "MpfrAdd/f32/time_per_mac",
     "Whole/sum_f32_65536/time_per_mac", true, 100},
    {"minimizer: median runs", "MinimizePlantedFindings/median_runs", nullptr, false, 2000},
    {"minimizer: median seconds", "MinimizePlantedFindings/median_s", nullptr, false, 1},
};

std::optional<double> Measured(const Budget& budget, const Figures& figures) {
  const auto figure = figures.find(budget.figure);
  if (figure == figures.end()) return std::nullopt;
  if (budget.over == nullptr) return figure->second;
  const auto over = figures.find(budget.over);
  if (over == figures.end()) return std::nullopt;
  return figure->second / over->second;
}

void PrintBudgets(const Figures& figures) {
  std::printf("\n%-56s %12s %12s\n", "budget", "limit", "measured");
  for (const Budget& budget : kBudgets) {
    std::printf("%-56s %s %9.4g ", budget.what, budget.at_least ? ">=" : "<=", budget.limit);
    const std::optional<double> measured = Measured(budget, figures);
    if (!measured) {
      std::printf("%12s\n", "not run");
      continue;
    }
    const bool met = budget.at_least ? *measured >= budget.limit : *measured <= budget.limit;
    std::printf("%12.4g  %s\n", *measured, met ? "met" : "MISSED");
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Figures figures;
  Collector collector(figures);
  benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::Shutdown();
  PrintBudgets(figures);
  return 0;
}
