// SPDX-License-Identifier: Apache-2.0
#include "oracles/long_accumulator.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "contracts/invariant.h"

namespace assay {
namespace {

__extension__ typedef unsigned __int128 Wide;
constexpr uint64_t kDigitMask = 0xffffffff;

// x = +-significand * 2^exponent, x finite; the significand of zero is 0.
struct Parts {
  uint64_t significand;
  int exponent;
  bool negative;
};

Parts PartsOf(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const int field = static_cast<int>((bits >> 52) & 0x7ff);
  if (field == 0) return {fraction, -1074, (bits >> 63) != 0};
  return {fraction | (uint64_t{1} << 52), field - 1075, (bits >> 63) != 0};
}

}  // namespace

void LongAccumulator::Clear() {
  for (int i = lowest_; i <= highest_; ++i) digits_[i] = 0;
  lowest_ = kDigits;
  highest_ = -1;
  negative_ = false;
  settled_ = true;
}

// (bits << 32 * digit), digit by digit; `sign` is 0 or -1, and (v ^ sign) - sign negates.
inline void LongAccumulator::AddDigits(uint64_t low, uint64_t high, uint64_t top, int digit,
                                       int64_t sign) {
  const uint64_t parts[5] = {low & kDigitMask, low >> 32, high & kDigitMask, high >> 32, top};
  for (int i = 0; i < 5; ++i) {
    digits_[digit + i] += (static_cast<int64_t>(parts[i]) ^ sign) - sign;
  }
  lowest_ = std::min(lowest_, digit);
  highest_ = std::max(highest_, digit + 4);
}

inline void LongAccumulator::AddWide(uint64_t low, uint64_t high, int position, bool negative) {
  const int shift = position & 31;
  // At most 31 of the bits of `high`, which has fewer than 64, pass its top.
  const uint64_t above = shift == 0 ? 0 : high >> (64 - shift);
  const uint64_t between = shift == 0 ? 0 : low >> (64 - shift);
  AddDigits(low << shift, (high << shift) | between, above, position >> 5, negative ? -1 : 0);
}

// A settled value with a sign goes back to signed digits before anything is added to it.
inline void LongAccumulator::Unsettle() {
  if (settled_ && negative_) {
    for (int i = lowest_; i <= highest_; ++i) digits_[i] = -digits_[i];
  }
  negative_ = settled_ = false;
}

void LongAccumulator::Add(double x) {
  if (x == 0) return;
  Unsettle();
  const Parts parts = PartsOf(x);
  const int position = parts.exponent + kBias, digit = position >> 5;
  const int64_t sign = parts.negative ? -1 : 0;
  const Wide shifted = static_cast<Wide>(parts.significand) << (position & 31);
  const auto low = static_cast<uint64_t>(shifted);
  const uint64_t digits[3] = {low & kDigitMask, low >> 32, static_cast<uint64_t>(shifted >> 64)};
  for (int i = 0; i < 3; ++i) digits_[digit + i] += (static_cast<int64_t>(digits[i]) ^ sign) - sign;
  lowest_ = std::min(lowest_, digit);
  highest_ = std::max(highest_, digit + 2);
}

void LongAccumulator::AddProduct(double a, double b) {
  if (a == 0 || b == 0) return;
  Unsettle();
  const Parts left = PartsOf(a), right = PartsOf(b);
  const Wide product = static_cast<Wide>(left.significand) * right.significand;
  AddWide(static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64),
          left.exponent + right.exponent + kBias, left.negative != right.negative);
}

