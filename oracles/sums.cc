// SPDX-License-Identifier: Apache-2.0
//
// Packing, tiers and magnitudes of sums of products. The bounds of the fast tier are derived in
// dot2.h, special answers live in sums_classes.cc.
#include "oracles/sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "contracts/invariant.h"
#include "oracles/evidence_columns.h"
#include "oracles/lane_scan.h"

namespace assay {
namespace {

// With fewer columns a panel would mostly multiply padding.
constexpr int64_t kPanelMinimum = 3;
// Above, Dekker's splitting could overflow; refused with fma too, so that all machines agree.
constexpr double kLargestSplit = 0x1p990;

bool Transposed(const Values& values, int attribute) {
  return values.source->attributes[attribute].choice == 1;
}

bool AnySpecial(const OperandValues& operand) { return operand.any_nan || operand.any_inf; }

// to[column][row] = from[row][column], row-major both.
void Transpose(const double* from, int64_t rows, int64_t columns, std::vector<double>& to) {
  to.resize(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      to[column * rows + row] = from[row * columns + column];
    }
  }
}

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
  const int64_t at = row * view.columns + column;
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
  for (int64_t k = 0; k < length; ++k) add(view.A(row, k), view.B(column, k));
  if (length > 0 && view.alpha != 1) sum.Multiply(view.alpha);
  if (with_c) sum.AddProduct(view.beta, c);
  StoreTruth(sum.Take(), at, evidence);
  for (int64_t k = 0; k < length; ++k) {
    add(std::fabs(view.A(row, k)), std::fabs(view.B(column, k)));
  }
  product_sum[at] = sum.RoundUp();
  if (length > 0 && view.alpha != 1) sum.Multiply(std::fabs(view.alpha));
  if (with_c) sum.AddProduct(std::fabs(view.beta), std::fabs(c));
  abs_sum[at] = sum.RoundUp();
  sum.Clear();
}

// A truth beyond the doubles' overflow threshold has no enclosure: its infinity, and what the
// partial sums can reach besides.
void CloseOverflow(const SumsView& view, Evidence& evidence, double max_product_sum,
                   double max_abs_sum) {
  // Elements with special terms count nothing in the sums: for them the coarsest bound.
  const double coarsest = static_cast<double>(view.length) * view.max_abs_a * view.max_abs_b;
  if (evidence.special) {
    max_product_sum = std::max(max_product_sum, coarsest);
    max_abs_sum = std::max(max_abs_sum, std::fabs(view.beta) * view.max_abs_c);
  }
  if (!MayOverflow(view, max_product_sum, max_abs_sum)) return;
  for (int64_t at = 0; at < evidence.count; ++at) {
    ClassSet set = evidence.legal[at];
    if (set == kClassNan || !(set & (kClassByValue | kClassInf))) continue;
    const ClassSet reached = OverflowClasses(view, at / view.columns, at % view.columns);
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

void SetScalars(const SumsView& view, double max_abs_sum, double max_product_sum,
                Evidence& evidence) {
  SetScalar(evidence, Quantity::kLength, static_cast<double>(view.length));
  SetScalar(evidence, Quantity::kAlpha, view.alpha);
  SetScalar(evidence, Quantity::kBeta, view.beta);
  SetScalar(evidence, Quantity::kMaxAbsA, view.max_abs_a);
  SetScalar(evidence, Quantity::kMaxAbsB, view.b == nullptr ? 0 : view.max_abs_b);
  SetScalar(evidence, Quantity::kMaxAbsC, view.max_abs_c);
  SetScalar(evidence, Quantity::kMaxAbsSum, max_abs_sum);
  SetScalar(evidence, Quantity::kMaxAbsProductSum, max_product_sum);
}

bool AnythingSpecial(const SumsView& view) {
  return view.any_special_a || view.any_special_b || view.any_special_c ||
         !std::isfinite(view.alpha) || !std::isfinite(view.beta) || view.only_c();
}

}  // namespace

void SumsOracle::PackRight(const OperandValues& b, bool transposed, SumsView& view) {
  const int64_t length = view.length, columns = view.columns;
  view.panels = columns >= kPanelMinimum;
  if (!view.panels) {
    if (transposed || columns == 1) {
      view.b = b.real.data();
    } else {
      Transpose(b.real.data(), length, columns, packed_b_);
      view.b = packed_b_.data();
    }
    return;
  }
  if (columns == kPanelColumns && !transposed) {  // already one panel
    view.b = b.real.data();
    return;
  }
  const int64_t panels = (columns + kPanelColumns - 1) / kPanelColumns;
  packed_b_.assign(static_cast<size_t>(panels * length * kPanelColumns), 0);
  for (int64_t column = 0; column < columns; ++column) {
    const double* from = b.real.data() + (transposed ? column * length : column);
    const int64_t stride = transposed ? 1 : columns;
    double* to =
        packed_b_.data() + column / kPanelColumns * length * kPanelColumns + column % kPanelColumns;
    for (int64_t k = 0; k < length; ++k) to[k * kPanelColumns] = from[k * stride];
  }
  view.b = packed_b_.data();
}

SumsView SumsOracle::View(const Values& values) {
  SumsView view;
  const OpId op = values.source->op;
  const OperandValues& a = values.operands[0];
  view.input = a.dtype;
  view.output = values.operands.back().dtype;
  view.exact_products = view.input != DType::kF64 || op == OpId::kSum;
  view.a = a.real.data();
  view.max_abs_a = a.max_abs;
  view.any_special_a = AnySpecial(a);
  view.zeros = AnyZero(view.a, a.count);
  if (op == OpId::kSum) {
    view.length = values.dims[0];
    return view;
  }
  const OperandValues& b = values.operands[1];
  view.max_abs_b = b.max_abs;
  view.any_special_b = AnySpecial(b);
  view.zeros |= AnyZero(b.real.data(), b.count);
  if (op == OpId::kDot) {
    view.length = values.dims[0];
    view.b = b.real.data();
    return view;
  }
  view.rows = values.dims[0];
  view.columns = values.dims[1];
  view.length = values.dims[2];
  view.alpha = ScalarAttribute(*values.source, kGemmAlpha);
  view.beta = ScalarAttribute(*values.source, kGemmBeta);
  const OperandValues& c = values.operands[2];
  view.c = c.real.data();
  view.max_abs_c = c.max_abs;
  view.any_special_c = AnySpecial(c);
  if (Transposed(values, kGemmTransA)) {
    Transpose(a.real.data(), view.length, view.rows, packed_a_);
    view.a = packed_a_.data();
  }
  PackRight(b, Transposed(values, kGemmTransB), view);
  return view;
}

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
      if (!exact) evidence.radius[row * view.columns + column] = kInfinity;
    }
  }
}

