// SPDX-License-Identifier: Apache-2.0
#include "oracles/log_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "contracts/operator.h"
#include "oracles/number/ball_value.h"
#include "oracles/row_facts.h"
#include "oracles/wide.h"

namespace assay {

ClassSet LogSoftmaxClasses(RowKind kind, double x) {
  switch (kind) {
    case RowKind::kNan:
      return kClassNan;
    case RowKind::kAllNegativeInfinity:
      return kClassNan | kClassNegInf;
    case RowKind::kPositiveInfinity:
      return x == kInfinity ? kClassNan : static_cast<ClassSet>(kClassNan | kClassNegInf);
    case RowKind::kOrdinary:
      break;
  }
  return x == -kInfinity ? kClassNegInf : kClassByValue;
}

ClassSet LogSumExpClasses(RowKind kind) {
  switch (kind) {
    case RowKind::kNan:
      return kClassNan;
    case RowKind::kAllNegativeInfinity:
      return kClassNegInf;
    case RowKind::kPositiveInfinity:
      return kClassPosInf;
    case RowKind::kOrdinary:
      break;
  }
  return kClassByValue;
}

namespace {

// An ordinary row: its maximum, L, and the mean shift under softmax.
template <class N>
struct LogRow {
  explicit LogRow(std::span<const double> x) : largest(*std::max_element(x.begin(), x.end())) {
    bool maximum_seen = false;
    N others = N(0);
    double weighted = 0;
    for (const double value : x) {
      if (value == -kInfinity) continue;
      if (value == largest && !maximum_seen) {
        maximum_seen = true;
        continue;
      }
      const N weight = Exp(N(value) - N(largest));
      others = others + weight;
      const double size = MiddleOf(weight);
      if (size > 0) weighted += size * ShiftOf(value);
    }
    log_sum = Log1p(others);
    // n additions of positive terms, each right to 2^-45, stay below this.
    mean_shift =
        weighted / (1 + MiddleOf(others)) * (1 + 0x1p-36 + static_cast<double>(x.size()) * kUnit);
  }

  // Clamped to the finite doubles; an absent element has none.
  double ShiftOf(double value) const {
    if (value == -kInfinity) return 0;
    return std::min(Outward(largest - value), std::numeric_limits<double>::max());
  }

  double largest;
  N log_sum = N(0);
  double mean_shift = 0;
};

class LogSoftmaxRun {
 public:
  LogSoftmaxRun(const Values& values, Evidence& evidence)
      : values_(values),
        x_(values.operands[0]),
        evidence_(evidence),
        maps_(values.source->op == OpId::kLogSoftmax) {}

  // Rows for which a Wide is not narrow enough are left to balls.
  template <class N>
  void Run() {
    const int64_t rows = values_.dims[0], length = values_.dims[1];
    ResetEvidence(maps_ ? rows * length : rows, evidence_);
    SetRowScalars(values_, static_cast<double>(length), evidence_);
    evidence_.special |= length == 0;
    shift_ = maps_ ? MeasuredColumn(evidence_, Quantity::kShift) : nullptr;
    mean_shift_ = MeasuredColumn(evidence_, Quantity::kMeanShift);
    log_sum_ = MeasuredColumn(evidence_, Quantity::kLogSum);
    abs_x_ = MeasuredColumn(evidence_, Quantity::kAbsX);
    for (int64_t r = 0; r < rows; ++r) {
      const std::span<const double> row(x_.real.data() + r * length, static_cast<size_t>(length));
      const RowKind kind = evidence_.special ? RowKindOf(row) : RowKind::kOrdinary;
      if (kind == RowKind::kOrdinary) {
        if (Ordinary<N>(row, r) || std::is_same_v<N, Ball>) continue;
        const BallPrecision precision(kRowBallBits);
        Ordinary<Ball>(row, r);
        RaiseTier(evidence_, Tier::kBall);
      } else {
        Special(row, kind, r);
      }
    }
  }

 private:
  // Whether every enclosure decides: tolerances are never below u.
  template <class N>
  bool Ordinary(std::span<const double> row, int64_t r) {
    bool narrow = true;
    const LogRow<N> sums(row);
    const double log_sum = Outward(MiddleOf(sums.log_sum));
    const auto length = static_cast<int64_t>(row.size());
    const int64_t count = maps_ ? length : 1;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = r * count + i;
      mean_shift_[at] = sums.mean_shift;
      log_sum_[at] = log_sum;
      const double x = maps_ ? row[static_cast<size_t>(i)] : sums.largest;
      abs_x_[at] = FiniteOrZero(std::fabs(x));
      if (maps_) shift_[at] = sums.ShiftOf(x);
      if (x == -kInfinity) {
        Narrow(kClassNegInf, at);
        continue;
      }
      const N truth = maps_ ? (N(x) - N(sums.largest)) - sums.log_sum : N(x) + sums.log_sum;
      const Enclosure enclosure = EnclosureOf(truth);
      narrow &= IsNarrow(enclosure, 1 + std::fabs(enclosure.hi));
      StoreTruth(enclosure, at, evidence_);
      AllowOverflow(at, evidence_);
    }
    return narrow;
  }

  void Special(std::span<const double> row, RowKind kind, int64_t r) {
    const int64_t count = maps_ ? static_cast<int64_t>(row.size()) : 1;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = r * count + i;
      mean_shift_[at] = log_sum_[at] = abs_x_[at] = 0;
      if (maps_) shift_[at] = 0;
      Narrow(maps_ ? LogSoftmaxClasses(kind, row[static_cast<size_t>(i)]) : LogSumExpClasses(kind),
             at);
    }
  }

  void Narrow(ClassSet set, int64_t at) {
    RaiseTier(evidence_, Tier::kTable);
    StoreClasses(set, at, evidence_);
  }

  const Values& values_;
  const OperandValues& x_;
  Evidence& evidence_;
  bool maps_;
  double *shift_ = nullptr, *mean_shift_ = nullptr, *log_sum_ = nullptr, *abs_x_ = nullptr;
};

}  // namespace

void LogSoftmaxOracle::Measure(const Values& values, Evidence& evidence) {
  LogSoftmaxRun(values, evidence).Run<Wide>();
}

void LogSoftmaxOracle::MeasureHighest(const Values& values, int precision_bits,
                                      Evidence& evidence) {
  const BallPrecision precision(precision_bits + 16);
  LogSoftmaxRun(values, evidence).Run<Ball>();
  if (!evidence.hi.empty()) RaiseTier(evidence, Tier::kBall);
}

}  // namespace assay
