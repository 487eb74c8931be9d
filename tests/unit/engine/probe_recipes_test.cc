// SPDX-License-Identifier: Apache-2.0
//
// That the recipes hold what they are named for: force is counted on the values of the cases, by
// arithmetic that is exact in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "contracts/values.h"
#include "engine/probe.h"
#include "tests/unit/engine/probe_cases.h"

namespace assay {
namespace {

TEST(ProbeRecipe, SquaresOverflowWhereTheNormDoesNot) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBf16}) {
    const double largest = InfoOf(FormatOf(type)).largest;
    ForEachCase(Probe::kSquaresOverflow, OpId::kNrm2, type, [&](const Case&, const Values& values) {
      double sum = 0;
      for (const double x : values.operands[0].real) {
        EXPECT_GT(x * x, largest);
        sum += std::ldexp(x, -80) * std::ldexp(x, -80);
      }
      EXPECT_LT(std::ldexp(std::sqrt(sum), 80), largest);
    });
  }
}

TEST(ProbeRecipe, SquaresUnderflowToNothing) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBf16}) {
    const double smallest = InfoOf(FormatOf(type)).smallest_subnormal;
    ForEachCase(Probe::kSquaresUnderflow, OpId::kNrm2, type,
                [&](const Case&, const Values& values) {
                  for (const double x : values.operands[0].real) {
                    EXPECT_NE(x, 0);
                    EXPECT_LE(x * x, 2 * smallest);
                  }
                });
  }
}

TEST(ProbeRecipe, CancellingBiasLeavesLessThanOneProduct) {
  ForEachCase(Probe::kCancellingBias, OpId::kFusedLinear, DType::kF32,
              [](const Case&, const Values& values) {
                const int64_t m = values.dims[0], k = values.dims[2];
                double first = values.operands[2].real[0], magnitude = 0;
                for (int64_t i = 0; i < k; ++i) first += values.operands[0].real[i];
                for (int64_t i = 0; i < m * k; ++i) {
                  magnitude = std::max(magnitude, std::fabs(values.operands[0].real[i]));
                }
                EXPECT_NE(first, 0);
                EXPECT_LT(std::fabs(first), magnitude / 64);
              });
}

TEST(ProbeRecipe, MaskedRowsHideAPlaceARowOrCountNegative) {
  int whole_rows = 0, places = 0, negative = 0, causal = 0;
  ForEachCase(Probe::kMaskedRows, OpId::kAttention, DType::kF32,
              [&](const Case& value, const Values& values) {
                const int64_t queries = values.dims[1], keys = values.dims[2];
                causal += value.attributes[kAttentionCausal].choice == 1 && queries > keys;
                for (int64_t q = 0; q < queries; ++q) {
                  int64_t hidden = 0;
                  for (int64_t j = 0; j < keys; ++j) {
                    const double mask = values.operands[3].real[q * keys + j];
                    hidden += std::isinf(mask) && mask < 0;
                    negative += mask < -100 && std::isfinite(mask);
                  }
                  whole_rows += hidden == keys;
                  places += hidden > 0 && hidden < keys;
                }
              });
  EXPECT_GT(whole_rows, 0);
  EXPECT_GT(places, 0);
  EXPECT_GT(negative, 0);
  EXPECT_GT(causal, 0);
}

TEST(ProbeRecipe, QuantizeMidpointsAreHalvesOfTheScale) {
  int exact = 0;
  ForEachCase(Probe::kQuantizeMidpoints, OpId::kQuantize, DType::kF32,
              [&](const Case& value, const Values& values) {
                const double scale = ScalarAttribute(value, kQuantizeScale);
                for (const double x : values.operands[0].real) {
                  exact += std::fabs(x / scale - std::trunc(x / scale)) == 0.5;
                }
              });
  EXPECT_GT(exact, 100);
}

TEST(ProbeRecipe, CastsMeetEveryPairOfTypes) {
  for (const DType type : InputTypesOf(OpId::kCast)) {
    for (const Probe probe : {Probe::kCastThresholds, Probe::kCastNanPayloads}) {
      std::set<std::pair<DType, int>> met;
      ForEachCase(probe, OpId::kCast, type, [&](const Case& value, const Values&) {
        met.insert({value.operands[1].dtype, value.attributes[kCastOverflow].choice});
      });
      EXPECT_EQ(met.size(), 2 * InputTypesOf(OpId::kCast).size()) << NameOf(type);
    }
  }
}

TEST(ProbeRecipe, CastPayloadsAreLostWhenCut) {
  int infinite = 0;
  ForEachCase(Probe::kCastNanPayloads, OpId::kCast, DType::kF32,
              [&](const Case& value, const Values&) {
                for (const Override& each : value.operands[0].overrides) {
                  // NaN in f32, Inf in the upper half.
                  infinite += std::isnan(Decode(DType::kF32, each.bits)) &&
                              std::isinf(Decode(DType::kBf16, each.bits >> 16));
                }
              });
  EXPECT_GT(infinite, 5);
}

