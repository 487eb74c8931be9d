// SPDX-License-Identifier: Apache-2.0
//
// Each formula is written once, for both kinds of numbers. Special answers replace or widen the
// truth afterwards.
#include "oracles/norms.h"

#include <algorithm>
#include <cmath>

#include "contracts/operator.h"
#include "oracles/norms_classes.h"
#include "oracles/norms_formulas.h"
#include "oracles/number/ball_value.h"
#include "oracles/row_facts.h"
#include "oracles/wide.h"

namespace assay {
namespace {

NormColumns MakeColumns(OpId op, Evidence& evidence) {
  const auto column = [&](Quantity quantity) { return MeasuredColumn(evidence, quantity); };
  NormColumns columns;
  columns.abs_sum = column(Quantity::kAbsSum);
  const bool row_norm = op == OpId::kLayerNorm || op == OpId::kRmsNorm;
  if (row_norm || op == OpId::kVariance) columns.mean_abs = column(Quantity::kMeanAbs);
  if (op == OpId::kVariance || op == OpId::kLayerNorm) columns.spread = column(Quantity::kSpread);
  if (!row_norm && op != OpId::kBatchNorm) return columns;
  columns.abs_x = column(Quantity::kAbsX);
  columns.deviation = column(Quantity::kDeviation);
  columns.normalized = column(Quantity::kNormalized);
  columns.gain = column(Quantity::kGain);
  if (row_norm) columns.share = column(Quantity::kVarianceShare);
  if (op != OpId::kRmsNorm) columns.bias = column(Quantity::kBias);
  return columns;
}

void Survey(NormRow& row) {
  for (const double x : row.x) {
    const double size = FiniteOrZero(std::fabs(x));
    row.sum_abs += size;
    row.sum_squares += size * size;
    row.constant &= x == row.x[0];
    row.zero &= x == 0;
  }
  row.sum_abs = Outward(row.sum_abs);
  row.sum_squares = Outward(row.sum_squares);
  row.facts.smallest = InfoOf(row.accumulator).smallest_subnormal;
  row.facts.mean_abs = row.x.empty() ? 0 : row.sum_abs / row.length();
}

// The mean and the mean of squares about it in plain doubles, near enough for a choice of sets.
struct PlainMoments {
  double mean = 0, variance = 0;
};

PlainMoments MomentsOf(const NormRow& row) {
  PlainMoments moments;
  for (const double x : row.x) moments.mean += x / row.length();
  if (row.constant) return moments;
  for (const double x : row.x) {
    const double deviation = x - moments.mean;
    moments.variance += deviation * deviation / row.length();
  }
  return moments;
}

Divisor RowDivisor(const NormRow& row, bool centered, double variance) {
  if (!centered) variance = row.sum_squares / row.length();
  return DivisorOf(centered ? row.constant : row.zero, variance, row.epsilon,
                   std::max(row.sum_squares, row.sum_abs), row.accumulator);
}

}  // namespace

// One case: rows one after the other, each by the numbers asked for.
class NormsRun {
 public:
  NormsRun(const Values& values, bool balls, int bits, Evidence& evidence)
      : values_(values), balls_(balls), bits_(bits), evidence_(evidence), op_(values.source->op) {}

  void Run() {
    const bool batch = op_ == OpId::kBatchNorm;
    const bool mapped = batch || op_ == OpId::kLayerNorm || op_ == OpId::kRmsNorm;
    const OperandValues& x = values_.operands[0];
    ResetEvidence(mapped ? x.count : 1, evidence_);
    length_ = mapped ? values_.dims[1] : values_.dims[0];
    SetRowScalars(values_, static_cast<double>(length_), evidence_);
    evidence_.special |= length_ == 0;
    columns_ = MakeColumns(op_, evidence_);
    const int64_t step = batch ? 1 : length_;
    for (int64_t at = 0; mapped && at < x.count; at += step) OneRow(at, step);
    if (!mapped) OneRow(0, length_);
    SetScalar(evidence_, Quantity::kMaxAbsSum, max_abs_sum_);
  }

