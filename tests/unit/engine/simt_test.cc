// SPDX-License-Identifier: Apache-2.0
#include "engine/backends/simt/simt.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/backends/simt/kernels/portable.h"
#include "engine/backends/simt/runtime.h"
#include "engine/include/assay/backend.h"

namespace assay {
namespace {

constexpr int kThreads = 64;

struct SumArguments {
  const float* values;
  float* out;
};

// A tree sum of 64 values in shared memory. Without the barrier of each step a thread may read a
// partner that has not been added to yet, or one that has been added to already.
template <bool kWithBarrier>
__global__ void TreeSum(SumArguments arguments) {
  __shared__ simt::SharedArray<float, 1, kThreads> cells;
  const int i = static_cast<int>(simt::threadIdx.x);
  cells[0][i] = arguments.values[i];
  simt::__syncthreads();
  for (int width = kThreads / 2; width > 0; width /= 2) {
    if (i < width) cells[0][i] += cells[0][i + width];
    if (kWithBarrier) simt::__syncthreads();
  }
  if (i == 0) *arguments.out = cells[0][0];
}

template <bool kWithBarrier>
float SumUnder(simt::Launcher& launcher, uint64_t seed) {
  std::array<float, kThreads> values;
  for (int i = 0; i < kThreads; ++i) values[i] = static_cast<float>(1 << (i % 16));
  float out = -1;
  SumArguments arguments{values.data(), &out};
  const std::string problem = launcher.Launch(
      {}, {kThreads, 1, 1}, seed,
      [](const void* a) { TreeSum<kWithBarrier>(*static_cast<const SumArguments*>(a)); },
      &arguments);
  EXPECT_EQ(problem, "");
  return out;
}

TEST(SimtLauncher, CorrectKernelGivesOneAnswerUnderEverySchedule) {
  simt::Launcher launcher;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_EQ(SumUnder<true>(launcher, seed), 4.0f * 65535.0f) << seed;
  }
}

TEST(SimtLauncher, MissingBarrierChangesTheAnswerWithTheSchedule) {
  simt::Launcher launcher;
  std::set<float> answers;
  for (uint64_t seed = 0; seed < 200; ++seed) answers.insert(SumUnder<false>(launcher, seed));
  EXPECT_GT(answers.size(), 1u);
}

TEST(SimtLauncher, OneSeedGivesOneSchedule) {
  simt::Launcher launcher;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(SumUnder<false>(launcher, seed), SumUnder<false>(launcher, seed)) << seed;
  }
}

TEST(SimtLauncher, ReportsABarrierThatOnlySomeThreadsReach) {
  simt::Launcher launcher;
  const std::string problem = launcher.Launch(
      {2, 1, 1}, {8, 1, 1}, 0,
      [](const void*) {
        if (simt::threadIdx.x < 3) simt::__syncthreads();
      },
      nullptr);
  EXPECT_NE(problem.find("divergent barrier in block (0,0,0): 3 threads wait"), std::string::npos)
      << problem;
  EXPECT_NE(problem.find("5 have returned"), std::string::npos) << problem;
}

TEST(SimtLauncher, ReportsThreadsThatWaitAtDifferentBarriers) {
  simt::Launcher launcher;
  const std::string problem = launcher.Launch(
      {}, {8, 1, 1}, 7,
      [](const void*) {
        if (simt::threadIdx.x < 3) {
          simt::__syncthreads();
        } else {
          simt::__syncthreads();
        }
      },
      nullptr);
  EXPECT_NE(problem.find("divergent barrier"), std::string::npos) << problem;
}

TEST(SimtLauncher, IsUsableAfterADivergentBarrier) {
  simt::Launcher launcher;
  const std::string problem = launcher.Launch(
      {}, {kThreads, 1, 1}, 3,
      [](const void*) {
        if (simt::threadIdx.x == 1) simt::__syncthreads();
      },
      nullptr);
  EXPECT_NE(problem, "");
  EXPECT_EQ(SumUnder<true>(launcher, 3), 4.0f * 65535.0f);
}

TEST(SimtLauncher, ReportsTooMuchSharedMemory) {
  simt::Launcher launcher;
  const std::string problem = launcher.Launch(
      {}, {4, 1, 1}, 0, [](const void*) { __shared__ simt::SharedArray<double, 128, 128> cells; },
      nullptr);
  EXPECT_NE(problem.find("shared memory"), std::string::npos) << problem;
}

TEST(SimtLauncher, PoisonsSharedMemoryBeforeEachBlock) {
  simt::Launcher launcher;
  struct Seen {
    int poisoned = 0, total = 0;
  } seen;
  const std::string problem = launcher.Launch(
      {3, 2, 1}, {4, 1, 1}, 1,
      [](const void* argument) {
        __shared__ simt::SharedArray<float, 1, 4> cells;
        const int i = static_cast<int>(simt::threadIdx.x);
        auto* out = *static_cast<Seen* const*>(argument);
        ++out->total;
        out->poisoned += std::isnan(cells[0][i]);
        cells[0][i] = 1;
      },
      std::array<Seen*, 1>{&seen}.data());
  EXPECT_EQ(problem, "");
  EXPECT_EQ(seen.total, 24);
  EXPECT_EQ(seen.poisoned, 24);
}

