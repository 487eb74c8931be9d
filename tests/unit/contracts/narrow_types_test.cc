// SPDX-License-Identifier: Apache-2.0
//
// The 8-bit types against the tables of OCP's "8-bit Floating Point Specification" (OFP8), worked
// out from bit fields in integers, and every rounding against MPFR.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "contracts/dtype.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Layout {
  DType type;
  Format format;
  int fraction_bits, bias;
  bool infinities;
  double last_rounded;  // the largest magnitude that does not overflow, and whether
  bool tie_overflows;   // that one itself does
};
constexpr Layout kLayouts[] = {
    {DType::kF8e4m3, Format::kF8e4m3, 3, 7, false, 464, false},
    {DType::kF8e5m2, Format::kF8e5m2, 2, 15, true, 61440, true},
};

// Section 5 of OFP8: (-1)^S 2^(E - bias) (1 + M / 2^m), (-1)^S 2^(1 - bias) M / 2^m for E = 0.
double ValueOf(const Layout& layout, unsigned bits) {
  const unsigned fields = 1u << layout.fraction_bits;
  const unsigned fraction = bits & (fields - 1);
  const unsigned exponent = (bits & 0x7f) >> layout.fraction_bits;
  const unsigned top = 0x7fu >> layout.fraction_bits;
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (layout.infinities && exponent == top) return fraction == 0 ? sign * kInf : kNan;
  if (!layout.infinities && (bits & 0x7f) == 0x7f) return kNan;
  const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - layout.bias;
  const double significand = fraction + (exponent == 0 ? 0 : fields);
  return sign * std::ldexp(significand, scale - layout.fraction_bits);
}

TEST(NarrowFloats, DecodeEveryPatternAsOfp8Says) {
  for (const Layout& layout : kLayouts) {
    for (unsigned bits = 0; bits < 256; ++bits) {
      const double expected = ValueOf(layout, bits);
      const double value = Decode(layout.type, bits);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value)) << NameOf(layout.type) << " " << bits;
        EXPECT_EQ(std::signbit(value), (bits & 0x80) != 0);
        continue;
      }
      EXPECT_EQ(value, expected) << NameOf(layout.type) << " " << bits;
      EXPECT_EQ(std::signbit(value), (bits & 0x80) != 0);
      EXPECT_EQ(Encode(layout.type, value), bits);
      EXPECT_EQ(Round(layout.format, value), value);
      EXPECT_EQ(Truncate(layout.format, value), value);
    }
  }
}

TEST(NarrowFloats, HaveTheParametersOfOfp8) {
  const FormatInfo& e4m3 = InfoOf(Format::kF8e4m3);
  EXPECT_EQ(e4m3.largest, 448);
  EXPECT_EQ(e4m3.smallest_normal, 0x1p-6);
  EXPECT_EQ(e4m3.smallest_subnormal, 0x1p-9);
  EXPECT_EQ(e4m3.unit_roundoff, 0x1p-4);
  const FormatInfo& e5m2 = InfoOf(Format::kF8e5m2);
  EXPECT_EQ(e5m2.largest, 57344);
  EXPECT_EQ(e5m2.smallest_normal, 0x1p-14);
  EXPECT_EQ(e5m2.smallest_subnormal, 0x1p-16);
  EXPECT_EQ(e5m2.unit_roundoff, 0x1p-3);
  EXPECT_EQ(Encode(DType::kF8e4m3, kNan), 0x7f);
  EXPECT_EQ(Encode(DType::kF8e5m2, kNan), 0x7e);
  EXPECT_EQ(Encode(DType::kF8e5m2, -kInf), 0xfc);
}

TEST(NarrowFloats, OverflowFromTheirThresholds) {
  EXPECT_EQ(Round(Format::kF8e4m3, 464), 448);
  EXPECT_EQ(Round(Format::kF8e4m3, -464), -448);
  EXPECT_TRUE(std::isnan(Round(Format::kF8e4m3, std::nextafter(464, 465))));
  EXPECT_TRUE(std::isnan(Round(Format::kF8e4m3, kInf)));
  EXPECT_TRUE(std::signbit(Round(Format::kF8e4m3, -1e300)));
  EXPECT_TRUE(std::isnan(RoundSum(Format::kF8e4m3, 464, 0x1p-60)));
  EXPECT_EQ(RoundSum(Format::kF8e4m3, 464, -0x1p-60), 448);
  EXPECT_EQ(Round(Format::kF8e5m2, std::nextafter(61440, 0)), 57344);
  EXPECT_EQ(Round(Format::kF8e5m2, 61440), kInf);
  EXPECT_EQ(Truncate(Format::kF8e4m3, 1e9), 448);
  EXPECT_EQ(Truncate(Format::kF8e5m2, -1e9), -57344);
}

