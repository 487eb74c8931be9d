// SPDX-License-Identifier: Apache-2.0
//
// What holds for every mutation: checked, repeatable, inside the space that was asked for, cheap
// most of the time. That it also gets where bugs are is in mutate_reach_test.cc.
#include "engine/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/codec.h"
#include "engine/mutate_steps.h"
#include "engine/random.h"

#ifndef ASSAY_MUTATIONS
#define ASSAY_MUTATIONS 20000  // the slow program does ten times as many
#endif

namespace assay {
namespace {

MutationSpace Everything() {
  MutationSpace space;
  for (const OperatorDef& def : Operators()) space.ops.push_back(def.id);
  space.atoms = {{OpId::kGemm, "k", 1}, {OpId::kGemm, "beta", 0}, {OpId::kSoftmax, "n", 1}};
  return space;
}

// `count` cases: chains of mutations, each from a fresh case on.
template <class Visit>
void ForEachMutation(const MutationSpace& space, int count, Visit visit) {
  constexpr int kChain = 100;
  for (int i = 0; i < count; i += kChain) {
    Case value = FreshCase(space, static_cast<uint64_t>(i));
    for (int j = 0; j < kChain; ++j) {
      const bool changed = Mutate(value, space, static_cast<uint64_t>(i + j));
      visit(value, changed);
    }
  }
}

TEST(Mutate, GivesCheckedCasesThatSurviveBytesAndText) {
  ForEachMutation(Everything(), ASSAY_MUTATIONS, [](const Case& value, bool) {
    const Result<NamedDims> checked = CheckCase(value);
    ASSERT_TRUE(checked.ok()) << checked.error().Text();
    std::array<uint8_t, kMaxEncodedSize> buffer;
    const size_t size = Encode(value, buffer);
    Case decoded;
    NamedDims dims;
    ASSERT_EQ(Decode({buffer.data(), size}, decoded, dims), Reject::kNone);
    ASSERT_EQ(decoded, value);
    ASSERT_EQ(dims, checked.value());
    for (const CaseStyle style : {CaseStyle::kShort, CaseStyle::kFull}) {
      const Result<CaseLine> parsed = ParseCase(PrintCase({value, {}}, style));
      ASSERT_TRUE(parsed.ok()) << PrintCase({value, {}}) << "\n" << parsed.error().Text();
      ASSERT_EQ(parsed.value().value, value) << PrintCase({value, {}});
    }
  });
}

TEST(Mutate, ReportsAChangeExactlyWhenThereIsOne) {
  const MutationSpace space = Everything();
  int changed = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Case before = FreshCase(space, seed / 4);
    Case after = before;
    ASSERT_EQ(Mutate(after, space, seed), !(after == before));
    changed += after == before ? 0 : 1;
  }
  EXPECT_GT(changed, 1900);
}

TEST(Mutate, IsAFunctionOfCaseSpaceAndSeed) {
  const MutationSpace space = Everything();
  Case first = FreshCase(space, 1), second = FreshCase(space, 1);
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Mutate(first, space, seed);
    Mutate(second, space, seed);
    ASSERT_EQ(first, second) << seed;
    Case one, two;
    Crossover(first, FreshCase(space, seed), one, space, seed);
    Crossover(second, FreshCase(space, seed), two, space, seed);
    ASSERT_EQ(one, two) << seed;
  }
}

// Outputs published with the generator.
TEST(Random, IsSplitMix64) {
  EXPECT_EQ(Random(0).Next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(Random(42).Next(), 0xbdd732262feb6e95u);
}

TEST(Random, DrawsEveryValueOfARangeAndNothingElse) {
  Random random(1);
  std::array<int, 5> counts{};
  for (int i = 0; i < 5000; ++i) ++counts.at(static_cast<size_t>(random.Between(-2, 2) + 2));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 200);
  EXPECT_EQ(random.Between(7, 7), 7);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.Unit(), 1);
}

