// SPDX-License-Identifier: Apache-2.0
#include "oracles/number/ball.h"

#include <arb.h>
#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "contracts/invariant.h"
#include "oracles/number/elementary.h"

namespace assay {
namespace {

constexpr int kFirstPrecision = 128;
constexpr int kLastPrecision = 8192;
constexpr int kWantedBits = 106;  // what two doubles hold
constexpr double kLargest = std::numeric_limits<double>::max();

// Beyond these arguments the result is a double up to less than the smallest subnormal, relative to
// which Arb would need thousands of bits. tanh(400) = 1 - 2^-1153; erfc(30) = 2^-1303;
// Phi(-40) = 2^-1160, and the tanh form is closer still; exp(-800) = 2^-1154, 800 times that
// 2^-1144; exp(720) > 2^1038.
constexpr double kTanhSaturates = 400, kErfSaturates = 30, kGeluSaturates = 40, kExpVanishes = -800,
                 kExpOverflows = 720, kSigmoidSaturates = 800;
// Powers whose logarithm to base 2 lies beyond these are beyond, or below, every double.
constexpr double kPowerOverflows = 1100, kPowerVanishes = -1200;

}  // namespace

struct BallEvaluator::Impl {
  arb_t x, y, z, sum;
  arf_t rest, part;
  std::vector<arb_struct> terms;

  Impl() {
    arb_init(x);
    arb_init(y);
    arb_init(z);
    arb_init(sum);
    arf_init(rest);
    arf_init(part);
  }
  ~Impl() {
    for (arb_struct& term : terms) arb_clear(&term);
    arb_clear(x);
    arb_clear(y);
    arb_clear(z);
    arb_clear(sum);
    arf_clear(rest);
    arf_clear(part);
  }

  void SetSize(size_t size) {
    while (terms.size() < size) {
      terms.emplace_back();
      arb_init(&terms.back());
    }
  }

  // rest -= value, exactly.
  void Subtract(double value) {
    arf_set_d(part, value);
    arf_sub(rest, rest, part, ARF_PREC_EXACT, ARF_RND_DOWN);
  }

  Enclosure ToDoubles(const arb_t ball) {
    arf_set(rest, arb_midref(ball));
    Enclosure result;
    result.hi = arf_get_d(rest, ARF_RND_NEAR);
    if (!(std::fabs(result.hi) <= kLargest)) {
      // Just above the largest double the excess still fits lo: the overflow threshold lies there.
      result.hi = std::copysign(kLargest, result.hi);
      Subtract(result.hi);
      result.lo = arf_get_d(rest, ARF_RND_NEAR);
      if (!(std::fabs(result.lo) <= kLargest * 0x1p-40)) return {2 * result.hi, 0, 0};
    } else {
      Subtract(result.hi);
      result.lo = arf_get_d(rest, ARF_RND_NEAR);
    }
    Subtract(result.lo);
    arf_abs(rest, rest);
    arf_set_mag(part, arb_radref(ball));
    arf_add(rest, rest, part, 64, ARF_RND_UP);
    result.radius = arf_get_d(rest, ARF_RND_UP);
    return result;
  }

  // z = sqrt(2/pi) (x + 0.044715 x^3)
  void TanhArgument(slong bits) {
    arb_mul(z, x, x, bits);
    arb_mul(z, z, x, bits);
    arb_mul_ui(z, z, 44715, bits);
    arb_div_ui(z, z, 1000000, bits);
    arb_add(z, z, x, bits);
    TimesRootTwoOverPi(z, bits);
  }

  void TimesRootTwoOverPi(arb_t value, slong bits) {
    arb_const_pi(sum, bits);
    arb_ui_div(sum, 2, sum, bits);
    arb_sqrt(sum, sum, bits);
    arb_mul(value, value, sum, bits);
  }

  // y = the factor of x: Phi(x), or 1 / (1 + exp(-2 z)) with z left behind.
  void GeluFactor(Function function, slong bits) {
    if (function == Function::kGeluErf) {
      arb_sqrt_ui(z, 2, bits);
      arb_div(z, x, z, bits);
      arb_neg(z, z);
      arb_hypgeom_erfc(y, z, bits);
      arb_mul_2exp_si(y, y, -1);
      return;
    }
    TanhArgument(bits);
    arb_mul_2exp_si(y, z, 1);
    arb_neg(y, y);
    arb_exp(y, y, bits);
    arb_add_ui(y, y, 1, bits);
    arb_inv(y, y, bits);
  }