// Bits of non-zero factors, a population count per output: a product is zero iff a factor is.
void SumsOracle::CountNonZeros(const SumsView& view, Evidence& evidence) {
  double* count = MeasuredColumn(evidence, Quantity::kNonZeros);
  const int64_t length = view.only_c() ? 0 : view.length;
  if (!view.zeros || length == 0) {
    std::fill_n(count, evidence.count, static_cast<double>(length));
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
  if (view.only_c() || view.length == 0) {
    std::fill_n(MeasuredColumn(evidence, Quantity::kOperandSum), evidence.count, 0.0);
    return;
  }
  if (view.b == nullptr) return;
  ScanOperands(view, SumsOfMagnitudes, sum_a_, sum_b_);
  double* largest = MeasuredColumn(evidence, Quantity::kOperandSum);
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
  RunDot2(problem, {evidence.hi.data(), evidence.lo.data(), evidence.radius.data(),
                    MeasuredColumn(evidence, Quantity::kAbsSum), product_sum_.data()});
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
      const int64_t at = row * view.columns + column;
      const bool by_c = view.any_special_c && view.beta != 0 && !std::isfinite(view.c[at]);
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

// Special answers, then exact truths for the outputs that lack one (or for all), then case scalars.
template <class Accumulator>
void SumsOracle::Complete(const SumsView& view, Accumulator& exact, bool all, Evidence& evidence) {
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  evidence.special = AnythingSpecial(view);
  if (evidence.special) ApplySpecials(view, evidence);
  const bool certified =
      !all && !evidence.special && std::isfinite(Largest(evidence.radius.data(), evidence.count));
  for (int64_t at = 0; !certified && at < evidence.count; ++at) {
    if (!(all || !std::isfinite(evidence.radius[at]))) continue;
    if (!(evidence.legal[at] & kClassByValue)) continue;
    Resolve(view, at / view.columns, at % view.columns, exact, evidence, abs_sum,
            product_sum_.data());
    RaiseTier(evidence, Tier::kExact);
  }
  const double max_abs_sum = Largest(abs_sum, evidence.count);
  const double max_product_sum = Largest(product_sum_.data(), evidence.count);
  CloseOverflow(view, evidence, max_product_sum, max_abs_sum);
  SetScalars(view, max_abs_sum, max_product_sum, evidence);
  CountNonZeros(view, evidence);
  SumOperands(view, evidence);
}

void SumsOracle::Measure(const Values& values, Evidence& evidence) {
  const SumsView view = View(values);
  ResetEvidence(view.rows * view.columns, evidence);
  product_sum_.resize(static_cast<size_t>(evidence.count));
  if (evidence.count > 0 && !view.only_c()) RunFastTier(view, evidence);
  Complete(view, long_accumulator_, /*all=*/view.only_c(), evidence);
}

void SumsOracle::MeasureHighest(const Values& values, Evidence& evidence) {
  const SumsView view = View(values);
  ResetEvidence(view.rows * view.columns, evidence);
  product_sum_.assign(static_cast<size_t>(evidence.count), 0);
  Complete(view, exact_sum_, /*all=*/true, evidence);
}

}  // namespace assay
