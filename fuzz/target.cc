// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's side: its callbacks and the counters it watches. Must be linked into the program
// itself, as an object: in an archive or a shared library the linker or libFuzzer would miss them.
#include <cstddef>
#include <cstdint>

#include "fuzz/worker.h"

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*callback)(const uint8_t* data, size_t size));

namespace assay {
namespace {

Worker* g_worker = nullptr;  // libFuzzer's callbacks take no context

__attribute__((section("__libfuzzer_extra_counters"), used, aligned(64)))  //
uint8_t g_counters[kCounterBytes];

}  // namespace

void RunFuzzer(Worker& worker, std::vector<std::string> arguments) {
  ASSAY_CHECK(static_cast<size_t>(FeatureCount()) <= kCounterBytes,
              "every feature has its counter");
  g_worker = &worker;
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  char** raw = pointers.data();
  LLVMFuzzerRunDriver(&count, &raw, [](const uint8_t* data, size_t size) {
    return g_worker->TestOneInput({data, size}, g_counters);
  });
  ASSAY_CHECK(false, "the worker ends the fuzzer, not the other way round");
  __builtin_unreachable();
}

}  // namespace assay

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return assay::g_worker->Mutate({data, max_size}, size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  return assay::g_worker->CrossOver({data1, size1}, {data2, size2}, {out, max_out_size}, seed);
}
