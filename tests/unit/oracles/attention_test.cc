// SPDX-License-Identifier: Apache-2.0
//
// Attention worked out by hand, its special answers, and generated cases against MPFR in textbook
// form. ASSAY_TIER_CASES / 2 elements are checked.
#include "oracles/attention.h"

#include <gtest/gtest.h>

#include <vector>

#include "oracles/row_facts.h"
#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_number.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 20000
#endif

namespace assay::fixtures {
namespace {

using Sets = std::vector<ClassSet>;

struct Attention : Fixture {
  Attention(DType type, int64_t heads, int64_t queries, int64_t keys, int64_t head,
            double scale = 1, bool causal = false)
      : Fixture(OpId::kAttention, type, NamedDims{heads, queries, keys, head}) {
    source.attributes[kAttentionScale].real = scale;
    source.attributes[kAttentionCausal].choice = causal ? 1 : 0;
  }
  Sets Classes() {
    const Sets sets = MeasureHighest().legal;
    EXPECT_EQ(Measure().legal, sets);
    return sets;
  }
};

TEST(Attention, AveragesValuesOfEqualScores) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kF16}) {
    Attention attention(type, 1, 1, 4, 2);
    attention.SetReal(2, {1, 10, 2, 20, 3, 30, 6, -60});
    const Evidence& evidence = attention.Measure();
    EXPECT_NEAR(evidence.hi[0], 3, 1e-12);
    EXPECT_NEAR(evidence.hi[1], 0, 1e-12);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 1), 30, 1e-6);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kMaxScore, 1), 0);
    EXPECT_EQ(ScalarOf(evidence, Quantity::kHeadSize), 2);
    EXPECT_EQ(ScalarOf(evidence, Quantity::kLength), 4);
    EXPECT_EQ(ScalarOf(evidence, Quantity::kMaxAbsC), 60);
  }
}

TEST(Attention, MeasuresScoresShiftsAndMask) {
  // z = 0.5 (2*3 - 1*4) + 1 = 2 with A = 0.5 * 10 + 1 = 6, and z = 0.5 * (2*1) - 1 = 0 with A = 2.
  Attention attention(DType::kF32, 1, 1, 2, 2, 0.5);
  attention.SetReal(0, {2, -1});
  attention.SetReal(1, {3, 4, 1, 0});
  attention.SetReal(2, {1, 0, -3, 8});
  attention.SetReal(3, {1, -1});
  const Evidence& evidence = attention.Measure();
  const double p = 1 / (1 + std::exp(-2.0)), q = 1 - p;
  EXPECT_NEAR(evidence.hi[0], p - 3 * q, 1e-12);
  EXPECT_NEAR(evidence.hi[1], 8 * q, 1e-12);
  const double score = p * 6 + q * 2, shift = q * 2;
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 0), p + 3 * q, 1e-7);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kWeightedScores, 0),
              p * (6 + score) + 3 * q * (2 + score), 1e-6);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kWeightedShifts, 1), 8 * q * (2 + shift), 1e-6);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kMaxScore, 0), 6, 1e-6);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kMaxShift, 0), 2, 1e-6);
  EXPECT_NEAR(ScalarOf(evidence, Quantity::kMaxAbsSum), 16, 1e-6);  // 2 keys, |v| <= 8
}

TEST(Attention, SeesKeysUpToTheDiagonalOfTheEnd) {
  // 2 queries, 3 keys: query 0 sees keys 0 and 1, query 1 all.
  Attention attention(DType::kF32, 1, 2, 3, 1, 1, /*causal=*/true);
  attention.SetReal(2, {1, 3, 8});
  const Evidence& evidence = attention.Measure();
  EXPECT_NEAR(evidence.hi[0], 2, 1e-12);
  EXPECT_NEAR(evidence.hi[1], 4, 1e-12);
}

