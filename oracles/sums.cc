// SPDX-License-Identifier: Apache-2.0
//
// Tiers and magnitudes of sums of products, block by block. The bounds of the fast tier are derived
// in dot2.h; special answers live in sums_classes.cc, what an operator does with its sums in
// sums_finish.cc.
#include "oracles/sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "contracts/invariant.h"
#include "oracles/evidence_columns.h"
#include "oracles/lane_scan.h"
#include "oracles/sums_finish.h"

namespace assay {
namespace {

// Above, Dekker's splitting could overflow; refused with fma too, so that all machines agree.
constexpr double kLargestSplit = 0x1p990;

using Scan = void (*)(const double*, int64_t, int64_t, bool, double*);

// A number per row of the left operand and per column of the right one.
void ScanOperands(const SumsView& view, Scan scan, std::vector<double>& rows,
                  std::vector<double>& columns) {
  rows.resize(static_cast<size_t>(view.rows));
  scan(view.a, view.rows, view.length, /*panels=*/false, rows.data());
  const int64_t panels = (view.columns + kPanelColumns - 1) / kPanelColumns;
  columns.resize(static_cast<size_t>(panels * kPanelColumns));
  scan(view.b, view.panels ? panels : view.columns, view.length, view.panels, columns.data());
}

// Truth and magnitudes of one output by an accumulator in which nothing rounds. Products that are
// exact in double need half the work.
template <class Accumulator>
void Resolve(const SumsView& view, int64_t row, int64_t column, Accumulator& sum,
             Evidence& evidence, double* abs_sum, double* product_sum) {
  const int64_t at = view.At(row, column);
  const bool with_c = view.beta != 0;
  const double c = with_c ? view.C(row, column) : 0;
  const int64_t length = view.only_c() ? 0 : view.length;
  const auto add = [&](double a, double b) {
    if (view.exact_products) {
      sum.Add(a * b);
    } else {
      sum.AddProduct(a, b);
    }
  };
  // A term that is not finite leaves a real truth only where it is skipped.
  const auto absent = [&](int64_t k) {
    if (view.AbsentLeft(row, k) || view.AbsentRight(column, k)) return true;
    return view.zeros_optional &&
           !(std::isfinite(view.A(row, k)) && std::isfinite(view.B(column, k)));
  };
  for (int64_t k = 0; k < length; ++k) {
    if (!absent(k)) add(view.A(row, k), view.B(column, k));
  }
  if (length > 0 && view.alpha != 1) sum.Multiply(view.alpha);
  if (with_c) sum.AddProduct(view.beta, c);
  StoreTruth(sum.Take(), at, evidence);
  for (int64_t k = 0; k < length; ++k) {
    if (!absent(k)) add(std::fabs(view.A(row, k)), std::fabs(view.B(column, k)));
  }
  product_sum[at] = sum.RoundUp();
  if (length > 0 && view.alpha != 1) sum.Multiply(std::fabs(view.alpha));
  if (with_c) sum.AddProduct(std::fabs(view.beta), std::fabs(c));
  abs_sum[at] = sum.RoundUp();
  sum.Clear();
}

// A truth beyond the doubles' overflow threshold has no enclosure: its infinity, and what the
// partial sums can reach besides.
void CloseOverflow(const SumsView& view, bool special, double max_product_sum, double max_abs_sum,
                   Evidence& evidence) {
  // Elements with special terms count nothing in the sums: for them the coarsest bound.
  const double coarsest = static_cast<double>(view.length) * view.max_abs_a * view.max_abs_b;
  if (special) {
    max_product_sum = std::max(max_product_sum, coarsest);
    const double alpha = std::isfinite(view.alpha) ? std::fabs(view.alpha) : 1;
    max_abs_sum = std::max(max_abs_sum, alpha * coarsest + std::fabs(view.beta) * view.max_abs_c);
  }
  if (!MayOverflow(view, max_product_sum, max_abs_sum)) return;
  for (int64_t i = 0; i < view.count(); ++i) {
    const int64_t at = view.first + i;
    ClassSet set = evidence.legal[at];
    if (set == kClassNan || !(set & (kClassByValue | kClassInf))) continue;
    const ClassSet reached = OverflowClasses(view, i / view.columns, i % view.columns);
    if (set & kClassByValue) {
      set |= reached;
      if (std::isinf(evidence.hi[at])) {
        set = static_cast<ClassSet>((set & ~kClassByValue) | ClassOf(evidence.hi[at]));
      }
    } else if ((reached & kClassInf & ~set) != 0) {
      set |= kClassNan;  // the infinity of the data met one of the other sign
    }
    StoreClasses(set, at, evidence);
  }
}

bool AnythingSpecial(const SumsView& view) {
  return view.any_special_a || view.any_special_b || view.any_special_c ||
         !std::isfinite(view.alpha) || !std::isfinite(view.beta) || view.only_c();
}

}  // namespace

// TwoProduct errs where a non-zero product is tiny. The least factors of a row and a column decide
// it; 2^-967 leaves room for the rounding of their product.
void SumsOracle::RejectInexactProducts(const SumsView& view, Evidence& evidence) {
  if (view.exact_products) return;
  const bool too_large = !(view.max_abs_a <= kLargestSplit && view.max_abs_b <= kLargestSplit);
  ScanOperands(view, LeastMagnitudes, least_a_, least_b_);
  const double least = *std::min_element(least_a_.begin(), least_a_.end()) *
                       *std::min_element(least_b_.begin(), least_b_.begin() + view.columns);
  if (!too_large && least >= 2 * kSmallestExactProduct) return;
  for (int64_t row = 0; row < view.rows; ++row) {
    for (int64_t column = 0; column < view.columns; ++column) {
      const bool exact =
          !too_large && least_a_[row] * least_b_[column] >= 2 * kSmallestExactProduct;
      if (!exact) evidence.radius[view.At(row, column)] = kInfinity;
    }
  }
}

// Bits of non-zero factors, a population count per output: a product is zero iff a factor is.
void SumsOracle::CountNonZeros(const SumsView& view, Evidence& evidence) {
  double* count = MeasuredColumn(evidence, Quantity::kNonZeros) + view.first;
  const int64_t length = view.only_c() ? 0 : view.length;
  if (!view.zeros || length == 0) {
    std::fill_n(count, view.count(), static_cast<double>(length));
    return;
  }
  const int64_t words = (length + 63) / 64;
  mask_a_.assign(static_cast<size_t>(view.rows * words), 0);
  mask_b_.assign(static_cast<size_t>(view.columns * words), 0);
  for (int64_t row = 0; row < view.rows; ++row) {
    uint64_t* mask = mask_a_.data() + row * words;
    for (int64_t k = 0; k < length; ++k) mask[k / 64] |= uint64_t{view.A(row, k) != 0} << (k % 64);
  }
  for (int64_t column = 0; column < view.columns; ++column) {
    uint64_t* mask = mask_b_.data() + column * words;
    for (int64_t k = 0; k < length; ++k)
      mask[k / 64] |= uint64_t{view.B(column, k) != 0} << (k % 64);
  }
  for (int64_t row = 0; row < view.rows; ++row) {
    const uint64_t* left = mask_a_.data() + row * words;
    for (int64_t column = 0; column < view.columns; ++column) {
      const uint64_t* right = mask_b_.data() + column * words;
      int64_t both = 0;
      for (int64_t w = 0; w < words; ++w) both += std::popcount(left[w] & right[w]);
      *count++ = static_cast<double>(both);
    }
  }
}

// Needed by the underflow term: alpha, a power of two as well, may be folded into a factor, which
// then underflows; and a flushed factor costs its partner.
void SumsOracle::SumOperands(const SumsView& view, Evidence& evidence) {
  double* largest = MeasuredColumn(evidence, Quantity::kOperandSum) + view.first;
  if (view.only_c() || view.b == nullptr) {
    std::fill_n(largest, view.count(), 0.0);
    return;
  }
  ScanOperands(view, SumsOfMagnitudes, sum_a_, sum_b_);
  for (int64_t row = 0; row < view.rows; ++row) {
    for (int64_t column = 0; column < view.columns; ++column) {
      *largest++ = std::max(sum_a_[row], sum_b_[column]);
    }
  }
}

void SumsOracle::RunFastTier(const SumsView& view, Evidence& evidence) {
  Dot2Problem problem;
  problem.rows = view.rows;
  problem.columns = view.columns;
  problem.length = view.length;
  problem.a = view.a;
  problem.b = view.b;
  problem.panels = view.panels;
  problem.exact_products = view.exact_products;
  problem.alpha = view.alpha;
  problem.beta = view.beta;
  problem.c = view.c;
  problem.unit_out = InfoOf(FormatOf(view.output)).unit_roundoff;
  RunDot2(problem, {evidence.hi.data() + view.first, evidence.lo.data() + view.first,
                    evidence.radius.data() + view.first,
                    MeasuredColumn(evidence, Quantity::kAbsSum) + view.first,
                    product_sum_.data() + view.first});
  RejectInexactProducts(view, evidence);
}

// Outputs that meet a NaN or an infinity; all of them when a scalar or an empty sum decides.
// Magnitudes of outputs that are settled by class alone are no bounds on anything: they become 0,
// so that the largest of a case comes from the others.
void SumsOracle::ApplySpecials(const SumsView& view, Evidence& evidence) {
  const bool everywhere = view.only_c() || !std::isfinite(view.alpha) || !std::isfinite(view.beta);
  special_b_.assign(static_cast<size_t>(view.columns), view.any_special_b);
  for (int64_t column = 0; view.any_special_b && column < view.columns; ++column) {
    bool special = false;
    for (int64_t k = 0; k < view.length; ++k) special |= !std::isfinite(view.B(column, k));
    special_b_[column] = special;
  }
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  for (int64_t row = 0; row < view.rows; ++row) {
    bool struck = everywhere;
    for (int64_t k = 0; view.any_special_a && k < view.length; ++k) {
      struck |= !std::isfinite(view.A(row, k));
    }
    for (int64_t column = 0; column < view.columns; ++column) {
      const int64_t at = view.At(row, column);
      const bool by_c = view.any_special_c && view.beta != 0 && !std::isfinite(view.C(row, column));
      if (!(struck || special_b_[column] || by_c)) continue;
      const ClassSet set = SpecialClasses(view, row, column);
      if (set == kClassByValue) continue;
      StoreClasses(set, at, evidence);
      if (set & kClassByValue) continue;
      RaiseTier(evidence, Tier::kTable);
      abs_sum[at] = product_sum_[at] = 0;
    }
  }
}

// Special answers, then exact truths for the outputs of a block that lack one (or for all).
template <class Accumulator>
void SumsOracle::Complete(const SumsView& view, Accumulator& exact, bool all, Evidence& evidence) {
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  const bool special = AnythingSpecial(view);
  evidence.special |= special;
  if (special) ApplySpecials(view, evidence);
  const bool certified =
      !all && !special && std::isfinite(Largest(evidence.radius.data() + view.first, view.count()));
  for (int64_t i = 0; !certified && i < view.count(); ++i) {
    const int64_t at = view.first + i;
    if (!(all || !std::isfinite(evidence.radius[at]))) continue;
    if (!(evidence.legal[at] & kClassByValue)) continue;
    Resolve(view, i / view.columns, i % view.columns, exact, evidence, abs_sum,
            product_sum_.data());
    RaiseTier(evidence, Tier::kExact);
  }
  const double max_abs_sum = Largest(abs_sum + view.first, view.count());
  const double max_product_sum = Largest(product_sum_.data() + view.first, view.count());
  max_abs_sum_ = std::max(max_abs_sum_, max_abs_sum);
  max_product_sum_ = std::max(max_product_sum_, max_product_sum);
  CloseOverflow(view, special, max_product_sum, max_abs_sum, evidence);
  CountNonZeros(view, evidence);
  SumOperands(view, evidence);
}

// Every block, by the fast tier first unless `highest`.
void SumsOracle::MeasureWith(const Values& values, bool highest, Evidence& evidence) {
  ResetEvidence(values.operands.back().count, evidence);
  product_sum_.resize(static_cast<size_t>(evidence.count));
  max_abs_sum_ = max_product_sum_ = 0;
  const int64_t blocks = packer_.Blocks(values);
  for (int64_t block = 0; block < blocks && evidence.count > 0; ++block) {
    const SumsView view = packer_.Block(values, block);
    const bool fast = !highest && !view.only_c();
    if (fast && view.count() > 0) RunFastTier(view, evidence);
    if (highest) {
      Complete(view, exact_sum_, /*all=*/true, evidence);
    } else {
      Complete(view, long_accumulator_, /*all=*/!fast, evidence);
    }
  }
  SetSumScalars(values, evidence);
  SetScalar(evidence, Quantity::kMaxAbsSum, max_abs_sum_);
  SetScalar(evidence, Quantity::kMaxAbsProductSum, max_product_sum_);
  FinishSums(values, evidence);
}

void SumsOracle::Measure(const Values& values, Evidence& evidence) {
  MeasureWith(values, /*highest=*/false, evidence);
}

void SumsOracle::MeasureHighest(const Values& values, Evidence& evidence) {
  MeasureWith(values, /*highest=*/true, evidence);
}

}  // namespace assay
