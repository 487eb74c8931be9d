// SPDX-License-Identifier: Apache-2.0
#include "oracles/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/evidence_columns.h"
#include "oracles/row_facts.h"
#include "oracles/unary.h"
#include "oracles/wide.h"

namespace assay {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// |x_i - max x| and its mean under p; both clamped to the finite doubles, so that a vanishing p
// times a shift stays 0. An absent term (x = -Inf) has no shift.
void MeasureShifts(std::span<const double> row, const double* p, double* shift,
                   double* mean_shift) {
  const double largest = *std::max_element(row.begin(), row.end());
  double mean = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const bool absent = std::isinf(row[i]);
    shift[i] = absent ? 0 : std::min(Outward(largest - row[i]), kLargest);
    if (p[i] > 0) mean += p[i] * shift[i];
  }
  // p is right to 2^-45 or better, and n additions of positive terms stay below n u.
  mean *= 1 + 0x1p-36 + static_cast<double>(row.size()) * kUnit;
  std::fill_n(mean_shift, row.size(), mean);
}

void SoftmaxScalars(const Values& values, Evidence& evidence) {
  SetScalar(evidence, Quantity::kLength, static_cast<double>(values.dims[1]));
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, values.operands[0].max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

}  // namespace

RowKind RowKindOf(std::span<const double> row) {
  bool positive = false, all_negative = true;
  for (const double x : row) {
    if (std::isnan(x)) return RowKind::kNan;
    positive |= x == kInfinity;
    all_negative &= x == -kInfinity;
  }
  if (positive) return RowKind::kPositiveInfinity;
  return all_negative ? RowKind::kAllNegativeInfinity : RowKind::kOrdinary;
}

ClassSet SoftmaxClasses(RowKind kind, double x) {
  switch (kind) {
    case RowKind::kNan:
    case RowKind::kAllNegativeInfinity:
      return kClassNan;
    case RowKind::kPositiveInfinity:
      // Inf - Inf at the maximum; elsewhere exp(-Inf) = 0, over a sum that may or may not be NaN.
      return x == kInfinity ? kClassNan : static_cast<ClassSet>(kClassNan | kClassPosZero);
    case RowKind::kOrdinary:
      break;
  }
  return x == -kInfinity ? kClassPosZero : kClassByValue;
}

// x_i - m as high + low exactly, exp(low) = 1 + low to far below 2^-60; the sum keeps its errors.
// Left are the roundings of exp (twice), of two products and of one quotient.
void LibmSoftmax(std::span<const double> x, double* hi, double* lo, double* radius) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0, sum_error = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    hi[i] = 0;
    lo[i] = 0;
    if (x[i] == -kInfinity) continue;
    double high, low, error;
    TwoSum(x[i], -largest, high, low);
    hi[i] = std::exp(high) * (1 + low);
    TwoSum(sum, hi[i], sum, error);
    sum_error += error;
  }
  const double total = sum + sum_error;
  for (size_t i = 0; i < x.size(); ++i) {
    hi[i] /= total;
    radius[i] = hi[i] * kLibmRadius;
    if (!(hi[i] >= 0x1p-950)) radius[i] += kLibmFloor;
  }
}

// Whether every enclosure decides.
bool WideSoftmax(std::span<const double> x, std::vector<Wide>& weights, double* hi, double* lo,
                 double* radius) {
  const double largest = *std::max_element(x.begin(), x.end());
  weights.resize(x.size());
  Wide sum;
  for (size_t i = 0; i < x.size(); ++i) {
    weights[i] = x[i] == -kInfinity ? Wide() : Exp(Wide(x[i]) - Wide(largest));
    sum = sum + weights[i];
  }
  bool narrow = true;
  for (size_t i = 0; i < x.size(); ++i) {
    const Enclosure p = EnclosureOf(weights[i] / sum);
    hi[i] = p.hi;
    lo[i] = p.lo;
    radius[i] = p.radius;
    narrow &= IsNarrow(p, p.hi);
  }
  return narrow;
}

void SoftmaxOracle::MeasureWith(const Values& values, Way way, int precision_bits,
                                BallEvaluator& balls, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const int64_t rows = values.dims[0], length = values.dims[1];
  ResetEvidence(rows * length, evidence);
  SoftmaxScalars(values, evidence);
  evidence.special = x.any_nan || x.any_inf || length == 0;
  double* shift = MeasuredColumn(evidence, Quantity::kShift);
  double* mean_shift = MeasuredColumn(evidence, Quantity::kMeanShift);
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  for (int64_t r = 0; length > 0 && r < rows; ++r) {
    const int64_t from = r * length;
    const std::span<const double> row(x.real.data() + from, static_cast<size_t>(length));
    const RowKind kind = evidence.special ? RowKindOf(row) : RowKind::kOrdinary;
    for (int64_t i = 0; i < length; ++i)
      abs_x[from + i] = std::isfinite(row[i]) ? std::fabs(row[i]) : 0;
    if (kind == RowKind::kOrdinary) {
      double* hi = evidence.hi.data() + from;
      double* lo = evidence.lo.data() + from;
      double* radius = evidence.radius.data() + from;
      if (way == Way::kLibm) {
        LibmSoftmax(row, hi, lo, radius);
        RaiseTier(evidence, Tier::kLibm);
      } else if (way == Way::kBall || !WideSoftmax(row, weights_, hi, lo, radius)) {
        balls.Softmax(row, precision_bits, hi, lo, radius);
        RaiseTier(evidence, Tier::kBall);
      }
      MeasureShifts(row, hi, shift + from, mean_shift + from);
    } else {
      std::fill_n(shift + from, length, 0.0);
      std::fill_n(mean_shift + from, length, 0.0);
    }
    for (int64_t i = 0; evidence.special && i < length; ++i) {
      const ClassSet set = SoftmaxClasses(kind, row[i]);
      if (set != kClassByValue) RaiseTier(evidence, Tier::kTable);
      StoreClasses(set, from + i, evidence);
    }
  }
}

void SoftmaxOracle::Measure(const Values& values, BallEvaluator& balls, Evidence& evidence) {
  const Way way = values.operands[0].dtype != DType::kF64 ? Way::kLibm : Way::kWide;
  MeasureWith(values, way, /*precision_bits=*/0, balls, evidence);
}

void SoftmaxOracle::MeasureHighest(const Values& values, int precision_bits, BallEvaluator& balls,
                                   Evidence& evidence) {
  MeasureWith(values, Way::kBall, precision_bits, balls, evidence);
}

}  // namespace assay
