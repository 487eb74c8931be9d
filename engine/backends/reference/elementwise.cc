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

// Functions that are calculated one precision up and rounded once.
struct WideRow {
  uint32_t op;
  double (*of_double)(double);
  long double (*of_long_double)(long double);
};
constexpr WideRow kWideRows[] = {
    {ASSAY_OP_SIN, std::sin, std::sin},
    {ASSAY_OP_COS, std::cos, std::cos},
    {ASSAY_OP_TAN, std::tan, std::tan},
    {ASSAY_OP_ASIN, std::asin, std::asin},
    {ASSAY_OP_ACOS, std::acos, std::acos},
    {ASSAY_OP_ATAN, std::atan, std::atan},
    {ASSAY_OP_SINH, std::sinh, std::sinh},
    {ASSAY_OP_COSH, std::cosh, std::cosh},
    {ASSAY_OP_ASINH, std::asinh, std::asinh},
    {ASSAY_OP_ACOSH, std::acosh, std::acosh},
    {ASSAY_OP_ATANH, std::atanh, std::atanh},
    {ASSAY_OP_EXP2, std::exp2, std::exp2},
    {ASSAY_OP_EXP10, ::exp10, ::exp10l},
    {ASSAY_OP_LOG2, std::log2, std::log2},
    {ASSAY_OP_LOG10, std::log10, std::log10},
    {ASSAY_OP_CBRT, std::cbrt, std::cbrt},
    {ASSAY_OP_ERFC, std::erfc, std::erfc},
    {ASSAY_OP_TGAMMA, std::tgamma, std::tgamma},
    {ASSAY_OP_LGAMMA, std::lgamma, std::lgamma},
    {ASSAY_OP_SOFTPLUS, Softplus<double>, Softplus<long double>},
    {ASSAY_OP_SOFTSIGN, Softsign<double>, Softsign<long double>},
};

float ApplyWide(const WideRow& row, float x) { return static_cast<float>(row.of_double(x)); }
double ApplyWide(const WideRow& row, double x) {
  return static_cast<double>(row.of_long_double(x));
}

// Two precisions up: near a zero the terms of the asymptotic form cancel. No type is that far above
// double, which the operator does not take.
template <class Real>
Real BesselJ0(Real x) {
  return static_cast<Real>(::j0l(x));
}

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
    case ASSAY_OP_ABS:
      return std::fabs(x);
    case ASSAY_OP_J0:
      return BesselJ0(x);
    case ASSAY_OP_GELU:
      return call.attributes[0] == 0 ? GeluErf(x) : GeluTanh(x);
    default:
      break;
  }
  for (const WideRow& row : kWideRows) {
    if (row.op == call.op) return ApplyWide(row, x);
  }
  return std::numeric_limits<Real>::quiet_NaN();
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
