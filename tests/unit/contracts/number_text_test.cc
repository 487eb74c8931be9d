// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text and back, bit for bit.
#include "contracts/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(PrintReal, WritesHexfloatsOfC) {
  EXPECT_EQ(PrintReal(3), "0x1.8p+1");
  EXPECT_EQ(PrintReal(1), "0x1p+0");
  EXPECT_EQ(PrintReal(-0.1), "-0x1.999999999999ap-4");
  EXPECT_EQ(PrintReal(0x1p-1074), "0x1p-1074");
  EXPECT_EQ(PrintReal(-0x1.8p-1073), "-0x1.8p-1073");
  EXPECT_EQ(PrintReal(std::numeric_limits<double>::max()), "0x1.fffffffffffffp+1023");
}

TEST(PrintReal, WritesWhatIsNoFiniteNumber) {
  EXPECT_EQ(PrintReal(0.0), "0");
  EXPECT_EQ(PrintReal(-0.0), "-0");
  EXPECT_EQ(PrintReal(kInf), "inf");
  EXPECT_EQ(PrintReal(-kInf), "-inf");
  EXPECT_EQ(PrintReal(std::bit_cast<double>(0xfff8000000000001)), "nan");
}

TEST(ParseReal, ReadsBackEveryDouble) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 300000; ++i) {
    uint64_t bits = random();
    if (i % 3 == 0) bits &= 0x800fffffffffffff >> (bits % 51);  // a subnormal, often a short one
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) continue;
    const std::string text = PrintReal(value);
    const std::optional<double> back = ParseReal(text);
    ASSERT_TRUE(back) << text;
    ASSERT_EQ(std::bit_cast<uint64_t>(*back), bits) << text;
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;  // the C library agrees
  }
}

TEST(ParseReal, ReadsDecimalsAndHexfloatsOfAnyForm) {
  EXPECT_EQ(ParseReal("0.1"), 0.1);
  EXPECT_EQ(ParseReal("-1.5e3"), -1500);
  EXPECT_EQ(ParseReal("5"), 5);
  EXPECT_EQ(ParseReal(".5"), 0.5);
  EXPECT_EQ(ParseReal("4.9e-324"), 0x1p-1074);
  EXPECT_EQ(ParseReal("0x.8p0"), 0.5);
  EXPECT_EQ(ParseReal("0XAp1"), 20);
  EXPECT_EQ(ParseReal("0xff"), 255);
  EXPECT_EQ(ParseReal("0x1.00000000000008p0"), 1);             // a tie
  EXPECT_EQ(ParseReal("0x1.000000000000081p0"), 1 + 0x1p-52);  // just above it
}

TEST(ParseReal, ReadsSignedZerosAndInfinities) {
  EXPECT_EQ(ParseReal("inf"), kInf);
  EXPECT_EQ(ParseReal("-inf"), -kInf);
  ASSERT_TRUE(ParseReal("-0"));
  EXPECT_TRUE(std::signbit(*ParseReal("-0")));
  EXPECT_TRUE(std::signbit(ParseReal("-0.0").value_or(1)));
  EXPECT_FALSE(std::signbit(ParseReal("0").value_or(-1)));
  ASSERT_TRUE(ParseReal("nan"));
  EXPECT_TRUE(std::isnan(*ParseReal("nan")));
}

TEST(ParseReal, RefusesWhatIsNotWhollyANumber) {
  for (const char* text :
       {"",       "-",        "+1",        "--1", " 1",       "1 ",     "1,5",  "1e",
        "0x",     "0x-1",     "0xp1",      "1x",  "infinity", "nan(1)", "-nan", "1e999",
        "1e-999", "0x1p1024", "0x1p-1080", ".",   "e5",       "abc"}) {
    EXPECT_FALSE(ParseReal(text)) << text;
  }
}

TEST(PrintBits, SaysValueDecimalAndPattern) {
  EXPECT_EQ(PrintBits(DType::kF32, 0x40400000), "0x1.8p+1 (3, bits 0x40400000)");
  EXPECT_EQ(PrintBits(DType::kF32, 0x3dcccccd), "0x1.99999ap-4 (0.1, bits 0x3dcccccd)");
  EXPECT_EQ(PrintBits(DType::kF64, 1), "0x1p-1074 (5e-324, bits 0x0000000000000001)");
  EXPECT_EQ(PrintBits(DType::kF16, 0x7bff), "0x1.ffcp+15 (65504, bits 0x7bff)");
}

TEST(PrintBits, ShowsThePayloadOfANanAndTheSignOfZero) {
  EXPECT_EQ(PrintBits(DType::kF32, 0xffc00001), "nan (bits 0xffc00001)");
  EXPECT_EQ(PrintBits(DType::kF16, 0x8000), "-0 (bits 0x8000)");
  EXPECT_EQ(PrintBits(DType::kBf16, 0xff80), "-inf (bits 0xff80)");
}

TEST(PrintBits, ShowsIntegersInDecimal) {
  EXPECT_EQ(PrintBits(DType::kI8, 0xa5), "-91 (bits 0xa5)");
  EXPECT_EQ(PrintBits(DType::kI64, 7), "7 (bits 0x0000000000000007)");
}

TEST(ParseBits, ReadsOneTo16HexDigits) {
  EXPECT_EQ(ParseBits("0x0"), 0u);
  EXPECT_EQ(ParseBits("0x7FC00001"), 0x7fc00001u);
  EXPECT_EQ(ParseBits("0Xffffffffffffffff"), 0xffffffffffffffffu);
  for (const char* text : {"", "0x", "12", "0x1g", "-0x1", "0x-1", "0x10000000000000000", "0x1 "}) {
    EXPECT_FALSE(ParseBits(text)) << text;
  }
}

}  // namespace
}  // namespace assay
