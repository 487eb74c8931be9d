// SPDX-License-Identifier: Apache-2.0
//
// Elementary and special functions by formulas that textbooks give and libraries have shipped: each
// is right for tame arguments and loses its accuracy, or overflows, where it cancels or squares. A
// kernel is a function of one number in the accumulator's type, mapped over the operand.
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

// out[i] := function(x[i]) in the accumulator's type.
template <class Function>
int32_t MapIn(const AssayCall& call, const Function& function) {
  const View x(call.operands[0]), out(call.operands[1]);
  return WithAccumulator(x.type(), [&](auto zero) {
    using Acc = decltype(zero);
    for (int64_t i = 0; i < x.extent(0); ++i) out.Set(i, function(static_cast<Acc>(x.Get(i))));
  });
}

// In double, rounded once: for decoys of up to 32 bits.
template <class Function>
int32_t MapInDouble(const AssayCall& call, const Function& function) {
  const View x(call.operands[0]), out(call.operands[1]);
  for (int64_t i = 0; i < x.extent(0); ++i) out.Set(i, function(x.Get(i)));
  return ASSAY_OK;
}

template <class Acc>
Acc Trigonometric(uint32_t op, Acc x) {
  if (op == ASSAY_OP_SIN) return std::sin(x);
  return op == ASSAY_OP_COS ? std::cos(x) : std::tan(x);
}

// sin, cos or tan of r + k pi / 2.
template <class Acc>
Acc InQuadrant(uint32_t op, Acc r, Acc k) {
  const int quadrant = static_cast<int>(std::fmod(k, Acc{4})) & 3;
  if (op == ASSAY_OP_TAN) return quadrant % 2 == 0 ? std::tan(r) : -1 / std::tan(r);
  const int turn = op == ASSAY_OP_SIN ? quadrant : (quadrant + 1) & 3;
  const Acc value = turn % 2 == 0 ? std::sin(r) : std::cos(r);
  return turn < 2 ? value : -value;
}

template <class Acc>
constexpr Acc kHalfPi = std::numbers::pi_v<Acc> / 2;

}  // namespace

int32_t HyperbolicHalves(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    const auto grown = std::exp(x), shrunk = std::exp(-x);
    return (call.op == ASSAY_OP_SINH ? grown - shrunk : grown + shrunk) / 2;
  });
}

int32_t HyperbolicEarlyOverflow(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    using Acc = decltype(x);
    const Acc limit = sizeof(Acc) == 4 ? Acc{88} : Acc{709};
    const Acc value = call.op == ASSAY_OP_SINH ? std::sinh(x) : std::cosh(x);
    const bool beyond = std::fabs(x) > limit;
    return beyond ? std::copysign(std::numeric_limits<Acc>::infinity(), value) : value;
  });
}

int32_t TrigonometricTwoParts(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    using Acc = decltype(x);
    // The first part has a few bits only, so that k times it is exact while k is small.
    constexpr Acc kHigh = sizeof(Acc) == 4 ? Acc(0x1.92p+0) : Acc(0x1.921fb544p+0);
    constexpr Acc kLow = static_cast<Acc>(std::numbers::pi_v<long double> / 2 - kHigh);
    const Acc k = std::rint(x / kHalfPi<Acc>);
    if (!(std::fabs(k) < Acc(0x1p+60))) return Trigonometric(call.op, x);
    return InQuadrant(call.op, x - k * kHigh - k * kLow, k);
  });
}

int32_t TrigonometricRoundedPeriod(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    return Trigonometric(call.op, std::fmod(x, 4 * kHalfPi<decltype(x)>));
  });
}

int32_t SoftplusLogOfSum(const AssayCall& call) {
  return MapIn(call, [](auto x) { return std::log(1 + std::exp(x)); });
}

int32_t SoftplusThreshold(const AssayCall& call) {
  return MapIn(call, [](auto x) {
    using Acc = decltype(x);
    constexpr Acc kThreshold = 20;
    if (x < -kThreshold) return Acc{0};
    return x > kThreshold ? x : std::log1p(std::exp(x));
  });
}

