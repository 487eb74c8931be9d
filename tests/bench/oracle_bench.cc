// SPDX-License-Identifier: Apache-2.0
//
// The oracle's tiers on the same dot products, per multiply-add, beside MPFR's fused multiply-add
// at 128 bits: the ratio of the two is the budget ("at least 100 times faster, same verdicts").
// Goal: compare tiers in one run. Not a goal: absolute speed of a machine.

#include <benchmark/benchmark.h>
#include <mpfr.h>

#include <cmath>
#include <vector>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "oracles/dot2.h"
#include "oracles/long_accumulator.h"
#include "oracles/measure.h"

namespace assay {
namespace {

constexpr int64_t kLength = 1024;

std::vector<double> Sample(DType type, uint64_t seed) {
  std::vector<double> sample(kLength);
  const Fill fill{FillKind::kNormal, seed, 0, 1};
  const int64_t shape[] = {kLength};
  for (int64_t i = 0; i < kLength; ++i) {
    sample[i] = Decode(type, FillBits(fill, type, {&i, 1}, shape));
  }
  return sample;
}

void PerMultiplyAdd(benchmark::State& state, int64_t terms) {
  state.counters["time_per_mac"] =
      benchmark::Counter(static_cast<double>(terms), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

void Dot2Tier(benchmark::State& state, DType type) {
  const std::vector<double> a = Sample(type, 1), b = Sample(type, 2);
  Dot2Problem problem;
  problem.rows = problem.columns = 1;
  problem.length = kLength;
  problem.a = a.data();
  problem.b = b.data();
  problem.exact_products = type != DType::kF64;
  double hi, lo, radius, abs_sum, product_sum;
  for (auto _ : state) {
    RunDot2(problem, {&hi, &lo, &radius, &abs_sum, &product_sum});
    benchmark::DoNotOptimize(hi);
  }
  PerMultiplyAdd(state, kLength);
}

void ExactTier(benchmark::State& state, DType type) {
  const std::vector<double> a = Sample(type, 1), b = Sample(type, 2);
  LongAccumulator sum;
  for (auto _ : state) {
    sum.Clear();
    for (int64_t i = 0; i < kLength; ++i) sum.AddProduct(a[i], b[i]);
    benchmark::DoNotOptimize(sum.Take().hi);
  }
  PerMultiplyAdd(state, kLength);
}

void MpfrFma(benchmark::State& state, DType type) {
  const std::vector<double> a = Sample(type, 1), b = Sample(type, 2);
  mpfr_t sum, x, y;
  mpfr_inits2(128, sum, nullptr);
  mpfr_inits2(53, x, y, nullptr);
  for (auto _ : state) {
    mpfr_set_zero(sum, 1);
    for (int64_t i = 0; i < kLength; ++i) {
      mpfr_set_d(x, a[i], MPFR_RNDN);
      mpfr_set_d(y, b[i], MPFR_RNDN);
      mpfr_fma(sum, x, y, sum, MPFR_RNDN);
    }
    benchmark::DoNotOptimize(mpfr_get_d(sum, MPFR_RNDN));
  }
  mpfr_clears(sum, x, y, nullptr);
  PerMultiplyAdd(state, kLength);
}

void MpfrAdd(benchmark::State& state, DType type) {
  const std::vector<double> a = Sample(type, 1);
  mpfr_t sum;
  mpfr_init2(sum, 128);
  for (auto _ : state) {
    mpfr_set_zero(sum, 1);
    for (int64_t i = 0; i < kLength; ++i) mpfr_add_d(sum, sum, a[i], MPFR_RNDN);
    benchmark::DoNotOptimize(mpfr_get_d(sum, MPFR_RNDN));
  }
  mpfr_clear(sum);
  PerMultiplyAdd(state, kLength);
}

void Whole(benchmark::State& state, OpId op, DType type, NamedDims dims, int64_t terms) {
  Case value = MakeCase(op, type, dims);
  Values values;
  MakeValues(value, dims, values);
  Oracle oracle;
  Evidence evidence;
  for (auto _ : state) {
    oracle.Measure(values, evidence);
    benchmark::DoNotOptimize(evidence.hi.data());
  }
  PerMultiplyAdd(state, terms);
}

BENCHMARK_CAPTURE(Dot2Tier, f32, DType::kF32);
BENCHMARK_CAPTURE(ExactTier, f32, DType::kF32);
BENCHMARK_CAPTURE(MpfrFma, f32, DType::kF32);
BENCHMARK_CAPTURE(MpfrAdd, f32, DType::kF32);
BENCHMARK_CAPTURE(Dot2Tier, f64, DType::kF64);
BENCHMARK_CAPTURE(ExactTier, f64, DType::kF64);
BENCHMARK_CAPTURE(MpfrFma, f64, DType::kF64);
BENCHMARK_CAPTURE(Whole, gemm_f32_8x8x8, OpId::kGemm, DType::kF32, NamedDims{8, 8, 8}, 512);
BENCHMARK_CAPTURE(Whole, gemm_f64_8x8x8, OpId::kGemm, DType::kF64, NamedDims{8, 8, 8}, 512);
BENCHMARK_CAPTURE(Whole, gemm_f32_64x64x64, OpId::kGemm, DType::kF32, NamedDims{64, 64, 64},
                  262144);
BENCHMARK_CAPTURE(Whole, gemm_f64_64x64x64, OpId::kGemm, DType::kF64, NamedDims{64, 64, 64},
                  262144);
BENCHMARK_CAPTURE(Whole, dot_f32_65536, OpId::kDot, DType::kF32, NamedDims{65536}, 65536);
BENCHMARK_CAPTURE(Whole, sum_f32_65536, OpId::kSum, DType::kF32, NamedDims{65536}, 65536);
BENCHMARK_CAPTURE(Whole, softmax_f32_4x64, OpId::kSoftmax, DType::kF32, NamedDims{4, 64}, 256);
BENCHMARK_CAPTURE(Whole, exp_f32_64, OpId::kExp, DType::kF32, NamedDims{64}, 64);
BENCHMARK_CAPTURE(Whole, exp_f64_64, OpId::kExp, DType::kF64, NamedDims{64}, 64);

}  // namespace
}  // namespace assay
