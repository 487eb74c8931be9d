// SPDX-License-Identifier: Apache-2.0
//
// Norms of rows whose answer is known by hand, and every special row of the tables.
#include "oracles/norms.h"

#include <gtest/gtest.h>

#include <vector>

#include "oracles/row_facts.h"
#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

using Sets = std::vector<ClassSet>;

struct LayerNorm : Fixture {
  LayerNorm(DType type, std::vector<double> row, double epsilon)
      : Fixture(OpId::kLayerNorm, type, NamedDims{1, static_cast<int64_t>(row.size())}) {
    source.attributes[kNormEpsilon].real = epsilon;
    SetReal(0, row);
    SetReal(1, std::vector<double>(row.size(), 1));
  }
};

struct RmsNorm : Fixture {
  RmsNorm(DType type, std::vector<double> row, double epsilon)
      : Fixture(OpId::kRmsNorm, type, NamedDims{1, static_cast<int64_t>(row.size())}) {
    source.attributes[kNormEpsilon].real = epsilon;
    SetReal(0, row);
    SetReal(1, std::vector<double>(row.size(), 1));
  }
};

Evidence Reduced(OpId op, DType type, const std::vector<double>& x, double correction = 0) {
  Fixture fixture(op, type, NamedDims{static_cast<int64_t>(x.size())});
  if (op == OpId::kVariance) fixture.source.attributes[kVarianceCorrection].real = correction;
  fixture.SetReal(0, x);
  const Sets sets = fixture.Measure().legal;
  EXPECT_EQ(fixture.MeasureHighest().legal, sets);
  return fixture.Measure();
}

TEST(Nrm2, IsTheHypotenuse) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBf16}) {
    const Evidence evidence = Reduced(OpId::kNrm2, type, {3, -4});
    EXPECT_EQ(evidence.hi[0], 5);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 0), 5, 1e-10);
    EXPECT_EQ(ScalarOf(evidence, Quantity::kLength), 2);
  }
}

TEST(Nrm2, StaysFiniteWhereSquaresOverflow) {
  const Evidence evidence = Reduced(OpId::kNrm2, DType::kF64, {0x3p1000, 0x4p1000});
  EXPECT_EQ(evidence.hi[0], 0x5p1000);
  EXPECT_EQ(evidence.legal[0], kClassByValue);
  EXPECT_EQ(Reduced(OpId::kNrm2, DType::kF64, {0x3p-1060, 0x4p-1060}).hi[0], 0x5p-1060);
}

TEST(Nrm2, FollowsTheTable) {
  const auto set = [](const std::vector<double>& x) {
    return Reduced(OpId::kNrm2, DType::kF32, x).legal[0];
  };
  EXPECT_EQ(set({1, kNaN}), kClassNan);
  EXPECT_EQ(set({1, -kInf}), kClassPosInf);
  EXPECT_EQ(set({kInf, -kInf}), kClassPosInf);
  EXPECT_EQ(set({kInf, kNaN}), kClassNan | kClassPosInf);
  const Evidence empty = Reduced(OpId::kNrm2, DType::kF32, {});
  EXPECT_EQ(empty.legal[0], kClassByValue);
  EXPECT_EQ(empty.hi[0], 0);
  EXPECT_EQ(empty.radius[0], 0);
}

TEST(Variance, DividesByNMinusTheCorrection) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    // Mean 5, squares of deviations 32.
    const std::vector<double> x = {2, 4, 4, 4, 5, 5, 7, 9};
    EXPECT_EQ(Reduced(OpId::kVariance, type, x, 0).hi[0], 4);
    const Evidence corrected = Reduced(OpId::kVariance, type, x, 1);
    EXPECT_DOUBLE_EQ(corrected.hi[0], 32.0 / 7);
    // sum x^2 = 232
    EXPECT_NEAR(QuantityOf(corrected, Quantity::kSpread, 0), std::sqrt(232.0 / 32), 1e-9);
    EXPECT_NEAR(QuantityOf(corrected, Quantity::kMeanAbs, 0), 5, 1e-9);
  }
}

