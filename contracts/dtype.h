// SPDX-License-Identifier: Apache-2.0
//
// Element types and floating-point formats: what a bit pattern means, how a real number is rounded,
// and how far apart two patterns lie. Must not depend on any other folder or on the FP environment
// beyond round-to-nearest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

// Types an operand can be stored in. Values are part of the binary codec: append only.
// The 8-bit floats are the two of OCP OFP8: e5m2 is IEEE-like; e4m3 has no infinity and one NaN of
// each sign.
enum class DType : uint8_t { kF64 = 0, kF32, kF16, kBf16, kI8, kI32, kI64, kU8, kF8e4m3, kF8e5m2 };
inline constexpr int kDTypeCount = 10;

// Precisions arithmetic can be carried out in: the stored formats and the operand formats of
// matrix units, which have no storage type of their own.
enum class Format : uint8_t { kF64 = 0, kF32, kTf32, kHf32, kF16, kBf16, kF8e4m3, kF8e5m2 };
inline constexpr int kFormatCount = 8;

// Parameters of a binary format, IEEE 754 terms. `precision` counts the implicit bit.
struct FormatInfo {
  std::string_view name;
  int precision;              // p, in bits
  int min_exponent;           // exponent of the smallest normal, 2^min_exponent
  int max_exponent;           // exponent of the largest finite, which is 2^max_exponent *
                              // (2 - 2^(1-p)), in f8e4m3 one step less: NaN has the last place
  double unit_roundoff;       // u = 2^-p, round to nearest
  double smallest_normal;     // lambda
  double smallest_subnormal;  // eta
  double largest;             // Omega
};

const FormatInfo& InfoOf(Format format);
std::string_view NameOf(DType type);
std::string_view NameOf(Format format);
std::optional<DType> ParseDType(std::string_view name);
std::optional<Format> ParseFormat(std::string_view name);

bool IsFloat(DType type);
int SizeOf(DType type);       // bytes
Format FormatOf(DType type);  // REQUIRES IsFloat(type)

// Value of a stored bit pattern. Exact for every float type; NaN payloads widen as IEEE 754 says.
// REQUIRES IsFloat(type) for Decode; bits above SizeOf(type)*8 are ignored.
double Decode(DType type, uint64_t bits);
// REQUIRES !IsFloat(type); sign-extends, a u8 does not.
int64_t DecodeInteger(DType type, uint64_t bits);

// Smallest and largest value of an integer type. REQUIRES !IsFloat(type).
struct IntegerLimits {
  int64_t lowest, highest;
};
IntegerLimits LimitsOf(DType type);

// One rounding, to nearest, ties to even, of an exactly given double to the format; overflow from
// the midpoint above `largest` gives Inf; subnormals are rounded, never flushed. NaN stays NaN.
// f8e4m3, which lacks Inf, gives NaN above its midpoint of 464, and rounds that itself to 448.
double Round(Format format, double value);
// One rounding of the exact sum hi + lo, |lo| <= ulp(hi)/2. Not the double rounding of fl(hi + lo).
double RoundSum(Format format, double hi, double lo);
// Truncation (toward zero) to the format; finite values never become Inf. Inf in f8e4m3 is NaN.
double Truncate(Format format, double value);
// Bit pattern of a value representable in the type, or of its rounding. NaN gives the quiet NaN.
uint64_t Encode(DType type, double value);
uint64_t EncodeInteger(DType type, int64_t value);

// Order-preserving integer of a float bit pattern: monotone over all non-NaN values, -0 and +0 map
// to 0, neighbours differ by 1. REQUIRES a non-NaN pattern.
int64_t OrderedInteger(DType type, uint64_t bits);
// Distance in units of the ordered map. REQUIRES neither to be NaN.
uint64_t UlpDistance(DType type, uint64_t a, uint64_t b);
// Neighbour in the format, toward +Inf / -Inf, which follow the largest finite in every format.
double NextUp(Format format, double value);
double NextDown(Format format, double value);
// ulp of the binade that holds |exact| (the lower binade at a power of two is NOT taken: OpenCL's
// definition takes the gap between the two nearest finite values; eta in the subnormal range).
double UlpAt(Format format, double exact);

// The closed real interval whose points round to `got` in `format` (ends included only when the
// tie goes to got). For got = +-Inf the outer end is +-Inf. Zero of either sign is one interval.
// Ends are exact doubles: REQUIRES format != kF64 or callers compare |got - t| directly.
struct RoundingInterval {
  double lo, hi;
  bool lo_included, hi_included;
};
RoundingInterval IntervalRoundingTo(Format format, double got);

// Classes of values. A set of classes is a bit mask (ClassSet).
using ClassSet = uint8_t;
inline constexpr ClassSet kClassNan = 1;
inline constexpr ClassSet kClassPosInf = 2;
inline constexpr ClassSet kClassNegInf = 4;
inline constexpr ClassSet kClassPosZero = 8;
inline constexpr ClassSet kClassNegZero = 16;
inline constexpr ClassSet kClassFinite = 32;  // finite and not zero
inline constexpr ClassSet kClassZero = kClassPosZero | kClassNegZero;
inline constexpr ClassSet kClassInf = kClassPosInf | kClassNegInf;
// The class is settled by the value rule (image of the enclosure), not by a table.
inline constexpr ClassSet kClassByValue = 64;
ClassSet ClassOf(double value);

}  // namespace assay
