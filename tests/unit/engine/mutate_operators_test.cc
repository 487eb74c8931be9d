// SPDX-License-Identifier: Apache-2.0
//
// Mutation over the whole operator table: every operator, type, label and integer of an attribute
// comes up, terms stay affordable, and operands keep their meaning.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/mutate.h"

namespace assay {
namespace {

// Every case of chains of 25 mutations of one operator.
template <class Visit>
void ForEachCase(OpId op, uint64_t count, const Visit& visit) {
  const MutationSpace space{{op}, {}, {}};
  for (uint64_t chain = 0; chain < count / 25; ++chain) {
    Case value = FreshCase(space, chain);
    for (uint64_t step = 0; step < 25; ++step) {
      visit(value, CheckCase(value).value());
      Mutate(value, space, chain * 25 + step);
    }
  }
}

TEST(MutateOperators, MeetsEveryPairOfTypesAndEveryLabel) {
  for (const OperatorDef& def : Operators()) {
    std::set<std::pair<DType, DType>> pairs;
    std::set<std::pair<int, int>> labels;
    ForEachCase(def.id, 6000, [&](const Case& value, const NamedDims&) {
      pairs.insert({value.operands[0].dtype, value.operands.back().dtype});
      for (int i = 0; i < value.attributes.size(); ++i) {
        labels.insert({i, value.attributes[i].choice});
      }
    });
    size_t all_pairs = 0, all_labels = 0;
    for (const DType type : def.inputs) all_pairs += OutputTypesOf(def.id, type).size();
    for (const AttributeDef& attribute : def.attributes) {
      all_labels += std::max<size_t>(attribute.labels.size(), 1);
    }
    EXPECT_EQ(pairs.size(), all_pairs) << def.name;
    EXPECT_EQ(labels.size(), all_labels) << def.name;
  }
}

TEST(MutateOperators, MeetsBothEndsOfEveryIntegerAttribute) {
  for (const OperatorDef& def : Operators()) {
    std::set<std::pair<int, double>> seen;
    ForEachCase(def.id, 6000, [&](const Case& value, const NamedDims&) {
      for (int i = 0; i < value.attributes.size(); ++i) {
        seen.insert({i, value.attributes[i].real});
      }
    });
    for (int i = 0; i < static_cast<int>(def.attributes.size()); ++i) {
      const AttributeDef& attribute = def.attributes[static_cast<size_t>(i)];
      if (!attribute.is_integer()) continue;
      EXPECT_TRUE(seen.contains({i, attribute.lowest})) << def.name << " " << attribute.name;
      EXPECT_TRUE(seen.contains({i, attribute.highest})) << def.name << " " << attribute.name;
    }
  }
}

TEST(MutateOperators, AreAffordableAndRarelyEmpty) {
  for (const OperatorDef& def : Operators()) {
    std::vector<int64_t> terms;
    int empty = 0;
    ForEachCase(def.id, 2000, [&](const Case& value, const NamedDims& dims) {
      terms.push_back(TermsOf(value, dims));
      empty += ElementCount(value.operands.back().shape) == 0;
    });
    std::sort(terms.begin(), terms.end());
    EXPECT_LE(terms[terms.size() / 2], 1024) << def.name;
    EXPECT_LE(terms[terms.size() * 9 / 10], 8192) << def.name;
    EXPECT_LT(empty, static_cast<int>(terms.size()) / 3) << def.name;
  }
}

TEST(MutateOperators, KeepVariancesPositiveBoundsInOrderAndIndicesMostlyInside) {
  ForEachCase(OpId::kBatchNorm, 4000, [](const Case& value, const NamedDims&) {
    const Fill& variance = value.operands[2].fill;
    EXPECT_GE(variance.lo, 0);
    EXPECT_TRUE(variance.kind == FillKind::kUniform || variance.kind == FillKind::kConstant);
  });
  ForEachCase(OpId::kClamp, 4000, [](const Case& value, const NamedDims&) {
    EXPECT_FALSE(value.attributes[kClampLow].real > value.attributes[kClampHigh].real);
  });
  for (const OpId op : {OpId::kGather, OpId::kEmbedding, OpId::kIndexSelect, OpId::kScatterAdd}) {
    const int operand = IndexOperandOf(DefOf(op));
    int inside = 0, marked = 0, total = 0;
    ForEachCase(op, 4000, [&](const Case& value, const NamedDims& dims) {
      const Tensor& indices = value.operands[operand];
      ++total;
      marked += !indices.overrides.empty();
      inside += indices.fill.lo >= 0 && indices.fill.hi < static_cast<double>(std::max<int64_t>(
                                                              IndexedExtent(value, dims), 1));
    });
    EXPECT_GT(inside, total * 3 / 4) << DefOf(op).name;
    EXPECT_GT(marked, total / 10) << DefOf(op).name;
  }
}

TEST(MutateOperators, MeetMasksDuplicatesAndTheEndsOfCounters) {
  int hidden = 0, whole_row = 0;
  ForEachCase(OpId::kAttention, 8000, [&](const Case& value, const NamedDims& dims) {
    int in_first = 0;
    for (const Override& each : value.operands[3].overrides) {
      const double x = Decode(value.operands[3].dtype, each.bits);
      if (std::isinf(x) && x < 0) ++in_first;
    }
    hidden += in_first > 0;
    whole_row += in_first > 1 && in_first == dims[2];
  });
  EXPECT_GT(hidden, 400);
  EXPECT_GT(whole_row, 20);
  int contended = 0;
  ForEachCase(OpId::kScatterAdd, 4000, [&](const Case& value, const NamedDims& dims) {
    const Fill& fill = value.operands[1].fill;
    contended += fill.kind == FillKind::kIndices && fill.hi <= 1 && dims[0] > 2 && dims[2] > 2;
  });
  EXPECT_GT(contended, 100);
  int beyond = 0;
  ForEachCase(OpId::kSum, 20000,
              [&](const Case&, const NamedDims& dims) { beyond += dims[0] >= 32767; });
  EXPECT_GT(beyond, 5);
  EXPECT_LT(beyond, 400);
}

}  // namespace
}  // namespace assay
