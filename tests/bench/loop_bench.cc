// SPDX-License-Identifier: Apache-2.0
//
// Judged cases per second beside a bare libFuzzer loop on the same decoded case, placement and
// backends (fuzz/loop.cc). libFuzzer never returns, so both are child programs, run in turn within
// one benchmark; what counts is the ratio of their medians. Budget: at least 0.5.

#include <benchmark/benchmark.h>
#include <stdio.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Figures {
  double cases = 0, elapsed_ns = 0, cpu_ns = 0, kernel_ns = 0, oracle_ns = 0, check_ns = 0;
};

double FieldOf(const std::string& line, const std::string& name) {
  const size_t at = line.find(name + "=");
  return at == std::string::npos ? 0 : std::strtod(line.c_str() + at + name.size() + 1, nullptr);
}

// A loop that runs on its own until its figures are asked for.
class Loop {
 public:
  explicit Loop(const std::string& arguments) {
    const auto program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "assay-loop";
    const char* runs = std::getenv("ASSAY_BENCH_RUNS");
    const std::string command = program.string() + " " + arguments + " --runs " +
                                (runs != nullptr ? runs : "200000") + " 2>&1";
    pipe_ = popen(command.c_str(), "r");
  }
  Loop(const Loop&) = delete;
  ~Loop() {
    if (pipe_ != nullptr) pclose(pipe_);
  }

  bool Finish(Figures& figures) {
    if (pipe_ == nullptr) return false;
    std::string text;
    char buffer[256];
    while (fgets(buffer, sizeof buffer, pipe_) != nullptr) text += buffer;
    figures = {FieldOf(text, "cases"),     FieldOf(text, "elapsed_ns"), FieldOf(text, "cpu_ns"),
               FieldOf(text, "kernel_ns"), FieldOf(text, "oracle_ns"),  FieldOf(text, "check_ns")};
    return figures.cases > 0 && figures.elapsed_ns > 0;
  }

 private:
  FILE* pipe_ = nullptr;
};

bool RunLoop(const std::string& arguments, Figures& figures) {
  return Loop(arguments).Finish(figures);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One iteration runs bare, judged and judged-with-phases; the clock of the benchmark itself is of
// no interest, the counters are.
void JudgedAgainstBare(benchmark::State& state, const std::string& backends) {
  std::vector<double> bare, judged, kernel, oracle, check;
  for (auto _ : state) {
    Figures figures;
    if (!RunLoop(backends, figures)) return state.SkipWithError("the bare loop printed no figures");
    bare.push_back(figures.cpu_ns / figures.cases);
    if (!RunLoop("--judge " + backends, figures)) return state.SkipWithError("no figures (judged)");
    judged.push_back(figures.cpu_ns / figures.cases);
    if (!RunLoop("--judge --phases " + backends, figures)) return state.SkipWithError("no figures");
    kernel.push_back(figures.kernel_ns / figures.elapsed_ns);
    oracle.push_back(figures.oracle_ns / figures.elapsed_ns);
    check.push_back(figures.check_ns / figures.elapsed_ns);
  }
  state.counters["judged_per_s"] = 1e9 / Median(judged);
  state.counters["bare_per_s"] = 1e9 / Median(bare);
  state.counters["ratio"] = Median(bare) / Median(judged);
  state.counters["kernel_share"] = Median(kernel);
  state.counters["oracle_share"] = Median(oracle);
  state.counters["check_share"] = Median(check);
  state.counters["rest_share"] = 1 - Median(kernel) - Median(oracle) - Median(check);
}

// Cases per second of `workers` loops at once.
double RateOf(int workers, const std::string& arguments) {
  std::vector<std::unique_ptr<Loop>> loops;
  for (int i = 0; i < workers; ++i) loops.push_back(std::make_unique<Loop>(arguments));
  double rate = 0;
  for (const auto& loop : loops) {
    Figures figures;
    if (loop->Finish(figures)) rate += 1e9 * figures.cases / figures.elapsed_ns;
  }
  return rate;
}

// What a second judging worker adds, beside what a second bare loop adds to the same machine.
void TwoWorkers(benchmark::State& state) {
  std::vector<double> ratio, judged, bare;
  for (auto _ : state) {
    judged.push_back(RateOf(2, "--judge") / RateOf(1, "--judge"));
    bare.push_back(RateOf(2, "") / RateOf(1, ""));
    ratio.push_back(judged.back() / bare.back());
  }
  state.counters["judged"] = Median(judged);
  state.counters["bare"] = Median(bare);
  state.counters["ratio"] = Median(ratio);
}

BENCHMARK(TwoWorkers)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(JudgedAgainstBare, reference_and_openblas,
                  std::string("--backend reference --backend openblas"))
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
