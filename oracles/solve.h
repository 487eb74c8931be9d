// SPDX-License-Identifier: Apache-2.0
//
// The oracle of triangular solves, trsv and trsm. Internal to oracles/.
//
// Every right-hand side is substituted in ball arithmetic, with more bits until the ball is narrow
// beside the bound. Bound (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma
// 8.4 and theorem 8.5): whatever the order of the subtractions, the computed y solves
// (T + D) y = r with |D| <= gamma(m) |T|, m the most non-zeros of a row, and one more rounding each
// for a reciprocal of the diagonal and for alpha. From T (y - x) = -D y follows
//     |y - x| <= e = gamma(m) |inv(T)| |T| (|x| + e) + |inv(T)| s,
// s what the steps of a row lose by underflow. T is triangular, so e follows by substitution, too.
#pragma once

#include <cstdint>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/operator.h"
#include "contracts/values.h"
#include "oracles/number/ball_value.h"

namespace assay {

// A solve as L y = alpha b for each of its sides (right-hand sides), L lower triangular: rows and
// columns in the order of substitution. Refers to the values of a case.
struct SolveSystem {
  explicit SolveSystem(const Values& values);

  int64_t order = 0, sides = 0;
  double alpha = 1;
  std::vector<double> lower;  // order x order; a unit diagonal is 1
  bool regular = true;        // all of it finite, no zero on the diagonal
  double unit = 0, eta = 0;   // of the type computed in: roundoff and smallest subnormal
  const double* b = nullptr;

  double L(int64_t row, int64_t column) const { return lower[row * order + column]; }
  // Element `step` of side `side`, as a place of the output.
  int64_t At(int64_t step, int64_t side) const {
    const int64_t place = forward_ ? step : order - 1 - step;
    return right_ ? side * order + place : place * sides + side;
  }
  int64_t SideOf(int64_t at) const { return right_ ? at / order : at % sides; }
  double B(int64_t step, int64_t side) const { return b[At(step, side)]; }
  // Non-zeros beside the diagonal.
  int64_t OffDiagonal(int64_t row) const;

 private:
  bool forward_ = true, right_ = false;
};

// Buffers are kept from case to case; not thread-safe.
class SolveOracle {
 public:
  void Measure(const Values& values, Evidence& evidence);
  // As Measure, from `precision_bits` on.
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);

 private:
  void MeasureFrom(const Values& values, int bits, Evidence& evidence);
  void InvertMagnitudes(const SolveSystem& system, int bits);
  bool MeasureSide(const SolveSystem& system, int64_t side, int bits, Evidence& evidence);
  void BoundSide(const SolveSystem& system, int64_t side, Evidence& evidence);

  std::vector<double> inverse_;  // |inv(L)|, upper bounds; empty where L is not regular
  std::vector<double> weight_, size_;
  std::vector<Ball> x_, column_;
  double max_abs_sum_ = 0;
};

}  // namespace assay
