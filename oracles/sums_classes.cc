// SPDX-License-Identifier: Apache-2.0
//
// Special answers of sums of products. Everything is computed over the extended reals and over the
// associations that implementations use: alpha applied to the finished sum, folded into the right
// operand (reference BLAS) or into the left one.
#include <algorithm>
#include <cmath>

#include "oracles/sums_view.h"

namespace assay {
namespace {

ClassSet InfinityOf(double sign) { return sign > 0 ? kClassPosInf : kClassNegInf; }

// The class of a product of extended reals, kClassByValue if it is finite.
ClassSet ProductClass(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return kClassNan;
  if (std::isfinite(x) && std::isfinite(y)) return kClassByValue;
  if (x == 0 || y == 0) return kClassNan;
  return InfinityOf((x > 0) == (y > 0) ? 1 : -1);
}

// beta * c where nothing else is added.
ClassSet ClassOfScaledC(const SumsView& view, double c) {
  if (view.beta == 1) {  // C unchanged bit for bit, the sign of a zero included
    const ClassSet kept = ClassOf(c);
    // Unless an empty sum was added: 0 + (-0) is +0.
    if (kept == kClassNegZero && view.alpha != 0) return kClassZero;
    return kept == kClassFinite ? kClassByValue : kept;
  }
  return ProductClass(view.beta, c);
}

// c where beta is zero and nothing is added: +0 is stored. A negative zero beta may be multiplied,
// and an empty sum may be (reference BLAS does, for a transposed operand) with a negative alpha.
ClassSet ClassOfClearedC(const SumsView& view) {
  if (view.zeros_optional) return kClassZero;  // what the text of a product of zero leaves open
  const bool multiplied = std::signbit(view.beta) || (view.alpha != 0 && std::signbit(view.alpha));
  return multiplied ? kClassZero : kClassPosZero;
}

ClassSet WithoutProducts(const SumsView& view, int64_t row, int64_t column) {
  ClassSet set = view.beta == 0 ? ClassOfClearedC(view) : ClassOfScaledC(view, view.C(row, column));
  // An empty sum times a NaN or an infinity: skipped by some, computed by others.
  if (view.length == 0 && !std::isfinite(view.alpha)) set |= kClassNan;
  // An update by zero, of which no text says that its factors are not read.
  if (view.zeros_optional && view.beta == 1) {
    const bool finite = std::isfinite(view.A(row, 0)) && std::isfinite(view.B(column, 0));
    if (!finite) set |= kClassNan;
    if ((set & kClassZero) != 0) set |= kClassZero;
  }
  return set;
}

// Where alpha times a factor can come out as zero or as an infinity, in the accumulator or, for
// narrow types, in the operand's own format; an infinite or zero partner then gives NaN.
bool MayVanish(const SumsView& view, double factor) {
  if (factor == 0 || !std::isfinite(factor)) return false;
  const double scaled = view.alpha * factor;
  return Round(FormatOf(view.input), scaled) == 0;
}

bool MayBlowUp(const SumsView& view, double factor) {
  if (!std::isfinite(factor)) return false;
  return std::isinf(Round(FormatOf(view.input), view.alpha * factor));
}

struct TermCounts {
  bool nan = false, positive_inf = false, negative_inf = false;
  bool positive = false, negative = false, zero = false;  // of all terms, infinite ones included
  bool association_nan = false;  // NaN under a folding of a finite alpha, or of zeros for padding
  bool vanishes = false;         // some product that is not 0 and that rounding makes 0
  bool certain = false;          // some product that no implementation may skip
  ClassSet perhaps = 0;          // of sums with or without a product that may be skipped
};

Format AccumulatorOf(const SumsView& view) {
  return view.input == DType::kF64 ? Format::kF64 : Format::kF32;
}

TermCounts CountTerms(const SumsView& view, int64_t row, int64_t column) {
  TermCounts counts;
  for (int64_t k = 0; k < view.length; ++k) {
    const double a = view.A(row, k), b = view.B(column, k);
    const bool left = view.AbsentLeft(row, k);
    if (left || view.AbsentRight(column, k)) {
      const double partner = left ? b : a;
      counts.association_nan |= !std::isfinite(partner) || MayBlowUp(view, partner);
      counts.zero = true;
      continue;
    }
    const ClassSet product = ProductClass(a, b);
    if (view.zeros_optional && (a == 0 || b == 0)) {
      counts.association_nan |= product == kClassNan || MayBlowUp(view, a) || MayBlowUp(view, b);
      counts.zero = true;
      continue;
    }
    // So may one with a factor that alpha makes zero.
    const bool vanishes =
        (MayVanish(view, a) && !std::isfinite(b)) || (MayVanish(view, b) && !std::isfinite(a));
    if (view.zeros_optional && vanishes) {
      counts.perhaps |= product | kClassNan | kClassByValue;
      counts.zero = true;
      continue;
    }
    counts.certain = true;
    counts.nan |= product == kClassNan;
    counts.positive_inf |= product == kClassPosInf;
    counts.negative_inf |= product == kClassNegInf;
    const bool zero = a == 0 || b == 0;
    counts.zero |= zero;
    (std::signbit(a) == std::signbit(b) ? counts.positive : counts.negative) |= !zero;
    counts.vanishes |= !zero && Round(AccumulatorOf(view), a * b) == 0;
    if (view.alpha == 1) continue;
    counts.association_nan |= (std::isinf(a) && MayVanish(view, b)) ||
                              (std::isinf(b) && MayVanish(view, a)) ||
                              (a == 0 && MayBlowUp(view, b)) || (b == 0 && MayBlowUp(view, a));
  }
  return counts;
}

// alpha * sum, at least one term.
ClassSet ScaledSumClasses(const SumsView& view, int64_t row, int64_t column) {
  const TermCounts counts = CountTerms(view, row, column);
  if (counts.nan) return kClassNan;
  const bool skips_all = view.zeros_optional && !counts.certain;
  if (skips_all && !std::isfinite(view.alpha)) return kClassNan | kClassByValue;
  if (std::isnan(view.alpha)) return kClassNan;
  if (std::isinf(view.alpha)) {
    // Folded: every term is infinite, or NaN for a zero. After the sum: the sign of a sum that
    // rounding may have changed when terms of both signs met, and NaN if it vanished.
    if (counts.positive && counts.negative) return kClassInf | kClassNan;
    if (!counts.positive && !counts.negative) return kClassNan;
    const ClassSet inf = InfinityOf(counts.positive == (view.alpha > 0) ? 1 : -1);
    // A block of the sum may be scaled by itself, and one vanished product may be all of a block.
    const bool may_be_nan = counts.zero || counts.vanishes;
    return may_be_nan ? static_cast<ClassSet>(inf | kClassNan) : inf;
  }
  if (counts.positive_inf && counts.negative_inf) return kClassNan;
  ClassSet set = kClassByValue;
  if (counts.positive_inf || counts.negative_inf) {
    set = InfinityOf(counts.positive_inf == (view.alpha > 0) ? 1 : -1);
  }
  if (counts.association_nan) set |= kClassNan;
  return set | counts.perhaps;
}

// Every member of `sum` plus a value of class `addend` (an infinity, NaN or kClassByValue).
ClassSet Plus(ClassSet sum, ClassSet addend) {
  if (addend == kClassByValue) return sum;
  if (addend == kClassNan) return kClassNan;
  ClassSet result = 0;
  if (sum & (kClassByValue | addend)) result |= addend;
  if (sum & (kClassNan | (kClassInf & ~addend))) result |= kClassNan;
  return result;
}

double HalfRange(const SumsView& view) { return InfoOf(AccumulatorOf(view)).largest / 2; }

}  // namespace

ClassSet SpecialClasses(const SumsView& view, int64_t row, int64_t column) {
  if (std::isnan(view.beta)) return kClassNan;
  if (view.only_c()) return WithoutProducts(view, row, column);
  const ClassSet sum = ScaledSumClasses(view, row, column);
  if (view.beta == 0) return sum;
  return Plus(sum, ProductClass(view.beta, view.C(row, column)));
}

bool MayOverflow(const SumsView& view, double max_product_sum, double max_abs_sum) {
  const double half = HalfRange(view);
  const double alpha = std::fabs(view.alpha);
  const bool fits = max_product_sum <= half && max_abs_sum <= half &&
                    alpha * view.max_abs_a <= half && alpha * view.max_abs_b <= half;
  return !fits;
}

ClassSet OverflowClasses(const SumsView& view, int64_t row, int64_t column) {
  const double half = HalfRange(view);
  const double alpha = std::isfinite(view.alpha) ? view.alpha : 1;
  double above = 0, below = 0, max_a = 0, max_b = 0;
  for (int64_t k = 0; k < view.length && alpha != 0; ++k) {
    const double a = view.A(row, k), b = view.B(column, k);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const double product = a * b;
    (product > 0 ? above : below) += std::fabs(product);
    max_a = std::max(max_a, std::fabs(a));
    max_b = std::max(max_b, std::fabs(b));
  }
  // alpha times one factor overflows before the other is seen: any sign, and NaN against a zero.
  if (alpha != 1 && std::fabs(alpha) * std::max(max_a, max_b) > half) return kClassInf | kClassNan;
  bool up = above > half, down = below > half;
  double scaled_above = std::fabs(alpha) * above, scaled_below = std::fabs(alpha) * below;
  if (alpha < 0) {
    std::swap(up, down);
    std::swap(scaled_above, scaled_below);
  }
  const double c = view.beta == 0 ? 0 : view.beta * view.C(row, column);
  if (c > 0) scaled_above += c;
  if (c < 0) scaled_below -= c;
  up |= scaled_above > half;
  down |= scaled_below > half;
  ClassSet set = 0;
  if (up) set |= kClassPosInf;
  if (down) set |= kClassNegInf;
  if (up && down) set |= kClassNan;
  return set;
}

}  // namespace assay
