// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/functions.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// The overloads of std for float are the float functions of libm.
template <class Real>
Real Apply(const AssayCall& call, Real x) {
  switch (call.op) {
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
    case ASSAY_OP_EXPM1:
      return std::expm1(x);
    case ASSAY_OP_LOG1P:
      return std::log1p(x);
    case ASSAY_OP_RSQRT:
      return 1 / std::sqrt(x);
    case ASSAY_OP_SIGMOID:
      return Sigmoid(x);
    case ASSAY_OP_SILU:
      return Silu(x);
    case ASSAY_OP_MISH:
      return Mish(x);
    case ASSAY_OP_RELU:
      return Relu(x);
    case ASSAY_OP_CLAMP:
      return Clamp(x, static_cast<Real>(call.attributes[0]), static_cast<Real>(call.attributes[1]));
    default:
      return call.attributes[0] == 0 ? GeluErf(x) : GeluTanh(x);
  }
}

template <class Real>
Real Remainder(double style, Real x, Real y) {
  if (style == 0) return std::fmod(x, y);
  return style == 1 ? std::remainder(x, y) : FlooredRemainder(x, y);
}

template <class Real>
Real Apply(const AssayCall& call, Real x, Real y) {
  switch (call.op) {
    case ASSAY_OP_ADD:
      return x + y;
    case ASSAY_OP_MUL:
      return x * y;
    case ASSAY_OP_DIV:
      return x / y;
    case ASSAY_OP_MINIMUM:
      return Minimum(x, y);
    case ASSAY_OP_MAXIMUM:
      return Maximum(x, y);
    case ASSAY_OP_POW:
      return std::pow(x, y);
    case ASSAY_OP_HYPOT:
      return std::hypot(x, y);
    default:
      return Remainder(call.attributes[0], x, y);
  }
}

}  // namespace

void Unary(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), out(call.operands[1]);
    for (int64_t i = 0; i < x.extent(0); ++i) out.Put(Apply(call, x.Get(i)), i);
  });
}

void Binary(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), y(call.operands[1]), out(call.operands[2]);
    for (int64_t i = 0; i < x.extent(0); ++i) out.Put(Apply(call, x.Get(i), y.Get(i)), i);
  });
}

}  // namespace assay::reference
