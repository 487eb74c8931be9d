// SPDX-License-Identifier: Apache-2.0
//
// Sums of products seen as one thing: rows x columns outputs alpha * sum_k a(i,k) b(j,k) + beta *
// c, which are a contiguous part of a case's outputs. Internal to oracles/. A view refers to the
// values of a case and to packed copies; it owns nothing.
#pragma once

#include <cstdint>

#include "contracts/dtype.h"
#include "oracles/dot2.h"

namespace assay {

struct SumsView {
  int64_t first = 0;  // output of row 0, column 0; the others follow row by row
  int64_t rows = 1, columns = 1, length = 0;
  const double* a = nullptr;  // [rows][length]
  const double* b = nullptr;  // as in Dot2Problem; null: every factor is 1
  bool panels = false;
  bool exact_products = false;
  const double* c = nullptr;  // [rows][columns]; null where the operator has none
  double alpha = 1, beta = 0;
  double max_abs_a = 0, max_abs_b = 1, max_abs_c = 0;                        // over finite elements
  bool any_special_a = false, any_special_b = false, any_special_c = false;  // NaN or Inf
  bool zeros = false;  // some factor is +0 or -0
  // Factors that stand for padding, or for what a triangular matrix does not hold: they are zeros,
  // which an implementation may skip or multiply. [columns][length] of b, [rows][length] of a;
  // null: none.
  const uint8_t* absent = nullptr;
  const uint8_t* absent_left = nullptr;
  // A product with a zero factor may be skipped, as reference BLAS does in the second level, so
  // that a NaN or an infinity on its other side is not seen.
  bool zeros_optional = false;
  DType input = DType::kF32, output = DType::kF32;

  double A(int64_t row, int64_t k) const { return a[row * length + k]; }
  double B(int64_t column, int64_t k) const {
    if (b == nullptr) return 1;
    if (!panels) return b[column * length + k];
    return b[(column / kPanelColumns * length + k) * kPanelColumns + column % kPanelColumns];
  }
  double C(int64_t row, int64_t column) const { return c[row * columns + column]; }
  bool AbsentLeft(int64_t row, int64_t k) const {
    return absent_left != nullptr && absent_left[row * length + k] != 0;
  }
  bool AbsentRight(int64_t column, int64_t k) const {
    return absent != nullptr && absent[column * length + k] != 0;
  }
  int64_t count() const { return rows * columns; }
  int64_t At(int64_t row, int64_t column) const { return first + row * columns + column; }
  // alpha = 0 or nothing to add: A and B are not referenced.
  bool only_c() const { return alpha == 0 || length == 0; }
};

// The legal classes of one output where NaN, Inf, a zero alpha or an empty sum decide;
// kClassByValue (possibly with others) where the truth is a real number. Sources: IEEE 754
// propagation, and the reference BLAS where it does not read an operand (alpha = 0: A, B; beta = 0:
// C).
ClassSet SpecialClasses(const SumsView& view, int64_t row, int64_t column);

// True when some legal order or association of finite data may overflow the widest usual
// accumulator (f32, or f64 for f64 inputs), judged by the case-wide maxima.
bool MayOverflow(const SumsView& view, double max_product_sum, double max_abs_sum);
// The infinities, and NaN, that some order or association of the output's finite terms may reach.
ClassSet OverflowClasses(const SumsView& view, int64_t row, int64_t column);

}  // namespace assay
