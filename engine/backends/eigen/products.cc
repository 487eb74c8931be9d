// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices. What an expression does at a call site is what is under test: nothing here
// corrects it.
#include <utility>

#include "engine/backends/eigen/maps.h"

namespace assay::eigen {
namespace {

template <class T, int kOrder>
using ConstMatrixMap = Map<const Matrix<T, Dynamic, Dynamic, kOrder>, Unaligned, OuterStride<>>;
template <class T>
using MatrixMap = Map<Matrix<T, Dynamic, Dynamic, Eigen::ColMajor>, Unaligned, OuterStride<>>;
constexpr int kCol = Eigen::ColMajor, kRow = Eigen::RowMajor;

// One operand of a product as Eigen sees it, column-major terms.
struct Factor {
  const void* data;
  int64_t leading;
  bool transposed;
};

template <class T, int kOrder>
ConstMatrixMap<T, kOrder> MapOf(const Factor& factor, int64_t rows, int64_t columns) {
  return {static_cast<const T*>(factor.data), rows, columns, OuterStride<>(factor.leading)};
}

// target := alpha lhs rhs + beta target.
template <class T, class Target, class Left, class Right>
void Accumulate(Target target, T alpha, const Left& lhs, const Right& rhs, T beta) {
  if (beta == T(0)) {
    target.noalias() = alpha * lhs * rhs;
    return;
  }
  if (beta != T(1)) target *= beta;
  target.noalias() += alpha * lhs * rhs;
}

// A row-major c is its transpose in column-major terms: the factors change places.
template <class T>
void RunGemm(const AssayCall& call) {
  GemmShape gemm;
  DeriveGemm(call, gemm);
  Factor lhs{Element0<const T>(call.operands[0]), gemm.lda, gemm.trans_a};
  Factor rhs{Element0<const T>(call.operands[1]), gemm.ldb, gemm.trans_b};
  if (gemm.row_major) {
    std::swap(lhs, rhs);
    std::swap(gemm.m, gemm.n);
  }
  const MatrixMap<T> c(Element0<T>(call.operands[2]), gemm.m, gemm.n, OuterStride<>(gemm.ldc));
  const T alpha = static_cast<T>(call.attributes[0]);
  const T beta = static_cast<T>(call.attributes[1]);
  const auto with_right = [&](const auto& a) {
    if (rhs.transposed) {
      Accumulate<T>(c, alpha, a, MapOf<T, kRow>(rhs, gemm.k, gemm.n), beta);
    } else {
      Accumulate<T>(c, alpha, a, MapOf<T, kCol>(rhs, gemm.k, gemm.n), beta);
    }
  };
  if (lhs.transposed) {
    with_right(MapOf<T, kRow>(lhs, gemm.m, gemm.k));
  } else {
    with_right(MapOf<T, kCol>(lhs, gemm.m, gemm.k));
  }
}

template <class T>
void RunGemv(const AssayCall& call) {
  const AssayTensor& a = call.operands[0];
  const bool transposed = call.attributes[2] != 0;
  const int64_t rows = a.shape[transposed ? 1 : 0], columns = a.shape[transposed ? 0 : 1];
  // A stored matrix with unit strides along its rows is row-major, unless it is read transposed.
  const std::optional<int64_t> along_rows = LeadingDimension(a, 1);
  const int64_t leading = along_rows.has_value() ? *along_rows : *LeadingDimension(a, 0);
  const Factor factor{Element0<const T>(a), leading, along_rows.has_value() != transposed};
  const auto x = StridedMap<const T>(call.operands[1]).matrix();
  const auto y = StridedMap<T>(call.operands[2]).matrix();
  const T alpha = static_cast<T>(call.attributes[0]);
  const T beta = static_cast<T>(call.attributes[1]);
  if (factor.transposed) {
    Accumulate<T>(y, alpha, MapOf<T, kRow>(factor, rows, columns), x, beta);
  } else {
    Accumulate<T>(y, alpha, MapOf<T, kCol>(factor, rows, columns), x, beta);
  }
}

}  // namespace

template <class T>
bool RunProduct(const AssayCall& call) {
  switch (call.op) {
    case ASSAY_OP_GEMM:
      RunGemm<T>(call);
      return true;
    case ASSAY_OP_GEMV:
      RunGemv<T>(call);
      return true;
    default:
      return false;
  }
}
template bool RunProduct<double>(const AssayCall&);
template bool RunProduct<float>(const AssayCall&);

}  // namespace assay::eigen
