// SPDX-License-Identifier: Apache-2.0
//
// One rounding, checked against MPFR's emulation of a format (mpfr_check_range, mpfr_subnormalize),
// and the intervals that round to a value.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "contracts/dtype.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Format kNarrow[] = {Format::kF32, Format::kTf32, Format::kHf32, Format::kF16,
                              Format::kBf16};

// The exact sum of two doubles, rounded by MPFR to a format.
class Referee {
 public:
  Referee() {
    mpfr_init2(exact_, 2200);
    mpfr_init2(term_, 53);
  }
  ~Referee() {
    mpfr_clear(exact_);
    mpfr_clear(term_);
  }
  Referee(const Referee&) = delete;
  Referee& operator=(const Referee&) = delete;

  double Round(Format format, double hi, double lo, mpfr_rnd_t mode) {
    mpfr_set_d(exact_, hi, MPFR_RNDN);
    mpfr_set_d(term_, lo, MPFR_RNDN);
    EXPECT_EQ(mpfr_add(exact_, exact_, term_, MPFR_RNDN), 0);
    const FormatInfo& info = InfoOf(format);
    mpfr_t rounded;
    mpfr_init2(rounded, info.precision);
    int ternary = mpfr_set(rounded, exact_, mode);
    const mpfr_exp_t emin = mpfr_get_emin();
    const mpfr_exp_t emax = mpfr_get_emax();
    // MPFR's significands lie in [1/2, 1), one exponent above IEEE's.
    mpfr_set_emin(info.min_exponent - info.precision + 2);
    mpfr_set_emax(info.max_exponent + 1);
    ternary = mpfr_check_range(rounded, ternary, mode);
    mpfr_subnormalize(rounded, ternary, mode);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    const double result = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    return format == Format::kF8e4m3 ? WithoutTheLastPlace(result, mode) : result;
  }

 private:
  // In f8e4m3 NaN stands in the place of 480, and there is nothing beyond it.
  static double WithoutTheLastPlace(double result, mpfr_rnd_t mode) {
    if (std::fabs(result) <= 448) return result;
    return std::copysign(mode == MPFR_RNDZ ? 448 : std::numeric_limits<double>::quiet_NaN(),
                         result);
  }

  mpfr_t exact_, term_;
};

// Doubles where rounding to the format is hardest: exponents at both ends of its range and beyond,
// significands at, just above and just below ties and representable values.
class HardDoubles {
 public:
  explicit HardDoubles(Format format) : info_(InfoOf(format)) {}

  double Next() {
    const uint64_t random = random_();
    if (random % 8 == 0) return std::bit_cast<double>(random_() & ~(uint64_t{1} << 62));
    const int kept = std::min(52, info_.precision + static_cast<int>((random >> 8) % 3) - 1);
    uint64_t fraction = random_() >> 12 >> (52 - kept) << (52 - kept);
    fraction += (random >> 16) % 5 - 2;  // may borrow from or carry into the exponent
    const auto exponent = static_cast<uint64_t>(1023 + Exponent(random >> 24));
    return std::bit_cast<double>((exponent << 52) + fraction) * ((random >> 63) != 0 ? -1 : 1);
  }

 private:
  int Exponent(uint64_t random) const {
    const int width = static_cast<int>((random >> 2) % 6);
    int exponent = 0;
    switch (random % 4) {
      case 0:
        exponent = info_.max_exponent - 2 + width;
        break;
      case 1:
        exponent = info_.min_exponent - 3 + width;
        break;
      case 2:
        exponent = info_.min_exponent - static_cast<int>((random >> 5) % 60);
        break;
      default:
        exponent = width - 3;
        break;
    }
    return std::max(-1020, std::min(exponent, 1022));
  }

  const FormatInfo& info_;
  std::mt19937_64 random_{20240229};
};

