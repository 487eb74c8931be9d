// SPDX-License-Identifier: Apache-2.0
//
// Element-wise functions with one fault each, and some that are right in an unusual way. A kernel
// is a function of one number, mapped over the operand.
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

constexpr int64_t kLanes = 8;

// gelu with its tails: erfc keeps the relative accuracy that 1 + erf loses.
double AccurateGelu(double x, bool tanh_form) {
  if (!tanh_form) return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
  // x (1 + tanh z) / 2 = x / (1 + exp(-2 z)), which does not cancel for large negative z.
  const double z = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * z));
}

// Evaluated in double: at most the library's error for f64, one rounding for the narrower types.
double Accurate(const AssayCall& call, double x) {
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
    default:
      return AccurateGelu(x, call.attributes[0] != 0);
  }
}

// out[i] := function(x[i], i)
template <class Function>
int32_t Map(const AssayCall& call, const Function& function) {
  const View x(call.operands[0]), out(call.operands[1]);
  for (int64_t i = 0; i < x.extent(0); ++i) out.Set(i, function(x.Get(i), i));
  return ASSAY_OK;
}

int64_t Length(const AssayCall& call) { return call.operands[0].shape[0]; }
bool InVectorBody(int64_t i, int64_t n) { return i < n / kLanes * kLanes; }

}  // namespace

int32_t GeluOnePlusErf(const AssayCall& call) {
  if (call.attributes[0] != 0) return UnaryAccurate(call);
  return WithAccumulator(View(call.operands[0]).type(), [&call](auto zero) {
    using Acc = decltype(zero);
    Map(call, [](double x, int64_t) -> double {
      const Acc value = static_cast<Acc>(x);
      const Acc scaled = value * static_cast<Acc>(1 / std::numbers::sqrt2);
      return Acc(0.5) * value * (1 + std::erf(scaled));
    });
  });
}

int32_t ExpEarlyOverflow(const AssayCall& call) {
  return Map(call, [](double x, int64_t) {
    constexpr double kThreshold = 88;  // the largest f32 is exp(88.72)
    return x > kThreshold ? std::numeric_limits<double>::infinity() : std::exp(x);
  });
}

int32_t LogFlushesSubnormals(const AssayCall& call) {
  return Map(call, [](double x, int64_t) {
    constexpr double kSmallestNormalF32 = 0x1p-126;
    return std::log(x > 0 && x < kSmallestNormalF32 ? 0.0 : x);
  });
}

int32_t TanhOfExponentials(const AssayCall& call) {
  return Map(call, [](double x, int64_t) -> double {
    const float e = std::exp(2 * static_cast<float>(x));
    return (e - 1) / (e + 1);
  });
}

int32_t ExpNanToInf(const AssayCall& call) {
  return Map(call, [](double x, int64_t) {
    constexpr double kLargest = 88.8;
    // Not "x > kLargest": an unordered comparison takes the overflow branch.
    return !(x <= kLargest) ? std::numeric_limits<double>::infinity() : std::exp(x);
  });
}

int32_t TanhClampsNan(const AssayCall& call) {
  return Map(call, [](double x, int64_t) {
    constexpr double kSaturated = 20;
    const double below = x < kSaturated ? x : kSaturated;  // the native minimum: NaN gives 20
    return std::tanh(below > -kSaturated ? below : -kSaturated);
  });
}

int32_t SqrtOfNegativeZeroed(const AssayCall& call) {
  return Map(call, [](double x, int64_t) { return x > 0 ? std::sqrt(x) : 0.0; });
}

int32_t UnaryNanLostInBody(const AssayCall& call) {
  return Map(call, [&call](double x, int64_t i) {
    return std::isnan(x) && InVectorBody(i, Length(call)) ? 0.0 : Accurate(call, x);
  });
}

int32_t UnaryWritesPastOut(const AssayCall& call) {
  const View out(call.operands[1]);
  const int64_t n = Length(call);
  UnaryAccurate(call);
  // The last vector of 4 is stored whole.
  constexpr int64_t kStored = 4;
  if (out.stride(0) == 1 && n % kStored != 0 && n > kStored) out.Set(n, 0.0);
  return ASSAY_OK;
}

int32_t UnaryReadsPastX(const AssayCall& call) {
  const View x(call.operands[0]);
  const int64_t n = Length(call);
  constexpr int64_t kLoaded = 4;
  if (x.stride(0) == 1 && n % kLoaded != 0) {
    static_cast<void>(*static_cast<const volatile unsigned char*>(x.Address(n)));
  }
  return UnaryAccurate(call);
}

int32_t UnaryAccurate(const AssayCall& call) {
  return Map(call, [&call](double x, int64_t) { return Accurate(call, x); });
}

int32_t ExpByExp2(const AssayCall& call) {
  return Map(call, [](double x, int64_t) { return std::exp2(x * std::numbers::log2e); });
}

int32_t TanhByExpm1(const AssayCall& call) {
  return Map(call, [](double x, int64_t) {
    constexpr double kSaturated = 30;
    if (x > kSaturated) return 1.0;
    const double e = std::expm1(2 * x);
    return e / (e + 2);
  });
}

int32_t GeluNanAtMinusInfinity(const AssayCall& call) {
  return Map(call, [&call](double x, int64_t) {
    const double y = Accurate(call, x);
    return std::isinf(x) && x < 0 ? std::numeric_limits<double>::quiet_NaN() : y;
  });
}

}  // namespace assay::planted