void LongAccumulator::Settle() {
  if (settled_) return;
  settled_ = true;
  int64_t carry = 0;
  const auto propagate = [&] {
    carry = 0;
    for (int i = lowest_; i <= highest_ || (carry != 0 && carry != -1); ++i) {
      ASSAY_CHECK(i < kDigits, "long accumulator overflow");
      highest_ = std::max(highest_, i);
      const int64_t value = digits_[i] + carry;
      digits_[i] = value & static_cast<int64_t>(kDigitMask);
      carry = value >> 32;
    }
  };
  propagate();
  negative_ = carry < 0;
  if (!negative_) return;
  // The digits hold 2^(32 (highest + 1)) - |value|: negate and settle once more.
  for (int i = lowest_; i <= highest_; ++i) digits_[i] = -digits_[i];
  propagate();
}

int LongAccumulator::Sign() {
  Settle();
  while (highest_ >= lowest_ && digits_[highest_] == 0) --highest_;
  if (highest_ < lowest_) return 0;
  return negative_ ? -1 : 1;
}

void LongAccumulator::Multiply(double factor) {
  const int sign = Sign();
  const Parts parts = PartsOf(factor);
  const std::array<int64_t, kDigits> digits = digits_;
  const int lowest = lowest_, highest = highest_;
  Clear();
  if (sign == 0 || factor == 0) return;
  settled_ = false;
  const bool negative = (sign < 0) != parts.negative;
  for (int i = lowest; i <= highest; ++i) {
    if (digits[i] == 0) continue;
    const Wide product = static_cast<Wide>(parts.significand) * static_cast<uint64_t>(digits[i]);
    const int position = 32 * i + parts.exponent;
    ASSAY_CHECK(position >= 0, "long accumulator underflow");
    AddWide(static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64), position,
            negative);
  }
}

double LongAccumulator::Round() {
  const int sign = Sign();
  if (sign == 0) return 0;
  const auto digit = [&](int i) -> uint64_t {
    return i >= lowest_ && i <= highest_ ? static_cast<uint64_t>(digits_[i]) : 0;
  };
  // Bit positions count from the lowest digit's bit 0, weight 2^-kBias.
  const int top = 32 * highest_ + 31 - std::countl_zero(static_cast<uint32_t>(digit(highest_)));
  const int last = std::max(top - 52, kBias - 1074);  // position of the result's last bit
  const auto bit = [&](int position) { return (digit(position >> 5) >> (position & 31)) & 1; };
  uint64_t significand = 0;
  if (top >= last) {
    const int from = last >> 5, shift = last & 31;
    const Wide window = static_cast<Wide>(digit(from)) |
                        (static_cast<Wide>(digit(from + 1)) << 32) |
                        (static_cast<Wide>(digit(from + 2)) << 64);
    significand = static_cast<uint64_t>(window >> shift) & ((uint64_t{1} << 53) - 1);
  }
  if (bit(last - 1)) {
    bool sticky = (digit((last - 1) >> 5) & ((uint64_t{1} << ((last - 1) & 31)) - 1)) != 0;
    for (int i = lowest_; i < (last - 1) >> 5 && !sticky; ++i) sticky = digits_[i] != 0;
    if (sticky || (significand & 1)) ++significand;
  }
  const double size = std::ldexp(static_cast<double>(significand), last - kBias);
  return sign < 0 ? -size : size;
}

double LongAccumulator::RoundUp() {
  const double nearest = Round();
  if (!std::isfinite(nearest)) return nearest;
  Add(-nearest);
  const int left = Sign();
  Add(nearest);
  return left > 0 ? std::nextafter(nearest, kInfinity) : nearest;
}

Enclosure LongAccumulator::Peek() {
  Enclosure value;
  value.hi = Round();
  if (std::isfinite(value.hi)) {
    Add(-value.hi);
    value.lo = Round();
    Add(-value.lo);
    const int left = Sign();
    // Away from zero: one step beyond the nearest double.
    if (left != 0) value.radius = std::nextafter(std::fabs(Round()), kInfinity);
    Add(value.lo);
    Add(value.hi);
  }
  return value;
}

Enclosure LongAccumulator::Take() {
  const Enclosure value = Peek();
  Clear();
  return value;
}

}  // namespace assay
