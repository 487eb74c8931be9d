// SPDX-License-Identifier: Apache-2.0
//
// The text of a case: what it looks like, that it comes back, and what a reader is told about a
// line that is wrong. The property over generated cases is with the mutators' tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "contracts/case.h"
#include "contracts/operator.h"
#include "contracts/values.h"

namespace assay {
namespace {

using testing::HasSubstr;

CaseLine Parsed(const std::string& text) {
  const Result<CaseLine> line = ParseCase(text);
  EXPECT_TRUE(line.ok()) << text << "\n" << (line.ok() ? "" : line.error().Text());
  return line.ok() ? line.value() : CaseLine{};
}

void ExpectRoundTrip(const CaseLine& line) {
  for (const CaseStyle style : {CaseStyle::kShort, CaseStyle::kFull}) {
    const std::string text = PrintCase(line, style);
    const Result<CaseLine> back = ParseCase(text);
    ASSERT_TRUE(back.ok()) << text << "\n" << back.error().Text();
    EXPECT_EQ(back.value(), line) << text;
    EXPECT_EQ(PrintCase(back.value(), style), text);
  }
}

CaseLine Elaborate() {
  CaseLine line{MakeCase(OpId::kGemm, DType::kF32, {2, 3, 1}), {}};
  line.value.attributes[kGemmAlpha].real = 0;
  line.value.attributes[kGemmBeta].real = 0.5;
  line.value.attributes[kGemmTransB].choice = 1;
  Tensor& a = line.value.operands[0];
  a.strides = {-1, 2};
  a.offset = 3;
  a.alignment = 64;
  a.misalignment = 4;
  a.placement = Placement::kHead;
  a.overrides.push_back({{0, 0}, 0x7fc00000});
  a.overrides.push_back({{1}, 0x80000000});
  DefOf(OpId::kGemm).shape({2, 3, 1}, line.value);
  line.value.operands[1].strides = {1, 1};
  line.value.operands[1].fill = {FillKind::kSparse, 0, 2, 0};
  line.value.schedule_seed = 5;
  line.backends = {"cblas:/usr/lib/libopenblas.so.0#core=SkylakeX", "reference"};
  return line;
}

TEST(PrintCase, LeavesOutDefaults) {
  EXPECT_EQ(PrintCase({MakeCase(OpId::kGemm, DType::kF32, {2, 3, 4}), {}}),
            "gemm a=f32[2,4] b=f32[4,3] c=f32[2,3]");
  EXPECT_EQ(PrintCase({MakeCase(OpId::kSum, DType::kBf16, {0}), {}}), "sum x=bf16[0] out=bf16[]");
  EXPECT_EQ(PrintCase({MakeCase(OpId::kGather, DType::kI8, {5, 2, 3}), {}}),
            "gather table=i8[5,2] indices=i64[3]:fill(indices,0,4,seed=2) out=i8[3,2]");
}

TEST(PrintCase, SaysEverythingThatDiffers) {
  EXPECT_EQ(PrintCase(Elaborate()),
            "gemm alpha=0 beta=0x1p-1 trans_b=t "
            "a=f32[2,1]:strides(-1,2):offset(3):align(64,4):place(head):set(0,0=nan):set(1=-0) "
            "b=f32[3,1]:fill(sparse,2) c=f32[2,3] schedule=5 "
            "backend=cblas:/usr/lib/libopenblas.so.0#core=SkylakeX backend=reference");
}

TEST(PrintCase, FullStyleSaysEveryField) {
  EXPECT_EQ(PrintCase({MakeCase(OpId::kExp, DType::kF16, {3}), {}}, CaseStyle::kFull),
            "exp x=f16[3]:strides(1):offset(0):align(0,0):place(tail):fill(uniform,-1,1,seed=1) "
            "out=f16[3]:strides(1):offset(0):align(0,0):place(tail):fill(poison,seed=2) schedule=0 "
            "repeats=0");
}

TEST(ParseCase, ReadsBackWhatWasPrinted) {
  ExpectRoundTrip(Elaborate());
  for (const OperatorDef& def : Operators()) {
    NamedDims dims;
    dims.resize(static_cast<int>(def.dimensions.size()), 3);
    for (const DType type : InputTypesOf(def.id))
      ExpectRoundTrip({MakeCase(def.id, type, dims), {}});
  }
}

TEST(ParseCase, ReadsBackEveryKindOfScalar) {
  const auto bits = [](uint64_t pattern) { return std::bit_cast<double>(pattern); };
  for (const double alpha :
       {0.0, -0.0, 1.0, -1.0, 0.1, 1e-30, 1e300, 0x1p53, 0x1p-1074, -0x1.fffffffffffffp+1023,
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        bits(0x7ff8000000000000), bits(0x7ff8000000000001), bits(0xfff0000000000001)}) {
    CaseLine line{MakeCase(OpId::kGemm, DType::kF64, {1, 1, 1}), {}};
    line.value.attributes[kGemmAlpha].real = alpha;
    ExpectRoundTrip(line);
    const CaseLine back = Parsed(PrintCase(line));
    EXPECT_EQ(std::bit_cast<uint64_t>(back.value.attributes[kGemmAlpha].real),
              std::bit_cast<uint64_t>(alpha));
  }
}

TEST(ParseCase, ReadsBackEveryPatternOfThe16BitTypes) {
  for (const DType type : {DType::kF16, DType::kBf16}) {
    CaseLine line{MakeCase(OpId::kExp, type, {1}), {}};
    line.value.operands[0].overrides.push_back({{0}, 0});
    for (uint64_t pattern = 0; pattern < 0x10000; ++pattern) {
      line.value.operands[0].overrides[0].bits = pattern;
      const CaseLine back = Parsed(PrintCase(line));
      ASSERT_EQ(back.value.operands[0].overrides[0].bits, pattern) << PrintCase(line);
    }
  }
}

TEST(ParseCase, ReadsBackExtremePatternsOfTheOtherTypes) {
  using enum DType;
  for (const DType type : {kF64, kF32, kI8, kI32, kI64}) {
    const int width = 8 * SizeOf(type);
    for (uint64_t pattern :
         {uint64_t{0}, uint64_t{1}, uint64_t{1} << (width - 1), ~uint64_t{0} >> (64 - width),
          ~uint64_t{0} >> (65 - width), uint64_t{0x7ff0000000000001} >> (64 - width),
          uint64_t{0x3ff3333333333333} >> (64 - width)}) {
      CaseLine line{MakeCase(OpId::kGather, type, {1, 1, 1}), {}};
      line.value.operands[0].overrides.push_back({{0, 0}, pattern});
      ExpectRoundTrip(line);
    }
  }
}

TEST(ParseCase, TakesFieldsAndModifiersInAnyOrderAndDecimalNumbers) {
  const CaseLine line = Parsed(
      "  gemm\tc=f32[1,1] schedule=7 b=f32[2,1]:offset(1):strides(1,9) "
      "beta=0.1 a=f32[1,2]:set(0,1=1.5)\n");
  EXPECT_EQ(line.value.attributes[kGemmBeta].real, 0.1f);  // an f32 gemm takes f32 scalars
  EXPECT_EQ(line.value.operands[0].overrides[0].bits, 0x3fc00000u);
  EXPECT_EQ(line.value.operands[1].strides, (Dims{1, 9}));
  EXPECT_EQ(line.value.operands[1].offset, 1);
  EXPECT_EQ(line.value.schedule_seed, 7u);
}

TEST(PrintCase, StaysSafeInsideDoubleQuotesOfAShellWhateverABackendIsCalled) {
  CaseLine line{MakeCase(OpId::kSum, DType::kF32, {1}), {}};
  std::string every;
  for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
  line.backends = {every, "/opt/my libs/$HOME/`id`.so#core=a%b"};
  const std::string text = PrintCase(line);
  EXPECT_EQ(text.find_first_of("$`\\!\"\n\r\t"), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("backend=/opt/my%20libs/%24HOME/%60id%60.so#core=a%25b"));
  ExpectRoundTrip(line);
}

struct Wrong {
  std::string text, where, what, remedy;  // what and remedy: a part of it
};

TEST(ParseCase, SaysColumnTroubleAndRemedy) {
  const std::vector<Wrong> wrong = {
      {"", "column 1", "the line ends here, but operator is missing", "cut"},
      {"gem a=f32[1,1]", "column 1", "unknown operator 'gem'", "did you mean 'gemm'?"},
      {"zzzzzzz", "column 1", "unknown operator", "use one of: gemm, dot, sum"},
      {"gemm alhpa=1", "column 6", "unknown attribute or operand of gemm 'alhpa'", "'alpha'"},
      {"exp y=f32[1]", "column 5", "unknown attribute or operand of exp 'y'", "'x'"},
      {"exp x=f23[1]", "column 7", "unknown type 'f23'", "did you mean 'f32'?"},
      {"exp x=f32[1]:ofset(1)", "column 14", "unknown modifier 'ofset'", "'offset'"},
      {"exp x=f32[1]:fill(unifrom,-1,1)", "column 19", "unknown fill 'unifrom'", "'uniform'"},
      {"exp x=f32[1]:place(tall)", "column 20", "unknown placement 'tall'", "'tail'"},
      {"gelu form=erv", "column 11", "unknown value of form 'erv'", "'erf'"},
      {"gemm alpha=", "column 12", "ends here, but a number is missing", "cut"},
      {"gemm alpha=one", "column 12", "expected a number, found 'one'", "0x1.8p+1"},
      {"gemm alpha=1 alpha=2", "column 14", "alpha is given twice", "one"},
      {"exp x=f32[1] x=f32[1]", "column 14", "x is given twice", "one"},
      {"exp x=f32[1]:offset(1):offset(2)", "column 24", "offset is given twice", "one"},
      {"exp x=f32[1", "column 12", "ends here, but ']' after the sizes is missing", "cut"},
      {"exp x=f32[1]", "column 13", "ends here, but operand out of exp is missing", "cut"},
      {"exp x=f32[1]:fill(uniform,-1", "column 29", "the rest of the fill is missing", "cut"},
      {"exp x=f32[1]:fill(uniform,-1)", "column 29", "uniform takes 2 numbers", ""},
      {"exp x=f32[1]:fill(uniform,1,2,3)", "column 31", "expected seed=, found '3'", ""},
      {"exp x=f32[1,1,1,1,1]", "column 19", "more than 4 entries", "at most 4 axes"},
      {"exp x=f32[1]:set(0=1e99)", "column 20", "'1e99' is no f32", "in range"},
      {"exp x=f32[a]", "column 11", "expected a size, found 'a'", "decimal"},
      {"exp x=f32[99999999999999999999]", "column 11", "expected a size", "in range"},
      {"exp x=f32[1]!", "column 13", "expected a space before the next field, found '!'", ""},
      {"sum x=f32[1] out=f32[] backend=a%2", "column 33", "'%' without two hex digits", "%25"},
      {"sum x=f32[1] out=f32[] backend=", "column 32", "a backend is missing", "cut"},
      {"sum x=f32[1] out=f32[] schedule=-1", "column 33", "a schedule seed, found '-1'", ""},
      {"exp x=f32[2] out=f32[3]", "column 14", "out: dimension n is 3", "make axis 0 2"},
      {"exp x=f32[2]:set(2=nan) out=f32[2]", "column 5", "x: an element is set outside", "inside"},
  };
  for (const Wrong& each : wrong) {
    const Result<CaseLine> line = ParseCase(each.text);
    ASSERT_FALSE(line.ok()) << each.text;
    EXPECT_EQ(line.error().where, each.where) << each.text << "\n" << line.error().Text();
    EXPECT_THAT(line.error().what, HasSubstr(each.what)) << each.text;
    EXPECT_THAT(line.error().remedy, HasSubstr(each.remedy)) << each.text;
  }
}

TEST(ParseCase, ReportsALineCutAnywhereInsideItsOperandsAtOrBeforeTheCut) {
  CaseLine line = Elaborate();
  line.value.schedule_seed = 0;
  line.backends.clear();
  const std::string text = PrintCase(line, CaseStyle::kFull);
  const size_t last_operand = text.find(" schedule=");
  for (size_t cut = 0; cut < text.find(" c="); ++cut) {
    const Result<CaseLine> read = ParseCase(text.substr(0, cut));
    ASSERT_FALSE(read.ok()) << text.substr(0, cut);
    const int column = std::stoi(read.error().where.substr(std::string("column ").size()));
    EXPECT_LE(column, static_cast<int>(cut) + 1);
    EXPECT_GE(column, 1);
  }
  // From the last operand on, a cut between two modifiers leaves a case that is whole, but another.
  for (size_t cut = text.find(" c=") + 1; cut < last_operand; ++cut) {
    const Result<CaseLine> read = ParseCase(text.substr(0, cut));
    if (read.ok()) {
      EXPECT_THAT(std::string("]:)"), HasSubstr(text.substr(cut - 1, 1)));
    }
  }
}

TEST(ParseCase, IsTotalOnMutilatedLines) {
  const std::string line = PrintCase(Elaborate(), CaseStyle::kFull);
  constexpr std::string_view kBytes = "0189xp.-+e%=:,()[]# \n\tafnz\x00\xff";
  uint64_t state = 1;
  const auto below = [&state](size_t limit) { return Mix(state++) % limit; };
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = line;
    for (size_t edits = 1 + below(4); edits > 0; --edits) {
      const size_t at = below(text.size());
      if (below(3) == 0)
        text.erase(at, 1 + below(5));
      else if (below(2) == 0)
        text[at] = kBytes[below(kBytes.size())];
      else
        text.insert(at, 1, kBytes[below(kBytes.size())]);
      if (text.empty()) text = " ";
    }
    const Result<CaseLine> result = ParseCase(text);
    if (!result.ok()) continue;
    ++read;
    ExpectRoundTrip(result.value());
  }
  EXPECT_GT(read, 100);
}

TEST(ParseCase, TakesALineOfAMillionBracketsInStride) {
  EXPECT_FALSE(ParseCase(std::string(1 << 20, '(')).ok());
  EXPECT_FALSE(ParseCase("exp x=f32[" + std::string(1 << 20, '1')).ok());
  EXPECT_FALSE(ParseCase(std::string(1 << 20, 'a')).ok());
}

}  // namespace
}  // namespace assay