  // y = f(x)
  void Apply(Function function, slong bits) {
    switch (function) {
      case Function::kExp:
        return arb_exp(y, x, bits);
      case Function::kLog:
        return arb_log(y, x, bits);
      case Function::kTanh:
        return arb_tanh(y, x, bits);
      case Function::kSqrt:
        return arb_sqrt(y, x, bits);
      case Function::kErf:
        return arb_hypgeom_erf(y, x, bits);
      case Function::kGeluErf:
      case Function::kGeluTanh:
        GeluFactor(function, bits);
        return arb_mul(y, y, x, bits);
      case Function::kExpm1:
        return arb_expm1(y, x, bits);
      case Function::kLog1p:
        return arb_log1p(y, x, bits);
      case Function::kRsqrt:
        return arb_rsqrt(y, x, bits);
      case Function::kSigmoid:
        return Sigmoid(bits);
      case Function::kSilu:
        Sigmoid(bits);
        return arb_mul(y, y, x, bits);
      case Function::kMish:
        return Mish(bits);
      default:
        return ApplyElementary(function, y, x, bits);
    }
  }

  void Sigmoid(slong bits) {
    arb_neg(z, x);
    arb_exp(z, z, bits);
    arb_add_ui(z, z, 1, bits);
    arb_inv(y, z, bits);
  }

  void Mish(slong bits) {
    arb_exp(z, x, bits);
    arb_add_ui(y, z, 2, bits);
    arb_mul(z, z, y, bits);
    arb_add_ui(y, z, 2, bits);
    arb_div(y, z, y, bits);
    arb_mul(y, y, x, bits);
  }

