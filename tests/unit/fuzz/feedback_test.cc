// SPDX-License-Identifier: Apache-2.0
#include "fuzz/feedback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace assay {
namespace {

TEST(SizeBucket, IsExactForSmallSizesAndSetsPowersOfTwoApart) {
  for (int size = 0; size <= 4; ++size) EXPECT_EQ(SizeBucket(size), size);
  std::set<int> buckets;
  for (const int64_t size : {5, 8, 9, 16, 17, 32, 33, 64, 256, 65536}) {
    const int bucket = SizeBucket(size);
    EXPECT_TRUE(bucket > 4 && bucket < 16) << size;
    EXPECT_TRUE(buckets.insert(bucket).second) << size;
  }
  EXPECT_EQ(SizeBucket(5), SizeBucket(7));
  EXPECT_EQ(SizeBucket(17), SizeBucket(31));
  EXPECT_EQ(SizeBucket(int64_t{1} << 40), SizeBucket(32768));
}

TEST(RatioLevel, GrowsWithTheRatioAndPutsWhatIsNoNumberOnTop) {
  EXPECT_EQ(RatioLevel(0), 0);
  EXPECT_EQ(RatioLevel(HUGE_VAL), 16);
  EXPECT_EQ(RatioLevel(std::nan("")), 16);
  int last = 0;
  for (int exponent = -11; exponent < 40; ++exponent) {
    const int level = RatioLevel(std::ldexp(1.0, exponent));
    EXPECT_GE(level, last);
    EXPECT_LT(level, 16);
    last = level;
  }
  EXPECT_LT(RatioLevel(0.25), RatioLevel(1.0)) << "levels lie around the bound itself";
}

TEST(LayoutClass, HasABitPerPeculiarity) {
  Case value = MakeCase(OpId::kSum, DType::kF32, {8});
  EXPECT_EQ(LayoutClass(value), 0);
  value.operands[0].strides[0] = 2;
  EXPECT_EQ(LayoutClass(value), 1);
  value.operands[0].strides[0] = -1;
  EXPECT_EQ(LayoutClass(value), 3);
  value.operands[0].offset = 1;
  value.operands[0].placement = Placement::kHead;
  EXPECT_EQ(LayoutClass(value), 15);
}

TEST(FeatureAt, GivesEveryFeatureAByteOfItsOwn) {
  EXPECT_EQ(FeatureAt(FeatureBlock::kAny, 0), 0);
  EXPECT_EQ(FeatureAt(FeatureBlock::kLayout, 0), 1);
  EXPECT_LT(FeatureAt(FeatureBlock::kPattern, kFamilyCount * 64 - 1), FeatureCount());
}

TEST(FeatureCount, StaysWhatAProcessWalksThroughPerInput) {
  EXPECT_LT(FeatureCount(), 1 << 17);
  for (const OperatorDef& def : Operators()) {
    EXPECT_LE(def.dimensions.size(), static_cast<size_t>(kSizedDimensions)) << def.name;
  }
}

class NoteTest : public ::testing::Test {
 protected:
  NoteTest() {
    record_.value = &value_;
    record_.dims = {8};
    record_.outcomes.resize(1);
  }

  std::vector<uint8_t> Noted() {
    std::vector<uint8_t> counters(static_cast<size_t>(FeatureCount()));
    feedback_.Note(value_, record_, counters);
    return counters;
  }

  Case value_ = MakeCase(OpId::kSum, DType::kF32, {8});
  Record record_;
  Feedback feedback_{{"C-PRC-01/values"}};
};

TEST_F(NoteTest, IsAFunctionOfTheRecord) { EXPECT_EQ(Noted(), Noted()); }

TEST_F(NoteTest, TellsEveryDimensionOfEveryOperatorApart) {
  std::set<std::vector<uint8_t>> seen;
  size_t cases = 0;
  for (const OperatorDef& def : Operators()) {
    for (size_t larger = 0; larger < def.dimensions.size(); ++larger) {
      NamedDims dims;
      for (size_t i = 0; i < def.dimensions.size(); ++i) dims.push_back(i == larger ? 9 : 2);
      if (def.id == OpId::kConv2d && larger >= 5) dims[static_cast<int>(larger) - 3] = 9;
      value_ = MakeCase(def.id, def.inputs[0], dims);
      record_.dims = CheckCase(value_).value();
      seen.insert(Noted());
      ++cases;
    }
  }
  EXPECT_EQ(seen.size(), cases);
}

TEST_F(NoteTest, LightsEveryRatioLevelBelowTheOneReached) {
  ClauseVerdict clause;
  clause.contract = "C-PRC-01";
  clause.clause = "values";
  clause.outcome = Outcome::kConforming;
  clause.ratio = 0x1p-10;
  record_.outcomes[0].verdict.clauses = {clause};
  const std::vector<uint8_t> low = Noted();
  record_.outcomes[0].verdict.clauses[0].ratio = 0.5;
  const std::vector<uint8_t> high = Noted();
  EXPECT_GT(std::count(high.begin(), high.end(), 1), std::count(low.begin(), low.end(), 1));
  for (size_t i = 0; i < low.size(); ++i) EXPECT_LE(low[i], high[i]) << "a level is never lost";
}

TEST_F(NoteTest, TellsAClauseItDoesNotKnowFromOneItKnows) {
  ClauseVerdict clause;
  clause.contract = "C-PRC-01";
  clause.clause = "values";
  EXPECT_EQ(feedback_.ClauseIndex(clause), 0);
  clause.clause = "other";
  EXPECT_EQ(feedback_.ClauseIndex(clause), -1);
}

}  // namespace
}  // namespace assay
