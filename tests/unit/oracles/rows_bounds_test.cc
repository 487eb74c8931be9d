// SPDX-License-Identifier: Apache-2.0
//
// The measured quantities in the error bounds they are made for: plain f32 kernels, written here,
// stay below the first-order bounds of their operators, and the defects that the bounds must see
// exceed them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "contracts/judge.h"
#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr double kU = 0x1p-24;
constexpr double kEpsExp = 2 * kU;  // exp and log of the C library in f32: 1 ulp

double At(const Evidence& evidence, Quantity quantity, int64_t at) {
  return QuantityOf(evidence, quantity, at);
}

double Distance(const Evidence& evidence, int64_t at, double got) {
  return std::fabs((got - evidence.hi[at]) - evidence.lo[at]);
}

double Emulated(const Fixture& fixture, DefectModel model, int64_t at) {
  double out = kNaN;
  EXPECT_TRUE(Emulator(fixture.values).Emulate(model, at, &out));
  return out;
}

// n (k_v + 1) u + 3 u + (n k_v u)^2, relative
double VarianceBound(const Evidence& evidence, double n, int64_t at) {
  const double spread = At(evidence, Quantity::kSpread, at);
  return n * (spread + 1) * kU + 3 * kU + std::pow(n * spread * kU, 2);
}

float TwoPassVariance(const std::vector<double>& x, float* mean) {
  const auto n = static_cast<float>(x.size());
  float sum = 0, squares = 0;
  for (const double value : x) sum += static_cast<float>(value);
  *mean = sum / n;
  for (const double value : x) {
    const float deviation = static_cast<float>(value) - *mean;
    squares += deviation * deviation;
  }
  return squares / n;
}

std::vector<double> Row(Random& random, int n, double mean) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(mean + 2 * random.Unit() - 1);
  return x;
}

TEST(RowBounds, HoldForTwoPassVarianceAndRejectOnePass) {
  Random random(8);
  for (int round = 0; round < 500; ++round) {
    const int n = random.Between(2, 64);
    Fixture variance(OpId::kVariance, DType::kF32, NamedDims{n});
    variance.SetReal(0, Row(random, n, random.Scaled(-2, 12)));
    const Evidence& evidence = variance.Measure();
    float mean;
    const float got = TwoPassVariance(variance.values.operands[0].real, &mean);
    EXPECT_LE(Distance(evidence, 0, got), VarianceBound(evidence, n, 0) * evidence.hi[0]) << round;
  }
  Fixture far(OpId::kVariance, DType::kF32, NamedDims{16});
  far.SetReal(0, Row(random, 16, 1000));
  const Evidence& evidence = far.Measure();
  EXPECT_GT(Distance(evidence, 0, Emulated(far, DefectModel::kOnePass, 0)),
            VarianceBound(evidence, 16, 0) * evidence.hi[0]);
}

double LayerNormBound(const Evidence& evidence, double n, int64_t at) {
  const double mean = (n + 1) * kU * At(evidence, Quantity::kMeanAbs, at);
  const double share = At(evidence, Quantity::kVarianceShare, at);
  const double relative = share == 0 ? 0 : VarianceBound(evidence, n, at) * share / 2;
  const double h = At(evidence, Quantity::kNormalized, at);
  const double gain = At(evidence, Quantity::kGain, at);
  return gain * (mean / At(evidence, Quantity::kDeviation, at) + h * (relative + 2 * kU + 4 * kU)) +
         kU * (gain * h + At(evidence, Quantity::kBias, at) + std::fabs(evidence.hi[at]));
}