TEST(Attention, KeepsHeadsApart) {
  Attention attention(DType::kF32, 2, 1, 2, 1);
  attention.SetReal(2, {1, 3, 10, 30});
  const Evidence& evidence = attention.Measure();
  EXPECT_NEAR(evidence.hi[0], 2, 1e-12);
  EXPECT_NEAR(evidence.hi[1], 20, 1e-12);
}

TEST(Attention, ClampsShiftsWhereExponentialsVanish) {
  Attention attention(DType::kF32, 1, 1, 2, 1);
  attention.SetReal(0, {1000});
  attention.SetReal(1, {1, -1});
  attention.SetReal(2, {5, 7});
  const Evidence& evidence = attention.Measure();
  EXPECT_EQ(evidence.hi[0], 5);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kMaxShift, 0), 745);
}

TEST(AttentionSpecials, MaskedKeysAreAbsent) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    Attention attention(type, 1, 2, 3, 1);
    attention.SetReal(2, {1, 3, 1000});
    attention.SetReal(3, {0, 0, -kInf, -kInf, -kInf, -kInf});
    EXPECT_EQ(attention.Classes(), (Sets{kClassByValue, kClassNan | kClassPosZero}));
    EXPECT_NEAR(attention.Measure().hi[0], 2, 1e-12);
  }
}

TEST(AttentionSpecials, QueriesBeforeEveryKeyHaveNone) {
  Attention attention(DType::kF32, 1, 3, 1, 1, 1, /*causal=*/true);
  EXPECT_EQ(attention.Classes(),
            (Sets{kClassNan | kClassPosZero, kClassNan | kClassPosZero, kClassByValue}));
  Attention none(DType::kF32, 1, 1, 0, 2);
  EXPECT_EQ(none.Classes(), (Sets{kClassNan | kClassPosZero, kClassNan | kClassPosZero}));
}

TEST(AttentionSpecials, ANanOrPositiveInfinityAmongScoresTakesTheRow) {
  Attention attention(DType::kF32, 1, 2, 2, 2);
  attention.SetReal(0, {1, 1, 1, kNaN});
  EXPECT_EQ(attention.Classes(), (Sets{kClassByValue, kClassByValue, kClassNan, kClassNan}));
  attention.SetReal(0, {1, 1, 1, 1});
  attention.SetReal(1, {1, 1, kInf, 1});
  EXPECT_EQ(attention.Classes(), (Sets{kClassNan, kClassNan, kClassNan, kClassNan}));
  attention.SetReal(0, {0, 1, -1, 1});  // 0 * Inf, and a key of score -Inf
  EXPECT_EQ(attention.Classes(), (Sets{kClassNan, kClassNan, kClassByValue, kClassByValue}));
  attention.SetReal(1, {1, 1, 1, 1});
  attention.SetReal(3, {kInf, 0, 0, kNaN});
  EXPECT_EQ(attention.Classes(), (Sets{kClassNan, kClassNan, kClassNan, kClassNan}));
}

TEST(AttentionSpecials, ValuesKeepToTheirColumn) {
  Attention attention(DType::kF32, 1, 1, 3, 4);
  attention.SetReal(2, {1, kInf, kInf, kNaN, 1, 1, -kInf, 1, 1, 1, 1, 1});
  EXPECT_EQ(attention.Classes(), (Sets{kClassByValue, kClassPosInf, kClassNan, kClassNan}));
  // Behind a mask the product with 0 is taken, or the key is left out with its tile.
  attention.SetReal(3, {-kInf, 0, 0});
  EXPECT_EQ(attention.Classes(), (Sets{kClassByValue, kClassByValue | kClassNan,
                                       kClassNegInf | kClassNan, kClassByValue | kClassNan}));
  // A probability that vanishes in some type times an infinity.
  attention.SetReal(3, {-200, 0, -kInf});
  EXPECT_EQ(attention.Classes()[1], kClassPosInf | kClassNan);
}

