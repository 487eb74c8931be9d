// SPDX-License-Identifier: Apache-2.0
//
// The types' table and their bit patterns: every pattern of the 16-bit types, the hardware's own
// conversions for f32, IEEE 754 for the rest.
#include "contracts/dtype.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace assay {
namespace {

// Properties draw the same cases in every run.
[[maybe_unused]] const int kSeeded = setenv("RC_PARAMS", "seed=1 max_success=20000", 0);

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr DType kFloats[] = {DType::kF64, DType::kF32, DType::kF16, DType::kBf16};
constexpr DType kHalves[] = {DType::kF16, DType::kBf16};

// What IEEE 754 says a 16-bit pattern with `fraction_bits` means; NaN for NaN.
double MeaningOf(uint32_t bits, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits;
  const int field = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (field == (1 << exponent_bits) - 1) return fraction == 0 ? sign * kInf : std::nan("");
  if (field == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, field - bias - fraction_bits);
}

int FractionBits(DType type) { return InfoOf(FormatOf(type)).precision - 1; }

bool SameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

struct ExpectedFormat {
  Format format;
  int precision, min_exponent, max_exponent, subnormal_exponent;
};

TEST(DType, HasTheParametersOfItsStandard) {
  // IEEE 754 table 3.5; bf16, tf32 and hf32 are f32's range with 8, 11 and 12 bits.
  const ExpectedFormat expected[] = {
      {Format::kF64, 53, -1022, 1023, -1074}, {Format::kF32, 24, -126, 127, -149},
      {Format::kTf32, 11, -126, 127, -136},   {Format::kHf32, 12, -126, 127, -137},
      {Format::kF16, 11, -14, 15, -24},       {Format::kBf16, 8, -126, 127, -133}};
  for (const ExpectedFormat& each : expected) {
    const FormatInfo& info = InfoOf(each.format);
    EXPECT_EQ(info.precision, each.precision) << info.name;
    EXPECT_EQ(info.min_exponent, each.min_exponent) << info.name;
    EXPECT_EQ(info.max_exponent, each.max_exponent) << info.name;
    EXPECT_EQ(info.unit_roundoff, std::ldexp(1, -each.precision)) << info.name;
    EXPECT_EQ(info.smallest_normal, std::ldexp(1, each.min_exponent)) << info.name;
    EXPECT_EQ(info.smallest_subnormal, std::ldexp(1, each.subnormal_exponent)) << info.name;
    EXPECT_EQ(info.largest, std::ldexp(2 - std::ldexp(1, 1 - each.precision), each.max_exponent))
        << info.name;
  }
  EXPECT_EQ(InfoOf(Format::kF64).largest, std::numeric_limits<double>::max());
  EXPECT_EQ(InfoOf(Format::kF32).largest, std::numeric_limits<float>::max());
  EXPECT_EQ(InfoOf(Format::kF16).largest, 65504);
}

TEST(DType, ReadsBackEveryName) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    EXPECT_EQ(ParseDType(NameOf(type)), type);
  }
  for (int i = 0; i < kFormatCount; ++i) {
    const auto format = static_cast<Format>(i);
    EXPECT_EQ(ParseFormat(NameOf(format)), format);
  }
  EXPECT_EQ(ParseDType("tf32"), std::nullopt);
  EXPECT_EQ(ParseDType("F32"), std::nullopt);
  EXPECT_EQ(ParseFormat("i8"), std::nullopt);
}

TEST(DType, KnowsSizes) {
  EXPECT_EQ(SizeOf(DType::kF64), 8);
  EXPECT_EQ(SizeOf(DType::kF32), 4);
  EXPECT_EQ(SizeOf(DType::kF16), 2);
  EXPECT_EQ(SizeOf(DType::kBf16), 2);
  EXPECT_EQ(SizeOf(DType::kI8), 1);
  EXPECT_EQ(SizeOf(DType::kI32), 4);
  EXPECT_EQ(SizeOf(DType::kI64), 8);
}

