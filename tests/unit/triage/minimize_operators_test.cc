// SPDX-License-Identifier: Apache-2.0
//
// Minimizing reaches the least case of every operator, from cases as mutation makes them.
#include <gtest/gtest.h>

#include <string>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/mutate.h"
#include "triage/minimize.h"

namespace assay {
namespace {

std::string Text(const Case& value) { return PrintCase({value, {}}); }

Case Start(OpId op, uint64_t seed) {
  const MutationSpace space{{op}, {}, {}};
  Case value = FreshCase(space, seed);
  for (uint64_t step = 0; step < 20; ++step) Mutate(value, space, seed * 100 + step);
  return value;
}

// Nothing at all: no elements, defaults, zeros. A convolution has a kernel.
Case Least(const OperatorDef& def) {
  NamedDims dims;
  for (size_t i = 0; i < def.dimensions.size(); ++i) {
    dims.push_back(def.dimensions[i].starts_with("kernel") ? 1 : 0);
  }
  Case value = MakeCase(def.id, def.inputs[0], dims);
  for (size_t i = 0; i < def.operands.size(); ++i) {
    if (def.operands[i].role != Role::kOutput) value.operands[static_cast<int>(i)].fill = {};
  }
  return value;
}

TEST(Minimize, ReachesTheLeastCaseOfEveryOperatorWhenEverythingFails) {
  const auto everything = [](const Case&) { return true; };
  for (const OperatorDef& def : Operators()) {
    for (uint64_t seed = 0; seed < 6; ++seed) {
      const Case start = Start(def.id, seed);
      const MinimizeResult result = Minimize(start, everything);
      EXPECT_FALSE(result.exhausted) << Text(start);
      EXPECT_EQ(Text(result.value), Text(Least(def))) << Text(start);
      EXPECT_EQ(Minimize(result.value, everything).accepted, 0);
    }
  }
}

TEST(Minimize, KeepsOneElementOfEveryOperandWhereThatMatters) {
  for (const OperatorDef& def : Operators()) {
    const auto has_elements = [](const Case& value) {
      for (const Tensor& tensor : value.operands) {
        if (ElementCount(tensor.shape) == 0) return false;
      }
      return true;
    };
    for (uint64_t seed = 0; seed < 6; ++seed) {
      const Case start = Start(def.id, seed);
      if (!has_elements(start)) continue;
      const MinimizeResult result = Minimize(start, has_elements);
      EXPECT_FALSE(result.exhausted) << Text(start);
      EXPECT_TRUE(IsLocallyMinimal(result.value, has_elements)) << Text(result.value);
      EXPECT_EQ(Minimize(result.value, has_elements).accepted, 0) << Text(result.value);
      // One of everything; a window that must fit keeps what it slides over.
      const int64_t most = def.family == Family::kPool ? 8 : 1;
      for (const int64_t size : CheckCase(result.value).value()) {
        EXPECT_LE(size, most) << Text(start) << "\n" << Text(result.value);
      }
      EXPECT_EQ(result.value.repeats, 0);
      EXPECT_EQ(result.value.schedule_seed, 0u);
    }
  }
}

TEST(Minimize, SettlesIrregularPredicatesOfEveryOperator) {
  for (const OperatorDef& def : Operators()) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      const Case start = Start(def.id, seed);
      // A function of the case as irregular as can be.
      const auto fails = [&](const Case& value) {
        uint64_t hash = Mix(seed + 1);
        for (const char c : Text(value)) hash = Mix(hash ^ static_cast<unsigned char>(c));
        return value == start || hash % 3 == 0;
      };
      const MinimizeResult result = Minimize(start, fails, 1'000'000);
      ASSERT_FALSE(result.exhausted);
      EXPECT_TRUE(fails(result.value));
      EXPECT_TRUE(IsLocallyMinimal(result.value, fails)) << Text(result.value);
      EXPECT_EQ(Minimize(result.value, fails, 1'000'000).accepted, 0) << Text(result.value);
    }
  }
}

TEST(Minimize, KeepsAnIndexOutsideOfEveryTableThatShrinks) {
  for (const OperatorDef& def : Operators()) {
    const int operand = IndexOperandOf(def);
    if (operand < 0) continue;
    const auto outside = [&](const Case& value) {
      const NamedDims dims = CheckCase(value).value();
      Values values;
      MakeValues(value, dims, values);
      for (const int64_t index : values.operands[static_cast<size_t>(operand)].integer) {
        if (index >= IndexedExtent(value, dims) && IndexedExtent(value, dims) > 0) return true;
      }
      return false;
    };
    NamedDims dims;
    for (size_t i = 0; i < def.dimensions.size(); ++i) dims.push_back(7);
    Case start = MakeCase(def.id, DType::kF32, dims);
    FixedVector<int32_t, kMaxRank> index;
    index.resize(start.operands[operand].shape.size(), 4);
    start.operands[operand].overrides.push_back({index, 12});
    const MinimizeResult result = Minimize(start, outside);
    EXPECT_FALSE(result.exhausted);
    EXPECT_EQ(IndexedExtent(result.value, CheckCase(result.value).value()), 1)
        << Text(result.value);
    EXPECT_EQ(ElementCount(result.value.operands[operand].shape), 1) << Text(result.value);
  }
}

TEST(Minimize, KeepsAnAttributeThatMattersAndMakesTheOthersPlain) {
  const auto strided = [](const Case& value) {
    return value.attributes[kConvStride].real >= 2 && CheckCase(value).value()[5] >= 2;
  };
  const Result<CaseLine> start = ParseCase(
      "conv2d stride=4 padding=2 dilation=2 x=f32[2,3,9,8] w=f32[4,3,3,2] out=f32[2,4,3,3]");
  ASSERT_TRUE(start.ok()) << start.error().Text();
  const MinimizeResult result = Minimize(start.value().value, strided);
  EXPECT_FALSE(result.exhausted);
  EXPECT_EQ(result.value.attributes[kConvStride].real, 2);
  EXPECT_EQ(result.value.attributes[kConvPadding].real, 0);
  EXPECT_EQ(result.value.attributes[kConvDilation].real, 1);
}

}  // namespace
}  // namespace assay
