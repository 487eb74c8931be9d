// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// The tails of gelu multiply a relative error of the argument by x^2, so they are calculated one
// precision up and rounded to Real at the end.
template <class Real>
struct Wider;
template <>
struct Wider<float> {
  using Type = double;
};
template <>
struct Wider<double> {
  using Type = long double;
};

// 0.5 x erfc(-x / sqrt 2): keeps its relative accuracy where 1 + erf cancels.
template <class Real>
Real GeluErf(Real x) {
  using Wide = typename Wider<Real>::Type;
  if (std::isinf(x)) return x > 0 ? x : Real{-0.0};
  constexpr Wide kInverseSqrt2 = 0.707106781186547524400844362104849039L;
  const Wide wide = x;
  return static_cast<Real>(Wide{0.5} * wide * std::erfc(-wide * kInverseSqrt2));
}

// 0.5 x (1 + tanh u), u = sqrt(2/pi) (x + 0.044715 x^3), with 0.5 (1 + tanh u) = 1 / (1 +
// exp(-2u)).
template <class Real>
Real GeluTanh(Real x) {
  using Wide = typename Wider<Real>::Type;
  if (std::isinf(x)) return x > 0 ? x : Real{-0.0};
  constexpr Wide kSqrt2OverPi = 0.797884560802865355879892119868763737L;
  const Wide wide = x;
  const Wide u = kSqrt2OverPi * (wide + Wide{0.044715L} * wide * wide * wide);
  return static_cast<Real>(wide / (1 + std::exp(-2 * u)));
}

// The overloads of std for float are the float functions of libm.
template <class Real>
Real Apply(uint32_t op, double form, Real x) {
  switch (op) {
    case ASSAY_OP_EXP:
      return std::exp(x);
    case ASSAY_OP_LOG:
      return std::log(x);
    case ASSAY_OP_TANH:
      return std::tanh(x);
    case ASSAY_OP_SQRT:
      return std::sqrt(x);
    case ASSAY_OP_ERF:
      return std::erf(x);
    default:
      return form == 0 ? GeluErf(x) : GeluTanh(x);
  }
}

template <class Format>
void SoftmaxRow(const View<Format>& x, const View<Format>& out, int64_t row) {
  using Real = typename Format::Real;
  const int64_t n = x.extent(1);
  Real max = -std::numeric_limits<Real>::infinity();
  for (int64_t j = 0; j < n; ++j) {
    if (x.Get(row, j) > max)
      max = x.Get(row, j);  // NaN is passed over here and returns in the sum.
  }
  Real sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += std::exp(x.Get(row, j) - max);
  for (int64_t j = 0; j < n; ++j) out.Set(row, j, std::exp(x.Get(row, j) - max) / sum);
}

template <class Word>
void CopyRow(const AssayTensor& table, int64_t from, const AssayTensor& out, int64_t to) {
  const auto at = [](const AssayTensor& tensor, int64_t row, int64_t column) {
    auto* element0 = reinterpret_cast<Word*>(static_cast<char*>(tensor.data) + tensor.byte_offset);
    const int64_t row_stride = tensor.shape[0] > 1 ? tensor.strides[0] : 0;
    const int64_t column_stride = tensor.shape[1] > 1 ? tensor.strides[1] : 0;
    return element0 + (row * row_stride + column * column_stride);
  };
  for (int64_t j = 0; j < table.shape[1]; ++j) *at(out, to, j) = *at(table, from, j);
}

int64_t IndexAt(const AssayTensor& indices, int64_t i) {
  const char* element0 = static_cast<const char*>(indices.data) + indices.byte_offset;
  const int64_t at = indices.shape[0] > 1 ? i * indices.strides[0] : 0;
  if (indices.dtype.bits == 64) return reinterpret_cast<const int64_t*>(element0)[at];
  return reinterpret_cast<const int32_t*>(element0)[at];
}

}  // namespace

void Softmax(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), out(call.operands[1]);
    for (int64_t row = 0; row < x.extent(0); ++row) SoftmaxRow(x, out, row);
  });
}

void Unary(const AssayCall& call) {
  const double form = call.op == ASSAY_OP_GELU ? call.attributes[0] : 0;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), out(call.operands[1]);
    for (int64_t i = 0; i < x.extent(0); ++i) out.Set(i, 0, Apply(call.op, form, x.Get(i)));
  });
}

bool Gather(const AssayCall& call) {
  const AssayTensor& table = call.operands[0];
  const AssayTensor& indices = call.operands[1];
  const AssayTensor& out = call.operands[2];
  for (int64_t i = 0; i < indices.shape[0]; ++i) {
    const int64_t row = IndexAt(indices, i);
    if (row < 0 || row >= table.shape[0]) return false;
  }
  for (int64_t i = 0; i < indices.shape[0]; ++i) {
    const int64_t row = IndexAt(indices, i);
    switch (table.dtype.bits) {
      case 8:
        CopyRow<uint8_t>(table, row, out, i);
        break;
      case 16:
        CopyRow<uint16_t>(table, row, out, i);
        break;
      case 32:
        CopyRow<uint32_t>(table, row, out, i);
        break;
      default:
        CopyRow<uint64_t>(table, row, out, i);
    }
  }
  return true;
}

}  // namespace assay::reference