TEST(RowBounds, HoldForLayerNormAndRejectOnePass) {
  Random random(9);
  const float epsilon = 1e-5f;
  for (int round = 0; round < 300; ++round) {
    const int n = random.Between(2, 64);
    Fixture norm(OpId::kLayerNorm, DType::kF32, {1, n});
    norm.source.attributes[kNormEpsilon].real = epsilon;
    const double offset = random.Scaled(-2, 10);
    norm.SetReal(0, round % 9 == 0 ? std::vector<double>(static_cast<size_t>(n), offset)
                                   : Row(random, n, offset));
    norm.SetReal(1, Row(random, n, 1));
    norm.SetReal(2, Row(random, n, 0));
    const Evidence& evidence = norm.Measure();
    const std::vector<double>& x = norm.values.operands[0].real;
    float mean;
    const float root = std::sqrt(TwoPassVariance(x, &mean) + epsilon);
    for (int i = 0; i < n; ++i) {
      const float h = (static_cast<float>(x[i]) - mean) / root;
      const float got = h * static_cast<float>(norm.values.operands[1].real[i]) +
                        static_cast<float>(norm.values.operands[2].real[i]);
      EXPECT_LE(Distance(evidence, i, got), LayerNormBound(evidence, n, i)) << round;
    }
  }
  Fixture far(OpId::kLayerNorm, DType::kF32, {1, 16});
  far.source.attributes[kNormEpsilon].real = epsilon;
  far.SetReal(0, Row(random, 16, 1000));
  far.SetReal(1, std::vector<double>(16, 1));
  const Evidence& evidence = far.Measure();
  double worst = 0;
  for (int64_t at = 0; at < 16; ++at) {
    worst = std::max(worst, Distance(evidence, at, Emulated(far, DefectModel::kOnePass, at)) /
                                LayerNormBound(evidence, 16, at));
  }
  EXPECT_GT(worst, 10);
}

TEST(RowBounds, HoldForRmsNorm) {
  Random random(10);
  for (int round = 0; round < 300; ++round) {
    const int n = random.Between(1, 64);
    Fixture norm(OpId::kRmsNorm, DType::kF32, {1, n});
    norm.source.attributes[kNormEpsilon].real = 0.25;
    norm.SetReal(0, Row(random, n, random.Scaled(-4, 4)));
    norm.SetReal(1, Row(random, n, 0));
    const Evidence& evidence = norm.Measure();
    float squares = 0;
    for (const double x : norm.values.operands[0].real) {
      squares += static_cast<float>(x) * static_cast<float>(x);
    }
    const float root = std::sqrt(squares / static_cast<float>(n) + 0.25f);
    for (int i = 0; i < n; ++i) {
      const float got = static_cast<float>(norm.values.operands[0].real[i]) / root *
                        static_cast<float>(norm.values.operands[1].real[i]);
      const double bound =
          (n + 2) / 2.0 * kU * At(evidence, Quantity::kVarianceShare, i) + 2 * kU + 5 * kU;
      EXPECT_LE(Distance(evidence, i, got), bound * At(evidence, Quantity::kAbsSum, i)) << round;
    }
  }
}

TEST(RowBounds, HoldForFoldedBatchNorm) {
  Random random(11);
  Fixture norm(OpId::kBatchNorm, DType::kF32, {16, 16});
  norm.source.attributes[kNormEpsilon].real = 0x1p-10;
  for (int round = 0; round < 50; ++round) {
    for (const int i : {0, 1, 3, 4}) {
      norm.SetReal(i, Row(random, static_cast<int>(norm.values.operands[i].count),
                          i == 1 ? 0 : random.Scaled(0, 8)));
    }
    std::vector<double> variance = Row(random, 16, 1);
    norm.SetReal(2, variance);
    const Evidence& evidence = norm.Measure();
    const auto read = [&](int operand, int64_t at) {
      return static_cast<float>(norm.values.operands[operand].real[at]);
    };
    for (int64_t at = 0; at < 256; ++at) {
      const int64_t c = at % 16;
      const float scale = read(3, c) * (1 / std::sqrt(read(2, c) + 0x1p-10f));
      const float got = read(0, at) * scale + (read(4, c) - read(1, c) * scale);
      const double bound = 7 * kU * At(evidence, Quantity::kAbsSum, at) +
                           2 * kU * At(evidence, Quantity::kBias, at) +
                           kU * std::fabs(evidence.hi[at]);
      EXPECT_LE(Distance(evidence, at, got), bound) << round;
    }
  }
}

