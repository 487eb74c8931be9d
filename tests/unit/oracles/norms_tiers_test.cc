// SPDX-License-Identifier: Apache-2.0
//
// Enclosures of the norms against MPFR, in textbook form, at every tier. ASSAY_TIER_CASES elements
// are checked.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "tests/unit/oracles/fixtures.h"
#include "tests/unit/oracles/mpfr_number.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 20000
#endif

namespace assay::fixtures {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBf16, DType::kF64};
using Reals = std::span<const double>;

Mpfr MeanOf(Reals x) {
  Mpfr sum;
  for (const double value : x) sum = sum + value;
  return sum / Mpfr(static_cast<double>(x.size()));
}

Mpfr SquaresAbout(Reals x, const Mpfr& center) {
  Mpfr sum;
  for (const double value : x) sum = sum + (Mpfr(value) - center) * (Mpfr(value) - center);
  return sum;
}

std::vector<double> GeneratedRow(Random& random, int64_t n, bool wide) {
  const double offset = random.Below(2) == 0 ? 0 : random.Scaled(0, 12);
  const int reach = random.Between(-2, wide ? 500 : 12);
  std::vector<double> x;
  for (int64_t i = 0; i < n; ++i) x.push_back(offset + random.Scaled(reach - 20, reach));
  return x;
}

Mpfr Expected(const Fixture& norm, int64_t at) {
  const auto& operands = norm.values.operands;
  const auto n = static_cast<int64_t>(operands[1].count);
  const bool reduces = operands.back().count == 1 && operands.size() == 2;
  const Reals all(operands[0].real);
  const Reals x =
      reduces ? all : all.subspan(static_cast<size_t>(at / n * n), static_cast<size_t>(n));
  const Mpfr size(static_cast<double>(x.size()));
  const auto column = [&](size_t operand) { return Mpfr(operands[operand].real[at % n]); };
  switch (norm.source.op) {
    case OpId::kNrm2:
      return Sqrt(SquaresAbout(x, 0));
    case OpId::kVariance:
      return SquaresAbout(x, MeanOf(x)) /
             (size - Mpfr(norm.source.attributes[kVarianceCorrection].real));
    default:
      break;
  }
  const Mpfr epsilon(norm.source.attributes[kNormEpsilon].real), value(operands[0].real[at]);
  if (norm.source.op == OpId::kLayerNorm) {
    const Mpfr root = Sqrt(SquaresAbout(x, MeanOf(x)) / size + epsilon);
    return column(1) * (value - MeanOf(x)) / root + column(2);
  }
  if (norm.source.op == OpId::kRmsNorm) {
    return column(1) * value / Sqrt(SquaresAbout(x, 0) / size + epsilon);
  }
  return column(3) * (value - column(1)) / Sqrt(column(2) + epsilon) + column(4);
}

void Check(Fixture& norm, bool highest, int round) {
  const Evidence& evidence = highest ? norm.MeasureHighest() : norm.Measure();
  for (int64_t at = 0; at < evidence.count; ++at) {
    ASSERT_TRUE((evidence.legal[at] & kClassByValue) != 0) << "round " << round;
    // A constant row over an epsilon of 0 has no truth.
    if (std::isinf(evidence.hi[at]) || (evidence.legal[at] & kClassNan) != 0) continue;
    ASSERT_TRUE(Encloses(evidence, at, Expected(norm, at)))
        << "round " << round << ", element " << at << ": " << evidence.hi[at];
    double spread = 1;
    if (norm.source.op == OpId::kVariance && evidence.hi[at] != 0) {
      spread = QuantityOf(evidence, Quantity::kSpread, at);
    }
    ASSERT_LE(evidence.radius[at], 0x1p-74 * QuantityOf(evidence, Quantity::kAbsSum, at) * spread +
                                       0x1p-74 * std::fabs(evidence.hi[at]) + 0x1p-1074)
        << "round " << round;
  }
}

TEST(NormsTiers, EncloseTheTruthOfGeneratedReductions) {
  Random random(3);
  for (int round = 0; round < ASSAY_TIER_CASES / 20; ++round) {
    const DType type = kTypes[round % 4];
    const int64_t n = random.Between(2, 40);
    Fixture norm(round % 8 < 4 ? OpId::kNrm2 : OpId::kVariance, type, NamedDims{n});
    if (norm.source.op == OpId::kVariance) {
      norm.source.attributes[kVarianceCorrection].real = random.Below(2);
    }
    norm.SetReal(0, GeneratedRow(random, n, type == DType::kF64));
    Check(norm, round % 13 == 0, round);
  }
}

TEST(NormsTiers, EncloseTheTruthOfGeneratedRows) {
  Random random(4);
  constexpr OpId kOps[] = {OpId::kLayerNorm, OpId::kRmsNorm, OpId::kBatchNorm};
  int64_t checked = 0;
  for (int round = 0; checked < ASSAY_TIER_CASES; ++round) {
    const DType type = kTypes[round % 4];
    const int64_t n = random.Between(2, 40);
    Fixture norm(kOps[round % 3], type, NamedDims{2, n});
    norm.source.attributes[kNormEpsilon].real = round % 5 == 0 ? 0 : std::ldexp(1.0, -17);
    const auto size = static_cast<int>(norm.values.operands.size());
    for (int i = 0; i + 1 < size; ++i) {
      const bool wide = type == DType::kF64 && i == 0;
      std::vector<double> x = GeneratedRow(random, norm.values.operands[i].count, wide);
      if (norm.source.op == OpId::kBatchNorm && i == 2) {
        for (double& variance : x) variance = std::fabs(variance) + 0x1p-10;
      }
      norm.SetReal(i, x);
    }
    Check(norm, round % 13 == 0, round);
    checked += 2 * n;
  }
}

TEST(NormsTiers, EncloseNearlyConstantRows) {
  // One unit in the last place beside a thousand equal entries.
  Fixture norm(OpId::kLayerNorm, DType::kF64, {1, 1000});
  std::vector<double> x(1000, 0x1.23456789abcdfp600);
  x[7] = 0x1.23456789abce0p600;
  norm.SetReal(0, x);
  norm.SetReal(1, std::vector<double>(1000, 3));
  norm.SetReal(2, std::vector<double>(1000, -1));
  const Evidence& evidence = norm.Measure();
  for (const int64_t at : {0, 7}) EXPECT_TRUE(Encloses(evidence, at, Expected(norm, at)));
}

}  // namespace
}  // namespace assay::fixtures
