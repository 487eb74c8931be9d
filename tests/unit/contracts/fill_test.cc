// SPDX-License-Identifier: Apache-2.0
//
// Each kind of fill has the property that contracts/tensor.h promises.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "contracts/values.h"

namespace assay {
namespace {

constexpr DType kFloats[] = {DType::kF64, DType::kF32, DType::kF16, DType::kBf16};
constexpr DType kAllTypes[] = {DType::kF64, DType::kF32, DType::kF16, DType::kBf16,
                               DType::kI8,  DType::kI32, DType::kI64};
using Shape = std::vector<int64_t>;

std::vector<uint64_t> Patterns(const Fill& fill, DType type, const Shape& shape) {
  std::vector<uint64_t> patterns;
  const int64_t rows = shape.size() == 2 ? shape[0] : 1;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < shape.back(); ++j) {
      const Shape index = shape.size() == 2 ? Shape{i, j} : Shape{j};
      patterns.push_back(FillBits(fill, type, index, shape));
    }
  }
  return patterns;
}

std::vector<double> Reals(const Fill& fill, DType type, const Shape& shape) {
  std::vector<double> reals;
  for (const uint64_t bits : Patterns(fill, type, shape)) reals.push_back(Decode(type, bits));
  return reals;
}

std::vector<int64_t> Integers(const Fill& fill, DType type, const Shape& shape) {
  std::vector<int64_t> integers;
  for (const uint64_t bits : Patterns(fill, type, shape)) {
    integers.push_back(DecodeInteger(type, bits));
  }
  return integers;
}

TEST(Mix, IsTheFinalizerOfSplitMix64) {
  // First outputs of the published generator for the seeds 0 and 1234567: state + step, finalized.
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  EXPECT_EQ(Mix(kStep), 0xe220a8397b1dcdafu);
  EXPECT_EQ(Mix(1234567 + kStep), 6457827717110365317u);
  EXPECT_EQ(Mix(1234567 + 2 * kStep), 3203168211198807973u);
}

TEST(Fill, ZeroAndConstantAreWhatTheySay) {
  for (const DType type : kAllTypes) {
    EXPECT_EQ(Patterns({FillKind::kZero, 5, 1, 2}, type, {3}), (std::vector<uint64_t>{0, 0, 0}));
  }
  EXPECT_EQ(Reals({FillKind::kConstant, 5, 2049, 0}, DType::kF16, {1}), std::vector<double>{2048});
  EXPECT_EQ(Integers({FillKind::kConstant, 5, -3, 0}, DType::kI32, {1}), std::vector<int64_t>{-3});
  EXPECT_EQ(Integers({FillKind::kConstant, 5, 1e9, 0}, DType::kI8, {1}), std::vector<int64_t>{127});
}

TEST(Fill, UniformStaysBelowItsUpperEndAlsoWhenRounded) {
  for (const DType type : kFloats) {
    const std::vector<double> values = Reals({FillKind::kUniform, 1, -1, 1}, type, {20000});
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*least, -1) << NameOf(type);
    EXPECT_LT(*most, 1) << NameOf(type);
    EXPECT_LT(*least, -0.99);
    EXPECT_GT(*most, 0.99);
    double sum = 0;
    for (const double value : values) sum += value;
    // Standard deviation of the mean 1 / sqrt(3 * 20000) = 0.0041; bf16's half ulp near 1 is 0.002.
    EXPECT_LT(std::fabs(sum / 20000), 5 * 0.0041 + 0.002);
  }
}

TEST(Fill, UniformCoversRangesWiderThanADouble) {
  const double big = 1.5e308;
  for (const double value : Reals({FillKind::kUniform, 1, -big, big}, DType::kF64, {500})) {
    EXPECT_GE(value, -big);
    EXPECT_LT(value, big);
  }
  EXPECT_EQ(Reals({FillKind::kUniform, 1, 3, 3}, DType::kF64, {1}), std::vector<double>{3});
}

TEST(Fill, NormalHasMomentsOfANormal) {
  const int n = 100000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  for (const double x : Reals({FillKind::kNormal, 9, 0, 1}, DType::kF64, {n})) {
    EXPECT_LT(std::fabs(x), 6.001);
    sum += x;
    squares += x * x;
    cubes += x * x * x;
    fourths += x * x * x * x;
  }
  // Five standard deviations of each sample moment. Irwin-Hall's fourth moment is 3 - 1.2 / 12.
  const double root = std::sqrt(n);
  EXPECT_LT(std::fabs(sum / n), 5 * 1 / root);
  EXPECT_LT(std::fabs(squares / n - 1), 5 * std::sqrt(2.0) / root);
  EXPECT_LT(std::fabs(cubes / n), 5 * std::sqrt(15.0) / root);
  EXPECT_LT(std::fabs(fourths / n - 2.9), 5 * std::sqrt(96.0) / root);
}

