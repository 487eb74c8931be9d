// SPDX-License-Identifier: Apache-2.0
//
// The yardstick for throughput: a libFuzzer loop over one small gemm (8x8x8 f32, seeds of the fills
// vary), as a program of its own because libFuzzer never returns. Without --judge it decodes the
// case, places the operands and calls the two backends, nothing else; with --judge it does what a
// campaign does with the same case. Prints one line of figures to stdout at exit; the benchmarks
// read it.
//
//   assay-loop [--judge] [--phases] [--runs N] [--backend SPEC]...

#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "contracts/judge.h"
#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/arena.h"
#include "engine/backend.h"
#include "engine/call.h"
#include "engine/codec.h"
#include "engine/guarded_call.h"
#include "engine/phase_clock.h"
#include "engine/pipeline.h"

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*callback)(const uint8_t* data, size_t size));

namespace assay {
namespace {

struct Loop {
  bool judge = false;
  std::string runs = "200000";
  std::unique_ptr<Session> session;
  std::vector<std::unique_ptr<Backend>> bare;
  Arena arena;
  Values values;
  BackendCall call;
  PhaseTimes times;
  uint64_t started_ns = 0, started_cpu_ns = 0;
  uint64_t cases = 0;
  uint64_t skipped_calls = 0;
};

Loop* loop = nullptr;

// What this process has computed for; cases per second of a core, whoever else wants the core.
uint64_t CpuNow() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void CallBackend(void* argument) {
  auto* table = static_cast<const AssayBackend*>(argument);
  char buffer[64];
  AssayText text{buffer, sizeof buffer, 0};
  if (table->run(table->self, loop->call.get(), &text) != ASSAY_OK) ++loop->skipped_calls;
}

void RunBare(const Case& value, const NamedDims& dims) {
  MakeValues(value, dims, loop->values);
  loop->call.Describe(value, *loop->values.op);
  for (int i = 0; i < value.operands.size(); ++i) {
    loop->call.Attach(i, loop->arena.Place(i, value.operands[i], loop->values.operands[i]));
  }
  for (const auto& backend : loop->bare) {
    GuardedCall(&CallBackend, const_cast<AssayBackend*>(backend->table()), loop->arena);
  }
}

int TestOneInput(const uint8_t* data, size_t size) {
  Case value;
  NamedDims dims;
  if (Decode({data, size}, value, dims) != Reject::kNone) return -1;
  if (loop->cases == 0) {
    loop->started_ns = PhaseNow();
    loop->started_cpu_ns = CpuNow();
  }
  ++loop->cases;
  if (loop->judge) {
    loop->session->RunChecked(value, dims);
  } else {
    RunBare(value, dims);
  }
  return -1;  // Keeps the corpus empty: both loops then do exactly the same work per case.
}

void PrintFigures() {
  const uint64_t elapsed = PhaseNow() - loop->started_ns;
  const uint64_t cpu = CpuNow() - loop->started_cpu_ns;
  std::printf(
      "cases=%llu elapsed_ns=%llu cpu_ns=%llu kernel_ns=%llu oracle_ns=%llu check_ns=%llu "
      "skipped=%llu\n",
      static_cast<unsigned long long>(loop->cases), static_cast<unsigned long long>(elapsed),
      static_cast<unsigned long long>(cpu), static_cast<unsigned long long>(loop->times.kernel_ns),
      static_cast<unsigned long long>(loop->times.oracle_ns),
      static_cast<unsigned long long>(loop->times.check_ns),
      static_cast<unsigned long long>(loop->skipped_calls));
  std::fflush(stdout);
}

[[noreturn]] void Usage(const std::string& what) {
  std::fprintf(
      stderr,
      "assay-loop: %s\nusage: assay-loop [--judge] [--phases] [--runs N] [--backend SPEC]...\n",
      what.c_str());
  std::exit(2);
}

void Setup(int argc, char** argv) {
  std::vector<std::string> specs;
  bool phases = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--judge") {
      loop->judge = true;
    } else if (argument == "--phases") {
      phases = true;
    } else if (argument == "--runs" && has_value) {
      loop->runs = argv[++i];
    } else if (argument == "--backend" && has_value) {
      specs.push_back(argv[++i]);
    } else {
      Usage("unknown argument " + argument);
    }
  }
  if (specs.empty()) specs = {"reference", "openblas"};
  std::vector<std::unique_ptr<Backend>> backends;
  for (const std::string& spec : specs) {
    Result<std::unique_ptr<Backend>> backend = OpenBackend(spec);
    if (!backend.ok()) Usage(backend.error().Text());
    backends.push_back(std::move(backend).value());
  }
  if (loop->judge) {
    SessionOptions options;
    options.suite = BuiltinSuite();
    loop->session = std::make_unique<Session>(std::move(options), std::move(backends));
    if (phases) loop->session->set_phase_times(&loop->times);
  } else {
    loop->bare = std::move(backends);
  }
}

}  // namespace
}  // namespace assay

// The same small gemm again with other values: seeds come from libFuzzer's own generator.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t, size_t max_size,
                                          unsigned int seed) {
  using namespace assay;
  static const Case base = MakeCase(OpId::kGemm, DType::kF32, NamedDims{8, 8, 8});
  Case value = base;
  for (int i = 0; i < value.operands.size(); ++i) value.operands[i].fill.seed = seed + i;
  return Encode(value, {data, max_size});
}

int main(int argc, char** argv) {
  using namespace assay;
  PinLibraryEnvironment();
  loop = new Loop;
  Setup(argc, argv);
  InstallFaultHandlers();
  std::atexit(&PrintFigures);
  std::string runs = "-runs=" + loop->runs;
  std::string arguments[] = {argv[0],           runs,
                             "-seed=1",         "-verbosity=0",
                             "-handle_segv=0",  "-handle_bus=0",
                             "-rss_limit_mb=0", "-max_len=2048"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(pointers.size()) - 1;
  char** vector = pointers.data();
  return LLVMFuzzerRunDriver(&count, &vector, &TestOneInput);
}
