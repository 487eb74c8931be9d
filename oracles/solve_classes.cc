// SPDX-License-Identifier: Apache-2.0
//
// Sets of signs are carried through the substitution. Where both zero and its neighbours are
// possible, since a difference may cancel in one order and not in another, all of them are.
#include "oracles/solve_classes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "oracles/enclosure.h"
#include "oracles/evidence_columns.h"
#include "oracles/signs.h"

namespace assay {
namespace {

using namespace signs;

Signs OverOne(Signs a, double diagonal) {
  const bool negative = IsNegative(a) != std::signbit(diagonal);
  // Reference BLAS does not divide zero, and a reciprocal of zero makes a NaN of it.
  if (a == kNull) {
    const bool plain = diagonal != 0 && !std::isnan(diagonal);
    return plain ? kNull : static_cast<Signs>(kNull | kNot);
  }
  if (a == kNot || std::isnan(diagonal)) return kNot;
  if (std::isinf(diagonal)) return IsInfinite(a) ? kNot : kNull;
  if (diagonal == 0 || IsInfinite(a)) return Infinite(negative);
  return Finite(negative);
}

Signs Over(Signs a, double diagonal) {
  Signs result = 0;
  for (const Signs x : kAllSigns) {
    if ((a & x) != 0) result |= OverOne(x, diagonal);
  }
  return result;
}

// One step: what it may be, and its value where it may be real, with a bound on what a kernel's
// value differs by.
struct Step {
  Signs signs = kNull;
  double value = 0, error = 0;
};

class Substitution {
 public:
  // `alpha` is applied to b here; what is left of it, to the solution by the caller.
  Substitution(const SolveSystem& system, int64_t side, double alpha)
      : system_(system), side_(side), alpha_(alpha), done_(static_cast<size_t>(system.order)) {}

  const Step& Take(int64_t row) {
    const double roundings = static_cast<double>(system_.order + 2) * system_.unit;
    Step& step = done_[static_cast<size_t>(row)];
    Step sum = Start(row);
    double size = std::fabs(sum.value);
    for (int64_t k = 0; k < row; ++k) {
      const double factor = system_.L(row, k);
      const Step& known = done_[static_cast<size_t>(k)];
      sum.signs = Minus(sum.signs, Times(SignOf(factor), known.signs, Zeros::kSkipped));
      if (!std::isfinite(factor)) continue;
      sum.value -= factor * known.value;
      sum.error += std::fabs(factor) * known.error;
      size += std::fabs(factor * known.value);
    }
    sum.error += 2 * roundings * size + static_cast<double>(row + 2) * system_.eta * (size != 0);
    Settle(sum);
    largest_ = std::max(largest_, size + sum.error);
    const double diagonal = system_.L(row, row);
    step.signs = Over(sum.signs, diagonal);
    const bool divides = std::isfinite(diagonal) && diagonal != 0;
    if (divides) {
      step.value = sum.value / diagonal;
      step.error = sum.error / std::fabs(diagonal) + 3 * system_.unit * std::fabs(step.value);
      if (step.value != 0) step.error += system_.eta;
      largest_ = std::max({largest_, std::fabs(step.value) + step.error, 1 / std::fabs(diagonal)});
    }
    Settle(step);
    return step;
  }
  double largest() const { return largest_; }

 private:
  Step Start(int64_t row) const {
    const double b = system_.B(row, side_);
    Step step;
    step.signs = alpha_ == 1 ? SignOf(b) : Times(SignOf(alpha_), SignOf(b), Zeros::kSkipped);
    if (std::isfinite(b) && std::isfinite(alpha_)) step.value = alpha_ * b;
    if (alpha_ != 1 && b != 0) step.error = system_.eta;  // the product may vanish
    return step;
  }

  // A real number's sign is known where its error leaves it.
  static void Settle(Step& step) {
    if ((step.signs & kReal) == 0) return;
    const bool only_real = (step.signs & static_cast<Signs>(~kReal)) == 0;
    const bool sure = std::fabs(step.value) > 2 * step.error;
    if (only_real && (sure || step.error == 0)) {
      step.signs = SignOf(step.value);
    } else {
      step.signs |= kReal;
    }
  }

  const SolveSystem& system_;
  int64_t side_;
  double alpha_;
  std::vector<Step> done_;
  double largest_ = 0;
};

}  // namespace

double MeasureSpecialSide(const SolveSystem& system, int64_t side, Evidence& evidence) {
  // Reference BLAS scales b on the one side, and the solution on the other.
  Substitution first(system, side, system.alpha), last(system, side, 1);
  const Signs alpha = SignOf(system.alpha);
  const double scale = std::isfinite(system.alpha) ? system.alpha : 0;
  int64_t special = 0;
  for (int64_t row = 0; row < system.order; ++row) {
    const Step &scaled = first.Take(row), &plain = last.Take(row);
    const int64_t at = system.At(row, side);
    const Signs signs = scaled.signs | Times(alpha, plain.signs, Zeros::kSkipped);
    StoreTruth({scale * plain.value, 0, std::fabs(scale) * plain.error}, at, evidence);
    StoreClasses(ClassesOf(signs), at, evidence);
    special += (signs & static_cast<Signs>(~kReal)) != 0;
  }
  // What the triangle does not hold are zeros, by which another element may be multiplied, too; so
  // are the rows that a tile is filled up with, by an infinite alpha.
  for (int64_t row = 0; row < system.order; ++row) {
    const int64_t at = system.At(row, side);
    const bool itself = (evidence.legal[at] & (kClassNan | kClassInf)) != 0;
    const bool met = special > (itself ? 1 : 0) || !std::isfinite(system.alpha);
    if (met) StoreClasses(evidence.legal[at] | kClassNan, at, evidence);
  }
  return std::max(first.largest(), last.largest() * std::fabs(scale));
}

}  // namespace assay
