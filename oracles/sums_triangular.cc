// SPDX-License-Identifier: Apache-2.0
//
// Rank-one updates and products with a triangular matrix as sums of products.
#include <algorithm>
#include <cmath>
#include <utility>

#include "oracles/lane_scan.h"
#include "oracles/sums_pack.h"

namespace assay {

// ger and syr: one product per output.
void SumsPacker::RankOne(const Values& values, SumsView& view) {
  const OperandValues &x = values.operands[0], &a = values.operands.back();
  const OperandValues& y = values.source->op == OpId::kSyr ? x : values.operands[1];
  view.rows = x.count;
  view.columns = y.count;
  view.length = 1;
  view.zeros_optional = true;
  DescribeLeft(x, view);
  DescribeRight(y, view);
  DescribeAddend(a, view);
  view.zeros = AnyZero(x.real.data(), x.count) || AnyZero(y.real.data(), y.count);
  view.a = x.real.data();
  PackRight(y.real.data(), /*transposed=*/true, view);
  view.alpha = ScalarAttribute(*values.source, kUpdateAlpha);
  view.beta = 1;
  view.c = a.real.data();
}

// trmv and trmm. A NaN that is not read makes a case special all the same: it must not show.
void SumsPacker::Triangular(const Values& values, SumsView& view) {
  const OperandValues &a = values.operands[0], &b = values.operands[1];
  const Triangle triangle = TriangleOf(*values.source);
  const bool vector = values.source->op == OpId::kTrmv;
  const int64_t order = a.shape[0];
  const bool left = !vector && !triangle.right;
  // A vector is a row that is multiplied by the transpose.
  view.rows = vector ? 1 : values.dims[0];
  view.columns = vector ? order : values.dims[1];
  view.length = order;
  view.alpha = triangle.alpha;
  view.zeros_optional = true;
  view.zeros = true;
  std::vector<double>& dense = left ? packed_a_ : staged_;
  dense.resize(static_cast<size_t>(order * order));
  absent_.assign(static_cast<size_t>(order * order), 0);
  double largest = 0;
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < order; ++j) {
      // Row i of what multiplies from the left, column i of what multiplies from the right.
      const bool turned = !vector && triangle.right;
      const int64_t row = turned ? j : i, column = turned ? i : j;
      const double value = triangle.At(a.real.data(), order, row, column);
      dense[static_cast<size_t>(i * order + j)] = value;
      absent_[static_cast<size_t>(i * order + j)] = !triangle.Holds(row, column);
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
  }
  DescribeLeft(b, view);
  DescribeRight(a, view);
  view.max_abs_b = largest;
  if (left) {
    std::swap(view.max_abs_a, view.max_abs_b);
    std::swap(view.any_special_a, view.any_special_b);
    view.a = packed_a_.data();
    view.absent_left = absent_.data();
    PackRight(b.real.data(), /*transposed=*/false, view);
  } else {
    view.a = b.real.data();
    view.absent = absent_.data();
    PackRight(staged_.data(), /*transposed=*/true, view);
  }
}

}  // namespace assay