// kappa Dbar u + eps_exp + (n - 1) u + eps_log ln s + u |d_i| + u |y_i|
TEST(RowBounds, HoldForLogSoftmaxAndRejectALostShift) {
  Random random(12);
  int rejected = 0;
  for (int round = 0; round < 300; ++round) {
    const int n = random.Between(1, 32);
    Fixture norm(OpId::kLogSoftmax, DType::kF32, {1, n});
    const double reach = random.Between(1, 60);
    std::vector<double> x = Row(random, n, 0);
    for (double& value : x) value = reach * value + (round % 2 == 0 ? 60 : 0);
    norm.SetReal(0, x);
    const Evidence& evidence = norm.Measure();
    float largest = -INFINITY, sum = 0;
    for (const double value : norm.values.operands[0].real) {
      largest = std::max(largest, static_cast<float>(value));
    }
    for (const double value : norm.values.operands[0].real) {
      sum += std::exp(static_cast<float>(value) - largest);
    }
    for (int i = 0; i < n; ++i) {
      const float got =
          static_cast<float>(norm.values.operands[0].real[i]) - largest - std::log(sum);
      const double bound = At(evidence, Quantity::kMeanShift, i) * kU + kEpsExp + (n - 1) * kU +
                           kEpsExp * At(evidence, Quantity::kLogSum, i) +
                           kU * At(evidence, Quantity::kShift, i) + kU * std::fabs(evidence.hi[i]);
      EXPECT_LE(Distance(evidence, i, got), bound) << round;
      const double lost = Emulated(norm, DefectModel::kNoShift, i);
      rejected += Distance(evidence, i, lost) <= bound ? 0 : 1;
    }
  }
  EXPECT_GT(rejected, 500);
}

double AttentionBound(const Evidence& evidence, int64_t at) {
  const double n = ScalarOf(evidence, Quantity::kLength);
  const double head = ScalarOf(evidence, Quantity::kHeadSize);
  const double per_weight = 2 * kEpsExp + (2 * n + 2) * kU;
  return (head + 3) * kU * At(evidence, Quantity::kWeightedScores, at) +
         kU * At(evidence, Quantity::kWeightedShifts, at) +
         per_weight * At(evidence, Quantity::kAbsSum, at);
}

TEST(RowBounds, HoldForAttentionAndRejectItsDefects) {
  Random random(13);
  constexpr DefectModel kModels[] = {DefectModel::kBf16Accumulator, DefectModel::kF16Accumulator,
                                     DefectModel::kRoundedIntermediate, DefectModel::kTf32Operands,
                                     DefectModel::kBf16Operands};
  int rejected[std::size(kModels)] = {};
  constexpr int64_t kKeys = 16, kHead = 8;
  for (int round = 0; round < 100; ++round) {
    Fixture attention(OpId::kAttention, DType::kF32, {1, 1, kKeys, kHead});
    for (int i = 0; i < 4; ++i) {
      std::vector<double> x = Row(random, static_cast<int>(attention.values.operands[i].count), 0);
      for (double& value : x) value *= i < 2 ? 4 : 1;
      attention.SetReal(i, x);
    }
    const Evidence& evidence = attention.Measure();
    const auto read = [&](int operand, int64_t at) {
      return static_cast<float>(attention.values.operands[operand].real[at]);
    };
    float score[kKeys], largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < kKeys; ++j) {
      score[j] = 0;
      for (int64_t d = 0; d < kHead; ++d) score[j] += read(0, d) * read(1, j * kHead + d);
      score[j] += read(3, j);
      largest = std::max(largest, score[j]);
    }
    for (int64_t j = 0; j < kKeys; ++j) sum += std::exp(score[j] - largest);
    for (int64_t d = 0; d < kHead; ++d) {
      float got = 0;
      for (int64_t j = 0; j < kKeys; ++j) {
        got += std::exp(score[j] - largest) / sum * read(2, j * kHead + d);
      }
      EXPECT_LE(Distance(evidence, d, got), AttentionBound(evidence, d)) << round;
      for (size_t m = 0; m < std::size(kModels); ++m) {
        const double narrow = Emulated(attention, kModels[m], d);
        rejected[m] += Distance(evidence, d, narrow) <= AttentionBound(evidence, d) ? 0 : 1;
      }
    }
  }
  for (size_t m = 0; m < std::size(kModels); ++m) {
    EXPECT_GT(rejected[m], 100) << NameOf(kModels[m]);
  }
}

}  // namespace
}  // namespace assay::fixtures
