// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of one binary format, with its parameters known at compile time: what dtype.cc
// dispatches to and what loops over many elements inline. Internal to contracts/; everyone else
// calls contracts/dtype.h. Must not depend on the FP environment beyond round-to-nearest: rounding,
// packing and unpacking never need the hardware to take or give a subnormal of any format, so a
// library that sets flush-to-zero changes nothing here.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "contracts/dtype.h"
#include "contracts/invariant.h"

namespace assay::format_bits {

inline constexpr uint64_t kSign64 = uint64_t{1} << 63;
inline constexpr uint64_t kInfinity64 = uint64_t{0x7ff} << 52;
inline constexpr uint64_t kQuietBit64 = uint64_t{1} << 51;
inline constexpr uint64_t kFraction64 = (uint64_t{1} << 52) - 1;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline constexpr uint64_t BitsOf(double value) { return std::bit_cast<uint64_t>(value); }
inline constexpr double FromBits(uint64_t bits) { return std::bit_cast<double>(bits); }
inline constexpr double Magnitude(double value) { return FromBits(BitsOf(value) & ~kSign64); }
inline constexpr double WithSignOf(double magnitude, double sign) {
  return FromBits(BitsOf(magnitude) | (BitsOf(sign) & kSign64));
}

// 2^exponent for exponent in [-1074, 1023], subnormals included.
inline constexpr double PowerOfTwo(int exponent) {
  return exponent >= -1022 ? FromBits(static_cast<uint64_t>(exponent + 1023) << 52)
                           : FromBits(uint64_t{1} << (exponent + 1074));
}

// floor(log2(value)) of a normal double; -1023 for zero and subnormals.
inline constexpr int ExponentOf(double value) {
  return static_cast<int>((BitsOf(value) & kInfinity64) >> 52) - 1023;
}

// A format strictly narrower than f64 in precision and range. "Magnitude" parameters are >= 0.
// kField: bits of the exponent field.
template <int kEmax>
inline constexpr int kFieldOf = std::bit_width(static_cast<unsigned>(kEmax)) + 1;
template <int kP, int kEmin, int kEmax, int kField = kFieldOf<kEmax>>
struct Narrow {
  static_assert(kP <= 26 && kEmin > -500 && kEmax < 500, "midpoints must be normal doubles");
  static constexpr int kPrecision = kP;
  static constexpr int kMinExponent = kEmin;
  static constexpr int kMaxExponent = kEmax;
  static constexpr int kDropped = 53 - kP;  // bits of a double's fraction the format has not
  static constexpr int kExponentBits = kField;
  static constexpr uint64_t kSignBit = uint64_t{1} << (kExponentBits + kP - 1);
  static constexpr uint64_t kInfinityBits = ((uint64_t{1} << kExponentBits) - 1) << (kP - 1);
  static constexpr uint64_t kLastInOrder = kInfinityBits;  // beyond it lies NaN
  static constexpr uint64_t kQuietNan = kInfinityBits | (uint64_t{1} << (kP - 2));
  // A double's exponent field less the format's, in place above kP - 1 bits of fraction.
  static constexpr uint64_t kRebias = static_cast<uint64_t>(1023 + kEmin - 1) << (kP - 1);
  static constexpr double kSmallestNormal = PowerOfTwo(kEmin);
  static constexpr double kSmallestSubnormal = PowerOfTwo(kEmin - kP + 1);
  static constexpr double kLargest = PowerOfTwo(kEmax + 1) - PowerOfTwo(kEmax - kP + 1);
  // Midpoint between kLargest and the value that would follow it: from here on Inf.
  static constexpr double kOverflow = PowerOfTwo(kEmax + 1) - PowerOfTwo(kEmax - kP);

  // Gap to the next larger magnitude.
  static double Quantum(double magnitude) {
    return PowerOfTwo(std::clamp(ExponentOf(magnitude), kEmin, kEmax) - kP + 1);
  }

  static double Round(double value) {
    const uint64_t magnitude = BitsOf(value) & ~kSign64;
    if (magnitude >= BitsOf(kOverflow)) {
      return magnitude > kInfinity64 ? value : WithSignOf(kInfinity, value);
    }
    // 1.5 * 2^52 quanta: the sum's last place is the quantum, so the addition is the one rounding
    // and the subtraction is exact.
    const int exponent = std::max(static_cast<int>(magnitude >> 52) - 1023, kEmin);
    const double anchor =
        FromBits((static_cast<uint64_t>(exponent - kP + 1 + 52 + 1023) << 52) | kQuietBit64);
    const double rounded = (FromBits(magnitude) + anchor) - anchor;
    return WithSignOf(rounded, value);
  }

