// SPDX-License-Identifier: Apache-2.0
//
// Casts of every value of 8 and 16 bits to every type, and samples of wider ones, against one
// rounding or truncation by MPFR; overflows against the tables of OFP8 and ONNX.
#include "oracles/cast.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <limits>
#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr int kSaturating = 0, kIeee = 1;
constexpr ClassSet kAny = kClassNan | kClassInf | kClassZero | kClassFinite;

// One rounding by MPFR; Inf beyond the range. MPFR's significands lie in [1/2, 1), one exponent
// above IEEE's.
double Rounded(const mpfr_t exact, const FormatInfo& info) {
  mpfr_t rounded;
  mpfr_init2(rounded, info.precision);
  int ternary = mpfr_set(rounded, exact, MPFR_RNDN);
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_set_emin(info.min_exponent - info.precision + 2);
  mpfr_set_emax(info.max_exponent + 1);
  ternary = mpfr_check_range(rounded, ternary, MPFR_RNDN);
  mpfr_subnormalize(rounded, ternary, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const double result = mpfr_get_d(rounded, MPFR_RNDN);
  mpfr_clear(rounded);
  return std::fabs(result) > info.largest ? std::copysign(kInf, result) : result;
}

struct CastFixture : Fixture {
  CastFixture(DType from, DType to, int overflow, int64_t count) : Fixture(OpId::kCast, from, {0}) {
    source.operands[1].dtype = to;
    source.attributes[kCastOverflow].choice = overflow;
    Reset({count});
  }
};

void CheckFloat(DType to, int overflow, const mpfr_t exact, const Evidence& evidence, int64_t i,
                const std::string& what) {
  const FormatInfo& info = InfoOf(FormatOf(to));
  const double expected = Rounded(exact, info);
  const ClassSet infinity = expected > 0 ? kClassPosInf : kClassNegInf;
  const auto at = static_cast<size_t>(i);
  if (std::isfinite(expected) && mpfr_zero_p(exact) == 0) {
    ASSERT_EQ(evidence.legal[at], kClassByValue) << what;
    ASSERT_EQ(evidence.radius[at], 0) << what;
    ASSERT_EQ(RoundSum(FormatOf(to), evidence.hi[at], evidence.lo[at]), expected) << what;
  } else if (std::isinf(expected) && overflow == kIeee) {
    ASSERT_EQ(evidence.legal[at], to == DType::kF8e4m3 ? kClassNan : infinity) << what;
  } else if (std::isinf(expected)) {
    const bool narrow = SizeOf(to) == 1;
    if (mpfr_inf_p(exact) != 0 && !narrow) {
      ASSERT_EQ(evidence.legal[at], infinity) << what;
      return;
    }
    ASSERT_EQ(evidence.legal[at], narrow ? kClassByValue : kClassByValue | infinity) << what;
    ASSERT_EQ(evidence.hi[at], std::copysign(info.largest, expected)) << what;
    ASSERT_EQ(evidence.lo[at], 0) << what;
  }
}

void CheckInteger(DType to, const mpfr_t exact, const Evidence& evidence, int64_t i, bool from_real,
                  const std::string& what) {
  const IntegerLimits limits = LimitsOf(to);
  const auto at = static_cast<size_t>(i);
  mpfr_t whole, truth;
  mpfr_inits2(2200, whole, truth, nullptr);
  mpfr_rint_trunc(whole, exact, MPFR_RNDN);
  const bool holds = mpfr_number_p(exact) != 0 && mpfr_cmp_si(whole, limits.lowest) >= 0 &&
                     mpfr_cmp_si(whole, limits.highest) <= 0;
  if (from_real && !holds) {
    EXPECT_EQ(evidence.legal[at], kAny) << what;
    EXPECT_TRUE(evidence.special);
  } else {
    mpfr_set_d(truth, evidence.hi[at], MPFR_RNDN);
    mpfr_add_d(truth, truth, evidence.lo[at], MPFR_RNDN);
    EXPECT_EQ(evidence.legal[at], kClassByValue) << what;
    EXPECT_EQ(mpfr_cmp(truth, whole), 0) << what;
    EXPECT_EQ(evidence.radius[at], 0) << what;
  }
  mpfr_clears(whole, truth, nullptr);
}

void CheckAll(DType from, DType to, int overflow, const std::vector<uint64_t>& patterns) {
  CastFixture cast(from, to, overflow, static_cast<int64_t>(patterns.size()));
  const bool real = IsFloat(from);
  std::vector<int64_t> integers;
  for (const uint64_t bits : patterns) integers.push_back(real ? 0 : DecodeInteger(from, bits));
  if (real) cast.SetBits(0, patterns);
  if (!real) cast.SetInteger(0, integers);
  const Evidence& evidence = cast.Measure();
  mpfr_t exact;
  mpfr_init2(exact, 2200);
  for (size_t i = 0; i < patterns.size(); ++i) {
    const std::string what = std::string(NameOf(from)) + " " + std::to_string(patterns[i]) +
                             " to " + std::string(NameOf(to));
    const auto at = static_cast<int64_t>(i);
    if (real) {
      mpfr_set_d(exact, Decode(from, patterns[i]), MPFR_RNDN);
    } else {
      mpfr_set_sj(exact, integers[i], MPFR_RNDN);
    }
    if (IsFloat(to) && mpfr_nan_p(exact) != 0) {
      ASSERT_EQ(evidence.legal[i], kClassNan) << what;
    } else if (IsFloat(to)) {
      CheckFloat(to, overflow, exact, evidence, at, what);
    } else {
      CheckInteger(to, exact, evidence, at, real, what);
    }
    if (::testing::Test::HasFailure()) break;
  }
  mpfr_clear(exact);
}

TEST(Cast, TakesEveryNarrowValueToEveryTypeAsMpfrDoes) {
  for (const DType from :
       {DType::kF16, DType::kBf16, DType::kI8, DType::kU8, DType::kF8e4m3, DType::kF8e5m2}) {
    std::vector<uint64_t> patterns;
    for (uint64_t bits = 0; bits < uint64_t{1} << (8 * SizeOf(from)); ++bits) {
      patterns.push_back(bits);
    }
    for (int to = 0; to < kDTypeCount; ++to) {
      for (const int overflow : {kSaturating, kIeee}) {
        CheckAll(from, static_cast<DType>(to), overflow, patterns);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Cast, TakesSamplesOfWideValuesToEveryTypeAsMpfrDoes) {
  Random random(21);
  for (const DType from : {DType::kF64, DType::kF32, DType::kI32, DType::kI64}) {
    std::vector<uint64_t> patterns;
    for (int i = 0; i < 2000; ++i) {
      const double spread = random.Scaled(-20, 70);
      patterns.push_back(i % 2 == 0 && IsFloat(from) ? Encode(from, spread)
                         : i % 4 == 1                ? random.Bits() >> random.Below(64)
                                                     : random.Bits());
      const int bits = 8 * SizeOf(from);
      if (bits < 64) patterns.back() &= (uint64_t{1} << bits) - 1;
    }
    for (int to = 0; to < kDTypeCount; ++to) {
      CheckAll(from, static_cast<DType>(to), random.Below(2), patterns);
      if (HasFailure()) return;
    }
  }
}

double AnswerOf(DType from, DType to, double x) {
  CastFixture cast(from, to, kIeee, 1);
  if (IsFloat(from)) cast.SetReal(0, {x});
  if (!IsFloat(from)) cast.SetInteger(0, {static_cast<int64_t>(x)});
  const Evidence& evidence = cast.Measure();
  return RoundSum(FormatOf(to), evidence.hi[0], evidence.lo[0]);
}

TEST(Cast, RoundsOnceWhereTwoRoundingsDiffer) {
  EXPECT_EQ(AnswerOf(DType::kF64, DType::kF16, 1 + 5 * 0x1p-11 + 0x1p-30), 1.0029296875);
  EXPECT_EQ(AnswerOf(DType::kI64, DType::kF32, 0x1p60 + 0x1p36 + 1), 0x1p60);
  EXPECT_EQ(AnswerOf(DType::kF32, DType::kF8e4m3, 1 + 0x1p-4 + 0x1p-13), 1.125);
  EXPECT_EQ(AnswerOf(DType::kF64, DType::kF16, 65520 - 0x1p-20), 65504);
  EXPECT_EQ(AnswerOf(DType::kI32, DType::kBf16, 0x1p30 + 0x1p22 + 1), 0x1p30 + 0x1p23);
  // 2^60 + 2^36 + 1 is no double: set as the integer it is.
  CastFixture cast(DType::kI64, DType::kF32, kIeee, 1);
  cast.SetInteger(0, {(int64_t{1} << 60) + (int64_t{1} << 36) + 1});
  EXPECT_EQ(cast.Measure().hi[0], 0x1p60 + 0x1p37);
}

TEST(Cast, KeepsTheSignOfZeros) {
  for (const DType to : {DType::kF16, DType::kF8e4m3, DType::kF64}) {
    CastFixture cast(DType::kF32, to, kSaturating, 2);
    cast.SetReal(0, {0.0, -0.0});
    EXPECT_EQ(cast.Measure().legal, (std::vector<ClassSet>{kClassPosZero, kClassNegZero}));
  }
}

TEST(Cast, KeepsIntegersThatNoDoubleHolds) {
  CastFixture cast(DType::kI64, DType::kI64, kIeee, 1);
  cast.SetInteger(0, {std::numeric_limits<int64_t>::max()});
  const Evidence& evidence = cast.Measure();
  EXPECT_EQ(evidence.hi[0], 0x1p63);
  EXPECT_EQ(evidence.lo[0], -1);
}

}  // namespace
}  // namespace assay::fixtures
