// SPDX-License-Identifier: Apache-2.0
#include "oracles/number/activation_ball.h"

#include <arb.h>
#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>

#include "contracts/invariant.h"

namespace assay {
namespace {

constexpr int kLeastPrecision = 128;

// Beyond these arguments a result is a double but for less than 2^-1074: Phi(-40) = 2^-1160, the
// tanh form is closer still, tanh(400) = 1 - 2^-1153, exp(-800) = 2^-1154, times 800 2^-1144.
double SaturatesAt(Activation activation) {
  switch (activation) {
    case Activation::kGeluErf:
    case Activation::kGeluTanh:
      return 40;
    case Activation::kTanh:
      return 400;
    default:
      return 800;
  }
}

bool Saturated(Activation activation, const Enclosure& z, Enclosure& result) {
  const double limit = SaturatesAt(activation) + z.radius + std::fabs(z.lo);
  if (!(std::fabs(z.hi) > limit)) return false;
  const bool positive = z.hi > 0;
  switch (activation) {
    case Activation::kSigmoid:
      result = {positive ? 1.0 : 0.0, 0, kTiniest};
      break;
    case Activation::kTanh:
      result = {positive ? 1.0 : -1.0, 0, kTiniest};
      break;
    default:
      result = positive ? Enclosure{z.hi, z.lo, z.radius + kTiniest} : Enclosure{0, 0, kTiniest};
      break;
  }
  return true;
}

}  // namespace

struct ActivationBall::Impl {
  arb_t z, y, scratch;
  arf_t rest, part;

  Impl() {
    arb_init(z);
    arb_init(y);
    arb_init(scratch);
    arf_init(rest);
    arf_init(part);
  }
  ~Impl() {
    arb_clear(z);
    arb_clear(y);
    arb_clear(scratch);
    arf_clear(rest);
    arf_clear(part);
  }

  void Set(const Enclosure& from) {
    arb_set_d(z, from.hi);
    arb_set_d(scratch, from.lo);
    arb_add(z, z, scratch, ARF_PREC_EXACT);
    arf_set_d(part, from.radius);
    arb_add_error_arf(z, part);
  }

  // y = 1 / (1 + exp(-scratch))
  void Logistic(slong bits) {
    arb_neg(y, scratch);
    arb_exp(y, y, bits);
    arb_add_ui(y, y, 1, bits);
    arb_inv(y, y, bits);
  }

  // scratch = 2 sqrt(2/pi) (z + 0.044715 z^3)
  void TanhFormArgument(slong bits) {
    arb_mul(y, z, z, bits);
    arb_mul_ui(y, y, 44715, bits);
    arb_div_ui(y, y, 1000000, bits);
    arb_add_ui(y, y, 1, bits);
    arb_mul(y, y, z, bits);
    arb_const_pi(scratch, bits);
    arb_ui_div(scratch, 8, scratch, bits);
    arb_sqrt(scratch, scratch, bits);
    arb_mul(scratch, scratch, y, bits);
  }

  void Apply(Activation activation, slong bits) {
    switch (activation) {
      case Activation::kGeluErf:
        arb_sqrt_ui(scratch, 2, bits);
        arb_div(scratch, z, scratch, bits);
        arb_neg(scratch, scratch);
        arb_hypgeom_erfc(y, scratch, bits);
        arb_mul_2exp_si(y, y, -1);
        return arb_mul(y, y, z, bits);
      case Activation::kGeluTanh:
        TanhFormArgument(bits);
        Logistic(bits);
        return arb_mul(y, y, z, bits);
      case Activation::kSilu:
        arb_set(scratch, z);
        Logistic(bits);
        return arb_mul(y, y, z, bits);
      case Activation::kSigmoid:
        arb_set(scratch, z);
        return Logistic(bits);
      case Activation::kTanh:
        return arb_tanh(y, z, bits);
      case Activation::kNone:
      case Activation::kRelu:
        break;
    }
    ASSAY_CHECK(false, "an activation that needs no ball");
  }

  void Subtract(double value) {
    arf_set_d(part, value);
    arf_sub(rest, rest, part, ARF_PREC_EXACT, ARF_RND_DOWN);
  }

  Enclosure ToDoubles() {
    arf_set(rest, arb_midref(y));
    Enclosure result;
    result.hi = arf_get_d(rest, ARF_RND_NEAR);
    Subtract(result.hi);
    result.lo = arf_get_d(rest, ARF_RND_NEAR);
    Subtract(result.lo);
    arf_abs(rest, rest);
    arf_set_mag(part, arb_radref(y));
    arf_add(rest, rest, part, 64, ARF_RND_UP);
    result.radius = arf_get_d(rest, ARF_RND_UP);
    return result;
  }
};

ActivationBall::ActivationBall() : impl_(std::make_unique<Impl>()) {}
ActivationBall::~ActivationBall() = default;

Enclosure ActivationBall::Evaluate(Activation activation, const Enclosure& z, int precision_bits) {
  Enclosure result;
  if (Saturated(activation, z, result)) return result;
  impl_->Set(z);
  // No step cancels: the precision asked for is kept but for a few bits.
  impl_->Apply(activation, std::max(kLeastPrecision, precision_bits + 32));
  ASSAY_CHECK(arb_is_finite(impl_->y), "a ball without bounds");
  return impl_->ToDoubles();
}

}  // namespace assay
