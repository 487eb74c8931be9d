// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

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
    case ASSAY_OP_MINIMUM_NUMBER:
      return MinimumNumber(x, y);
    case ASSAY_OP_MAXIMUM_NUMBER:
      return MaximumNumber(x, y);
    case ASSAY_OP_POW:
      return std::pow(x, y);
    case ASSAY_OP_HYPOT:
      return std::hypot(x, y);
    default:
      return Remainder(call.attributes[0], x, y);
  }
}

// A NaN whose first bit behind the exponent is not set, as it lies in memory.
template <class Format>
bool IsSignalling(const View<Format>& x, int64_t i) {
  constexpr int kFraction = std::is_same_v<Format, F64>   ? 52
                            : std::is_same_v<Format, F32> ? 23
                            : std::is_same_v<Format, F16> ? 10
                                                          : 7;
  uint64_t bits = 0;
  std::memcpy(&bits, x.At(i), sizeof(typename Format::Word));
  return std::isnan(x.Get(i)) && (bits >> (kFraction - 1) & 1) == 0;
}

}  // namespace

void Unary(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), out(call.operands[1]);
    for (int64_t i = 0; i < x.extent(0); ++i) out.Put(Apply(call, x.Get(i)), i);
  });
}

void Binary(const AssayCall& call) {
  const bool numbers = call.op == ASSAY_OP_MINIMUM_NUMBER || call.op == ASSAY_OP_MAXIMUM_NUMBER;
  const bool signals = numbers && call.attributes[0] == 1;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Format = decltype(format);
    const View<Format> x(call.operands[0]), y(call.operands[1]), out(call.operands[2]);
    for (int64_t i = 0; i < x.extent(0); ++i) {
      // minNum and maxNum of IEEE 754-2008: a signalling NaN is an invalid operand.
      const bool invalid = signals && (IsSignalling(x, i) || IsSignalling(y, i));
      out.Put(invalid ? std::numeric_limits<typename Format::Real>::quiet_NaN()
                      : Apply(call, x.Get(i), y.Get(i)),
              i);
    }
  });
}

}  // namespace assay::reference