TEST(ProbeRecipe, SubnormalsComeIntoEveryInputAndPartnersLiftThem) {
  ForEachCase(Probe::kSubnormalInputs, OpId::kMul, DType::kF32,
              [](const Case&, const Values& values) {
                EXPECT_NE(values.operands[0].any_subnormal, values.operands[1].any_subnormal);
              });
  int normal = 0;
  ForEachCase(Probe::kSubnormalPartners, OpId::kMul, DType::kF16,
              [&](const Case&, const Values& values) {
                EXPECT_TRUE(values.operands[0].any_subnormal || values.operands[1].any_subnormal);
                const double product = values.operands[0].real[0] * values.operands[1].real[0];
                normal += std::fabs(product) >= InfoOf(Format::kF16).smallest_normal;
              });
  EXPECT_GT(normal, 10);
  EXPECT_LT(normal, 60);
}

TEST(ProbeRecipe, ResultsAreSubnormalThoughOperandsAreNot) {
  const double normal = InfoOf(Format::kF32).smallest_normal;
  ForEachCase(Probe::kSubnormalResults, OpId::kMul, DType::kF32,
              [&](const Case&, const Values& values) {
                for (int64_t i = 0; i < values.operands[0].count; ++i) {
                  const double x = values.operands[0].real[i], y = values.operands[1].real[i];
                  EXPECT_GE(std::fabs(x), normal);
                  EXPECT_LT(std::fabs(x * y), 4 * normal);
                  EXPECT_NE(x * y, 0);
                }
              });
}

TEST(ProbeRecipe, EveryDimensionOfEveryOperatorIsEmptyWhereThatIsACase) {
  for (const OperatorDef& def : Operators()) {
    std::set<size_t> empty;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Case value = MakeProbeCase(Probe::kEmptyDimensions, def.id, def.inputs[0], seed);
      const NamedDims dims = CheckCase(value).value();
      for (int d = 0; d < dims.size(); ++d) {
        if (dims[d] == 0) empty.insert(static_cast<size_t>(d));
      }
    }
    // A kernel of no size makes no convolution.
    const size_t kernels = def.id == OpId::kConv2d ? 2 : 0;
    EXPECT_EQ(empty.size() + kernels, def.dimensions.size()) << def.name;
  }
}

TEST(ProbeRecipe, RanksBucketsAndUpdatesAreThoseOfTheirName) {
  std::set<int64_t> ranks;
  ForEachCase(Probe::kRankCounts, OpId::kAllReduce, DType::kF32,
              [&](const Case&, const Values& values) { ranks.insert(values.dims[0]); });
  for (const int64_t count : {2, 4, 8, 16, 32}) EXPECT_TRUE(ranks.contains(count)) << count;
  for (const OpId op : {OpId::kAllReduce, OpId::kReduceScatter, OpId::kAllGather}) {
    ForEachCase(Probe::kPartialBucket, op, DType::kF32,
                [&](const Case& value, const Values& values) {
                  const int attribute = op == OpId::kAllGather ? 0 : kCollectiveBucket;
                  EXPECT_NE(values.dims[1] % IntegerAttribute(value, attribute), 0);
                });
  }
  ForEachCase(Probe::kContendedIndices, OpId::kScatterAdd, DType::kF32,
              [](const Case&, const Values& values) {
                const auto& indices = values.operands[1].integer;
                const std::set<int64_t> places(indices.begin(), indices.end());
                EXPECT_LE(places.size(), 2u);
                EXPECT_GE(indices.size(), 4u);
                EXPECT_LT(*places.rbegin(), values.dims[0]);
              });
}

TEST(ProbeRecipe, LayoutsAreThoseOfTheirName) {
  ForEachCase(Probe::kZeroStrideInputs, OpId::kAdd, DType::kF32,
              [](const Case& value, const Values&) { EXPECT_EQ(value.operands[0].strides[0], 0); });
  int turned = 0, off = 0;
  ForEachCase(
      Probe::kTransposedOperands, OpId::kConv2d, DType::kF32,
      [&](const Case& value, const Values&) { turned += !IsContiguous(value.operands[0]); });
  EXPECT_GT(turned, 10);
  ForEachCase(Probe::kMisaligned, OpId::kAdd, DType::kF32, [&](const Case& value, const Values&) {
    for (const Tensor& tensor : value.operands) off += tensor.misalignment != 0;
  });
  EXPECT_GT(off, 100);
}

TEST(ProbeRecipe, OrdersShowInMixedMagnitudes) {
  // Forward and backward sums in f32 differ in at least every third case.
  int differ = 0;
  ForEachCase(Probe::kThreadCounts, OpId::kSum, DType::kF32,
              [&](const Case&, const Values& values) {
                const auto& x = values.operands[0].real;
                float forward = 0, backward = 0;
                for (const double each : x) forward += static_cast<float>(each);
                for (auto it = x.rbegin(); it != x.rend(); ++it) {
                  backward += static_cast<float>(*it);
                }
                differ += forward != backward;
              });
  EXPECT_GT(differ, static_cast<int>(kSeeds) / 3);
}

}  // namespace
}  // namespace assay
