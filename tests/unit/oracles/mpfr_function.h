// SPDX-License-Identifier: Apache-2.0
//
// The referee of the function tests: MPFR's own functions, so an implementation that shares nothing
// with Arb or the C library.
#pragma once

#include <mpfr.h>

#include <cmath>

#include "oracles/number/ball.h"

namespace assay::fixtures {

inline constexpr Function kFunctions[] = {
    Function::kExp,   Function::kLog,      Function::kTanh,     Function::kSqrt,
    Function::kErf,   Function::kGeluErf,  Function::kGeluTanh, Function::kExpm1,
    Function::kLog1p, Function::kRsqrt,    Function::kSigmoid,  Function::kSilu,
    Function::kMish,  Function::kSin,      Function::kCos,      Function::kTan,
    Function::kAsin,  Function::kAcos,     Function::kAtan,     Function::kSinh,
    Function::kCosh,  Function::kAsinh,    Function::kAcosh,    Function::kAtanh,
    Function::kExp2,  Function::kExp10,    Function::kLog2,     Function::kLog10,
    Function::kCbrt,  Function::kErfc,     Function::kTgamma,   Function::kLgamma,
    Function::kJ0,    Function::kSoftplus, Function::kSoftsign};

class MpfrFunction {
 public:
  static constexpr mpfr_prec_t kBits = 320;

  MpfrFunction() { mpfr_inits2(kBits, value_, x_, y_, z_, difference_, nullptr); }
  ~MpfrFunction() { mpfr_clears(value_, x_, y_, z_, difference_, nullptr); }
  MpfrFunction(const MpfrFunction&) = delete;

  // Rounded to kBits, which no enclosure below notices.
  void Evaluate(Function function, double x) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    switch (function) {
      case Function::kExp:
        mpfr_exp(value_, x_, MPFR_RNDN);
        break;
      case Function::kLog:
        mpfr_log(value_, x_, MPFR_RNDN);
        break;
      case Function::kTanh:
        mpfr_tanh(value_, x_, MPFR_RNDN);
        break;
      case Function::kSqrt:
        mpfr_sqrt(value_, x_, MPFR_RNDN);
        break;
      case Function::kErf:
        mpfr_erf(value_, x_, MPFR_RNDN);
        break;
      case Function::kGeluErf:
        mpfr_sqrt_ui(y_, 2, MPFR_RNDN);
        mpfr_div(y_, x_, y_, MPFR_RNDN);
        mpfr_neg(y_, y_, MPFR_RNDN);
        mpfr_erfc(value_, y_, MPFR_RNDN);
        mpfr_mul(value_, value_, x_, MPFR_RNDN);
        mpfr_div_2ui(value_, value_, 1, MPFR_RNDN);
        break;
      case Function::kGeluTanh:
        TanhArgument();
        mpfr_mul_si(y_, y_, -2, MPFR_RNDN);
        mpfr_exp(y_, y_, MPFR_RNDN);
        mpfr_add_ui(y_, y_, 1, MPFR_RNDN);
        mpfr_div(value_, x_, y_, MPFR_RNDN);
        break;
      case Function::kExpm1:
        mpfr_expm1(value_, x_, MPFR_RNDN);
        break;
      case Function::kLog1p:
        mpfr_log1p(value_, x_, MPFR_RNDN);
        break;
      case Function::kRsqrt:
        mpfr_rec_sqrt(value_, x_, MPFR_RNDN);
        break;
      case Function::kSigmoid:
        Sigmoid(value_);
        break;
      case Function::kSilu:
        Sigmoid(value_);
        mpfr_mul(value_, value_, x_, MPFR_RNDN);
        break;
      case Function::kMish:
        MishFactor(value_);
        mpfr_mul(value_, value_, x_, MPFR_RNDN);
        break;
      default:
        EvaluateElementary(function);
        break;
    }
  }

