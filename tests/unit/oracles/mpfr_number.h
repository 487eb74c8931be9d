// SPDX-License-Identifier: Apache-2.0
//
// MPFR with operators, at 700 bits: the referee of formulas, which shares nothing with Arb, the C
// library or our own arithmetic. Tests write each formula in its textbook form.
#pragma once

#include <mpfr.h>

#include "contracts/evidence.h"

namespace assay::fixtures {

class Mpfr {
 public:
  static constexpr mpfr_prec_t kBits = 700;

  Mpfr(double value = 0) {  // NOLINT(google-explicit-constructor): exact
    mpfr_init2(value_, kBits);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Mpfr(const Mpfr& other) : Mpfr() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Mpfr& operator=(const Mpfr& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Mpfr() { mpfr_clear(value_); }

  friend Mpfr operator+(Mpfr a, const Mpfr& b) {
    mpfr_add(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend Mpfr operator-(Mpfr a, const Mpfr& b) {
    mpfr_sub(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend Mpfr operator*(Mpfr a, const Mpfr& b) {
    mpfr_mul(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend Mpfr operator/(Mpfr a, const Mpfr& b) {
    mpfr_div(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend Mpfr Sqrt(Mpfr a) {
    mpfr_sqrt(a.value_, a.value_, MPFR_RNDN);
    return a;
  }
  friend Mpfr Exp(Mpfr a) {
    mpfr_exp(a.value_, a.value_, MPFR_RNDN);
    return a;
  }
  friend Mpfr Log(Mpfr a) {
    mpfr_log(a.value_, a.value_, MPFR_RNDN);
    return a;
  }
  friend Mpfr Abs(Mpfr a) {
    mpfr_abs(a.value_, a.value_, MPFR_RNDN);
    return a;
  }
  friend bool operator<(const Mpfr& a, const Mpfr& b) { return mpfr_less_p(a.value_, b.value_); }
  friend bool operator<=(const Mpfr& a, const Mpfr& b) {
    return mpfr_lessequal_p(a.value_, b.value_);
  }
  double Nearest() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

// |hi + lo - truth| <= radius, but for the referee's own roundings, far below 2^-500.
inline bool Encloses(const Evidence& evidence, int64_t at, const Mpfr& truth) {
  const auto i = static_cast<size_t>(at);
  const Mpfr distance = Abs(truth - Mpfr(evidence.hi[i]) - Mpfr(evidence.lo[i]));
  return distance <= Mpfr(evidence.radius[i]) + Abs(truth) * Mpfr(0x1p-500);
}

}  // namespace assay::fixtures