 private:
  void OneRow(int64_t at, int64_t length) {
    NormRow row;
    row.x = {values_.operands[0].real.data() + at, static_cast<size_t>(length)};
    row.at = at;
    row.accumulator = RowAccumulator(values_.operands[0].dtype);
    if (op_ != OpId::kVariance && op_ != OpId::kNrm2) {
      row.epsilon = ScalarAttribute(*values_.source, kNormEpsilon);
    }
    BindParameters(row);
    row.facts.specials = SpecialsOf(row.x);
    Survey(row);
    PlainQuantities(row);
    Choose(row);
  }

  void BindParameters(NormRow& row) {
    const int64_t channel = op_ == OpId::kBatchNorm ? row.at % length_ : 0;
    const auto operand = [&](size_t i) { return values_.operands[i].real.data() + channel; };
    if (op_ == OpId::kLayerNorm || op_ == OpId::kRmsNorm) row.gain = operand(1);
    if (op_ == OpId::kLayerNorm) row.bias = operand(2);
    if (op_ != OpId::kBatchNorm) return;
    mean_ = *operand(1);
    variance_ = *operand(2);
    row.gain = operand(3);
    row.bias = operand(4);
  }

  // Also what stands where an element has no truth: no amplification, the bias itself.
  void PlainQuantities(const NormRow& row) {
    const auto count = op_ == OpId::kVariance || op_ == OpId::kNrm2 ? 1 : row.x.size();
    for (size_t i = 0; i < count; ++i) {
      const int64_t at = row.at + static_cast<int64_t>(i);
      const double bias = FiniteOrZero(row.Bias(i));
      StoreTruth({bias, 0, 0}, at, evidence_);
      SetIf(columns_.abs_sum, at, std::fabs(bias));
      SetIf(columns_.mean_abs, at, row.facts.mean_abs);
      SetIf(columns_.deviation, at, 0);
      SetIf(columns_.share, at, 0);
      SetIf(columns_.normalized, at, 0);
      SetIf(columns_.spread, at, kInfinity);
      SetIf(columns_.gain, at, FiniteOrZero(std::fabs(row.Gain(i))));
      SetIf(columns_.bias, at, std::fabs(bias));
      if (columns_.abs_x != nullptr) columns_.abs_x[at] = FiniteOrZero(std::fabs(row.x[i]));
    }
    if (op_ == OpId::kBatchNorm) return;
    max_abs_sum_ = std::max({max_abs_sum_, row.sum_abs, row.sum_squares});
  }

  void Choose(NormRow& row) {
    switch (op_) {
      case OpId::kNrm2:
        if (row.finite()) Compute(row);
        return Narrow(Nrm2Classes(row.facts.specials), row.at);
      case OpId::kVariance:
        return Variance(row);
      case OpId::kBatchNorm:
        return Batch(row);
      default:
        return Normalize(row);
    }
  }

  void Variance(NormRow& row) {
    row.facts.divisor = Divisor::kOrdinary;
    const double half = InfoOf(row.accumulator).largest / 4;
    if (!(std::max(row.sum_squares, row.sum_abs) <= half)) row.facts.divisor = Divisor::kUncertain;
    const auto length = static_cast<int64_t>(row.x.size());
    const int64_t correction = IntegerAttribute(*values_.source, kVarianceCorrection);
    if (row.finite() && length > correction) Compute(row);
    Narrow(VarianceClasses(row.facts, length, correction), row.at);
  }

  void Batch(NormRow& row) {
    const bool statistics = std::isfinite(mean_) && std::isfinite(variance_);
    row.facts.divisor = DivisorOf(variance_ == 0, variance_, row.epsilon, 0, row.accumulator);
    const bool ordinary = row.facts.divisor == Divisor::kOrdinary;
    if (row.finite() && statistics && ordinary) Compute(row);
    ClassSet set = BatchNormClasses(row.facts.divisor, row.x[0], mean_, row.Gain(0), row.Bias(0));
    const double largest = BatchMagnitude(row);
    max_abs_sum_ = std::max(max_abs_sum_, largest);
    // A product taken before the division, or terms that cancel when folded.
    if (!(largest <= InfoOf(row.accumulator).largest / 4) && (set & kClassByValue)) {
      set |= kClassInf | kClassNan;
    }
    evidence_.special |= !ordinary;
    Narrow(set, row.at);
  }