TEST(Mutate, KeepsToTheOperatorAndTypesOfItsSpace) {
  MutationSpace space;
  space.ops = {OpId::kGemm, OpId::kLog};
  space.types = {{DType::kF16, DType::kBf16}, {DType::kF64}};
  ForEachMutation(space, 5000, [](const Case& value, bool) {
    const DType type = value.operands[0].dtype;
    if (value.op == OpId::kGemm) {
      ASSERT_TRUE(type == DType::kF16 || type == DType::kBf16);
    } else {
      ASSERT_EQ(value.op, OpId::kLog);
      ASSERT_EQ(type, DType::kF64);
    }
  });
}

TEST(Mutate, LeavesMostCasesWithoutSpecialElementsAndCheap) {
  MutationSpace space;
  space.ops = {OpId::kGemm, OpId::kSoftmax, OpId::kExp};
  std::vector<int64_t> terms;
  int plain = 0, dense = 0, total = 0;
  ForEachMutation(space, 20000, [&](const Case& value, bool) {
    ++total;
    plain += HasOverrides(value) ? 0 : 1;
    dense += std::all_of(value.operands.begin(), value.operands.end(), IsContiguous) ? 1 : 0;
    if (value.op != OpId::kGemm) return;
    const NamedDims dims = CheckCase(value).value();
    terms.push_back(dims[0] * dims[1] * dims[2]);
  });
  EXPECT_GT(plain, total * 55 / 100);
  EXPECT_LT(plain, total * 75 / 100);
  EXPECT_GT(dense, total * 35 / 100);
  std::sort(terms.begin(), terms.end());
  EXPECT_LE(terms[terms.size() / 2], 8 * 8 * 8);
  EXPECT_LE(terms[terms.size() * 9 / 10], 16 * 16 * 16);
  EXPECT_GE(terms.back(), 64 * 64 * 8);
}

TEST(Crossover, GivesCheckedChildrenOfTheFirstParentsOperatorMadeOfBoth) {
  const MutationSpace space = Everything();
  int same = 0, same_changed = 0, other = 0, other_changed = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    const Case a = FreshCase(space, 2 * seed), b = FreshCase(space, 2 * seed + 1);
    Case child;
    const bool mixed = Crossover(a, b, child, space, seed);
    ASSERT_TRUE(CheckCase(child).ok());
    ASSERT_EQ(child.op, a.op);
    ASSERT_EQ(mixed, !(child == a));
    (a.op == b.op ? same : other) += 1;
    if (mixed) (a.op == b.op ? same_changed : other_changed) += 1;
  }
  EXPECT_GT(same_changed, same * 95 / 100);
  EXPECT_GT(other_changed, other * 40 / 100);
}

TEST(Crossover, OfACaseWithItselfSaysUnchanged) {
  const Case value = MakeCase(OpId::kGemm, DType::kF32, {2, 3, 4});
  Case child;
  EXPECT_FALSE(Crossover(value, value, child, Everything(), 1));
  EXPECT_EQ(child, value);
}

TEST(FollowLayout, KeepsGapsSignsOrderAndZeros) {
  const auto followed = [](Dims shape, Dims strides, Dims new_shape) {
    Tensor tensor;
    tensor.shape = new_shape;
    tensor.strides = strides;
    FollowLayout(tensor, shape, strides);
    return tensor.strides;
  };
  EXPECT_EQ(followed({2, 3}, {3, 1}, {4, 5}), (Dims{5, 1}));    // dense rows
  EXPECT_EQ(followed({2, 3}, {1, 2}, {4, 5}), (Dims{1, 4}));    // dense columns
  EXPECT_EQ(followed({2, 3}, {10, 1}, {4, 5}), (Dims{12, 1}));  // rows 7 apart
  EXPECT_EQ(followed({2, 3}, {-3, 1}, {4, 5}), (Dims{-5, 1}));  // rows backwards
  EXPECT_EQ(followed({2, 3}, {0, 1}, {4, 5}), (Dims{0, 1}));    // one row
  EXPECT_EQ(followed({2, 3}, {1, 1}, {4, 5}), (Dims{1, 1}));    // windows
  EXPECT_EQ(followed({3}, {-2}, {7}), (Dims{-2}));
}

}  // namespace
}  // namespace assay
