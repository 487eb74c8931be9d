// SPDX-License-Identifier: Apache-2.0
//
// A ball as a value with operators, so that formulas read like formulas: Arb's midpoint and radius,
// every operation rounded outward. Arb's types do not appear here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oracles/enclosure.h"

namespace assay {

// Bits that operations of this thread keep while it lives; 128 where there is none. Nests.
class BallPrecision {
 public:
  explicit BallPrecision(int bits);
  ~BallPrecision();
  BallPrecision(const BallPrecision&) = delete;
  BallPrecision& operator=(const BallPrecision&) = delete;

 private:
  int64_t outer_;
};

// Values may be moved between threads, not shared.
class Ball {
 public:
  Ball();
  Ball(double value);  // NOLINT(google-explicit-constructor): exact, REQUIRES finite
  Ball(const Ball& other);
  Ball(Ball&& other) noexcept;
  Ball& operator=(const Ball& other);
  Ball& operator=(Ball&& other) noexcept;
  ~Ball();

  Ball operator-() const;
  friend Ball operator+(const Ball& a, const Ball& b);
  friend Ball operator-(const Ball& a, const Ball& b);
  friend Ball operator*(const Ball& a, const Ball& b);
  friend Ball operator/(const Ball& a, const Ball& b);  // unbounded where b may be 0
  // REQUIRES a value that is not negative: a part of the ball below 0 is cut off.
  friend Ball Sqrt(const Ball& a);
  // Below exp(-800) as 0 with a radius of 2^-1150, far below the smallest double.
  friend Ball Exp(const Ball& a);
  friend Ball Log1p(const Ball& a);  // REQUIRES a > -1

  // 2^exponent times this, exactly.
  Ball Scaled(int64_t exponent) const;

  // As hi + lo +- radius. hi is infinite where the value is beyond the largest double by more than
  // 2^-40 of it; a ball without bounds has an infinite radius.
  Enclosure ToEnclosure() const;
  double Middle() const;  // nearest double; 0 where there are no bounds

 private:
  // Arb's struct, initialized as long as this lives.
  alignas(8) std::byte storage_[48];
};

// sum a_i b_i, and sum w_i v_i with a stride.
void SumOfProducts(const double* a, const double* b, int64_t count, Ball& sum);
Ball WeightedSum(const Ball* weights, const double* v, int64_t stride, int64_t count);

inline Enclosure EnclosureOf(const Ball& a) { return a.ToEnclosure(); }
inline double MiddleOf(const Ball& a) { return a.Middle(); }

}  // namespace assay
