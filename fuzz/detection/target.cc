// SPDX-License-Identifier: Apache-2.0
//
// The arms under libFuzzer: its callbacks and the counters it watches, the same as a campaign's
// worker has, without anything that is recorded or survives the process.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "contracts/invariant.h"
#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/codec.h"
#include "engine/random.h"
#include "fuzz/campaign.h"
#include "fuzz/detection/arms.h"
#include "fuzz/feedback.h"

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*callback)(const uint8_t* data, size_t size));
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace assay {
namespace {

constexpr size_t kCounterBytes = 131072;
__attribute__((section("__libfuzzer_extra_counters"), used, aligned(64)))  //
uint8_t g_counters[kCounterBytes];

// As in a campaign's worker.
constexpr uint64_t kFreshOneIn = 32;

struct Hunt {
  Hunter& hunter;
  Feedback feedback;
  int hidden;
  bool raw_bytes;
};
Hunt* g_hunt = nullptr;  // libFuzzer's callbacks take no context

// Makes libFuzzer blind for one block.
void Hide(int block) {
  const int first = FeatureAt(static_cast<FeatureBlock>(block), 0);
  const bool last = FeatureAt(FeatureBlock::kPattern, 0) == first;
  const int end = last ? FeatureCount() : FeatureAt(static_cast<FeatureBlock>(block + 1), 0);
  std::fill(g_counters + first, g_counters + end, uint8_t{0});
}

int TestOneInput(const uint8_t* data, size_t size) {
  const std::span<uint8_t> counters(g_counters);
  counters[static_cast<size_t>(FeatureAt(FeatureBlock::kAny, 0))] = 1;
  if (size <= 1) return -1;  // libFuzzer's own probes
  g_hunt->hunter.CountInput();
  Case value;
  NamedDims dims;
  if (Decode({data, size}, value, dims) != Reject::kNone) return -1;
  const Record& record = g_hunt->hunter.Try(value, dims);
  g_hunt->feedback.Note(value, record, counters);
  if (g_hunt->hidden >= 0) Hide(g_hunt->hidden);
  return 0;
}

// Plain cases of the kernel's operators and types: what a fuzzer of raw bytes is given to begin
// with.
Case PlainCase(const MutationSpace& space, uint64_t draw) {
  Random random(draw);
  const size_t at = random.Below(space.ops.size());
  NamedDims dims;
  dims.resize(static_cast<int>(DefOf(space.ops[at]).dimensions.size()), 8);
  return MakeCase(space.ops[at], random.Pick(space.types[at]), dims);
}

size_t MutateInput(std::span<uint8_t> buffer, size_t size, uint64_t seed) {
  const uint64_t draw = Mix(seed);
  const MutationSpace& space = g_hunt->hunter.quarry().space;
  Case value;
  NamedDims dims;
  if (g_hunt->raw_bytes) {
    if (size > 1) return LLVMFuzzerMutate(buffer.data(), size, buffer.size());
    value = PlainCase(space, draw);
  } else {
    const bool known = Decode(buffer.first(size), value, dims) == Reject::kNone;
    if (!known || draw % kFreshOneIn == 0 || !Mutate(value, space, draw)) {
      value = FreshCase(space, draw);
    }
  }
  const size_t written = Encode(value, buffer);
  return written == 0 ? size : written;
}

size_t CrossInputs(std::span<const uint8_t> a, std::span<const uint8_t> b, std::span<uint8_t> out,
                   uint64_t seed) {
  Case first, second, mixed;
  NamedDims dims;
  if (g_hunt->raw_bytes) return 0;
  if (Decode(a, first, dims) != Reject::kNone || Decode(b, second, dims) != Reject::kNone) return 0;
  if (!Crossover(first, second, mixed, g_hunt->hunter.quarry().space, Mix(seed))) return 0;
  return Encode(mixed, out);
}

}  // namespace

void RunGuided(Hunter& hunter, uint64_t seed, int hidden, bool raw_bytes) {
  ASSAY_CHECK(static_cast<size_t>(FeatureCount()) <= kCounterBytes,
              "every feature has its counter");
  g_hunt = new Hunt{hunter, Feedback(ClauseNames(*BuiltinSuite())), hidden, raw_bytes};
  std::vector<std::string> arguments = {"assay-detect",
                                        "-seed=" + std::to_string((Mix(seed) & 0x7fffffff) | 1),
                                        "-max_len=" + std::to_string(kMaxEncodedSize),
                                        "-reduce_inputs=0",
                                        "-timeout=0",
                                        "-report_slow_units=2000000000",
                                        "-rss_limit_mb=0",
                                        "-detect_leaks=0",
                                        "-handle_segv=0",
                                        "-handle_bus=0",
                                        "-handle_abrt=0",
                                        "-handle_ill=0",
                                        "-handle_fpe=0",
                                        "-verbosity=0",
                                        "-print_funcs=0"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  char** raw = pointers.data();
  LLVMFuzzerRunDriver(&count, &raw, &TestOneInput);
  InvariantBroken(__FILE__, __LINE__, "false",
                  "the hunter ends the fuzzer, not the other way round");
}

}  // namespace assay

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return assay::MutateInput({data, max_size}, size, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  return assay::CrossInputs({data1, size1}, {data2, size2}, {out, max_out_size}, seed);
}