  // |x T' / T| for the factor T of silu and mish: sigmoid and tanh(ln(1 + e^x)), whose derivative
  // is (1 - T^2) sigmoid.
  double TailCondition(Function function, double x) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    Sigmoid(z_);
    if (function == Function::kSoftplus) {
      EvaluateElementary(function);
      mpfr_div(z_, z_, value_, MPFR_RNDN);
    } else if (function == Function::kMish) {
      MishFactor(y_);
      mpfr_sqr(difference_, y_, MPFR_RNDN);
      mpfr_ui_sub(difference_, 1, difference_, MPFR_RNDN);
      mpfr_mul(z_, z_, difference_, MPFR_RNDN);
      mpfr_div(z_, z_, y_, MPFR_RNDN);
    } else {
      mpfr_ui_sub(z_, 1, z_, MPFR_RNDN);
    }
    mpfr_mul(z_, z_, x_, MPFR_RNDN);
    return std::fabs(mpfr_get_d(z_, MPFR_RNDN));
  }

  double Nearest() const { return mpfr_get_d(value_, MPFR_RNDN); }

  // |hi + lo - value| <= radius, but for the value's own 2^-300.
  bool Encloses(const Enclosure& truth) {
    mpfr_sub_d(difference_, value_, truth.hi, MPFR_RNDN);
    mpfr_sub_d(difference_, difference_, truth.lo, MPFR_RNDN);
    mpfr_abs(difference_, difference_, MPFR_RNDN);
    mpfr_abs(y_, value_, MPFR_RNDN);
    mpfr_mul_2si(y_, y_, -300, MPFR_RNDN);
    mpfr_add_d(y_, y_, truth.radius, MPFR_RNDU);
    return mpfr_cmp(difference_, y_) <= 0;
  }

  // |x phi(x) / Phi(x)|, or the same quotient for the tanh form, x (1 + tanh z) / 2 = x Phi: z' x
  // (1 - tanh z).
  double GeluCondition(Function function, double x) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    if (function == Function::kGeluErf) {
      Evaluate(function, x);  // x Phi(x)
      mpfr_sqr(y_, x_, MPFR_RNDN);
      mpfr_div_2ui(y_, y_, 1, MPFR_RNDN);
      mpfr_neg(y_, y_, MPFR_RNDN);
      mpfr_exp(y_, y_, MPFR_RNDN);
      mpfr_mul(y_, y_, x_, MPFR_RNDN);
      mpfr_mul(y_, y_, x_, MPFR_RNDN);
      mpfr_div(y_, y_, value_, MPFR_RNDN);
      mpfr_const_pi(z_, MPFR_RNDN);
      mpfr_mul_2ui(z_, z_, 1, MPFR_RNDN);
      mpfr_sqrt(z_, z_, MPFR_RNDN);
      mpfr_div(y_, y_, z_, MPFR_RNDN);
    } else {
      TanhArgument();
      mpfr_mul_2ui(z_, y_, 1, MPFR_RNDN);
      mpfr_exp(z_, z_, MPFR_RNDN);
      mpfr_add_ui(z_, z_, 1, MPFR_RNDN);
      mpfr_ui_div(z_, 2, z_, MPFR_RNDN);  // 1 - tanh z, without the difference
      mpfr_mul(z_, z_, x_, MPFR_RNDN);
      RootTwoOverPi(y_);
      mpfr_mul(z_, z_, y_, MPFR_RNDN);
      mpfr_sqr(y_, x_, MPFR_RNDN);
      mpfr_mul_ui(y_, y_, 134145, MPFR_RNDN);
      mpfr_div_ui(y_, y_, 1000000, MPFR_RNDN);
      mpfr_add_ui(y_, y_, 1, MPFR_RNDN);
      mpfr_mul(y_, y_, z_, MPFR_RNDN);
    }
    return std::fabs(mpfr_get_d(y_, MPFR_RNDN));
  }

 private:
  // The functions that MPFR has by name, and two short formulas; from value x_ into value_.
  void EvaluateElementary(Function function) {
    using Apply = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    struct Row {
      Function function;
      Apply apply;
    };
    static constexpr Row kRows[] = {
        {Function::kSin, mpfr_sin},     {Function::kCos, mpfr_cos},
        {Function::kTan, mpfr_tan},     {Function::kAsin, mpfr_asin},
        {Function::kAcos, mpfr_acos},   {Function::kAtan, mpfr_atan},
        {Function::kSinh, mpfr_sinh},   {Function::kCosh, mpfr_cosh},
        {Function::kAsinh, mpfr_asinh}, {Function::kAcosh, mpfr_acosh},
        {Function::kAtanh, mpfr_atanh}, {Function::kExp2, mpfr_exp2},
        {Function::kExp10, mpfr_exp10}, {Function::kLog2, mpfr_log2},
        {Function::kLog10, mpfr_log10}, {Function::kCbrt, mpfr_cbrt},
        {Function::kErfc, mpfr_erfc},   {Function::kTgamma, mpfr_gamma},
        {Function::kJ0, mpfr_j0},
    };
    for (const Row& row : kRows) {
      if (row.function == function) row.apply(value_, x_, MPFR_RNDN);
    }
    if (function == Function::kLgamma) {
      int sign = 0;
      mpfr_lgamma(value_, &sign, x_, MPFR_RNDN);
    }
    if (function == Function::kSoftplus) {
      mpfr_exp(value_, x_, MPFR_RNDN);
      mpfr_log1p(value_, value_, MPFR_RNDN);
    }
    if (function == Function::kSoftsign) {
      mpfr_abs(y_, x_, MPFR_RNDN);
      mpfr_add_ui(y_, y_, 1, MPFR_RNDN);
      mpfr_div(value_, x_, y_, MPFR_RNDN);
    }
  }
  void Sigmoid(mpfr_t to) {
    mpfr_neg(to, x_, MPFR_RNDN);
    mpfr_exp(to, to, MPFR_RNDN);
    mpfr_add_ui(to, to, 1, MPFR_RNDN);
    mpfr_ui_div(to, 1, to, MPFR_RNDN);
  }
  void MishFactor(mpfr_t to) {
    mpfr_exp(to, x_, MPFR_RNDN);
    mpfr_log1p(to, to, MPFR_RNDN);
    mpfr_tanh(to, to, MPFR_RNDN);
  }
  void RootTwoOverPi(mpfr_t to) {
    mpfr_const_pi(to, MPFR_RNDN);
    mpfr_ui_div(to, 2, to, MPFR_RNDN);
    mpfr_sqrt(to, to, MPFR_RNDN);
  }
  // y = sqrt(2/pi) (x + 0.044715 x^3)
  void TanhArgument() {
    mpfr_pow_ui(y_, x_, 3, MPFR_RNDN);
    mpfr_mul_ui(y_, y_, 44715, MPFR_RNDN);
    mpfr_div_ui(y_, y_, 1000000, MPFR_RNDN);
    mpfr_add(y_, y_, x_, MPFR_RNDN);
    RootTwoOverPi(z_);
    mpfr_mul(y_, y_, z_, MPFR_RNDN);
  }

  mpfr_t value_, x_, y_, z_, difference_;
};

}  // namespace assay::fixtures