// Nearest member of the table, ties to the even pattern: compared exactly, by MPFR.
double NearestOf(const Layout& layout, double value) {
  const double size = std::fabs(value);
  if (size > layout.last_rounded || (size == layout.last_rounded && layout.tie_overflows)) {
    return layout.infinities ? std::copysign(kInf, value) : kNan;
  }
  mpfr_t distance, best;
  mpfr_inits2(2200, distance, best, nullptr);
  unsigned nearest = 0;
  for (unsigned bits = 0; bits < 128; ++bits) {
    const double member = ValueOf(layout, bits);
    if (!std::isfinite(member)) continue;
    mpfr_set_d(distance, size, MPFR_RNDN);
    mpfr_sub_d(distance, distance, member, MPFR_RNDN);
    mpfr_abs(distance, distance, MPFR_RNDN);
    const int order = bits == 0 ? -1 : mpfr_cmp(distance, best);
    if (order < 0 || (order == 0 && bits % 2 == 0)) {
      mpfr_swap(distance, best);
      nearest = bits;
    }
  }
  mpfr_clears(distance, best, nullptr);
  return std::copysign(ValueOf(layout, nearest), value);
}

std::vector<double> HardCases(const Layout& layout) {
  std::vector<double> cases = {0, 1e-300, 5e-324, 1e300};
  for (unsigned bits = 0; bits < 127; ++bits) {
    const double low = ValueOf(layout, bits);
    const double high = ValueOf(layout, bits + 1);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    const double middle = (low + high) / 2;
    for (const double each : {low, middle}) {
      cases.push_back(each);
      cases.push_back(std::nextafter(each, 0));
      cases.push_back(std::nextafter(each, kInf));
    }
  }
  for (const double step : {-1.0, 0.0, 1.0}) {
    cases.push_back(layout.last_rounded + step * 0x1p-20);
  }
  std::mt19937_64 random(20240611);
  for (int i = 0; i < 2000; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    cases.push_back(std::ldexp(1 + unit, static_cast<int>(random() % 40) - 22));
  }
  return cases;
}

TEST(NarrowFloats, RoundToTheNearestMember) {
  for (const Layout& layout : kLayouts) {
    for (const double size : HardCases(layout)) {
      for (const double value : {size, -size}) {
        const double expected = NearestOf(layout, value);
        const double rounded = Round(layout.format, value);
        const double decoded = Decode(layout.type, Encode(layout.type, value));
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(rounded) && std::isnan(decoded)) << std::hexfloat << value;
          continue;
        }
        ASSERT_EQ(rounded, expected) << NameOf(layout.type) << std::hexfloat << " " << value;
        ASSERT_EQ(decoded, expected) << NameOf(layout.type) << std::hexfloat << " " << value;
        ASSERT_EQ(std::signbit(decoded), std::signbit(value));
      }
    }
  }
}

TEST(NarrowFloats, RoundExactlyWhatTheirIntervalsHold) {
  for (const Layout& layout : kLayouts) {
    for (unsigned bits = 0; bits < 256; ++bits) {
      const double member = ValueOf(layout, bits);
      if (std::isnan(member)) continue;
      const RoundingInterval interval = IntervalRoundingTo(layout.format, member);
      for (const auto& [end, included] : {std::pair(interval.lo, interval.lo_included),
                                          std::pair(interval.hi, interval.hi_included)}) {
        if (std::isinf(end)) continue;
        const double inside = std::nextafter(end, member);
        const double outside = std::nextafter(end, 2 * end - member);
        EXPECT_EQ(Round(layout.format, end) == member, included) << std::hexfloat << member;
        EXPECT_EQ(Round(layout.format, inside), member) << std::hexfloat << member;
        EXPECT_NE(Round(layout.format, outside), member) << std::hexfloat << member;
      }
    }
  }
}

TEST(NarrowFloats, AreOrderedByTheirNeighbours) {
  for (const Layout& layout : kLayouts) {
    for (unsigned bits = 1; bits < 128; ++bits) {
      const double member = ValueOf(layout, bits);
      if (std::isnan(member)) continue;
      const double below = ValueOf(layout, bits - 1);
      EXPECT_EQ(NextUp(layout.format, below), member);
      EXPECT_EQ(NextDown(layout.format, member), below);
      EXPECT_EQ(NextUp(layout.format, -member), -below);
      EXPECT_EQ(OrderedInteger(layout.type, bits), bits);
      EXPECT_EQ(UlpDistance(layout.type, bits | 0x80, bits), 2 * bits);
    }
  }
  EXPECT_EQ(NextUp(Format::kF8e4m3, 448), kInf);
  EXPECT_EQ(NextDown(Format::kF8e4m3, kInf), 448);
}

TEST(UnsignedBytes, HoldTheirRange) {
  for (int64_t value = 0; value < 256; ++value) {
    EXPECT_EQ(EncodeInteger(DType::kU8, value), static_cast<uint64_t>(value));
    EXPECT_EQ(DecodeInteger(DType::kU8, static_cast<uint64_t>(value)), value);
  }
  EXPECT_EQ(DecodeInteger(DType::kI8, 0xff), -1);
  EXPECT_EQ(LimitsOf(DType::kU8).lowest, 0);
  EXPECT_EQ(LimitsOf(DType::kU8).highest, 255);
  EXPECT_EQ(LimitsOf(DType::kI8).lowest, -128);
  EXPECT_EQ(LimitsOf(DType::kI64).lowest, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(LimitsOf(DType::kI32).highest, 2147483647);
}

}  // namespace
}  // namespace assay
