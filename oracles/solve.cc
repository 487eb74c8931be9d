// SPDX-License-Identifier: Apache-2.0
#include "oracles/solve.h"

#include <algorithm>
#include <cmath>

#include "oracles/enclosure.h"
#include "oracles/evidence_columns.h"
#include "oracles/solve_classes.h"

namespace assay {
namespace {

constexpr int kFirstBits = 128, kLastBits = 4096;
// What a ball may leave open, as a part of the bound.
constexpr double kNarrow = 0x1p-20;

double UpperBound(const Ball& ball) {
  const Enclosure enclosure = ball.ToEnclosure();
  return Outward(std::fabs(enclosure.hi) + std::fabs(enclosure.lo) + enclosure.radius);
}

bool AllFiniteSide(const SolveSystem& system, int64_t side) {
  for (int64_t step = 0; step < system.order; ++step) {
    if (!std::isfinite(system.B(step, side))) return false;
  }
  return true;
}

double LargestFinite(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

// With alpha = 0 nothing is read, and the answer is zero.
void ClearAll(Evidence& evidence) {
  for (int64_t at = 0; at < evidence.count; ++at) StoreClasses(kClassZero, at, evidence);
}

}  // namespace

SolveSystem::SolveSystem(const Values& values) {
  const OperandValues& a = values.operands[0];
  const Triangle triangle = TriangleOf(*values.source);
  const bool wide = a.dtype == DType::kF64;
  const FormatInfo& info = InfoOf(wide ? Format::kF64 : Format::kF32);
  order = a.shape[0];
  right_ = triangle.right;
  sides = values.source->op == OpId::kTrsv ? 1 : values.dims[right_ ? 0 : 1];
  alpha = triangle.alpha;
  unit = info.unit_roundoff;
  eta = info.smallest_subnormal;
  b = values.operands[1].real.data();
  forward_ = right_ ? triangle.Holds(0, 1) : triangle.Holds(1, 0);
  lower.assign(static_cast<size_t>(order * order), 0);
  for (int64_t row = 0; row < order; ++row) {
    for (int64_t column = 0; column <= row; ++column) {
      const int64_t i = forward_ ? row : order - 1 - row;
      const int64_t j = forward_ ? column : order - 1 - column;
      const double value = triangle.At(a.real.data(), order, right_ ? j : i, right_ ? i : j);
      lower[static_cast<size_t>(row * order + column)] = value;
      regular &= std::isfinite(value) && (row != column || value != 0);
    }
  }
}

int64_t SolveSystem::OffDiagonal(int64_t row) const {
  const double* begin = lower.data() + row * order;
  return row - std::count(begin, begin + row, 0.0);
}

// Column by column: L y = e_j. Upper bounds whatever the precision.
void SolveOracle::InvertMagnitudes(const SolveSystem& system, int bits) {
  const int64_t order = system.order;
  const BallPrecision precision(bits);
  inverse_.assign(static_cast<size_t>(order * order), 0);
  column_.resize(static_cast<size_t>(order));
  for (int64_t j = 0; j < order; ++j) {
    for (int64_t i = j; i < order; ++i) {
      Ball sum = i == j ? Ball(1) : Ball();
      for (int64_t k = j; k < i; ++k) {
        const double factor = system.L(i, k);
        if (factor != 0) sum = sum - Ball(factor) * column_[static_cast<size_t>(k)];
      }
      column_[static_cast<size_t>(i)] = sum / Ball(system.L(i, i));
      inverse_[static_cast<size_t>(i * order + j)] = UpperBound(column_[static_cast<size_t>(i)]);
    }
  }
}

// The solution of one side. False: some ball is wide beside the bound, which is stored.
bool SolveOracle::MeasureSide(const SolveSystem& system, int64_t side, int bits,
                              Evidence& evidence) {
  {
    const BallPrecision precision(bits);
    x_.resize(static_cast<size_t>(system.order));
    for (int64_t row = 0; row < system.order; ++row) {
      Ball sum = Ball(system.alpha) * Ball(system.B(row, side));
      for (int64_t k = 0; k < row; ++k) {
        const double factor = system.L(row, k);
        if (factor != 0) sum = sum - Ball(factor) * x_[static_cast<size_t>(k)];
      }
      x_[static_cast<size_t>(row)] = sum / Ball(system.L(row, row));
      StoreTruth(x_[static_cast<size_t>(row)].ToEnclosure(), system.At(row, side), evidence);
    }
  }
  BoundSide(system, side, evidence);
  const double* forward = MeasuredColumn(evidence, Quantity::kForwardSum);
  for (int64_t row = 0; row < system.order; ++row) {
    const int64_t at = system.At(row, side);
    const double open = evidence.radius[at];
    if (!(open <= kNarrow * system.unit * forward[at] + kTiniest)) return false;
  }
  return true;
}

// Magnitudes of one side from its truths: e by substitution, as in the header.
void SolveOracle::BoundSide(const SolveSystem& system, int64_t side, Evidence& evidence) {
  const int64_t order = system.order;
  const double roundings = static_cast<double>(order + 2) * system.unit;
  const double gamma = roundings / (1 - roundings);
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  double* forward = MeasuredColumn(evidence, Quantity::kForwardSum);
  double* steps = MeasuredColumn(evidence, Quantity::kForwardSteps);
  double* nnz = MeasuredColumn(evidence, Quantity::kNonZeros);
  weight_.assign(static_cast<size_t>(order), 0);  // |L| (|x| + e)
  size_.assign(static_cast<size_t>(order), 0);    // |x| + e
  double most = 0;
  for (int64_t row = 0; row < order; ++row) {
    const int64_t at = system.At(row, side);
    const double diagonal = std::fabs(system.L(row, row));
    const double x = std::fabs(evidence.hi[at]) + std::fabs(evidence.lo[at]) + evidence.radius[at];
    double before = 0, forward_before = 0, lost = 0;
    for (int64_t k = 0; k < row; ++k) {
      const double share = inverse_[static_cast<size_t>(row * order + k)];
      before += std::fabs(system.L(row, k)) * size_[static_cast<size_t>(k)];
      forward_before += share * weight_[static_cast<size_t>(k)];
    }
    for (int64_t k = 0; k <= row; ++k) {
      const double taken = static_cast<double>(system.OffDiagonal(k)) + 1;
      const double each = taken + 2 * std::fabs(system.L(k, k));
      lost += inverse_[static_cast<size_t>(row * order + k)] * each;
    }
    lost *= std::max(1.0, std::fabs(system.alpha));
    const double own = inverse_[static_cast<size_t>(row * order + row)];
    // e (1 - gamma) = gamma (|x| + what came before) + steps
    const double known = forward_before + own * before;
    const double e = Outward((gamma * (x + known) + lost * system.eta) / (1 - gamma));
    size_[static_cast<size_t>(row)] = x + e;
    weight_[static_cast<size_t>(row)] = Outward(before + diagonal * (x + e));
    most = std::max(most, static_cast<double>(system.OffDiagonal(row) + 1));
    abs_sum[at] =
        Outward(weight_[static_cast<size_t>(row)] + std::fabs(system.alpha * system.B(row, side)));
    forward[at] = Outward(known + own * diagonal * (x + e));
    steps[at] = Outward(lost);
    nnz[at] = most;
    const double reciprocal = 1 / diagonal;
    max_abs_sum_ = std::max({max_abs_sum_, abs_sum[at], x + e, reciprocal});
  }
}

void SolveOracle::MeasureFrom(const Values& values, int bits, Evidence& evidence) {
  ResetEvidence(values.operands.back().count, evidence);
  const SolveSystem system(values);
  max_abs_sum_ = 0;
  for (const Quantity each :
       {Quantity::kAbsSum, Quantity::kForwardSum, Quantity::kForwardSteps, Quantity::kNonZeros}) {
    std::fill_n(MeasuredColumn(evidence, each), evidence.count, 0.0);
  }
  const OperandValues &a = values.operands[0], &b = values.operands[1];
  evidence.special = a.any_nan || a.any_inf || b.any_nan || b.any_inf || !system.regular ||
                     !std::isfinite(system.alpha) || system.alpha == 0;
  evidence.tier = Tier::kBall;
  const bool solves = system.alpha != 0 && evidence.count > 0;
  if (!solves) ClearAll(evidence);
  if (solves && system.regular) InvertMagnitudes(system, kFirstBits);
  for (int64_t side = 0; solves && side < system.sides; ++side) {
    if (system.regular && std::isfinite(system.alpha) && AllFiniteSide(system, side)) {
      for (int p = bits; !MeasureSide(system, side, p, evidence) && p < kLastBits;) p *= 4;
    } else {
      max_abs_sum_ = std::max(max_abs_sum_, MeasureSpecialSide(system, side, evidence));
    }
  }
  SetScalar(evidence, Quantity::kLength, static_cast<double>(system.order));
  SetScalar(evidence, Quantity::kAlpha, system.alpha);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, LargestFinite(system.lower));
  SetScalar(evidence, Quantity::kMaxAbsB, b.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
  // alpha may be applied to the solution of the unscaled system.
  const double unscaled = 1 / std::fabs(system.alpha);
  const double most = max_abs_sum_ * (unscaled > 1 && std::isfinite(unscaled) ? unscaled : 1);
  SetScalar(evidence, Quantity::kMaxAbsSum, most);
  SetScalar(evidence, Quantity::kMaxAbsProductSum, system.regular ? most : kInfinity);
}

void SolveOracle::Measure(const Values& values, Evidence& evidence) {
  MeasureFrom(values, kFirstBits, evidence);
}

void SolveOracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  MeasureFrom(values, std::max(precision_bits, kFirstBits), evidence);
}

}  // namespace assay
