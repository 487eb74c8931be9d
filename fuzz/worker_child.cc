// SPDX-License-Identifier: Apache-2.0
//
// `assay __worker`: from the arguments of a quantum to those of libFuzzer.
#include <fmt/format.h>

#include <charconv>

#include "contracts/values.h"
#include "engine/guarded_call.h"
#include "fuzz/cli.h"
#include "fuzz/worker.h"

namespace assay {
namespace {

uint64_t QuantumSeed(uint64_t seed, int worker, int64_t quantum) {
  return Mix(Mix(seed + static_cast<uint64_t>(worker)) + static_cast<uint64_t>(quantum));
}

template <class T>
T ParseNumber(std::string_view text) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  ASSAY_CHECK(parsed.ec == std::errc{}, "the supervisor passes numbers");
  return value;
}

std::vector<std::string> FuzzerArguments(const WorkerTask& task, uint64_t seed) {
  std::vector<std::string> arguments{
      "assay",
      // Zero would mean: choose one by the clock. The flag is an unsigned int.
      fmt::format("-seed={}", (QuantumSeed(seed, task.worker, task.quantum) & 0x7fffffff) | 1),
      fmt::format("-max_len={}", kMaxEncodedSize), "-reload=0", "-shuffle=0", "-reduce_inputs=0",
      // Ours: limits by the supervisor, signals by the guarded call.
      "-timeout=0", "-report_slow_units=2000000000", "-rss_limit_mb=0", "-detect_leaks=0",
      "-handle_segv=0", "-handle_bus=0", "-handle_abrt=0", "-handle_ill=0", "-handle_fpe=0",
      "-handle_int=0", "-handle_term=0", "-handle_xfsz=0", "-handle_usr1=0", "-handle_usr2=0",
      "-verbosity=0", "-print_funcs=0", "-print_final_stats=0",
      fmt::format("-artifact_prefix={}/", task.output)};
  if (!task.seeds.empty()) arguments.push_back("-seed_inputs=@" + task.seeds);
  arguments.push_back(task.output);
  return arguments;
}

}  // namespace

int RunWorkerChild(int argc, char** argv) {
  ASSAY_CHECK(argc == 7, "a worker is told campaign, number, quantum, seeds and output");
  Result<SharedMemory> memory = SharedMemory::Attach(kWorkerBlockFd, sizeof(WorkerBlock));
  ASSAY_CHECK(memory.ok(), "a worker finds the block it shares");
  WorkerBlock& block = *static_cast<WorkerBlock*>(memory.value().data());
  const WorkerTask task{argv[2], ParseNumber<int>(argv[3]), ParseNumber<int64_t>(argv[4]), argv[5],
                        argv[6]};
  Result<std::unique_ptr<Worker>> worker = Worker::Create(task, block);
  if (!worker.ok()) {
    block.ended = static_cast<uint32_t>(WorkerEnd::kCannotStart);
    return Refuse(worker.error(), kExitEnvironment);
  }
  InstallFaultHandlers();
  RunFuzzer(*worker.value(), FuzzerArguments(task, block.seed));
}

}  // namespace assay