TEST(Fill, OffsetLiesAroundItsMean) {
  for (const double x : Reals({FillKind::kOffset, 9, 1000, 0.5}, DType::kF32, {2000})) {
    EXPECT_LT(std::fabs(x - 1000), 3.01);
  }
}

TEST(Fill, IntegersReachBothEndsAndNothingElse) {
  const Fill fill{FillKind::kIntegers, 4, -2, 2};
  const std::set<double> expected = {-2, -1, 0, 1, 2};
  for (const DType type : kFloats) {
    const std::vector<double> values = Reals(fill, type, {200});
    EXPECT_EQ(std::set<double>(values.begin(), values.end()), expected);
  }
  const std::vector<int64_t> values = Integers(fill, DType::kI8, {200});
  EXPECT_EQ(std::set<int64_t>(values.begin(), values.end()), (std::set<int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Fill, IndicesCanExceed32Bits) {
  const Fill fill{FillKind::kIndices, 4, 0x1p32, 0x1p32 + 1};
  const std::vector<int64_t> values = Integers(fill, DType::kI64, {64});
  EXPECT_EQ(std::set<int64_t>(values.begin(), values.end()),
            (std::set<int64_t>{4294967296, 4294967297}));
}

TEST(Fill, WideOddNeeds13Bits) {
  int negative = 0;
  for (const double x : Reals({FillKind::kWideOdd, 2, 0, 0}, DType::kF32, {4000})) {
    EXPECT_GT(std::fabs(x), 4096);
    EXPECT_LT(std::fabs(x), 8192);
    EXPECT_EQ(std::fmod(std::fabs(x), 2), 1);
    for (const Format narrow : {Format::kTf32, Format::kHf32, Format::kF16, Format::kBf16}) {
      EXPECT_NE(Round(narrow, x), x);
    }
    negative += x < 0;
  }
  EXPECT_NEAR(negative, 2000, 5 * std::sqrt(1000.0));
}

TEST(Fill, PowersOfTwoAreThePowersUpToFour) {
  for (const DType type : kFloats) {
    const std::vector<double> values = Reals({FillKind::kPowersOfTwo, 2, 0, 0}, type, {300});
    EXPECT_EQ(std::set<double>(values.begin(), values.end()),
              (std::set<double>{-4, -2, -1, 1, 2, 4}));
  }
}

TEST(Fill, SparseHasExactlyTheWantedNonZerosInEveryRow) {
  for (const DType type : kFloats) {
    for (int64_t wanted = 1; wanted <= 4; ++wanted) {
      for (const int64_t length : {1, 2, 3, 4, 5, 64, 1000}) {
        const Fill fill{FillKind::kSparse, 77, static_cast<double>(wanted), 0};
        const std::vector<uint64_t> patterns = Patterns(fill, type, {7, length});
        for (int64_t row = 0; row < 7; ++row) {
          const auto begin = patterns.begin() + row * length;
          // Only +0 has the pattern 0.
          EXPECT_EQ(length - std::count(begin, begin + length, 0u), std::min(wanted, length));
        }
      }
    }
  }
}

TEST(Fill, SparsePlacesAreSpreadOverTheRow) {
  std::map<int64_t, int> count;
  const std::vector<double> values = Reals({FillKind::kSparse, 1, 2, 0}, DType::kF32, {4000, 5});
  for (size_t i = 0; i < values.size(); ++i) count[static_cast<int64_t>(i % 5)] += values[i] != 0;
  // Each place is taken with probability 2/5: mean 1600, standard deviation 31.
  for (const auto& [place, taken] : count) EXPECT_NEAR(taken, 1600, 5 * 31) << place;
}

TEST(Fill, ExponentsCoverTheirRange) {
  for (const DType type : kFloats) {
    std::set<int> seen;
    int negative = 0;
    for (const double x : Reals({FillKind::kExponents, 8, -3, 5}, type, {2000})) {
      seen.insert(std::ilogb(x));
      negative += x < 0;
    }
    EXPECT_EQ(seen, (std::set<int>{-3, -2, -1, 0, 1, 2, 3, 4, 5})) << NameOf(type);
    EXPECT_NEAR(negative, 1000, 5 * std::sqrt(500.0));
  }
}

TEST(Fill, ExponentsStayFiniteAndNonZeroAtTheEndsOfTheType) {
  for (const DType type : kFloats) {
    const FormatInfo& info = InfoOf(FormatOf(type));
    const int least = info.min_exponent - info.precision + 1;
    std::set<int> seen;
    for (const double x : Reals({FillKind::kExponents, 8, -1100, 1100}, type, {30000})) {
      ASSERT_TRUE(std::isfinite(x) && x != 0) << NameOf(type);
      seen.insert(std::ilogb(x));
    }
    EXPECT_EQ(*seen.begin(), least) << NameOf(type);
    EXPECT_EQ(*seen.rbegin(), info.max_exponent) << NameOf(type);
  }
}

TEST(Fill, ExponentsAreNotRoundedUpAmongSubnormals) {
  for (const DType type : kFloats) {
    const FormatInfo& info = InfoOf(FormatOf(type));
    for (int exponent = info.min_exponent - info.precision + 1; exponent <= info.min_exponent;
         ++exponent) {
      const auto parameter = static_cast<double>(exponent);
      for (const double x : Reals({FillKind::kExponents, 8, parameter, parameter}, type, {50})) {
        ASSERT_EQ(std::ilogb(x), exponent) << NameOf(type);
      }
    }
  }
}

TEST(Fill, SubnormalIsSubnormalInEveryFloatType) {
  for (const DType type : kFloats) {
    const FormatInfo& info = InfoOf(FormatOf(type));
    bool positive = false, negative = false;
    for (const double x : Reals({FillKind::kSubnormal, 8, 0, 0}, type, {3000})) {
      ASSERT_GT(std::fabs(x), 0) << NameOf(type);
      ASSERT_LT(std::fabs(x), info.smallest_normal) << NameOf(type);
      (x < 0 ? negative : positive) = true;
    }
    EXPECT_TRUE(positive && negative);
  }
}

TEST(Fill, MantissaSweepsAllBitsOfF32AlongRowsAndColumns) {
  const std::vector<double> values = Reals({FillKind::kMantissa, 8, 0, 0}, DType::kF32, {25, 25});
  for (int i = 0; i < 25; ++i) {
    for (int j = 0; j < 25; ++j) {
      EXPECT_EQ(values[static_cast<size_t>(25 * i + j)], 1 + std::ldexp(1, -1 - (i + j) % 23));
    }
  }
}

TEST(Fill, CancellingPairsUpToOneUlp) {
  for (const DType type : kFloats) {
    const double ulp = UlpAt(FormatOf(type), 99.9);
    for (const int64_t length : {1, 2, 3, 8, 31, 64, 1000}) {
      const Fill fill{FillKind::kCancelling, 21, 100, 0};
      std::vector<double> row = Reals(fill, type, {length});
      std::sort(row.begin(), row.end(),
                [](double a, double b) { return std::fabs(a) < std::fabs(b); });
      double sum = 0, magnitudes = 0;  // both exact in double for these rows, f64's aside
      for (const double x : row) {
        sum += x;
        magnitudes += std::fabs(x);
      }
      const auto pairs = static_cast<double>(length / 2);
      EXPECT_EQ(std::count(row.begin(), row.end(), 0.0), length % 2) << NameOf(type);
      // f64's own summation error is below an ulp per addition of numbers below 1024.
      const double slack = type == DType::kF64 ? static_cast<double>(length) * 0x1p-43 : 0;
      EXPECT_LE(std::fabs(sum), pairs * ulp + slack) << NameOf(type) << " " << length;
      EXPECT_GE(magnitudes, pairs * 2 * (50 - ulp)) << NameOf(type) << " " << length;
    }
  }
}

TEST(Fill, CancellingPartnersDifferAndAreShuffled) {
  const std::vector<double> row = Reals({FillKind::kCancelling, 3, 1, 0}, DType::kF32, {256});
  int neighbours = 0;
  for (size_t i = 0; i + 1 < row.size(); ++i) {
    EXPECT_NE(row[i] + row[i + 1], 0);
    neighbours += std::fabs(row[i] + row[i + 1]) < 0x1p-22;
  }
  // 128 pairs in random order have one pair of neighbours on average.
  EXPECT_LT(neighbours, 10);
}

TEST(Fill, SwampingStartsEveryRowWithThePower) {
  EXPECT_EQ(Reals({FillKind::kSwamping, 3, 11, 1}, DType::kF16, {2, 3}),
            (std::vector<double>{2048, 1, 1, 2048, 1, 1}));
  EXPECT_EQ(Reals({FillKind::kSwamping, 3, 1000, 1}, DType::kF16, {2}),
            (std::vector<double>{32768, 1}));
}

TEST(Fill, DistinctIsDistinctUpToTheLimitsOfTheType) {
  const std::pair<DType, Shape> limits[] = {{DType::kF16, {61440}},    {DType::kBf16, {508, 128}},
                                            {DType::kI8, {127, 2}},    {DType::kF32, {65536}},
                                            {DType::kF64, {256, 256}}, {DType::kI32, {65536}},
                                            {DType::kI64, {65536}}};
  for (const auto& [type, shape] : limits) {
    for (const uint64_t seed : {0u, 1u, 99u}) {
      const std::vector<uint64_t> patterns =
          Patterns({FillKind::kDistinct, seed, 0, 0}, type, shape);
      EXPECT_EQ(std::set<uint64_t>(patterns.begin(), patterns.end()).size(), patterns.size())
          << NameOf(type);
      for (const uint64_t bits : patterns) {
        if (IsFloat(type)) {
          const double x = Decode(type, bits);
          ASSERT_TRUE(std::isfinite(x) && x != 0) << NameOf(type);
        } else {
          ASSERT_NE(DecodeInteger(type, bits), 0) << NameOf(type);
        }
      }
    }
  }
}

TEST(Fill, PoisonOfTwoParitiesDiffersInClassAndIsNotRound) {
  for (const DType type : kFloats) {
    const FormatInfo& info = InfoOf(FormatOf(type));
    const uint64_t even = Patterns({FillKind::kPoison, 2, 0, 0}, type, {1})[0];
    const uint64_t odd = Patterns({FillKind::kPoison, 3, 0, 0}, type, {1})[0];
    EXPECT_TRUE(std::isnan(Decode(type, even)));
    EXPECT_NE(even, Encode(type, std::nan("")));      // has a payload
    EXPECT_EQ(even >> (info.precision - 2) & 1, 1u);  // quiet
    const double large = Decode(type, odd);
    EXPECT_TRUE(std::isfinite(large));
    EXPECT_GT(large, info.largest / 16);
    EXPECT_EQ(odd & 1, 1u);  // needs every bit of the significand
    EXPECT_LT(large, info.largest);
  }
  for (const DType type : {DType::kI8, DType::kI32, DType::kI64}) {
    EXPECT_NE(Patterns({FillKind::kPoison, 2, 0, 0}, type, {1}),
              Patterns({FillKind::kPoison, 3, 0, 0}, type, {1}));
  }
}

TEST(Fill, FillsAScalar) {
  EXPECT_EQ(FillBits({FillKind::kConstant, 0, 1, 0}, DType::kF32, {}, {}), 0x3f800000u);
}

bool DependsOnRowLength(FillKind kind) {
  return kind == FillKind::kSparse || kind == FillKind::kCancelling || kind == FillKind::kDistinct;
}

TEST(Fill, ShrinkingADimensionLeavesTheOtherElements) {
  for (int kind = 0; kind < kFillKindCount; ++kind) {
    const Fill fill{static_cast<FillKind>(kind), 6, 2, 5};
    const bool row = DependsOnRowLength(fill.kind);
    const Shape large = {5, 9};
    const Shape small = {3, row ? 9 : 4};
    for (const DType type : kAllTypes) {
      for (int64_t i = 0; i < small[0]; ++i) {
        for (int64_t j = 0; j < small[1]; ++j) {
          const Shape index = {i, j};
          EXPECT_EQ(FillBits(fill, type, index, large), FillBits(fill, type, index, small)) << kind;
        }
      }
    }
  }
}

TEST(Fill, SeedsAndRowsGiveDifferentValues) {
  const DType type = DType::kF32;
  for (const FillKind kind : {FillKind::kUniform, FillKind::kNormal, FillKind::kExponents,
                              FillKind::kCancelling, FillKind::kDistinct}) {
    const std::vector<double> first = Reals({kind, 1, 1, 2}, type, {2, 16});
    const std::vector<double> second = Reals({kind, 2, 1, 2}, type, {2, 16});
    EXPECT_NE(first, second);
    EXPECT_FALSE(std::equal(first.begin(), first.begin() + 16, first.begin() + 16));
  }
}

// Whatever a corrupt corpus entry asks for, a fill gives patterns of the type.
RC_GTEST_PROP(Fill, IsTotal, (uint64_t seed, uint64_t lo_bits, uint64_t hi_bits)) {
  const std::array<double, 6> odd = {std::bit_cast<double>(lo_bits),
                                     std::bit_cast<double>(hi_bits),
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::nan(""),
                                     0.0};
  const double lo = odd[*rc::gen::inRange<size_t>(0, odd.size())];
  const double hi = odd[*rc::gen::inRange<size_t>(0, odd.size())];
  const Shape shape = {*rc::gen::inRange<int64_t>(1, 4), *rc::gen::inRange<int64_t>(1, 40)};
  const Shape index = {shape[0] - 1, shape[1] - 1};
  for (int kind = 0; kind < kFillKindCount; ++kind) {
    for (const DType type : kAllTypes) {
      const uint64_t bits =
          FillBits({static_cast<FillKind>(kind), seed, lo, hi}, type, index, shape);
      // Not with a short-circuit: RC_ASSERT evaluates both sides.
      const uint64_t mask = ~uint64_t{0} >> (64 - 8 * SizeOf(type));
      RC_ASSERT((bits & mask) == bits);
    }
  }
}

}  // namespace
}  // namespace assay
