// SPDX-License-Identifier: Apache-2.0
//
// Cost of handling cases: decode, encode, mutate, cross, make values, print, parse. Cases come from
// the mutators themselves, a fixed set by seed, so that no single favourable input is measured.

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

#include "contracts/case.h"
#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/codec.h"
#include "engine/mutate.h"

namespace assay {
namespace {

constexpr int kCases = 256;

MutationSpace WholeSpace() {
  MutationSpace space;
  for (const OperatorDef& op : Operators()) space.ops.push_back(op.id);
  return space;
}

const std::vector<Case>& Sample() {
  static const std::vector<Case> sample = [] {
    const MutationSpace space = WholeSpace();
    std::vector<Case> cases;
    for (int i = 0; i < kCases; ++i) {
      Case value = FreshCase(space, Mix(i));
      for (int step = 0; step < 4; ++step) Mutate(value, space, Mix(1000 * i + step));
      cases.push_back(value);
    }
    return cases;
  }();
  return sample;
}

std::vector<std::vector<uint8_t>> Encoded() {
  std::vector<std::vector<uint8_t>> all;
  std::array<uint8_t, kMaxEncodedSize> buffer;
  for (const Case& value : Sample()) {
    const size_t size = Encode(value, buffer);
    all.emplace_back(buffer.begin(), buffer.begin() + size);
  }
  return all;
}

void BM_Decode(benchmark::State& state) {
  const auto inputs = Encoded();
  Case value;
  NamedDims dims;
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Decode(inputs[i++ % kCases], value, dims));
  }
}
BENCHMARK(BM_Decode);

void BM_Encode(benchmark::State& state) {
  std::array<uint8_t, kMaxEncodedSize> buffer;
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(Encode(Sample()[i++ % kCases], buffer));
}
BENCHMARK(BM_Encode);

void BM_Mutate(benchmark::State& state) {
  const MutationSpace space = WholeSpace();
  uint64_t seed = 0;
  for (auto _ : state) {
    Case value = Sample()[seed % kCases];
    benchmark::DoNotOptimize(Mutate(value, space, ++seed));
  }
}
BENCHMARK(BM_Mutate);

void BM_Crossover(benchmark::State& state) {
  const MutationSpace space = WholeSpace();
  uint64_t seed = 0;
  Case out;
  for (auto _ : state) {
    ++seed;
    benchmark::DoNotOptimize(
        Crossover(Sample()[seed % kCases], Sample()[(seed * 7) % kCases], out, space, seed));
  }
}
BENCHMARK(BM_Crossover);

void BM_MakeValuesOfSmallGemm(benchmark::State& state) {
  Case value = MakeCase(OpId::kGemm, DType::kF32, NamedDims{8, 8, 8});
  const NamedDims dims{8, 8, 8};
  Values values;
  for (auto _ : state) {
    ++value.operands[0].fill.seed;
    MakeValues(value, dims, values);
    benchmark::DoNotOptimize(values.operands[0].real.data());
  }
}
BENCHMARK(BM_MakeValuesOfSmallGemm);

void BM_PrintAndParse(benchmark::State& state) {
  size_t i = 0;
  for (auto _ : state) {
    const std::string line = PrintCase({Sample()[i++ % kCases], {}});
    benchmark::DoNotOptimize(ParseCase(line).ok());
  }
}
BENCHMARK(BM_PrintAndParse);

}  // namespace
}  // namespace assay