  double BatchMagnitude(const NormRow& row) const {
    const double reach = FiniteOrZero(std::fabs(row.x[0])) + FiniteOrZero(std::fabs(mean_));
    const double gain = FiniteOrZero(std::fabs(row.Gain(0)));
    const double deviation = columns_.deviation[row.at];
    const double growth = deviation > 0 ? std::max(1.0, 1 / deviation) : 1;
    return std::max({reach, gain, reach * gain, reach * growth, gain * growth,
                     reach * gain * growth, FiniteOrZero(std::fabs(row.Bias(0)))});
  }

  void Normalize(NormRow& row) {
    const bool layer = op_ == OpId::kLayerNorm;
    PlainMoments moments;
    if (row.finite()) {
      if (layer) moments = MomentsOf(row);
      row.facts.divisor = RowDivisor(row, layer, moments.variance);
    }
    const bool uncertain = row.facts.divisor == Divisor::kUncertain;
    const bool ordinary = row.facts.divisor == Divisor::kOrdinary;
    evidence_.special |= !ordinary && !uncertain;
    const bool divides = row.epsilon > 0 || !(layer ? row.constant : row.zero);
    if (row.finite() && (ordinary || (uncertain && row.epsilon >= 0 && divides))) Compute(row);
    for (size_t i = 0; i < row.x.size(); ++i) {
      const int64_t at = row.at + static_cast<int64_t>(i);
      const double x = row.x[i], gain = row.Gain(i);
      if (!layer) {
        Narrow(RmsNormClasses(row.facts, x, gain, row.accumulator), at);
        continue;
      }
      const double size = columns_.normalized[at] * columns_.deviation[at];
      Narrow(LayerNormClasses(row.facts, static_cast<int64_t>(row.x.size()),
                              x < moments.mean ? -size : size, gain, row.Bias(i)),
             at);
    }
  }

  void Compute(const NormRow& row) {
    if (!balls_ && ComputeIn<Wide>(row)) return;
    const BallPrecision precision(bits_);
    ComputeIn<Ball>(row);
    RaiseTier(evidence_, Tier::kBall);
  }

  template <class N>
  bool ComputeIn(const NormRow& row) {
    switch (op_) {
      case OpId::kNrm2:
        return Nrm2Row<N>(row, columns_, evidence_);
      case OpId::kVariance:
        return VarianceRow<N>(row, IntegerAttribute(*values_.source, kVarianceCorrection), columns_,
                              evidence_);
      case OpId::kLayerNorm:
        return LayerNormRow<N>(row, columns_, evidence_);
      case OpId::kRmsNorm:
        return RmsNormRow<N>(row, columns_, evidence_);
      default:
        return BatchNormElement<N>(row, mean_, variance_, columns_, evidence_);
    }
  }

  void Narrow(ClassSet set, int64_t at) {
    if (!(set & kClassByValue)) RaiseTier(evidence_, Tier::kTable);
    StoreClasses(set, at, evidence_);
    if (set & kClassByValue) AllowOverflow(at, evidence_);
  }

  const Values& values_;
  bool balls_;
  int bits_;
  Evidence& evidence_;
  OpId op_;
  NormColumns columns_;
  int64_t length_ = 0;
  double mean_ = 0, variance_ = 0, max_abs_sum_ = 0;
};

void NormsOracle::Measure(const Values& values, Evidence& evidence) {
  NormsRun(values, /*balls=*/false, kRowBallBits, evidence).Run();
}

void NormsOracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  NormsRun(values, /*balls=*/true, precision_bits + 16, evidence).Run();
}

}  // namespace assay