  static double Truncate(double value) {
    const uint64_t magnitude = BitsOf(value) & ~kSign64;
    if (magnitude > BitsOf(kLargest)) {
      return magnitude >= kInfinity64 ? value : WithSignOf(kLargest, value);
    }
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    const int dropped = kDropped + std::max(0, kEmin - exponent);
    const uint64_t kept = dropped > 52 ? 0 : magnitude >> dropped << dropped;
    return WithSignOf(FromBits(kept), value);
  }

  // Next larger and next smaller magnitude of a magnitude of the format; Above(largest) is Inf.
  // REQUIRES magnitude > 0 for Below and a finite one for Above.
  static double Above(double magnitude) {
    return magnitude == kLargest ? kInfinity : magnitude + Quantum(magnitude);
  }
  static double Below(double magnitude) {
    if (magnitude == kInfinity) return kLargest;
    const bool binade_starts =
        (BitsOf(magnitude) & kFraction64) == 0 && magnitude > kSmallestNormal;
    return magnitude - (binade_starts ? 0.5 : 1.0) * Quantum(magnitude);
  }

  // Pattern of a value of the format; NaN gives the positive quiet NaN without payload.
  static uint64_t Pack(double value) {
    const uint64_t magnitude = BitsOf(value) & ~kSign64;
    if (magnitude > kInfinity64) return kQuietNan;
    const uint64_t sign = (BitsOf(value) & kSign64) ? kSignBit : 0;
    if (magnitude >= kInfinity64) return sign | kInfinityBits;
    if (magnitude < BitsOf(kSmallestNormal)) {
      constexpr double kScale = PowerOfTwo(kP - 1 - kEmin);
      return sign | static_cast<uint64_t>(FromBits(magnitude) * kScale);
    }
    return sign | ((magnitude >> kDropped) - kRebias);
  }

  // Pack(Round(value)); the common case, where the result is normal, in a few integer operations.
  static uint64_t RoundToBits(double value) {
    const uint64_t magnitude = BitsOf(value) & ~kSign64;
    constexpr uint64_t kFirst = BitsOf(kSmallestNormal);
    if (magnitude - kFirst >= BitsOf(kOverflow) - kFirst) return Pack(Round(value));
    constexpr uint64_t kBelowHalf = (uint64_t{1} << (kDropped - 1)) - 1;
    const uint64_t even = (magnitude >> kDropped) & 1;
    const uint64_t sign = BitsOf(value) >> 63 << (kExponentBits + kP - 1);
    return sign | (((magnitude + kBelowHalf + even) >> kDropped) - kRebias);
  }

  static double Unpack(uint64_t bits) {
    const uint64_t magnitude = bits & (kSignBit - 1);
    const uint64_t sign = (bits & kSignBit) ? kSign64 : 0;
    if (magnitude < (uint64_t{1} << (kP - 1))) {
      const double value = static_cast<double>(static_cast<int64_t>(magnitude));
      return FromBits(sign | BitsOf(value * kSmallestSubnormal));
    }
    if (magnitude >= kInfinityBits) {
      const uint64_t payload = (magnitude - kInfinityBits) << kDropped;
      return FromBits(sign | kInfinity64 | payload | (payload != 0 ? kQuietBit64 : 0));
    }
    return FromBits(sign | ((magnitude + kRebias) << kDropped));
  }
};

// f64 itself, with the same members as Narrow as far as they make sense without a wider type.
struct Double {
  static constexpr int kPrecision = 53;
  static constexpr int kMinExponent = -1022;
  static constexpr int kMaxExponent = 1023;
  static constexpr uint64_t kSignBit = kSign64;
  static constexpr uint64_t kInfinityBits = kInfinity64;
  static constexpr uint64_t kLastInOrder = kInfinity64;
  static constexpr uint64_t kQuietNan = kInfinity64 | kQuietBit64;
  static constexpr double kSmallestNormal = PowerOfTwo(-1022);
  static constexpr double kSmallestSubnormal = PowerOfTwo(-1074);
  static constexpr double kLargest = std::numeric_limits<double>::max();