TEST(Variance, OfAConstantRowIsExactlyZeroAtInfiniteCondition) {
  const Evidence evidence = Reduced(OpId::kVariance, DType::kF32, std::vector<double>(769, 0.1));
  EXPECT_EQ(evidence.hi[0], 0);
  EXPECT_EQ(evidence.radius[0], 0);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kSpread, 0), kInf);
}

TEST(Variance, SeesTheLastBitFarFromZero) {
  // Two values one unit apart at 2^52: variance 1/4, whatever the offset.
  const Evidence evidence = Reduced(OpId::kVariance, DType::kF64, {0x1p52, 0x1p52 + 1});
  EXPECT_EQ(evidence.hi[0], 0.25);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kSpread, 0) / 0x1p53, 1, 1e-9);
}

TEST(Variance, FollowsTheTable) {
  const auto set = [](const std::vector<double>& x, double correction) {
    return Reduced(OpId::kVariance, DType::kF32, x, correction).legal[0];
  };
  EXPECT_EQ(set({1, 2, kNaN}, 0), kClassNan);
  EXPECT_EQ(set({1, kInf}, 0), kClassNan);
  EXPECT_EQ(set({}, 0), kClassNan | kClassPosInf);
  EXPECT_EQ(set({7}, 1), kClassNan | kClassPosInf);
  EXPECT_EQ(set({7}, 0), kClassByValue);
  // Squares beyond f32: an infinity of some formula, no violation of another.
  EXPECT_EQ(set({0x1p100, 1}, 0), kClassByValue | kClassPosInf | kClassNan);
}

TEST(LayerNorm, NormalizesARow) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    LayerNorm norm(type, {1, 3}, 3);  // mean 2, variance 1, s = 2
    norm.SetReal(1, {4, -8});
    norm.SetReal(2, {0.5, 1});
    const Evidence& evidence = norm.Measure();
    EXPECT_EQ(evidence.hi[0], 4 * -0.5 + 0.5);
    EXPECT_EQ(evidence.hi[1], -8 * 0.5 + 1);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kDeviation, 0), 2);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kVarianceShare, 0), 0.25, 1e-12);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kNormalized, 1), 0.5, 1e-9);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kGain, 1), 8);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kBias, 0), 0.5);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kMeanAbs, 0), 2, 1e-9);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kSpread, 0), std::sqrt(5.0), 1e-9);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 0), 4 * (1 + 2) / 2.0 + 0.5, 1e-9);
    EXPECT_EQ(evidence.tier, Tier::kDot2);
  }
}

TEST(LayerNorm, OfAConstantRowIsTheBias) {
  LayerNorm norm(DType::kF32, std::vector<double>(769, 12345.678), 1e-5f);
  norm.SetReal(2, std::vector<double>(769, 3));
  const Evidence& evidence = norm.Measure();
  EXPECT_EQ(evidence.hi[5], 3);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kNormalized, 5), 0);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kVarianceShare, 5), 0);
  EXPECT_EQ(QuantityOf(evidence, Quantity::kSpread, 5), kInf);
}

Sets LayerSets(LayerNorm& norm) {
  const Sets sets = norm.Measure().legal;
  EXPECT_EQ(norm.MeasureHighest().legal, sets);
  return sets;
}

TEST(LayerNorm, LosesAWholeRowToNanAndInfinity) {
  for (const double special : {kNaN, kInf, -kInf}) {
    LayerNorm norm(DType::kF32, {1, special, 3}, 1);
    EXPECT_EQ(LayerSets(norm), (Sets{kClassNan, kClassNan, kClassNan}));
  }
}

TEST(LayerNorm, DividesByZeroAsItMay) {
  LayerNorm norm(DType::kF32, {5, 5}, 0);
  norm.SetReal(2, {2, kInf});
  const Evidence& evidence = norm.Measure();
  EXPECT_EQ(evidence.legal[0], kClassNan | kClassInf | kClassByValue);
  EXPECT_EQ(evidence.hi[0], 2);
  EXPECT_EQ(evidence.legal[1], kClassNan | kClassPosInf);
}