  // y = f(x, z); z is left alone.
  void Apply(BinaryFunction function, slong bits) {
    switch (function) {
      case BinaryFunction::kQuotient:
        return arb_div(y, x, z, bits);
      case BinaryFunction::kPower:
        return arb_pow(y, x, z, bits);
      case BinaryFunction::kHypot:
        return arb_hypot(y, x, z, bits);
    }
  }
};

BallEvaluator::BallEvaluator() : impl_(std::make_unique<Impl>()) {}
BallEvaluator::~BallEvaluator() = default;

namespace {

// Answers that no finite precision improves; false if there is one to compute.
bool Saturated(Function function, double x, Enclosure& result) {
  const double size = std::fabs(x);
  switch (function) {
    case Function::kExp:
      if (x < kExpVanishes) result = {0, 0, kTiniest};
      if (x > kExpOverflows) result = {kInfinity, 0, 0};
      return x < kExpVanishes || x > kExpOverflows;
    case Function::kTanh:
    case Function::kErf:
      if (!(size > (function == Function::kErf ? kErfSaturates : kTanhSaturates))) return false;
      result = {std::copysign(1.0, x), 0, kTiniest};
      return true;
    case Function::kGeluErf:
    case Function::kGeluTanh:
      if (!(size > kGeluSaturates)) return false;
      // |x| Phi(-|x|) < 2^-1074 for |x| > 40, decreasing; above 0, x - t is that small.
      result = x > 0 ? Enclosure{x, 0, kTiniest} : Enclosure{-0.0, 0, kTiniest};
      return true;
    case Function::kExpm1:
      if (x < kExpVanishes) result = {-1, 0, kTiniest};
      if (x > kExpOverflows) result = {kInfinity, 0, 0};
      return x < kExpVanishes || x > kExpOverflows;
    case Function::kSigmoid:
      if (!(size > kSigmoidSaturates)) return false;
      result = {x > 0 ? 1.0 : 0.0, 0, kTiniest};
      return true;
    case Function::kSilu:
    case Function::kMish:
      if (!(size > kSigmoidSaturates)) return false;
      result = x > 0 ? Enclosure{x, 0, kTiniest} : Enclosure{-0.0, 0, kTiniest};
      return true;
    case Function::kLog:
    case Function::kSqrt:
    case Function::kLog1p:
    case Function::kRsqrt:
      return false;
    default:
      return SaturatedElementary(function, x, result);
  }
}

bool SaturatedPower(double x, double y, Enclosure& result) {
  const double exponent = y * std::log2(std::fabs(x));
  const double sign = x < 0 && std::fmod(y, 2) != 0 ? -1 : 1;
  if (exponent > kPowerOverflows) result = {sign * kInfinity, 0, 0};
  if (exponent < kPowerVanishes) result = {sign * 0.0, 0, kTiniest};
  return exponent > kPowerOverflows || exponent < kPowerVanishes;
}

}  // namespace

Enclosure BallEvaluator::Evaluate(Function function, double x, int precision_bits) {
  Enclosure result;
  if (Saturated(function, x, result)) return result;
  const int wanted = std::max(precision_bits, kWantedBits);
  arb_set_d(impl_->x, x);
  for (slong bits = std::max(kFirstPrecision, precision_bits + 16); bits <= kLastPrecision;
       bits *= 2) {
    impl_->Apply(function, bits);
    if (arb_is_exact(impl_->y) || arb_rel_accuracy_bits(impl_->y) >= wanted) break;
  }
  ASSAY_CHECK(arb_is_finite(impl_->y), "a ball without bounds");
  return impl_->ToDoubles(impl_->y);
}

Enclosure BallEvaluator::Evaluate(BinaryFunction function, double x, double y, int precision_bits) {
  Enclosure result;
  if (function == BinaryFunction::kPower && SaturatedPower(x, y, result)) return result;
  const int wanted = std::max(precision_bits, kWantedBits);
  arb_set_d(impl_->x, x);
  arb_set_d(impl_->z, y);
  for (slong bits = std::max(kFirstPrecision, precision_bits + 16); bits <= kLastPrecision;
       bits *= 2) {
    impl_->Apply(function, bits);
    if (arb_is_exact(impl_->y) || arb_rel_accuracy_bits(impl_->y) >= wanted) break;
  }
  ASSAY_CHECK(arb_is_finite(impl_->y), "a ball without bounds");
  return impl_->ToDoubles(impl_->y);
}

double BallEvaluator::GeluCondition(Function function, double x) {
  constexpr slong kBits = 96;
  if (x > kGeluSaturates) return 0x1p-1000;
  if (x < -kGeluSaturates) {
    // Mills' ratio: phi(x) / Phi(x) < |x| + 1 / |x|. In the other form 1 - factor < 1.
    const double square = x * x;
    const double bound =
        function == Function::kGeluErf ? square + 1 : 1.6 * std::fabs(x) * (1 + 0.134146 * square);
    return std::min(bound * kOutward, kLargest);
  }
  arb_set_d(impl_->x, x);
  if (function == Function::kGeluErf) {
    // phi(x) / Phi(x) = sqrt(2/pi) exp(-x^2/2) / erfc(-x / sqrt 2)
    impl_->GeluFactor(function, kBits);
    arb_mul_2exp_si(impl_->y, impl_->y, 1);
    arb_sqr(impl_->z, impl_->x, 4 * kBits);
    arb_mul_2exp_si(impl_->z, impl_->z, -1);
    arb_neg(impl_->z, impl_->z);
    arb_exp(impl_->z, impl_->z, kBits);
    arb_div(impl_->y, impl_->z, impl_->y, kBits);
  } else {
    // 2 z'(x) (1 - factor), z' = sqrt(2/pi) (1 + 0.134145 x^2); 1 - factor = factor of -x
    arb_neg(impl_->x, impl_->x);
    impl_->GeluFactor(function, kBits);
    arb_sqr(impl_->z, impl_->x, kBits);
    arb_mul_ui(impl_->z, impl_->z, 134145, kBits);
    arb_div_ui(impl_->z, impl_->z, 1000000, kBits);
    arb_add_ui(impl_->z, impl_->z, 1, kBits);
    arb_mul(impl_->y, impl_->y, impl_->z, kBits);
    arb_mul_2exp_si(impl_->y, impl_->y, 1);
  }
  impl_->TimesRootTwoOverPi(impl_->y, kBits);
  arb_mul(impl_->y, impl_->y, impl_->x, kBits);
  arb_get_abs_ubound_arf(impl_->rest, impl_->y, kBits);
  return arf_get_d(impl_->rest, ARF_RND_UP);
}

void BallEvaluator::Softmax(std::span<const double> x, int precision_bits, double* hi, double* lo,
                            double* radius) {
  const slong bits = std::max(kFirstPrecision, precision_bits + 16);
  const double largest = *std::max_element(x.begin(), x.end());
  impl_->SetSize(x.size());
  arb_set_d(impl_->z, largest);
  arb_zero(impl_->sum);
  double dropped = 0;  // terms below exp(-800): each positive and below 2^-1150
  for (size_t i = 0; i < x.size(); ++i) {
    arb_struct* term = &impl_->terms[i];
    if (!(x[i] - largest >= kExpVanishes)) {
      arb_zero(term);
      if (x[i] >= -kLargest) dropped += 1;
      continue;
    }
    arb_set_d(impl_->x, x[i]);
    arb_sub(impl_->x, impl_->x, impl_->z, ARF_PREC_EXACT);
    arb_exp(term, impl_->x, bits);
    arb_add(impl_->sum, impl_->sum, term, bits);
  }
  if (dropped > 0) {
    arf_set_d(impl_->rest, dropped);
    arf_mul_2exp_si(impl_->rest, impl_->rest, -1150);
    arb_add_error_arf(impl_->sum, impl_->rest);
  }
  for (size_t i = 0; i < x.size(); ++i) {
    Enclosure p{0, 0, x[i] >= -kLargest ? kTiniest : 0};
    if (!arb_is_zero(&impl_->terms[i])) {
      arb_div(impl_->y, &impl_->terms[i], impl_->sum, bits);
      p = impl_->ToDoubles(impl_->y);
    }
    hi[i] = p.hi;
    lo[i] = p.lo;
    radius[i] = p.radius;
  }
}

void FreeNumberCaches() { flint_cleanup(); }

}  // namespace assay