  static double Quantum(double magnitude) {
    return PowerOfTwo(std::clamp(ExponentOf(magnitude), kMinExponent, kMaxExponent) - 52);
  }
  static double Round(double value) { return value; }
  static double Truncate(double value) { return value; }
  static double Above(double magnitude) { return FromBits(BitsOf(magnitude) + 1); }
  static double Below(double magnitude) { return FromBits(BitsOf(magnitude) - 1); }
  static uint64_t Pack(double value) {
    return (BitsOf(value) & ~kSign64) > kInfinity64 ? kQuietNan : BitsOf(value);
  }
  static uint64_t RoundToBits(double value) { return Pack(value); }
  static double Unpack(uint64_t bits) { return FromBits(bits); }
};

using Single = Narrow<24, -126, 127>;
using Tf32 = Narrow<11, -126, 127>;
using Hf32 = Narrow<12, -126, 127>;
using Half = Narrow<11, -14, 15>;
using Bfloat = Narrow<8, -126, 127>;
using E5m2 = Narrow<3, -14, 15>;

// OCP e4m3: the topmost binade holds numbers too, but for its last pattern, which is NaN.
// Arithmetic on magnitudes is that of a format whose largest finite were 480; only the end differs.
struct E4m3 : Narrow<4, -6, 8, 4> {
  using Whole = Narrow<4, -6, 8, 4>;
  static constexpr uint64_t kLastInOrder = 0x7e;
  static constexpr uint64_t kQuietNan = 0x7f;
  static constexpr double kLargest = 448;
  static constexpr double kLastRounded = 464;  // the tie between 448 and 480 goes to the even 448

  static double Round(double value) {
    const uint64_t magnitude = BitsOf(value) & ~kSign64;
    if (magnitude <= BitsOf(kLastRounded)) return Whole::Round(value);
    return magnitude > kInfinity64 ? value : WithSignOf(FromBits(kInfinity64 | kQuietBit64), value);
  }

  static double Truncate(double value) {
    const uint64_t magnitude = BitsOf(value) & ~kSign64;
    if (magnitude >= kInfinity64) return Round(value);
    return magnitude > BitsOf(kLargest) ? WithSignOf(kLargest, value) : Whole::Truncate(value);
  }

  static double Above(double magnitude) {
    return magnitude == kLargest ? kInfinity : Whole::Above(magnitude);
  }
  static double Below(double magnitude) {
    return magnitude == kInfinity ? kLargest : Whole::Below(magnitude);
  }

  static uint64_t Pack(double value) {
    if ((BitsOf(value) & ~kSign64) >= kInfinity64) return kQuietNan;
    return Whole::Pack(value);
  }
  static uint64_t RoundToBits(double value) { return Pack(Round(value)); }

  static double Unpack(uint64_t bits) {
    const uint64_t magnitude = bits & (kSignBit - 1);
    const uint64_t sign = (bits & kSignBit) != 0 ? kSign64 : 0;
    if (magnitude == kQuietNan) return FromBits(sign | kInfinity64 | kQuietBit64);
    if (magnitude < kInfinityBits) return Whole::Unpack(bits);
    return FromBits(sign | ((magnitude + kRebias) << kDropped));
  }
};

// Calls function(F{}) with the arithmetic of the format.
template <class Function>
auto Visit(Format format, Function&& function) {
  switch (format) {
    case Format::kF64:
      return function(Double{});
    case Format::kF32:
      return function(Single{});
    case Format::kTf32:
      return function(Tf32{});
    case Format::kHf32:
      return function(Hf32{});
    case Format::kF16:
      return function(Half{});
    case Format::kBf16:
      return function(Bfloat{});
    case Format::kF8e4m3:
      return function(E4m3{});
    case Format::kF8e5m2:
      return function(E5m2{});
  }
  InvariantBroken(__FILE__, __LINE__, "format", "not a Format");
}

// The same for the stored float types; fewer instances where only those can occur.
template <class Function>
auto VisitFloat(DType type, Function&& function) {
  switch (type) {
    case DType::kF64:
      return function(Double{});
    case DType::kF32:
      return function(Single{});
    case DType::kF16:
      return function(Half{});
    case DType::kBf16:
      return function(Bfloat{});
    case DType::kF8e4m3:
      return function(E4m3{});
    case DType::kF8e5m2:
      return function(E5m2{});
    case DType::kI8:
    case DType::kI32:
    case DType::kI64:
    case DType::kU8:
      break;
  }
  InvariantBroken(__FILE__, __LINE__, "IsFloat(type)", "a float type is required");
}

}  // namespace assay::format_bits