TEST(LayerNorm, CarriesSpecialGainsAndBiases) {
  LayerNorm norm(DType::kF32, {-8, 0, 1, 8, 8}, 1);
  norm.SetReal(1, {kInf, kNaN, 1, -kInf, 1});
  norm.SetReal(2, {0, 0, -kInf, -kInf, kNaN});
  EXPECT_EQ(LayerSets(norm),
            (Sets{kClassNegInf, kClassNan, kClassNegInf, kClassNegInf, kClassNan}));
  norm.SetReal(2, {kInf, 0, 0, kInf, 0});
  EXPECT_EQ(LayerSets(norm), (Sets{kClassNan, kClassNan, kClassByValue, kClassNan, kClassByValue}));
}

TEST(LayerNorm, TakesAnyEpsilon) {
  LayerNorm negative(DType::kF32, {1, 3}, -2);    // variance 1
  EXPECT_EQ(LayerSets(negative)[0], kAnyAnswer);  // nearer than the variance itself
  LayerNorm far_below(DType::kF32, {1, 3}, -200);
  EXPECT_EQ(LayerSets(far_below)[0], kClassNan);
  LayerNorm nan(DType::kF32, {1, 3}, kNaN);
  EXPECT_EQ(LayerSets(nan)[0], kClassNan);
  LayerNorm infinite(DType::kF32, {1, 3}, kInf);
  infinite.SetReal(2, {7, 7});
  EXPECT_EQ(LayerSets(infinite)[0], kClassByValue);
  EXPECT_EQ(infinite.Measure().hi[0], 7);
}

TEST(RmsNorm, DividesByTheRootMeanSquare) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    RmsNorm norm(type, {1, 7}, 0);  // mean square 25
    norm.SetReal(1, {1, -2});
    const Evidence& evidence = norm.Measure();
    EXPECT_DOUBLE_EQ(evidence.hi[0], 0.2);
    EXPECT_DOUBLE_EQ(evidence.hi[1], -2.8);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kDeviation, 0), 5);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kVarianceShare, 0), 1);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kNormalized, 1), 1.4, 1e-9);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 1), 2.8, 1e-9);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kGain, 1), 2);
  }
}

TEST(RmsNorm, FollowsTheTable) {
  const auto sets = [](const std::vector<double>& x, double epsilon = 1,
                       const std::vector<double>& gain = {}) {
    RmsNorm norm(DType::kF32, x, epsilon);
    if (!gain.empty()) norm.SetReal(1, gain);
    return norm.Measure().legal;
  };
  EXPECT_EQ(sets({1, kNaN}), (Sets{kClassNan, kClassNan}));
  EXPECT_EQ(sets({1, kInf, kNaN}), (Sets{kClassNan, kClassNan, kClassNan}));
  EXPECT_EQ(sets({1, kInf, -2, -0.0}),
            (Sets{kClassPosZero, kClassNan, kClassNegZero, kClassNegZero}));
  EXPECT_EQ(sets({1, -kInf, -2}, 1, {-1, 1, -1}), (Sets{kClassNegZero, kClassNan, kClassPosZero}));
  EXPECT_EQ(sets({0, 0}, 0), (Sets{kClassNan, kClassNan}));
  EXPECT_EQ(sets({0, 0}, 1), (Sets{kClassByValue, kClassByValue}));
  EXPECT_EQ(sets({1, -1, 0}, 1, {kInf, kInf, kInf}), (Sets{kClassPosInf, kClassNegInf, kClassNan}));
}

