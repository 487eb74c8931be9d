// SPDX-License-Identifier: Apache-2.0
//
// The formulas of the norms, one template each: N is Wide or Ball. A formula stores truth and
// quantities of a row of finite numbers with an ordinary divisor, and says whether every enclosure
// is narrow enough to decide. Internal to norms.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "oracles/norms_classes.h"
#include "oracles/row_facts.h"

namespace assay {

// Columns of the operator at hand; null where it has none.
struct NormColumns {
  double *abs_x = nullptr, *abs_sum = nullptr, *mean_abs = nullptr, *deviation = nullptr,
         *share = nullptr, *normalized = nullptr, *gain = nullptr, *bias = nullptr,
         *spread = nullptr;
};

inline void SetIf(double* column, int64_t at, double value) {
  if (column != nullptr) column[at] = value;
}

// One row (batch_norm: one channel of one row) of a case.
struct NormRow {
  std::span<const double> x;
  int64_t at = 0;  // of its first output element
  double epsilon = 0;
  const double *gain = nullptr, *bias = nullptr;
  Format accumulator = Format::kF32;
  NormFacts facts;
  double sum_abs = 0, sum_squares = 0;  // over finite elements
  bool constant = true, zero = true;

  double Gain(size_t i) const { return gain == nullptr ? 1 : gain[i]; }
  double Bias(size_t i) const { return bias == nullptr ? 0 : bias[i]; }
  auto length() const { return static_cast<double>(x.size()); }
  bool finite() const { return !facts.specials.nan && !facts.specials.inf(); }
};

// S and sum (n x - S)^2. A constant row has no deviations, however its sum was rounded.
template <class N>
struct CenteredRow {
  explicit CenteredRow(const NormRow& row) : length(row.length()), constant(row.constant) {
    for (const double x : row.x) sum = sum + N(x);
    if (constant) return;
    for (const double x : row.x) {
      const N deviation = Deviation(x);
      squares = squares + deviation * deviation;
    }
  }
  N Deviation(double x) const { return constant ? N(0) : N(length) * N(x) - sum; }
  N Variance(double divisor) const { return squares / (N(length) * N(length) * N(divisor)); }
  // sqrt(sum x^2 / sum (x - mean)^2) = sqrt(1 + n S^2 / sum (n x - S)^2)
  double Spread() const {
    if (constant) return kInfinity;
    const Enclosure spread = EnclosureOf(Sqrt(N(1) + N(length) * (sum * sum) / squares));
    return Outward(spread.hi + spread.radius);
  }

  double length;
  bool constant;
  N sum = N(0), squares = N(0);
};

template <class N>
N SumOfSquares(const NormRow& row) {
  N sum;
  SumOfProducts(row.x.data(), row.x.data(), static_cast<int64_t>(row.x.size()), sum);
  return sum;
}

// Stores a truth and its magnitude; whether the enclosure decides.
template <class N>
bool StoreNorm(const N& truth, double magnitude, double scale, int64_t at,
               const NormColumns& columns, Evidence& evidence) {
  const Enclosure enclosure = EnclosureOf(truth);
  StoreTruth(enclosure, at, evidence);
  SetIf(columns.abs_sum, at, Outward(magnitude));
  return IsNarrow(enclosure, scale);
}

template <class N>
bool Nrm2Row(const NormRow& row, const NormColumns& columns, Evidence& evidence) {
  const N truth = Sqrt(SumOfSquares<N>(row));
  const double size = MiddleOf(truth);
  return StoreNorm(truth, size, size, row.at, columns, evidence);
}

template <class N>
bool VarianceRow(const NormRow& row, int64_t correction, const NormColumns& columns,
                 Evidence& evidence) {
  const CenteredRow<N> centered(row);
  const N truth = centered.Variance(row.length() - static_cast<double>(correction));
  const double spread = centered.Spread();
  SetIf(columns.spread, row.at, spread);
  const double size = MiddleOf(truth);
  return StoreNorm(truth, size, row.constant ? 0 : size * spread, row.at, columns, evidence);
}

template <class N>
bool LayerNormRow(const NormRow& row, const NormColumns& columns, Evidence& evidence) {
  const CenteredRow<N> centered(row);
  const N variance = centered.Variance(row.length());
  const N shifted = variance + N(row.epsilon);
  const N root = Sqrt(shifted);
  const N factor = N(1) / (N(row.length()) * root);
  const double deviation = MiddleOf(root), share = MiddleOf(variance / shifted);
  const double spread = centered.Spread();
  bool narrow = true;
  for (size_t i = 0; i < row.x.size(); ++i) {
    const int64_t at = row.at + static_cast<int64_t>(i);
    const double gain = FiniteOrZero(row.Gain(i)), bias = FiniteOrZero(row.Bias(i));
    const N normalized = centered.Deviation(row.x[i]) * factor;
    const N truth = N(gain) * normalized + N(bias);
    const double magnitude = std::fabs(gain) * (std::fabs(row.x[i]) + row.facts.mean_abs);
    const double scale = magnitude / deviation + std::fabs(bias);
    narrow &= StoreNorm(truth, scale, scale, at, columns, evidence);
    columns.deviation[at] = deviation;
    columns.share[at] = share;
    columns.normalized[at] = Outward(std::fabs(MiddleOf(normalized)));
    columns.spread[at] = spread;
  }
  return narrow;
}

template <class N>
bool RmsNormRow(const NormRow& row, const NormColumns& columns, Evidence& evidence) {
  const N square = SumOfSquares<N>(row) / N(row.length());
  const N shifted = square + N(row.epsilon);
  const N root = Sqrt(shifted);
  const double deviation = MiddleOf(root), share = MiddleOf(square / shifted);
  bool narrow = true;
  for (size_t i = 0; i < row.x.size(); ++i) {
    const int64_t at = row.at + static_cast<int64_t>(i);
    const N truth = N(FiniteOrZero(row.Gain(i))) * N(row.x[i]) / root;
    const double size = std::fabs(MiddleOf(truth));
    narrow &= StoreNorm(truth, size, size, at, columns, evidence);
    columns.deviation[at] = deviation;
    columns.share[at] = share;
    columns.normalized[at] = Outward(std::fabs(row.x[i]) / deviation);
  }
  return narrow;
}

template <class N>
bool BatchNormElement(const NormRow& row, double mean, double variance, const NormColumns& columns,
                      Evidence& evidence) {
  const N root = Sqrt(N(variance) + N(row.epsilon));
  const double gain = FiniteOrZero(row.Gain(0)), bias = FiniteOrZero(row.Bias(0));
  const N difference = N(row.x[0]) - N(mean);
  const N truth = N(gain) * difference / root + N(bias);
  const double deviation = MiddleOf(root);
  const double magnitude = std::fabs(gain) * (std::fabs(row.x[0]) + std::fabs(mean)) / deviation;
  columns.deviation[row.at] = deviation;
  columns.normalized[row.at] = Outward(std::fabs(MiddleOf(difference)) / deviation);
  return StoreNorm(truth, magnitude, magnitude + std::fabs(bias), row.at, columns, evidence);
}

}  // namespace assay
