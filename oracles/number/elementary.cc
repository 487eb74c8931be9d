// SPDX-License-Identifier: Apache-2.0
#include "oracles/number/elementary.h"

#include <arb_hypgeom.h>

#include <cmath>

#include "contracts/invariant.h"

namespace assay {
namespace {

void Exp2(arb_t y, const arb_t x, slong bits) {
  arb_set_ui(y, 2);
  arb_pow(y, y, x, bits);
}

void Exp10(arb_t y, const arb_t x, slong bits) {
  arb_set_ui(y, 10);
  arb_pow(y, y, x, bits);
}

void Log2(arb_t y, const arb_t x, slong bits) { arb_log_base_ui(y, x, 2, bits); }
void Log10(arb_t y, const arb_t x, slong bits) { arb_log_base_ui(y, x, 10, bits); }

// Arb's roots are of positive numbers.
void Cbrt(arb_t y, const arb_t x, slong bits) {
  arb_abs(y, x);
  arb_root_ui(y, y, 3, bits);
  if (arb_is_negative(x)) arb_neg(y, y);
}

// Below 0 by reflection: ln |Gamma(x)| = ln(pi / |sin(pi x)|) - ln Gamma(1 - x). Near a zero the
// difference cancels, which the caller sees and raises the precision.
void LogGamma(arb_t y, const arb_t x, slong bits) {
  if (arb_is_positive(x)) return arb_lgamma(y, x, bits);
  arb_t reflected;
  arb_init(reflected);
  arb_sin_pi(y, x, bits);
  arb_abs(y, y);
  arb_const_pi(reflected, bits);
  arb_div(y, reflected, y, bits);
  arb_log(y, y, bits);
  arb_sub_ui(reflected, x, 1, ARF_PREC_EXACT);
  arb_neg(reflected, reflected);
  arb_lgamma(reflected, reflected, bits);
  arb_sub(y, y, reflected, bits);
  arb_clear(reflected);
}

void BesselJ0(arb_t y, const arb_t x, slong bits) {
  arb_zero(y);
  arb_hypgeom_bessel_j(y, y, x, bits);
}

void Softplus(arb_t y, const arb_t x, slong bits) {
  arb_exp(y, x, bits);
  arb_log1p(y, y, bits);
}

void Softsign(arb_t y, const arb_t x, slong bits) {
  arb_abs(y, x);
  arb_add_ui(y, y, 1, bits);
  arb_div(y, x, y, bits);
}

struct Row {
  Function function;
  void (*apply)(arb_t y, const arb_t x, slong bits);
};
constexpr Row kRows[] = {
    {Function::kSin, arb_sin},           {Function::kCos, arb_cos},
    {Function::kTan, arb_tan},           {Function::kAsin, arb_asin},
    {Function::kAcos, arb_acos},         {Function::kAtan, arb_atan},
    {Function::kSinh, arb_sinh},         {Function::kCosh, arb_cosh},
    {Function::kAsinh, arb_asinh},       {Function::kAcosh, arb_acosh},
    {Function::kAtanh, arb_atanh},       {Function::kExp2, Exp2},
    {Function::kExp10, Exp10},           {Function::kLog2, Log2},
    {Function::kLog10, Log10},           {Function::kCbrt, Cbrt},
    {Function::kErfc, arb_hypgeom_erfc}, {Function::kTgamma, arb_gamma},
    {Function::kLgamma, LogGamma},       {Function::kJ0, BesselJ0},
    {Function::kSoftplus, Softplus},     {Function::kSoftsign, Softsign},
};

// Where an answer is exact and a ball could not say so.
struct Point {
  Function function;
  double x, y;
};
constexpr Point kPoints[] = {
    {Function::kAcos, 1, 0},   {Function::kAcosh, 1, 0},  {Function::kCos, 0, 1},
    {Function::kCosh, 0, 1},   {Function::kExp2, 0, 1},   {Function::kExp10, 0, 1},
    {Function::kLog2, 1, 0},   {Function::kLog10, 1, 0},  {Function::kErfc, 0, 1},
    {Function::kTgamma, 1, 1}, {Function::kTgamma, 2, 1}, {Function::kLgamma, 1, 0},
    {Function::kLgamma, 2, 0}, {Function::kJ0, 0, 1},
};

// Arguments beyond which an answer is known; the comment says why.
struct Ends {
  Function function;
  double below;
  Enclosure at_below;
  double above;
  Enclosure at_above;
};
constexpr Ends kEnds[] = {
    // exp(720) / 2 > 2^1037
    {Function::kSinh, -720, {-kInfinity, 0, 0}, 720, {kInfinity, 0, 0}},
    {Function::kCosh, -720, {kInfinity, 0, 0}, 720, {kInfinity, 0, 0}},
    {Function::kExp2, -1200, {0, 0, kTiniest}, 1100, {kInfinity, 0, 0}},
    // 10^-350 < 2^-1162, 10^320 > 2^1063
    {Function::kExp10, -350, {0, 0, kTiniest}, 320, {kInfinity, 0, 0}},
    // erfc(30) < 2^-1303
    {Function::kErfc, -30, {2, 0, kTiniest}, 30, {0, 0, kTiniest}},
    // Gamma(180) > 2^1086. Below -200 a double is 2^-45 at least from an integer, so that |Gamma| =
    // pi / (|sin(pi x)| Gamma(1 - x)) is below 2^46 / 2^1245.
    {Function::kTgamma, -200, {0, 0, kTiniest}, 180, {kInfinity, 0, 0}},
    // ln(1 + exp(-800)) < 2^-1154
    {Function::kSoftplus, -800, {0, 0, kTiniest}, kInfinity, {kInfinity, 0, 0}},
};
constexpr double kSoftplusIsItsArgument = 800;

}  // namespace

void ApplyElementary(Function function, arb_t y, const arb_t x, slong bits) {
  for (const Row& row : kRows) {
    if (row.function == function) return row.apply(y, x, bits);
  }
  ASSAY_CHECK(false, "a function without a row");
}

bool ExactPoint(Function function, double x, Enclosure& result) {
  for (const Point& point : kPoints) {
    if (point.function != function || point.x != x) continue;
    result = {point.y, 0, 0};
    return true;
  }
  const bool odd = function != Function::kAcos && function != Function::kSoftplus &&
                   function != Function::kTgamma && function != Function::kLgamma;
  if (x == 0 && odd) result = {x, 0, 0};
  return x == 0 && odd;
}

bool SaturatedElementary(Function function, double x, Enclosure& result) {
  if (ExactPoint(function, x, result)) return true;
  if (function == Function::kSoftplus && x > kSoftplusIsItsArgument) {
    result = {x, 0, kTiniest};
    return true;
  }
  for (const Ends& ends : kEnds) {
    if (ends.function != function) continue;
    if (x < ends.below) result = ends.at_below;
    if (x > ends.above) result = ends.at_above;
    return x < ends.below || x > ends.above;
  }
  return false;
}

}  // namespace assay
