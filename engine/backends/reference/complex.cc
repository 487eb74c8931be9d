// SPDX-License-Identifier: Apache-2.0
//
// Complex operators: the last axis holds real and imaginary parts. Products by the written formula,
// alpha and beta multiplied unless beta is 0 or 1.
#include <cmath>
#include <cstdint>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

template <class Real>
struct Complex {
  Real re, im;
  Complex operator*(const Complex& b) const {
    return {re * b.re - im * b.im, re * b.im + im * b.re};
  }
  Complex operator+(const Complex& b) const { return {re + b.re, im + b.im}; }
  bool IsReal(Real value) const { return re == value && im == 0; }
};

template <class Real>
Complex<Real> Scalar(const AssayCall& call, int attribute) {
  return {static_cast<Real>(call.attributes[attribute]),
          static_cast<Real>(call.attributes[attribute + 1])};
}

template <class Format>
Complex<typename Format::Real> Get(const View<Format>& view, int64_t i, int64_t j = -1) {
  if (j < 0) return {view.Get(i, 0), view.Get(i, 1)};
  return {view.Get(i, j, 0), view.Get(i, j, 1)};
}

template <class Format>
void Scale(const AssayCall& call) {
  const View<Format> x(call.operands[0]);
  const auto alpha = Scalar<typename Format::Real>(call, 0);
  for (int64_t i = 0; i < x.extent(0); ++i) {
    const auto product = alpha * Get(x, i);
    x.Put(product.re, i, 0);
    x.Put(product.im, i, 1);
  }
}

template <class Format>
void DotProduct(const AssayCall& call) {
  const View<Format> x(call.operands[0]), y(call.operands[1]), out(call.operands[2]);
  Complex<typename Format::Real> sum = {0, 0};
  for (int64_t i = 0; i < x.extent(0); ++i) {
    auto factor = Get(x, i);
    if (call.attributes[0] != 0) factor.im = -factor.im;
    sum = sum + factor * Get(y, i);
  }
  out.Put(sum.re, 0);
  out.Put(sum.im, 1);
}

template <class Format>
void MatrixVector(const AssayCall& call) {
  using Real = typename Format::Real;
  const View<Format> a(call.operands[0]), x(call.operands[1]), y(call.operands[2]);
  const auto alpha = Scalar<Real>(call, 0), beta = Scalar<Real>(call, 2);
  const int trans = static_cast<int>(call.attributes[4]);
  const bool product = !alpha.IsReal(0) && x.extent(0) > 0;
  for (int64_t i = 0; i < y.extent(0); ++i) {
    Complex<Real> sum = {0, 0};
    for (int64_t k = 0; product && k < x.extent(0); ++k) {
      auto element = trans == 0 ? Get(a, i, k) : Get(a, k, i);
      if (trans == 2) element.im = -element.im;
      sum = sum + element * Get(x, k);
    }
    if (product) sum = alpha * sum;
    if (!beta.IsReal(0)) {
      const auto old = beta.IsReal(1) ? Get(y, i) : beta * Get(y, i);
      sum = product ? sum + old : old;
    }
    y.Put(sum.re, i, 0);
    y.Put(sum.im, i, 1);
  }
}

template <class Format>
void Magnitude(const AssayCall& call) {
  const View<Format> x(call.operands[0]), out(call.operands[1]);
  for (int64_t i = 0; i < x.extent(0); ++i) out.Put(std::hypot(x.Get(i, 0), x.Get(i, 1)), i);
}

}  // namespace

void ComplexOperation(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Format = decltype(format);
    switch (call.op) {
      case ASSAY_OP_COMPLEX_SCAL:
        return Scale<Format>(call);
      case ASSAY_OP_COMPLEX_DOT:
        return DotProduct<Format>(call);
      case ASSAY_OP_COMPLEX_GEMV:
        return MatrixVector<Format>(call);
      default:
        return Magnitude<Format>(call);
    }
  });
}

}  // namespace assay::reference