TEST(AttentionSpecials, BehindCausalityValuesMayOrMayNotCount) {
  Attention attention(DType::kF32, 1, 2, 2, 1, 1, /*causal=*/true);
  attention.SetReal(2, {1, kNaN});
  EXPECT_EQ(attention.Classes(), (Sets{kClassByValue | kClassNan, kClassNan}));
  EXPECT_EQ(attention.Measure().hi[0], 1);
}

TEST(AttentionSpecials, TakeAnyScale) {
  Attention attention(DType::kF32, 1, 1, 2, 1, kNaN);
  EXPECT_EQ(attention.Classes(), (Sets{kClassNan}));
  attention.source.attributes[kAttentionScale].real = kInf;
  EXPECT_EQ(attention.Classes(), (Sets{kAnyClass}));
}

TEST(AttentionSpecials, ScoresBeyondTheAccumulatorMayBecomeAnything) {
  Attention attention(DType::kF32, 1, 1, 2, 1);
  attention.SetReal(0, {0x1p100});
  attention.SetReal(1, {0x1p100, 0});
  EXPECT_EQ(attention.Classes(), (Sets{kAnyAnswer}));
  Attention wide(DType::kF64, 1, 1, 2, 1);
  wide.SetReal(0, {0x1p1000});
  wide.SetReal(1, {0x1p1000, 0});
  EXPECT_EQ(wide.Classes(), (Sets{kAnyAnswer}));
}

// softmax(scale q k + mask) v of one output element, unshifted.
Mpfr Expected(const Attention& attention, int64_t at) {
  const auto& operands = attention.values.operands;
  const NamedDims& dims = attention.values.dims;
  const int64_t queries = dims[1], keys = dims[2], size = dims[3];
  const int64_t column = at % size, row = at / size, head = row / queries, query = row % queries;
  const bool causal = attention.source.attributes[kAttentionCausal].choice == 1;
  Mpfr above, below;
  for (int64_t j = 0; j < keys; ++j) {
    if (causal && j > query + keys - queries) continue;
    Mpfr score;
    for (int64_t d = 0; d < size; ++d) {
      score = score + Mpfr(operands[0].real[row * size + d]) *
                          Mpfr(operands[1].real[(head * keys + j) * size + d]);
    }
    const double scale = attention.source.attributes[kAttentionScale].real;
    score = Mpfr(scale) * score + Mpfr(operands[3].real[query * keys + j]);
    const Mpfr weight = Exp(score);
    above = above + weight * Mpfr(operands[2].real[(head * keys + j) * size + column]);
    below = below + weight;
  }
  return above / below;
}

TEST(AttentionTiers, EncloseTheTruthOfGeneratedCases) {
  constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBf16, DType::kF64};
  Random random(7);
  int64_t checked = 0;
  for (int round = 0; checked < ASSAY_TIER_CASES / 2; ++round) {
    const bool causal = random.Below(2) == 0;
    const int64_t keys = random.Between(1, 12), queries = random.Between(1, static_cast<int>(keys));
    Attention attention(kTypes[round % 4], 2, queries, keys, random.Between(1, 6), 0.625, causal);
    const int reach = random.Between(-2, 4);
    for (int i = 0; i < 4; ++i) {
      std::vector<double> x;
      for (int64_t k = 0; k < attention.values.operands[i].count; ++k) {
        x.push_back(random.Scaled(-4, i == 2 ? 6 : reach));
      }
      attention.SetReal(i, x);
    }
    const Evidence& evidence = round % 13 == 0 ? attention.MeasureHighest() : attention.Measure();
    for (int64_t at = 0; at < evidence.count; ++at) {
      ASSERT_TRUE(Encloses(evidence, at, Expected(attention, at)))
          << "round " << round << ", element " << at << ": " << evidence.hi[at];
      ASSERT_LE(evidence.radius[at], 0x1p-42 * QuantityOf(evidence, Quantity::kAbsSum, at));
    }
    checked += evidence.count;
  }
}

}  // namespace
}  // namespace assay::fixtures
