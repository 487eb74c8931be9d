// SPDX-License-Identifier: Apache-2.0
#include "oracles/number/ball_value.h"

#include <arb.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

static_assert(sizeof(arb_struct) <= 48 && alignof(arb_struct) <= 8);

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kExpVanishes = -800;  // exp(-800) = 2^-1154.2

thread_local int64_t precision = 128;

arb_struct* Arb(std::byte* storage) { return reinterpret_cast<arb_struct*>(storage); }
const arb_struct* Arb(const std::byte* storage) {
  return reinterpret_cast<const arb_struct*>(storage);
}

// rest -= value, exactly.
void Subtract(arf_t rest, double value) {
  arf_t part;
  arf_init(part);
  arf_set_d(part, value);
  arf_sub(rest, rest, part, ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_clear(part);
}

// |rest| + radius as a double, upward.
double RadiusOf(arf_t rest, const arb_struct* ball) {
  arf_t radius;
  arf_init(radius);
  arf_set_mag(radius, arb_radref(ball));
  arf_abs(rest, rest);
  arf_add(rest, rest, radius, 64, ARF_RND_UP);
  arf_clear(radius);
  return arf_get_d(rest, ARF_RND_UP);
}

}  // namespace

BallPrecision::BallPrecision(int bits) : outer_(precision) { precision = bits; }
BallPrecision::~BallPrecision() { precision = outer_; }

Ball::Ball() { arb_init(Arb(storage_)); }
Ball::Ball(double value) : Ball() { arb_set_d(Arb(storage_), value); }
Ball::Ball(const Ball& other) : Ball() { arb_set(Arb(storage_), Arb(other.storage_)); }
Ball::Ball(Ball&& other) noexcept : Ball() { arb_swap(Arb(storage_), Arb(other.storage_)); }
Ball& Ball::operator=(const Ball& other) {
  arb_set(Arb(storage_), Arb(other.storage_));
  return *this;
}
Ball& Ball::operator=(Ball&& other) noexcept {
  arb_swap(Arb(storage_), Arb(other.storage_));
  return *this;
}
Ball::~Ball() { arb_clear(Arb(storage_)); }

Ball Ball::operator-() const {
  Ball result;
  arb_neg(Arb(result.storage_), Arb(storage_));
  return result;
}

Ball operator+(const Ball& a, const Ball& b) {
  Ball result;
  arb_add(Arb(result.storage_), Arb(a.storage_), Arb(b.storage_), precision);
  return result;
}

Ball operator-(const Ball& a, const Ball& b) {
  Ball result;
  arb_sub(Arb(result.storage_), Arb(a.storage_), Arb(b.storage_), precision);
  return result;
}

Ball operator*(const Ball& a, const Ball& b) {
  Ball result;
  arb_mul(Arb(result.storage_), Arb(a.storage_), Arb(b.storage_), precision);
  return result;
}

Ball operator/(const Ball& a, const Ball& b) {
  Ball result;
  arb_div(Arb(result.storage_), Arb(a.storage_), Arb(b.storage_), precision);
  return result;
}

Ball Sqrt(const Ball& a) {
  Ball result;
  arb_sqrtpos(Arb(result.storage_), Arb(a.storage_), precision);
  return result;
}

Ball Exp(const Ball& a) {
  Ball result;
  arb_struct* to = Arb(result.storage_);
  arf_t upper;
  arf_init(upper);
  arb_get_ubound_arf(upper, Arb(a.storage_), 64);
  if (arf_cmp_d(upper, kExpVanishes) < 0) {
    arb_zero(to);
    mag_set_ui_2exp_si(arb_radref(to), 1, -1150);
  } else {
    arb_exp(to, Arb(a.storage_), precision);
  }
  arf_clear(upper);
  return result;
}

Ball Log1p(const Ball& a) {
  Ball result;
  arb_log1p(Arb(result.storage_), Arb(a.storage_), precision);
  return result;
}

Ball Ball::Scaled(int64_t exponent) const {
  Ball result;
  arb_mul_2exp_si(Arb(result.storage_), Arb(storage_), exponent);
  return result;
}

Enclosure Ball::ToEnclosure() const {
  const arb_struct* ball = Arb(storage_);
  if (!arb_is_finite(ball)) return {0, 0, kInfinity};
  arf_t rest;
  arf_init(rest);
  arf_set(rest, arb_midref(ball));
  Enclosure result;
  result.hi = arf_get_d(rest, ARF_RND_NEAR);
  // Just above the largest double the excess still fits lo: the overflow threshold lies there.
  const bool beyond = !(std::fabs(result.hi) <= kLargest);
  if (beyond) result.hi = std::copysign(kLargest, result.hi);
  Subtract(rest, result.hi);
  result.lo = arf_get_d(rest, ARF_RND_NEAR);
  if (beyond && !(std::fabs(result.lo) <= kLargest * 0x1p-40)) {
    result = {2 * result.hi, 0, 0};
  } else {
    Subtract(rest, result.lo);
    result.radius = RadiusOf(rest, ball);
  }
  arf_clear(rest);
  return result;
}

double Ball::Middle() const {
  return arb_is_finite(Arb(storage_)) ? arf_get_d(arb_midref(Arb(storage_)), ARF_RND_NEAR) : 0;
}

void SumOfProducts(const double* a, const double* b, int64_t count, Ball& sum) {
  sum = Ball(0);
  for (int64_t i = 0; i < count; ++i) sum = sum + Ball(a[i]) * Ball(b[i]);
}

Ball WeightedSum(const Ball* weights, const double* v, int64_t stride, int64_t count) {
  Ball sum;
  for (int64_t i = 0; i < count; ++i) sum = sum + weights[i] * Ball(v[i * stride]);
  return sum;
}

}  // namespace assay