TEST(DType, DecodesEvery16BitPatternAsTheStandardSays) {
  for (const DType type : kHalves) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double expected = MeaningOf(bits, FractionBits(type));
      const double got = Decode(type, bits);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got)) << NameOf(type) << " " << bits;
        ASSERT_EQ(std::signbit(got), (bits & 0x8000) != 0);
      } else {
        ASSERT_TRUE(SameBits(got, expected)) << NameOf(type) << " " << bits;
      }
    }
  }
}

TEST(DType, EncodesEvery16BitPatternBackToItself) {
  for (const DType type : kHalves) {
    const uint64_t quiet_nan = type == DType::kF16 ? 0x7e00 : 0x7fc0;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double value = Decode(type, bits);
      ASSERT_EQ(Encode(type, value), std::isnan(value) ? quiet_nan : bits) << NameOf(type);
    }
  }
}

TEST(DType, WidensANanWithItsPayloadAndQuietsIt) {
  EXPECT_EQ(std::bit_cast<uint64_t>(Decode(DType::kF16, 0x7e01)), 0x7ff8040000000000u);
  EXPECT_EQ(std::bit_cast<uint64_t>(Decode(DType::kBf16, 0xffc3)), 0xfff8600000000000u);
  EXPECT_EQ(std::bit_cast<uint64_t>(Decode(DType::kF32, 0x7f800001)), 0x7ff8000020000000u);
  EXPECT_EQ(std::bit_cast<uint64_t>(Decode(DType::kF32, 0xffc00000)), 0xfff8000000000000u);
}

TEST(DType, KeepsANanANanWhenNarrowing) {
  // Truncating this one to bf16 would give Inf, adding half an ulp to the other would give -0.
  EXPECT_EQ(Encode(DType::kBf16, Decode(DType::kF32, 0x7f800001)), 0x7fc0u);
  EXPECT_EQ(Encode(DType::kBf16, Decode(DType::kF32, 0x7fffffff)), 0x7fc0u);
  EXPECT_EQ(Encode(DType::kF64, std::bit_cast<double>(0xfff0000000000001)), 0x7ff8000000000000u);
  EXPECT_EQ(Encode(DType::kF32, std::nan("")), 0x7fc00000u);
  for (int i = 0; i < kFormatCount; ++i) {
    EXPECT_TRUE(std::isnan(Round(static_cast<Format>(i), std::nan(""))));
  }
}

TEST(DType, DecodesF32AsTheHardwareDoes) {
  for (uint64_t bits = 0; bits <= 0xffffffff; bits += 1013) {
    const auto expected = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(expected)) continue;
    ASSERT_TRUE(SameBits(Decode(DType::kF32, bits), expected)) << bits;
    ASSERT_EQ(Encode(DType::kF32, expected), bits);
  }
}

RC_GTEST_PROP(DType, EncodesDoublesToF32AsTheHardwareDoes, ()) {
  // All bits random, or the exponent near f32's range so that most cases round.
  auto bits = *rc::gen::arbitrary<uint64_t>();
  if (*rc::gen::arbitrary<bool>()) {
    const auto exponent = static_cast<uint64_t>(*rc::gen::inRange(1023 - 155, 1023 + 130));
    bits = (bits & 0x800fffffffffffff) | (exponent << 52);
  }
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(!std::isnan(value));
  RC_ASSERT(Encode(DType::kF32, value) == std::bit_cast<uint32_t>(static_cast<float>(value)));
}

#ifdef __SSE2__
TEST(DType, IgnoresThatALibrarySetFlushToZero) {
  constexpr unsigned kFlush = 0x8000, kDenormalsAreZero = 0x0040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | kFlush | kDenormalsAreZero);
  const double least = Decode(DType::kF32, 1);
  const uint64_t encoded = Encode(DType::kF32, 3 * 0x1p-150);
  const double rounded = RoundSum(Format::kF32, 0x1p-150, 0x1p-1000);
  const double up = NextUp(Format::kF32, 0);
  _mm_setcsr(before);
  EXPECT_EQ(least, 0x1p-149);
  EXPECT_EQ(encoded, 2u);
  EXPECT_EQ(rounded, 0x1p-149);
  EXPECT_EQ(up, 0x1p-149);
}
#endif

