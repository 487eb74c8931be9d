// SPDX-License-Identifier: Apache-2.0
#include "engine/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contracts/judge.h"
#include "contracts/values.h"
#include "tests/unit/engine/probe_cases.h"

namespace assay {
namespace {

TEST(Probe, EveryNameOfTheSuitesMeasurementsIsAProbe) {
  for (const ContractInfo& info : ContractsOf(*BuiltinSuite())) {
    for (const std::string& name : info.probes) {
      EXPECT_TRUE(ParseProbe(name).has_value()) << info.id << ": " << name;
    }
  }
}

TEST(Probe, EveryProbeSaysSomethingAboutSomeOperatorAndEveryOperatorHasProbes) {
  OpSet probed = 0;
  for (const std::string_view name : ProbeNames()) {
    OpSet ops = 0;
    for (const OperatorDef& def : Operators()) {
      if (Applies(*ParseProbe(name), def.id)) ops |= Bit(def.id);
    }
    EXPECT_TRUE(ops != 0) << name;
    probed |= ops;
  }
  EXPECT_TRUE(probed == ~OpSet{0} >> (128 - kOpCount));
}

TEST(Probe, NamesParseBackAndOthersDoNot) {
  for (const std::string_view name : ProbeNames()) {
    ASSERT_TRUE(ParseProbe(name).has_value());
    EXPECT_EQ(NameOf(*ParseProbe(name)), name);
  }
  EXPECT_FALSE(ParseProbe("sparse").has_value());
}

TEST(Probe, GivesACheckedCaseForEveryOperatorTypeAndSeed) {
  for (const std::string_view name : ProbeNames()) {
    const Probe probe = *ParseProbe(name);
    for (const OperatorDef& def : Operators()) {
      if (!Applies(probe, def.id)) continue;
      for (const DType type : InputTypesOf(def.id)) {
        for (uint64_t seed = 0; seed < kSeeds; ++seed) {
          const Case value = MakeProbeCase(probe, def.id, type, seed);
          const Result<NamedDims> dims = CheckCase(value);
          ASSERT_TRUE(dims.ok()) << name << " " << dims.error().Text();
          ASSERT_EQ(value.operands[0].dtype, type);
          ASSERT_EQ(value, MakeProbeCase(probe, def.id, type, seed)) << name;
        }
      }
    }
  }
}

TEST(Probe, SparseRowsHaveOneToFourNonZeros) {
  ForEachCase(Probe::kSparseRows, OpId::kSum, DType::kF32, [](const Case&, const Values& values) {
    const auto& x = values.operands[0].real;
    const auto non_zeros = std::count_if(x.begin(), x.end(), [](double v) { return v != 0; });
    EXPECT_GE(non_zeros, 1);
    EXPECT_LE(non_zeros, 4);
  });
}

TEST(Probe, SaturationHasPartialSumsBeyondF16AndASmallTotal) {
  ForEachCase(Probe::kSaturation, OpId::kSum, DType::kF16, [](const Case&, const Values& values) {
    double total = 0, magnitude = 0;
    for (const double x : values.operands[0].real) total += x, magnitude += std::fabs(x);
    EXPECT_EQ(total, 32);  // 60000 + 60000 - 60000 - 59968
    EXPECT_GT(magnitude, 2 * 65504.0);
  });
}

TEST(Probe, UnrepresentableProductsCancelToOnes) {
  ForEachCase(Probe::kUnrepresentableProducts, OpId::kDot, DType::kF16,
              [](const Case&, const Values& values) {
                double total = 0;
                for (size_t i = 0; i < values.operands[0].real.size(); ++i) {
                  total += values.operands[0].real[i] * values.operands[1].real[i];
                }
                EXPECT_EQ(total, 4 * (3 * 683 - 2048));
              });
}

TEST(Probe, IndexProbesHaveExactlyOneIndexOutside) {
  for (const Probe probe :
       {Probe::kIndexBefore, Probe::kIndexAfter, Probe::kIndexFar, Probe::kIndexNarrowed}) {
    ForEachCase(probe, OpId::kGather, DType::kF32, [&](const Case&, const Values& values) {
      const int64_t rows = values.dims[0];
      const auto& indices = values.operands[1].integer;
      EXPECT_EQ(std::count_if(indices.begin(), indices.end(),
                              [&](int64_t i) { return i < 0 || i >= rows; }),
                1)
          << NameOf(probe);
    });
  }
}

TEST(Probe, NarrowedIndicesAreInsideWhenCutTo32Bits) {
  ForEachCase(Probe::kIndexNarrowed, OpId::kGather, DType::kF32,
              [](const Case&, const Values& values) {
                for (const int64_t index : values.operands[1].integer) {
                  const auto narrow = static_cast<int32_t>(static_cast<uint32_t>(index));
                  EXPECT_GE(narrow, 0);
                  EXPECT_LT(narrow, values.dims[0]);
                }
              });
}

TEST(Probe, NanPerLaneHasExactlyOneNanAmongWhatIsRead) {
  for (const OperatorDef& def : Operators()) {
    if (!Applies(Probe::kNanPerLane, def.id) || def.inputs[0] != DType::kF32) continue;
    ForEachCase(Probe::kNanPerLane, def.id, DType::kF32, [&](const Case&, const Values& values) {
      int64_t nans = 0;
      for (size_t i = 0; i < values.operands.size(); ++i) {
        if (def.operands[i].role == Role::kOutput) continue;
        for (const double x : values.operands[i].real) nans += std::isnan(x);
      }
      EXPECT_EQ(nans, 1) << def.name;
    });
  }
}

TEST(Probe, GuardProbesPlaceEveryOperandAtThatGuard) {
  ForEachCase(Probe::kGuardBefore, OpId::kGemm, DType::kF32, [](const Case& value, const Values&) {
    for (const Tensor& tensor : value.operands) EXPECT_EQ(tensor.placement, Placement::kHead);
  });
  ForEachCase(Probe::kGuardAfter, OpId::kGemm, DType::kF32, [](const Case& value, const Values&) {
    for (const Tensor& tensor : value.operands) EXPECT_EQ(tensor.placement, Placement::kTail);
  });
}

}  // namespace
}  // namespace assay
