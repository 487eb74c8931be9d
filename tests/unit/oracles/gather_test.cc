// SPDX-License-Identifier: Apache-2.0
//
// Which out-of-bounds policy an output shows, one index at a time.
#include "oracles/gather.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "contracts/judge.h"
#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr uint32_t Bit(IndexPolicy policy) { return uint32_t{1} << static_cast<int>(policy); }
constexpr uint32_t kEveryPolicy = (uint32_t{1} << kIndexPolicyCount) - 1;
constexpr int64_t kFar = std::numeric_limits<int64_t>::min();

// Five rows of two distinct entries; three indices of which the middle one varies.
struct Gather : Fixture {
  explicit Gather(int64_t index, DType type = DType::kF32)
      : Fixture(OpId::kGather, type, NamedDims{5, 2, 3}) {
    SetInteger(1, {0, index, 4});
    if (IsFloat(type)) {
      SetReal(0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
      SetReal(2, {-77, -77, -77, -77, -77, -77});
    } else {
      SetInteger(0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
      SetInteger(2, {-77, -77, -77, -77, -77, -77});
    }
  }

  std::vector<uint64_t> TableRow(int64_t row) const {
    const auto begin = values.operands[0].bits.begin() + row * 2;
    return {begin, begin + 2};
  }

  // Policies of an output whose middle row is `middle`.
  uint32_t Matching(const std::vector<uint64_t>& middle, int64_t last = 4) {
    Observation observation;
    observation.dtype = values.operands[2].dtype;
    for (const auto& row : {TableRow(0), middle, TableRow(last)}) {
      observation.bits.insert(observation.bits.end(), row.begin(), row.end());
    }
    return Emulator(values).MatchingPolicies(observation);
  }
  uint32_t MatchingRaise() {
    Observation observation;
    observation.status = RunStatus::kRaised;
    return Emulator(values).MatchingPolicies(observation);
  }
  std::vector<uint64_t> Filled(double value) const {
    return std::vector<uint64_t>(2, Encode(values.operands[0].dtype, value));
  }
};

TEST(GatherPolicies, NameExactCopiesInBounds) {
  Gather gather(2);
  EXPECT_EQ(gather.Matching(gather.TableRow(2)), kEveryPolicy | kExactInBounds);
  EXPECT_EQ(gather.Matching(gather.TableRow(3)), 0u);
  EXPECT_EQ(gather.MatchingRaise(), 0u);
}

TEST(GatherPolicies, TellOnePolicyFromAnother) {
  Gather above(6);
  EXPECT_EQ(above.Matching(above.TableRow(4)), Bit(IndexPolicy::kClamp));
  EXPECT_EQ(above.Matching(above.TableRow(1)), Bit(IndexPolicy::kModulo));
  EXPECT_EQ(above.Matching({0, 0}), Bit(IndexPolicy::kZero));
  EXPECT_EQ(above.Matching(above.Filled(kNaN)), Bit(IndexPolicy::kFill));
  EXPECT_EQ(above.Matching(above.Filled(-77)), Bit(IndexPolicy::kDrop));
  EXPECT_EQ(above.Matching(above.TableRow(3)), 0u);
  EXPECT_EQ(above.MatchingRaise(), Bit(IndexPolicy::kRaise) | Bit(IndexPolicy::kWrapNegative));
}

TEST(GatherPolicies, WrapNegativeIndicesOneTurnOnly) {
  Gather last(-2);
  EXPECT_EQ(last.Matching(last.TableRow(3)),
            Bit(IndexPolicy::kWrapNegative) | Bit(IndexPolicy::kModulo));
  EXPECT_EQ(last.Matching(last.TableRow(0)), Bit(IndexPolicy::kClamp));
  EXPECT_EQ(last.MatchingRaise(), Bit(IndexPolicy::kRaise));
  Gather beyond(-6);
  EXPECT_EQ(beyond.Matching(beyond.TableRow(4)), Bit(IndexPolicy::kModulo));
  EXPECT_EQ(beyond.MatchingRaise(), Bit(IndexPolicy::kRaise) | Bit(IndexPolicy::kWrapNegative));
}

TEST(GatherPolicies, SeeANarrowedIndex) {
  Gather gather((int64_t{1} << 32) + 2);  // 2 in 32 bits; 2^32 + 2 = 3 mod 5
  EXPECT_EQ(gather.Matching(gather.TableRow(2)), 0u);
  EXPECT_EQ(gather.Matching(gather.TableRow(3)), Bit(IndexPolicy::kModulo));
  Gather extreme(kFar);  // -2^63 = 2 mod 5
  EXPECT_EQ(extreme.Matching(extreme.TableRow(2)), Bit(IndexPolicy::kModulo));
  EXPECT_EQ(extreme.Matching(extreme.TableRow(0)), Bit(IndexPolicy::kClamp));
}

TEST(GatherPolicies, RequireTheNeighboursToBeRight) {
  Gather gather(6);
  EXPECT_EQ(gather.Matching(gather.TableRow(4), /*last=*/3), 0u);
}

TEST(GatherPolicies, FillIntegersWithAnExtremeValue) {
  Gather gather(9, DType::kI32);
  EXPECT_EQ(gather.Matching({0x80000000, 0x80000000}), Bit(IndexPolicy::kFill));
  EXPECT_EQ(gather.Matching({0x7fffffff, 0x7fffffff}), Bit(IndexPolicy::kFill));
  EXPECT_EQ(gather.Matching({0x80000000, 0x7fffffff}), 0u);
}

TEST(GatherPolicies, MatchNothingAfterACrash) {
  Gather gather(6);
  Observation observation;
  observation.status = RunStatus::kCrashed;
  EXPECT_EQ(Emulator(gather.values).MatchingPolicies(observation), 0u);
}

TEST(GatherPolicies, CopeWithAnEmptyTable) {
  Fixture gather(OpId::kGather, DType::kF32, {0, 1, 1});
  Observation observation;
  observation.bits = {0};
  EXPECT_EQ(Emulator(gather.values).MatchingPolicies(observation) & Bit(IndexPolicy::kClamp), 0u);
}

TEST(GatherOracle, MeasuresCopiesAndCountsOutsideIndices) {
  Gather gather(-1);
  const Evidence& evidence = gather.Measure();
  EXPECT_EQ(ScalarOf(evidence, Quantity::kExtent), 5);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kOutsideCount), 1);
  EXPECT_EQ(evidence.hi[0], 1);
  EXPECT_EQ(evidence.hi[5], 10);
  EXPECT_EQ(evidence.radius[5], 0);
  EXPECT_EQ(evidence.legal[0], kClassByValue);
  EXPECT_FALSE(evidence.legal[2] & kClassByValue);
}

}  // namespace
}  // namespace assay::fixtures