int32_t SoftsignReciprocal(const AssayCall& call) {
  return MapIn(call, [](auto x) {
    using Acc = decltype(x);
    const Acc reciprocal = 1 / (1 + std::fabs(x));
    return reciprocal < std::numeric_limits<Acc>::min() ? x * 0 : x * reciprocal;
  });
}

int32_t SoftsignSquares(const AssayCall& call) {
  return MapIn(call, [](auto x) { return x / (1 + std::sqrt(x * x)); });
}

int32_t LogarithmSmallestNormal(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    using Acc = decltype(x);
    const Acc from = x > 0 ? std::fmax(x, std::numeric_limits<Acc>::min()) : x;
    if (call.op == ASSAY_OP_LOG) return std::log(from);
    return call.op == ASSAY_OP_LOG2 ? std::log2(from) : std::log10(from);
  });
}

int32_t LgammaLogOfGamma(const AssayCall& call) {
  return MapIn(call, [](auto x) {
    const auto gamma = std::tgamma(x);
    return x < 0 && x == std::trunc(x) ? std::numeric_limits<decltype(x)>::infinity()
                                       : std::log(std::fabs(gamma));
  });
}

int32_t TgammaExpOfLgamma(const AssayCall& call) {
  return MapIn(call, [](auto x) {
    if (!(x > 0)) return std::tgamma(x);
    return std::exp(std::lgamma(x));
  });
}

int32_t ErfcOneMinusErf(const AssayCall& call) {
  return MapIn(call, [](auto x) { return 1 - std::erf(x); });
}

int32_t CbrtByPower(const AssayCall& call) {
  return MapIn(call, [](auto x) {
    using Acc = decltype(x);
    return std::copysign(std::pow(std::fabs(x), 1 / Acc{3}), x);
  });
}

int32_t AreaLogForm(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    using Acc = decltype(x);
    if (call.op == ASSAY_OP_ATANH) return std::log((1 + x) / (1 - x)) / 2;
    return std::log(x + std::sqrt(x * x + (call.op == ASSAY_OP_ASINH ? Acc{1} : Acc{-1})));
  });
}

int32_t PowerByExp(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    using Acc = decltype(x);
    return std::exp(
        x * (call.op == ASSAY_OP_EXP2 ? std::numbers::ln2_v<Acc> : std::numbers::ln10_v<Acc>));
  });
}

int32_t ArcByComplement(const AssayCall& call) {
  return MapIn(call, [&call](auto x) {
    using Acc = decltype(x);
    if (call.op == ASSAY_OP_ACOS) return kHalfPi<Acc> - std::asin(x);
    return std::atan(x / std::sqrt(1 - x * x));
  });
}

int32_t BesselLeadingTerm(const AssayCall& call) {
  return MapInDouble(call, [](double x) {
    const double size = std::fabs(x);
    constexpr double kFrom = 8;
    if (!(size > kFrom) || std::isinf(size)) return ::j0(x);
    return std::sqrt(2 / (std::numbers::pi * size)) * std::cos(size - std::numbers::pi / 4);
  });
}

int32_t AbsOfSquare(const AssayCall& call) {
  return MapIn(call, [](auto x) { return std::sqrt(x * x); });
}

int32_t TangentQuotient(const AssayCall& call) {
  return MapInDouble(call, [](double x) { return std::sin(x) / std::cos(x); });
}

int32_t HyperbolicByExpm1(const AssayCall& call) {
  return MapInDouble(call, [](double x) {
    constexpr double kBeyond = 700;  // where every narrower type has overflowed
    const double size = std::fabs(x);
    if (!(size < kBeyond)) return x * std::exp(size);
    const double e = std::expm1(size);
    return std::copysign((e + e / (e + 1)) / 2, x);
  });
}

int32_t LogarithmQuotient(const AssayCall& call) {
  return MapInDouble(call, [&call](double x) {
    return std::log(x) / (call.op == ASSAY_OP_LOG2 ? std::numbers::ln2 : std::numbers::ln10);
  });
}

}  // namespace assay::planted
