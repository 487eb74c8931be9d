// SPDX-License-Identifier: Apache-2.0
//
// The table of types and formats, and the run-time dispatch to the arithmetic of each format
// (contracts/format_bits.h). Must not depend on any other folder.
#include "contracts/dtype.h"

#include <array>
#include <bit>
#include <limits>

#include "contracts/format_bits.h"
#include "contracts/invariant.h"

namespace assay {
namespace {

using format_bits::BitsOf;
using format_bits::FromBits;
using format_bits::kInfinity64;
using format_bits::kSign64;
using format_bits::Magnitude;
using format_bits::Visit;
using format_bits::VisitFloat;

template <class F>
constexpr FormatInfo Describe(std::string_view name) {
  return {name,
          F::kPrecision,
          F::kMinExponent,
          F::kMaxExponent,
          format_bits::PowerOfTwo(-F::kPrecision),
          F::kSmallestNormal,
          F::kSmallestSubnormal,
          F::kLargest};
}

// In the order of Format.
constexpr std::array<FormatInfo, kFormatCount> kFormats = {
    Describe<format_bits::Double>("f64"),  Describe<format_bits::Single>("f32"),
    Describe<format_bits::Tf32>("tf32"),   Describe<format_bits::Hf32>("hf32"),
    Describe<format_bits::Half>("f16"),    Describe<format_bits::Bfloat>("bf16"),
    Describe<format_bits::E4m3>("f8e4m3"), Describe<format_bits::E5m2>("f8e5m2")};

struct DTypeInfo {
  std::string_view name;
  int size;
  bool is_float;
  Format format;  // meaningless for integers
};

// In the order of DType.
constexpr std::array<DTypeInfo, kDTypeCount> kDTypes = {{{"f64", 8, true, Format::kF64},
                                                         {"f32", 4, true, Format::kF32},
                                                         {"f16", 2, true, Format::kF16},
                                                         {"bf16", 2, true, Format::kBf16},
                                                         {"i8", 1, false, Format::kF64},
                                                         {"i32", 4, false, Format::kF64},
                                                         {"i64", 8, false, Format::kF64},
                                                         {"u8", 1, false, Format::kF64},
                                                         {"f8e4m3", 1, true, Format::kF8e4m3},
                                                         {"f8e5m2", 1, true, Format::kF8e5m2}}};

const DTypeInfo& Info(DType type) {
  const auto index = static_cast<size_t>(type);
  ASSAY_CHECK(index < kDTypes.size(), "not a DType");
  return kDTypes[index];
}

bool IsNan(double value) { return (BitsOf(value) & ~kSign64) > kInfinity64; }

// hi + lo rounded to odd in f64: the neighbour of the exact sum whose last bit is 1, unless the sum
// is exact. Rounding that to at most 51 bits equals rounding the sum itself (Boldo, Melquiond,
// IEEE TC 57, 2008).
double RoundToOdd(double hi, double lo) {
  const uint64_t bits = BitsOf(hi);
  if ((BitsOf(lo) & ~kSign64) == 0 || (bits & 1) != 0) return hi;
  const bool away_from_zero = (bits & kSign64) == (BitsOf(lo) & kSign64);
  return FromBits(away_from_zero ? bits + 1 : bits - 1);
}

template <class F>
double NextUpIn(double value) {
  if (IsNan(value) || value == format_bits::kInfinity) return value;
  const double magnitude = Magnitude(value);
  const double kept = F::Truncate(magnitude);
  if (value >= 0) return F::Above(kept);
  return kept < magnitude ? -kept : -F::Below(magnitude);
}

// The interval that rounds to a positive value, zero or +Inf.
template <class F>
RoundingInterval IntervalAbove(double magnitude) {
  if (magnitude == 0) {
    const double half = F::kSmallestSubnormal / 2;
    return {-half, half, true, true};
  }
  if (magnitude == format_bits::kInfinity) return {F::kOverflow, magnitude, true, true};
  const double quantum = F::Quantum(magnitude);
  // Neighbours alternate between even and odd, so both ties come to an even value and both leave an
  // odd one; at a power of two, and at the overflow threshold, this holds as well.
  const bool even = (static_cast<uint64_t>(magnitude / quantum) & 1) == 0;
  return {(F::Below(magnitude) + magnitude) / 2, magnitude + quantum / 2, even, even};
}

}  // namespace

const FormatInfo& InfoOf(Format format) {
  const auto index = static_cast<size_t>(format);
  ASSAY_CHECK(index < kFormats.size(), "not a Format");
  return kFormats[index];
}

std::string_view NameOf(DType type) { return Info(type).name; }
std::string_view NameOf(Format format) { return InfoOf(format).name; }

std::optional<DType> ParseDType(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<Format> ParseFormat(std::string_view name) {
  for (int i = 0; i < kFormatCount; ++i) {
    if (kFormats[i].name == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

bool IsFloat(DType type) { return Info(type).is_float; }
int SizeOf(DType type) { return Info(type).size; }

Format FormatOf(DType type) {
  ASSAY_CHECK(IsFloat(type), "an integer type has no format");
  return Info(type).format;
}

double Decode(DType type, uint64_t bits) {
  return VisitFloat(type, [bits](auto f) { return f.Unpack(bits); });
}

int64_t DecodeInteger(DType type, uint64_t bits) {
  ASSAY_CHECK(!IsFloat(type), "an integer type is required");
  const int unused = 64 - 8 * SizeOf(type);
  if (type == DType::kU8) return static_cast<int64_t>(bits << unused >> unused);
  return static_cast<int64_t>(bits << unused) >> unused;
}

IntegerLimits LimitsOf(DType type) {
  ASSAY_CHECK(!IsFloat(type), "an integer type is required");
  if (type == DType::kU8) return {0, 255};
  const int64_t highest = std::numeric_limits<int64_t>::max() >> (64 - 8 * SizeOf(type));
  return {-highest - 1, highest};
}

double Round(Format format, double value) {
  return Visit(format, [value](auto f) { return f.Round(value); });
}

double RoundSum(Format format, double hi, double lo) {
  if ((BitsOf(hi) & ~kSign64) >= kInfinity64) return Round(format, hi);
  if ((BitsOf(lo) & ~kSign64) == 0) return Round(format, hi);  // keeps the sign of a zero
  if (format == Format::kF64) return hi + lo;
  if ((BitsOf(hi) & ~kSign64) == 0) return Round(format, hi + lo);
  return Round(format, RoundToOdd(hi, lo));
}

double Truncate(Format format, double value) {
  return Visit(format, [value](auto f) { return f.Truncate(value); });
}

uint64_t Encode(DType type, double value) {
  return VisitFloat(type, [value](auto f) { return f.RoundToBits(value); });
}

uint64_t EncodeInteger(DType type, int64_t value) {
  ASSAY_CHECK(!IsFloat(type), "an integer type is required");
  const int unused = 64 - 8 * SizeOf(type);
  return static_cast<uint64_t>(value) << unused >> unused;
}

int64_t OrderedInteger(DType type, uint64_t bits) {
  return VisitFloat(type, [bits](auto f) {
    const auto magnitude = static_cast<int64_t>(bits & (f.kSignBit - 1));
    ASSAY_CHECK(static_cast<uint64_t>(magnitude) <= f.kLastInOrder, "NaN has no place in order");
    return (bits & f.kSignBit) != 0 ? -magnitude : magnitude;
  });
}

uint64_t UlpDistance(DType type, uint64_t a, uint64_t b) {
  const int64_t x = OrderedInteger(type, a);
  const int64_t y = OrderedInteger(type, b);
  // Unsigned, because the distance between the infinities of f64 exceeds int64_t.
  return x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
               : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
}

double NextUp(Format format, double value) {
  return Visit(format, [value](auto f) { return NextUpIn<decltype(f)>(value); });
}

double NextDown(Format format, double value) { return -NextUp(format, -value); }

double UlpAt(Format format, double exact) {
  if (IsNan(exact)) return exact;
  return Visit(format, [exact](auto f) { return f.Quantum(Magnitude(exact)); });
}

RoundingInterval IntervalRoundingTo(Format format, double got) {
  ASSAY_CHECK(format != Format::kF64, "midpoints of f64 are no doubles");
  if (IsNan(got)) return {got, got, false, false};
  ASSAY_CHECK(Truncate(format, got) == got, "no real number rounds to what the format lacks");
  const RoundingInterval above = Visit(format, [got](auto f) -> RoundingInterval {
    if constexpr (decltype(f)::kPrecision < 53) {
      return IntervalAbove<decltype(f)>(Magnitude(got));
    } else {
      return {};
    }
  });
  if (got >= 0) return above;
  return {-above.hi, -above.lo, above.hi_included, above.lo_included};
}

ClassSet ClassOf(double value) {
  const uint64_t magnitude = BitsOf(value) & ~kSign64;
  const bool negative = (BitsOf(value) & kSign64) != 0;
  if (magnitude > kInfinity64) return kClassNan;
  if (magnitude == kInfinity64) return negative ? kClassNegInf : kClassPosInf;
  if (magnitude == 0) return negative ? kClassNegZero : kClassPosZero;
  return kClassFinite;
}

}  // namespace assay