struct BatchNorm : Fixture {
  explicit BatchNorm(DType type, double epsilon = 0)
      : Fixture(OpId::kBatchNorm, type, NamedDims{1, 1}) {
    source.attributes[kNormEpsilon].real = epsilon;
  }
  ClassSet Classes(double x, double mean, double variance, double gain, double bias) {
    SetReal(0, {x});
    SetReal(1, {mean});
    SetReal(2, {variance});
    SetReal(3, {gain});
    SetReal(4, {bias});
    const ClassSet set = Measure().legal[0];
    EXPECT_EQ(MeasureHighest().legal[0], set);
    return Measure().legal[0];
  }
};

TEST(BatchNorm, UsesTheStatisticsOfTheChannel) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    Fixture norm(OpId::kBatchNorm, type, {2, 2});
    norm.source.attributes[kNormEpsilon].real = 0.25;
    norm.SetReal(0, {1, 2, 3, 4});
    norm.SetReal(1, {1, -1});
    norm.SetReal(2, {2, 3.75});
    norm.SetReal(3, {3, 5});
    norm.SetReal(4, {0.5, -7});
    const Evidence& evidence = norm.Measure();
    EXPECT_EQ(evidence.hi[0], 0.5);
    EXPECT_EQ(evidence.hi[1], 5 * 3.0 / 2 - 7);
    EXPECT_EQ(evidence.hi[2], 3 * 2.0 / 1.5 + 0.5);
    EXPECT_EQ(evidence.hi[3], 5 * 5.0 / 2 - 7);
    EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 2), 3 * (3 + 1) / 1.5, 1e-9);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kBias, 3), 7);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kGain, 3), 5);
    EXPECT_EQ(QuantityOf(evidence, Quantity::kDeviation, 3), 2);
  }
}

TEST(BatchNorm, IsElementWise) {
  BatchNorm norm(DType::kF32);
  EXPECT_EQ(norm.Classes(kNaN, 0, 1, 1, 0), kClassNan);
  EXPECT_EQ(norm.Classes(kInf, 0, 1, 2, 0), kClassPosInf);
  EXPECT_EQ(norm.Classes(kInf, 0, 1, -2, 0), kClassNegInf);
  EXPECT_EQ(norm.Classes(kInf, 0, 1, 0, 0), kClassNan);
  EXPECT_EQ(norm.Classes(kInf, kInf, 1, 1, 0), kClassNan);
  EXPECT_EQ(norm.Classes(1, kInf, 1, 1, 0), kClassNegInf);
  EXPECT_EQ(norm.Classes(1, 0, 1, 1, -kInf), kClassNegInf);
  EXPECT_EQ(norm.Classes(kInf, 0, 1, 1, -kInf), kClassNan);
  EXPECT_EQ(norm.Classes(1, 0, -1, 1, 0), kClassNan);
  EXPECT_EQ(norm.Classes(1, 0, kNaN, 1, 0), kClassNan);
  EXPECT_EQ(norm.Classes(1, 0, 1, 1, 0), kClassByValue);
}

TEST(BatchNorm, LeavesTheChoiceBetweenPlainAndFolded) {
  BatchNorm norm(DType::kF32);
  // (2 - 1) * Inf, or 2 * Inf + (0 - 1 * Inf).
  EXPECT_EQ(norm.Classes(2, 1, 0, 1, 0), kClassPosInf | kClassNan);
  EXPECT_EQ(norm.Classes(2, 1, 1, kInf, 0), kClassPosInf | kClassNan);
  EXPECT_EQ(norm.Classes(1, 1, 1, kInf, 0), kClassNan);
  EXPECT_EQ(norm.Classes(1, 1, kInf, 1, 3), kClassByValue);
  EXPECT_EQ(norm.evidence.hi[0], 3);
}

TEST(Norms, AcceptEmptyRows) {
  for (const OpId op : {OpId::kLayerNorm, OpId::kRmsNorm, OpId::kBatchNorm}) {
    Fixture empty(op, DType::kF32, {3, 0});
    EXPECT_EQ(empty.Measure().count, 0);
    Fixture none(op, DType::kF32, {0, 3});
    EXPECT_EQ(none.Measure().count, 0);
  }
}

}  // namespace
}  // namespace assay::fixtures