TEST(DType, IgnoresBitsAboveTheSize) {
  EXPECT_EQ(Decode(DType::kF16, 0xabcd3c00), 1);
  EXPECT_EQ(Decode(DType::kF32, 0xffffffff3f800000), 1);
  EXPECT_EQ(DecodeInteger(DType::kI8, 0x7f80), -128);
}

TEST(DType, SignExtendsIntegers) {
  EXPECT_EQ(DecodeInteger(DType::kI8, 0xff), -1);
  EXPECT_EQ(DecodeInteger(DType::kI8, 0x7f), 127);
  EXPECT_EQ(DecodeInteger(DType::kI32, 0x80000000), -2147483648);
  EXPECT_EQ(DecodeInteger(DType::kI64, 0xffffffffffffffff), -1);
  EXPECT_EQ(EncodeInteger(DType::kI8, -1), 0xffu);
  EXPECT_EQ(EncodeInteger(DType::kI32, -2), 0xfffffffeu);
  EXPECT_EQ(EncodeInteger(DType::kI64, -2), 0xfffffffffffffffeu);
}

// Non-NaN patterns of a 16-bit type by ascending value, -0 left out.
std::vector<uint32_t> AscendingPatterns(uint32_t infinity) {
  std::vector<uint32_t> patterns;
  for (uint32_t magnitude = infinity; magnitude > 0; --magnitude) {
    patterns.push_back(0x8000 | magnitude);
  }
  for (uint32_t magnitude = 0; magnitude <= infinity; ++magnitude) patterns.push_back(magnitude);
  return patterns;
}

TEST(OrderedInteger, GivesNeighboursOf16BitTypesConsecutiveNumbers) {
  for (const DType type : kHalves) {
    const std::vector<uint32_t> patterns = AscendingPatterns(type == DType::kF16 ? 0x7c00 : 0x7f80);
    for (size_t i = 1; i < patterns.size(); ++i) {
      ASSERT_LT(Decode(type, patterns[i - 1]), Decode(type, patterns[i]));
      ASSERT_EQ(OrderedInteger(type, patterns[i]), OrderedInteger(type, patterns[i - 1]) + 1);
      ASSERT_EQ(UlpDistance(type, patterns[i - 1], patterns[i]), 1u);
    }
  }
}

TEST(OrderedInteger, CountsZeroOnce) {
  for (const DType type : kFloats) {
    const uint64_t sign = uint64_t{1} << (8 * SizeOf(type) - 1);
    EXPECT_EQ(OrderedInteger(type, 0), 0);
    EXPECT_EQ(OrderedInteger(type, sign), 0);
    EXPECT_EQ(UlpDistance(type, 0, sign), 0u);
    EXPECT_EQ(UlpDistance(type, 0, sign | 1), 1u);  // +0 to the smallest negative subnormal
    EXPECT_EQ(UlpDistance(type, sign | 1, 1), 2u);
  }
}

TEST(OrderedInteger, SpansAllOfF64WithoutOverflow) {
  EXPECT_EQ(UlpDistance(DType::kF64, 0x7ff0000000000000, 0xfff0000000000000),
            uint64_t{2} * 0x7ff0000000000000);
  EXPECT_EQ(UlpDistance(DType::kF32, 0x3f800000, 0x3f800003), 3u);
}

RC_GTEST_PROP(OrderedInteger, IsMonotone, (uint64_t a, uint64_t b)) {
  for (const DType type : kFloats) {
    const uint64_t mask = ~uint64_t{0} >> (64 - 8 * SizeOf(type));
    const double x = Decode(type, a & mask);
    const double y = Decode(type, b & mask);
    if (std::isnan(x) || std::isnan(y)) continue;
    const int64_t order_x = OrderedInteger(type, a & mask);
    const int64_t order_y = OrderedInteger(type, b & mask);
    RC_ASSERT((x < y) == (order_x < order_y));
    RC_ASSERT((x == y) == (order_x == order_y));
  }
}

TEST(OrderedIntegerDeathTest, HasNoPlaceForNan) {
  EXPECT_EXIT(OrderedInteger(DType::kF16, 0x7c01), testing::ExitedWithCode(70), "NaN");
}