// A gemm through the table, with every operand's strides free.
template <class T>
struct Gemm {
  int64_t m, n, k;
  double alpha = 1, beta = 0;
  bool transposed_a = false, transposed_b = false;
  uint64_t seed = 0;

  int32_t Run(const AssayBackend& backend, std::vector<T>& a, std::vector<T>& b,
              std::vector<T>& c) const {
    const uint8_t bits = sizeof(T) * 8;
    std::array<std::array<int64_t, 2>, 3> shapes = {{{m, k}, {k, n}, {m, n}}};
    if (transposed_a) shapes[0] = {k, m};
    if (transposed_b) shapes[1] = {n, k};
    std::array<std::array<int64_t, 2>, 3> strides;
    for (size_t i = 0; i < 3; ++i) strides[i] = {shapes[i][1], 1};
    std::array<T*, 3> data = {a.data(), b.data(), c.data()};
    std::array<AssayTensor, 3> operands;
    for (size_t i = 0; i < 3; ++i) {
      operands[i] = {data[i], {1, 0}, 2, {2, bits, 1}, shapes[i].data(), strides[i].data(), 0};
    }
    const std::array<double, 4> attributes = {alpha, beta, double(transposed_a),
                                              double(transposed_b)};
    AssayCall call = {
        sizeof(AssayCall), ASSAY_OP_GEMM, attributes.data(), 4, 3, operands.data(), seed, 0, 0};
    std::array<char, 200> text;
    AssayText out = {text.data(), text.size(), 0};
    return backend.run(backend.self, &call, &out);
  }
};

class SimtGemm : public ::testing::Test {
 protected:
  ~SimtGemm() override { backend_->close(backend_->self); }
  const AssayBackend* backend_ = OpenSimt();
};

// Small integers: every order of the sum is exact.
TEST_F(SimtGemm, MultipliesIntegersExactlyAtEveryTileResidue) {
  for (int64_t m : {1, 7, 8, 9, 17}) {
    for (int64_t n : {1, 8, 10}) {
      for (int64_t k : {1, 7, 8, 9, 20}) {
        for (int transposes = 0; transposes < 4; ++transposes) {
          const bool ta = transposes & 1, tb = transposes & 2;
          std::vector<float> a(m * k), b(k * n), c(m * n, 3);
          for (size_t i = 0; i < a.size(); ++i) a[i] = float(int(i * 7 % 5) - 2);
          for (size_t i = 0; i < b.size(); ++i) b[i] = float(int(i * 5 % 7) - 3);
          const Gemm<float> gemm{m, n, k, 2, -1, ta, tb, uint64_t(m + n)};
          ASSERT_EQ(gemm.Run(*backend_, a, b, c), ASSAY_OK);
          for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
              int sum = 0;
              for (int64_t p = 0; p < k; ++p) {
                sum += int(a[ta ? p * m + i : i * k + p]) * int(b[tb ? j * k + p : p * n + j]);
              }
              ASSERT_EQ(c[i * n + j], float(2 * sum - 3)) << m << " " << n << " " << k;
            }
          }
        }
      }
    }
  }
}

TEST_F(SimtGemm, DoesNotReadOperandsWhenAlphaIsZeroNorCWhenBetaIsZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> a(9, nan), b(9, nan), c(9, nan);
  ASSERT_EQ((Gemm<double>{3, 3, 3, 0, 0}.Run(*backend_, a, b, c)), ASSAY_OK);
  for (double x : c) EXPECT_EQ(x, 0);
  a.assign(9, 1), b.assign(9, 2), c.assign(9, nan);
  ASSERT_EQ((Gemm<double>{3, 3, 3, 1, 0}.Run(*backend_, a, b, c)), ASSAY_OK);
  for (double x : c) EXPECT_EQ(x, 6);
}

TEST_F(SimtGemm, ScalesCWhenThereIsNothingToSum) {
  std::vector<float> a, b, c = {1, 2, 3, 4};
  ASSERT_EQ((Gemm<float>{2, 2, 0, 5, 3}.Run(*backend_, a, b, c)), ASSAY_OK);
  EXPECT_EQ(c, (std::vector<float>{3, 6, 9, 12}));
}

TEST_F(SimtGemm, GivesTheSameBitsUnderEverySchedule) {
  std::vector<float> a(20 * 30), b(30 * 20), first;
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(float(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(float(i));
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<float> c(400);
    Gemm<float> gemm{20, 20, 30};
    gemm.seed = seed;
    ASSERT_EQ(gemm.Run(*backend_, a, b, c), ASSAY_OK);
    if (first.empty()) first = c;
    ASSERT_EQ(c, first) << seed;
  }
}

TEST_F(SimtGemm, RefusesOtherOperatorsWithAReason) {
  std::array<AssayTensor, 2> operands{};
  AssayCall call = {sizeof(AssayCall), ASSAY_OP_SUM, nullptr, 0, 2, operands.data(), 0, 0, 0};
  std::array<char, 64> text;
  AssayText reason = {text.data(), text.size(), 0};
  EXPECT_EQ(backend_->supports(backend_->self, &call, &reason), ASSAY_UNSUPPORTED);
  EXPECT_EQ(std::string(text.data(), reason.size), "gemm only");
}

}  // namespace
}  // namespace assay
