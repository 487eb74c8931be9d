// SPDX-License-Identifier: Apache-2.0
//
// Rank-one updates, and products with and solves of a triangular matrix. Zeros are multiplied like
// any other number; what the triangle does not hold is not read.
#include <span>
#include <vector>

#include "contracts/operator.h"
#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

template <class Format>
class Matrix {
 public:
  using Real = typename Format::Real;
  Matrix(const AssayTensor& tensor, const Triangle& triangle)
      : view_(tensor), triangle_(triangle) {}

  int64_t order() const { return view_.extent(0); }
  // Of op(a), in the triangle.
  Real Get(int64_t i, int64_t j) const {
    if (triangle_.unit && i == j) return 1;
    return triangle_.transposed ? view_.Get(j, i) : view_.Get(i, j);
  }
  bool Holds(int64_t i, int64_t j) const { return triangle_.Holds(i, j); }

 private:
  View<Format> view_;
  Triangle triangle_;
};

// y := alpha op(a) x, or with a row x on the left of op(a).
template <class Format>
void Multiply(const Matrix<Format>& a, bool right, typename Format::Real alpha,
              std::vector<typename Format::Real>& x) {
  std::vector<typename Format::Real> product(x.size());
  for (int64_t i = 0; i < a.order(); ++i) {
    typename Format::Real sum = 0;
    for (int64_t k = 0; k < a.order(); ++k) {
      const int64_t row = right ? k : i, column = right ? i : k;
      if (a.Holds(row, column)) sum += a.Get(row, column) * x[static_cast<size_t>(k)];
    }
    product[static_cast<size_t>(i)] = alpha * sum;
  }
  x = product;
}

// x := alpha op(a)^-1 x, by substitution.
template <class Format>
void Solve(const Matrix<Format>& a, bool right, typename Format::Real alpha,
           std::vector<typename Format::Real>& x) {
  const int64_t n = a.order();
  const bool forward = right ? a.Holds(0, 1) : a.Holds(1, 0);
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    typename Format::Real sum = alpha * x[static_cast<size_t>(i)];
    for (int64_t before = 0; before < step; ++before) {
      const int64_t k = forward ? before : n - 1 - before;
      sum -= (right ? a.Get(k, i) : a.Get(i, k)) * x[static_cast<size_t>(k)];
    }
    x[static_cast<size_t>(i)] = sum / a.Get(i, i);
  }
}

// Every column of b, or every row where a stands on its right; a vector is one column.
template <class Format, class Change>
void ForEachSide(const View<Format>& b, bool vector, bool right, const Change& change) {
  const int64_t order = b.extent(right ? 1 : 0), sides = vector ? 1 : b.extent(right ? 0 : 1);
  std::vector<typename Format::Real> side(static_cast<size_t>(order));
  const auto at = [&](int64_t i, int64_t s) { return right ? b.At(s, i) : b.At(i, s); };
  for (int64_t s = 0; s < sides; ++s) {
    for (int64_t i = 0; i < order; ++i) side[static_cast<size_t>(i)] = Format::Load(*at(i, s));
    change(side);
    for (int64_t i = 0; i < order; ++i) *at(i, s) = Format::Store(side[static_cast<size_t>(i)]);
  }
}

}  // namespace

void RankOne(const AssayCall& call) {
  if (call.attributes[0] == 0) return;
  const bool symmetric = call.op == ASSAY_OP_SYR;
  const bool upper = symmetric && call.attributes[1] == 0;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Real = typename decltype(format)::Real;
    const View<decltype(format)> x(call.operands[0]), y(call.operands[symmetric ? 0 : 1]);
    const View<decltype(format)> a(call.operands[call.operand_count - 1]);
    const Real alpha = static_cast<Real>(call.attributes[0]);
    for (int64_t i = 0; i < a.extent(0); ++i) {
      for (int64_t j = 0; j < a.extent(1); ++j) {
        if (symmetric && (upper ? i > j : i < j)) continue;
        a.Put(alpha * y.Get(j) * x.Get(i) + a.Get(i, j), i, j);
      }
    }
  });
}

void Triangular(const AssayCall& call) {
  const std::span<const double> attributes(call.attributes,
                                           static_cast<size_t>(call.attribute_count));
  const Triangle triangle = TriangleOf(static_cast<OpId>(call.op), attributes);
  const bool solves = call.op == ASSAY_OP_TRSV || call.op == ASSAY_OP_TRSM;
  const bool vector = call.op == ASSAY_OP_TRMV || call.op == ASSAY_OP_TRSV;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Format = decltype(format);
    const Matrix<Format> a(call.operands[0], triangle);
    const auto alpha = static_cast<typename Format::Real>(triangle.alpha);
    ForEachSide(View<Format>(call.operands[1]), vector, triangle.right, [&](auto& side) {
      if (alpha == 0) {
        side.assign(side.size(), 0);
      } else if (solves) {
        Solve(a, triangle.right, alpha, side);
      } else {
        Multiply(a, triangle.right, alpha, side);
      }
    });
  });
}

}  // namespace assay::reference