bool SameValue(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

TEST(Round, AgreesWithMpfrForEveryFormat) {
  Referee referee;
  for (int i = 0; i < kFormatCount; ++i) {
    const auto format = static_cast<Format>(i);
    HardDoubles doubles(format);
    for (int n = 0; n < 200000; ++n) {
      const double value = doubles.Next();
      if (!std::isfinite(value)) continue;
      const double expected = referee.Round(format, value, std::copysign(0.0, value), MPFR_RNDN);
      ASSERT_TRUE(SameValue(Round(format, value), expected))
          << NameOf(format) << std::hexfloat << " " << value << " gave " << Round(format, value)
          << ", expected " << expected;
    }
  }
}

TEST(Encode, AgreesWithMpfrForEveryFloatType) {
  Referee referee;
  for (const DType type :
       {DType::kF64, DType::kF32, DType::kF16, DType::kBf16, DType::kF8e4m3, DType::kF8e5m2}) {
    HardDoubles doubles(FormatOf(type));
    for (int n = 0; n < 100000; ++n) {
      const double value = doubles.Next();
      if (!std::isfinite(value)) continue;
      const double zero = std::copysign(0.0, value);
      const double expected = referee.Round(FormatOf(type), value, zero, MPFR_RNDN);
      ASSERT_TRUE(SameValue(Decode(type, Encode(type, value)), expected))
          << NameOf(type) << std::hexfloat << " " << value << " gave "
          << Decode(type, Encode(type, value)) << ", expected " << expected;
    }
  }
}

TEST(Truncate, AgreesWithMpfrForEveryFormat) {
  Referee referee;
  for (int i = 0; i < kFormatCount; ++i) {
    const auto format = static_cast<Format>(i);
    HardDoubles doubles(format);
    for (int n = 0; n < 100000; ++n) {
      const double value = doubles.Next();
      if (!std::isfinite(value)) continue;
      const double expected = referee.Round(format, value, std::copysign(0.0, value), MPFR_RNDZ);
      ASSERT_TRUE(SameValue(Truncate(format, value), expected))
          << NameOf(format) << std::hexfloat << " " << value << " gave " << Truncate(format, value)
          << ", expected " << expected;
    }
  }
}

// lo around the ties of hi, of either sign, down to far below its last place.
double HardTail(double hi, uint64_t random) {
  const double half_ulp = UlpAt(Format::kF64, hi) / 2;
  const double tails[] = {0, half_ulp, half_ulp * (1 - 0x1p-50), half_ulp * 0x1p-30, 0x1p-1074};
  const double tail = tails[random % 5];
  return (random & 8) != 0 ? -tail : tail;
}

TEST(RoundSum, AgreesWithMpfrForEveryFormat) {
  Referee referee;
  std::mt19937_64 random(7);
  for (int i = 0; i < kFormatCount; ++i) {
    const auto format = static_cast<Format>(i);
    HardDoubles doubles(format);
    for (int n = 0; n < 200000; ++n) {
      const double hi = doubles.Next();
      if (!std::isfinite(hi) || hi == 0) continue;
      const double lo = HardTail(hi, random());
      const double expected = referee.Round(format, hi, lo, MPFR_RNDN);
      ASSERT_TRUE(SameValue(RoundSum(format, hi, lo), expected))
          << NameOf(format) << std::hexfloat << " " << hi << " + " << lo << " gave "
          << RoundSum(format, hi, lo) << ", expected " << expected;
    }
  }
}

TEST(Round, RoundsTiesToEven) {
  EXPECT_EQ(Round(Format::kF16, 2049), 2048);
  EXPECT_EQ(Round(Format::kF16, 2051), 2052);
  EXPECT_EQ(Round(Format::kBf16, 257), 256);
  EXPECT_EQ(Round(Format::kBf16, 259), 260);
  EXPECT_EQ(Round(Format::kF32, 16777217), 16777216);
  EXPECT_EQ(Round(Format::kTf32, 1024.5), 1024);
  EXPECT_EQ(Round(Format::kHf32, 1024.5), 1024.5);  // 12 bits hold it
  EXPECT_EQ(Round(Format::kHf32, 2048.5), 2048);
}

TEST(Round, RoundsOnceWhereAStopInF32RoundsTwice) {
  const double above_tie = 1 + 5 * 0x1p-11 + 0x1p-30;
  EXPECT_EQ(Round(Format::kF16, above_tie), 1.0029296875);
  EXPECT_EQ(Round(Format::kF16, Round(Format::kF32, above_tie)), 1.001953125);
  const double below_overflow = 65520 - 0x1p-20;
  EXPECT_EQ(Round(Format::kF16, below_overflow), 65504);
  EXPECT_EQ(Round(Format::kF16, Round(Format::kF32, below_overflow)), kInf);
  EXPECT_EQ(Round(Format::kBf16, 0x1p30 + 0x1p22 + 1), 0x1p30 + 0x1p23);
}

TEST(RoundSum, RoundsOnceWhereAStopInF64RoundsTwice) {
  // 2^60 + 2^36 + 1 has 61 bits; in f64 it is the f32 tie 2^60 + 2^36.
  EXPECT_EQ(RoundSum(Format::kF32, 0x1p60 + 0x1p36, 1), 0x1p60 + 0x1p37);
  EXPECT_EQ(Round(Format::kF32, 0x1p60 + 0x1p36), 0x1p60);
  EXPECT_EQ(RoundSum(Format::kF16, 2049, 0x1p-60), 2050);
  EXPECT_EQ(RoundSum(Format::kF16, 2049, -0x1p-60), 2048);
  EXPECT_EQ(RoundSum(Format::kF16, -2051, 0x1p-60), -2050);
  EXPECT_EQ(RoundSum(Format::kF16, 2051, 0), 2052);
  EXPECT_EQ(RoundSum(Format::kF16, 65520, -0x1p-40), 65504);
  EXPECT_EQ(RoundSum(Format::kF16, 0x1p-25, 0x1p-90), 0x1p-24);
  EXPECT_EQ(RoundSum(Format::kF16, 0x1p-25, -0x1p-90), 0);
}

TEST(RoundSum, LetsAnInfiniteOrMissingSumThrough) {
  EXPECT_EQ(RoundSum(Format::kF16, kInf, std::nan("")), kInf);
  EXPECT_EQ(RoundSum(Format::kF64, -kInf, kInf), -kInf);
  EXPECT_TRUE(std::isnan(RoundSum(Format::kF32, std::nan(""), 1)));
  EXPECT_TRUE(std::signbit(RoundSum(Format::kF32, -0.0, -0.0)));
}

TEST(Round, OverflowsFromTheMidpointAboveTheLargest) {
  for (const Format format : kNarrow) {
    const FormatInfo& info = InfoOf(format);
    const double midpoint = std::ldexp(2 - std::ldexp(1, -info.precision), info.max_exponent);
    EXPECT_EQ(Round(format, midpoint), kInf) << info.name;
    EXPECT_EQ(Round(format, -midpoint), -kInf) << info.name;
    EXPECT_EQ(Round(format, std::nextafter(midpoint, 0)), info.largest) << info.name;
  }
}

TEST(Truncate, NeverTurnsFiniteIntoInfinite) {
  EXPECT_EQ(Truncate(Format::kF16, 1e300), 65504);
  EXPECT_EQ(Truncate(Format::kF16, -65535.9), -65504);
  EXPECT_EQ(Truncate(Format::kF16, kInf), kInf);
  EXPECT_EQ(Truncate(Format::kTf32, 1 + 0x1.ffp-10), 1 + 0x1p-10);
  EXPECT_TRUE(std::signbit(Truncate(Format::kF16, -0x1p-25)));
}

// Each end rounds to got iff it is included, and the next double outside never does. Round itself
// is checked against MPFR above.
void ExpectIntervalIsTight(Format format, double got) {
  const RoundingInterval interval = IntervalRoundingTo(format, got);
  const auto rounds_to_got = [&](double x) { return Round(format, x) == got; };
  ASSERT_LT(interval.lo, interval.hi) << NameOf(format) << " " << got;
  ASSERT_EQ(rounds_to_got(interval.lo), interval.lo_included) << NameOf(format) << " " << got;
  ASSERT_EQ(rounds_to_got(interval.hi), interval.hi_included) << NameOf(format) << " " << got;
  ASSERT_TRUE(rounds_to_got(std::nextafter(interval.lo, kInf))) << NameOf(format) << " " << got;
  ASSERT_TRUE(rounds_to_got(std::nextafter(interval.hi, -kInf))) << NameOf(format) << " " << got;
  if (std::isfinite(interval.lo)) {
    ASSERT_FALSE(rounds_to_got(std::nextafter(interval.lo, -kInf))) << NameOf(format) << " " << got;
  }
  if (std::isfinite(interval.hi)) {
    ASSERT_FALSE(rounds_to_got(std::nextafter(interval.hi, kInf))) << NameOf(format) << " " << got;
  }
}

TEST(IntervalRoundingTo, IsTightForEvery16BitValue) {
  for (const DType type : {DType::kF16, DType::kBf16}) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double got = Decode(type, bits);
      if (!std::isnan(got)) ExpectIntervalIsTight(FormatOf(type), got);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(IntervalRoundingTo, IsTightForTheOtherFormats) {
  for (const Format format : {Format::kF32, Format::kTf32, Format::kHf32}) {
    HardDoubles doubles(format);
    for (int n = 0; n < 50000; ++n) {
      const double got = Round(format, doubles.Next());
      if (!std::isnan(got)) ExpectIntervalIsTight(format, got);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

void ExpectInterval(const RoundingInterval& got, const RoundingInterval& expected) {
  EXPECT_EQ(got.lo, expected.lo);
  EXPECT_EQ(got.hi, expected.hi);
  EXPECT_EQ(got.lo_included, expected.lo_included);
  EXPECT_EQ(got.hi_included, expected.hi_included);
}

TEST(IntervalRoundingTo, GivesTiesToTheEvenNeighbour) {
  ExpectInterval(IntervalRoundingTo(Format::kF16, 1), {1 - 0x1p-12, 1 + 0x1p-11, true, true});
  ExpectInterval(IntervalRoundingTo(Format::kF16, 1 + 0x1p-10),
                 {1 + 0x1p-11, 1 + 3 * 0x1p-11, false, false});
  ExpectInterval(IntervalRoundingTo(Format::kF16, -1), {-1 - 0x1p-11, -1 + 0x1p-12, true, true});
}

TEST(IntervalRoundingTo, EndsAtTheOverflowThreshold) {
  ExpectInterval(IntervalRoundingTo(Format::kF16, 65504), {65488, 65520, false, false});
  ExpectInterval(IntervalRoundingTo(Format::kF16, kInf), {65520, kInf, true, true});
  ExpectInterval(IntervalRoundingTo(Format::kF16, -kInf), {-kInf, -65520, true, true});
  for (const Format format : kNarrow) {
    const FormatInfo& info = InfoOf(format);
    EXPECT_EQ(IntervalRoundingTo(format, kInf).lo,
              std::ldexp(2 - std::ldexp(1, -info.precision), info.max_exponent));
  }
}

TEST(IntervalRoundingTo, IsOneIntervalForBothZeros) {
  for (const double zero : {0.0, -0.0}) {
    ExpectInterval(IntervalRoundingTo(Format::kF16, zero), {-0x1p-25, 0x1p-25, true, true});
    ExpectInterval(IntervalRoundingTo(Format::kF32, zero), {-0x1p-150, 0x1p-150, true, true});
  }
  ExpectInterval(IntervalRoundingTo(Format::kF16, 0x1p-24), {0x1p-25, 3 * 0x1p-25, false, false});
}

TEST(IntervalRoundingTo, HoldsNothingForNan) {
  const RoundingInterval interval = IntervalRoundingTo(Format::kF16, std::nan(""));
  EXPECT_FALSE(interval.lo <= 0 || interval.lo >= 0 || interval.hi <= 0 || interval.hi >= 0);
}

TEST(IntervalRoundingToDeathTest, NeedsANarrowFormatAndItsValue) {
  EXPECT_EXIT(IntervalRoundingTo(Format::kF64, 1), testing::ExitedWithCode(70), "f64");
  EXPECT_EXIT(IntervalRoundingTo(Format::kF16, 2049), testing::ExitedWithCode(70), "lacks");
}

}  // namespace
}  // namespace assay
