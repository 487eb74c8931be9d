// SPDX-License-Identifier: Apache-2.0
//
// Operators as sums of products: which outputs form a block of rows x columns, and the factors of
// each block, packed as the fast tier wants them. Internal to oracles/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "contracts/values.h"
#include "oracles/sums_view.h"

namespace assay {

// Buffers are kept from case to case; not thread-safe.
class SumsPacker {
 public:
  // Number of blocks of a case. What a block leaves to its caller:
  //   mean, avg_pool, collectives  the sum, not yet divided
  //   all_reduce                   the answer of rank 0
  //   scatter_add                  indices outside are skipped
  //   fused_linear                 the pre-activation, with the bias
  //   scaled_gradient              the sum of stored gradients, negated for a negative scale
  //   syr                          the triangle that is not touched
  int64_t Blocks(const Values& values);
  // Valid until the next call. REQUIRES block < Blocks(values), the last call of it for the same
  // values.
  SumsView Block(const Values& values, int64_t block);

 private:
  void Matrices(const Values& values, int64_t batch, SumsView& view);
  void Vectors(const Values& values, SumsView& view);
  void Convolution(const Values& values, int64_t batch, SumsView& view);
  void Pool(const Values& values, int64_t plane, SumsView& view);
  void Scatter(const Values& values, int64_t row, SumsView& view);
  void Ranks(const Values& values, SumsView& view);
  void Gradient(const Values& values, SumsView& view);
  void Biased(const Values& values, SumsView& view);
  void RankOne(const Values& values, SumsView& view);
  void Triangular(const Values& values, SumsView& view);
  void PackLeft(const double* a, bool transposed, SumsView& view);
  void PackRight(const double* b, bool transposed, SumsView& view);

  std::vector<double> packed_a_, packed_b_, packed_c_, staged_;
  std::vector<uint8_t> absent_;
  std::vector<int64_t> first_update_, updates_;  // scatter_add: updates of each row, in order
  double factor_ = 1;                            // scal: alpha
};

// What a view says of a whole operand.
inline void DescribeLeft(const OperandValues& a, SumsView& view) {
  view.max_abs_a = std::max(view.max_abs_a, a.max_abs);
  view.any_special_a |= a.any_nan || a.any_inf;
}
inline void DescribeRight(const OperandValues& b, SumsView& view) {
  view.max_abs_b = b.max_abs;
  view.any_special_b = b.any_nan || b.any_inf;
}
inline void DescribeAddend(const OperandValues& c, SumsView& view) {
  view.max_abs_c = c.max_abs;
  view.any_special_c = c.any_nan || c.any_inf;
}

// What scaled_gradient stores for an upstream gradient: RN_store(fl32(scale dy)). `exact` is the
// store of the product that was not rounded to f32 first: for most factors the same.
struct StoredGradient {
  double value = 0, exact = 0;
};
StoredGradient StoreGradient(Format store, double scale, double dy);
Format GradientStore(const Case& value);

// Elements of a window of a pool that lie on the image: rows [top, bottom), columns [left, right).
struct PoolWindow {
  int64_t top, bottom, left, right;
  int64_t count() const { return (bottom - top) * (right - left); }
};
PoolWindow WindowAt(const Values& values, int64_t row, int64_t column);

}  // namespace assay