TEST(NextUp, WalksThroughEvery16BitValue) {
  for (const DType type : kHalves) {
    const Format format = FormatOf(type);
    const std::vector<uint32_t> patterns = AscendingPatterns(type == DType::kF16 ? 0x7c00 : 0x7f80);
    for (size_t i = 1; i < patterns.size(); ++i) {
      const double low = Decode(type, patterns[i - 1]);
      const double high = Decode(type, patterns[i]);
      ASSERT_EQ(NextUp(format, low), high) << NameOf(type) << " " << patterns[i];
      ASSERT_EQ(NextDown(format, high), low) << NameOf(type) << " " << patterns[i];
    }
  }
}

RC_GTEST_PROP(NextUp, AgreesWithNextafterInF64, (uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(!std::isnan(value));
  RC_ASSERT(SameBits(NextUp(Format::kF64, value), std::nextafter(value, kInf)));
  RC_ASSERT(SameBits(NextDown(Format::kF64, value), std::nextafter(value, -kInf)));
}

RC_GTEST_PROP(NextUp, AgreesWithNextafterInF32, (uint32_t bits)) {
  const auto value = std::bit_cast<float>(bits);
  RC_PRE(!std::isnan(value));
  const float infinity = std::numeric_limits<float>::infinity();
  RC_ASSERT(NextUp(Format::kF32, value) == std::nextafter(value, infinity));
  RC_ASSERT(NextDown(Format::kF32, value) == std::nextafter(value, -infinity));
}

TEST(NextUp, TakesTheNearestValueOfTheFormatFromBetween) {
  EXPECT_EQ(NextUp(Format::kF16, 1 + 0x1p-20), 1 + 0x1p-10);
  EXPECT_EQ(NextDown(Format::kF16, 1 + 0x1p-20), 1);
  EXPECT_EQ(NextUp(Format::kF16, -1 - 0x1p-20), -1);
  EXPECT_EQ(NextUp(Format::kF16, 65510), kInf);
  EXPECT_EQ(NextDown(Format::kF16, 1e300), 65504);
  EXPECT_EQ(NextUp(Format::kBf16, 0x1p-200), 0x1p-133);
}

TEST(UlpAt, TakesTheUpperBinadeAtAPowerOfTwo) {
  EXPECT_EQ(UlpAt(Format::kF32, 1), 0x1p-23);
  EXPECT_EQ(UlpAt(Format::kF32, -1), 0x1p-23);
  EXPECT_EQ(UlpAt(Format::kF32, 1 - 0x1p-50), 0x1p-24);
  EXPECT_EQ(UlpAt(Format::kF16, 2047.9), 1);
  EXPECT_EQ(UlpAt(Format::kF64, 1.5), 0x1p-52);
}

TEST(UlpAt, IsTheSmallestSubnormalBelowTheNormalRange) {
  EXPECT_EQ(UlpAt(Format::kF16, 0), 0x1p-24);
  EXPECT_EQ(UlpAt(Format::kF16, 0x1p-14), 0x1p-24);
  EXPECT_EQ(UlpAt(Format::kBf16, 0x1p-300), 0x1p-133);
  EXPECT_EQ(UlpAt(Format::kF64, 0x1p-1060), 0x1p-1074);
}

TEST(UlpAt, IsTheLastGapBeyondTheLargest) {
  EXPECT_EQ(UlpAt(Format::kF16, 1e9), 32);
  EXPECT_EQ(UlpAt(Format::kF32, kInf), 0x1p104);
}

TEST(ClassOf, TellsSignsAndKindsApart) {
  EXPECT_EQ(ClassOf(std::nan("")), kClassNan);
  EXPECT_EQ(ClassOf(kInf), kClassPosInf);
  EXPECT_EQ(ClassOf(-kInf), kClassNegInf);
  EXPECT_EQ(ClassOf(0.0), kClassPosZero);
  EXPECT_EQ(ClassOf(-0.0), kClassNegZero);
  EXPECT_EQ(ClassOf(-0x1p-1074), kClassFinite);
  EXPECT_EQ(ClassOf(std::numeric_limits<double>::max()), kClassFinite);
}

}  // namespace
}  // namespace assay
