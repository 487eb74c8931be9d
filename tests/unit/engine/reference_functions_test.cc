// SPDX-License-Identifier: Apache-2.0
//
// The reference's functions of one and two numbers against MPFR and against the answers that C's
// Annex F and IEEE 754 fix; its casts against single roundings that two steps get wrong.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "engine/backends/reference/reference.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

using Numbers = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Numbers Applied(OpId op, DType type, const Numbers& x) {
  PlacedCall call(op, type, {static_cast<int64_t>(x.size())});
  call.Place(0, x).Place(1, Numbers(x.size(), 9));
  EXPECT_EQ(call.Run(OpenReference()), ASSAY_OK);
  return call.Output();
}

double Applied(OpId op, double x, double y, int style = 0) {
  PlacedCall call(op, DType::kF64, {1});
  if (op == OpId::kRemainder) call.Choice(kRemainderStyle, style);
  call.Place(0, {x}).Place(1, {y}).Place(2, {9});
  EXPECT_EQ(call.Run(OpenReference()), ASSAY_OK);
  return call.Output()[0];
}

// Exact to far more than double, then rounded once to double.
class Exact {
 public:
  explicit Exact(double x) {
    mpfr_init2(value_, kBits);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  Exact(const Exact& other) {
    mpfr_init2(value_, kBits);
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  double Rounded() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  static constexpr int kBits = 3000;  // exp(800) + 1 keeps the one
  mpfr_t value_;
};

double ExactSigmoid(double x) {
  Exact e(x);
  mpfr_neg(e.get(), e.get(), MPFR_RNDN);
  mpfr_exp(e.get(), e.get(), MPFR_RNDN);
  mpfr_add_ui(e.get(), e.get(), 1, MPFR_RNDN);
  mpfr_ui_div(e.get(), 1, e.get(), MPFR_RNDN);
  return e.Rounded();
}
double ExactSilu(double x) {
  Exact e(x);
  mpfr_neg(e.get(), e.get(), MPFR_RNDN);
  mpfr_exp(e.get(), e.get(), MPFR_RNDN);
  mpfr_add_ui(e.get(), e.get(), 1, MPFR_RNDN);
  mpfr_d_div(e.get(), x, e.get(), MPFR_RNDN);
  return e.Rounded();
}
double ExactMish(double x) {
  Exact e(x);
  mpfr_exp(e.get(), e.get(), MPFR_RNDN);
  mpfr_log1p(e.get(), e.get(), MPFR_RNDN);
  mpfr_tanh(e.get(), e.get(), MPFR_RNDN);
  mpfr_mul_d(e.get(), e.get(), x, MPFR_RNDN);
  return e.Rounded();
}
double ExactExpm1(double x) {
  Exact e(x);
  mpfr_expm1(e.get(), e.get(), MPFR_RNDN);
  return e.Rounded();
}
double ExactLog1p(double x) {
  Exact e(x);
  mpfr_log1p(e.get(), e.get(), MPFR_RNDN);
  return e.Rounded();
}
double ExactRsqrt(double x) {
  Exact e(x);
  mpfr_rec_sqrt(e.get(), e.get(), MPFR_RNDN);
  return e.Rounded();
}

TEST(ReferenceFunctions, StayWithinTheirUlpsOfMpfr) {
  struct Function {
    OpId op;
    double (*exact)(double);
    Numbers inputs;
    uint64_t ulp;
  };
  const Numbers signed_inputs = {-80, -20, -3, -0.5, -0.0625, 0.0625, 0.5, 3, 20, 80};
  const Numbers positive = {0.0625, 0.5, 1.25, 3, 7.5, 80};
  const Function functions[] = {
      {OpId::kSigmoid, ExactSigmoid, signed_inputs, 1},
      {OpId::kSilu, ExactSilu, signed_inputs, 1},
      {OpId::kMish, ExactMish, signed_inputs, 1},
      // glibc's manual, x86-64: expm1 and log1p 1 ulp; rsqrt is two correct roundings.
      {OpId::kExpm1, ExactExpm1, signed_inputs, 1},
      {OpId::kLog1p, ExactLog1p, positive, 1},
      {OpId::kRsqrt, ExactRsqrt, positive, 1}};
  for (const Function& function : functions) {
    for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBf16}) {
      const Numbers out = Applied(function.op, type, function.inputs);
      for (size_t i = 0; i < out.size(); ++i) {
        const uint64_t exact = Encode(type, function.exact(function.inputs[i]));
        if (std::isinf(Decode(type, exact))) {
          EXPECT_EQ(out[i], Decode(type, exact));
          continue;
        }
        EXPECT_LE(UlpDistance(type, Encode(type, out[i]), exact), function.ulp)
            << DefOf(function.op).name << " " << NameOf(type) << " " << function.inputs[i];
      }
    }
  }
}

TEST(ReferenceFunctions, TakeTheirLimitsAtInfinityAndKeepNan) {
  struct Limits {
    OpId op;
    double below, above;
  };
  const Limits all[] = {{OpId::kSigmoid, 0, 1},   {OpId::kSilu, 0, kInf}, {OpId::kMish, 0, kInf},
                        {OpId::kExpm1, -1, kInf}, {OpId::kRelu, 0, kInf}, {OpId::kClamp, -1, 1}};
  for (const Limits& limits : all) {
    for (const DType type : {DType::kF64, DType::kF32, DType::kF16}) {
      const Numbers out = Applied(limits.op, type, {-kInf, kInf, kNan});
      EXPECT_EQ(out[0], limits.below) << DefOf(limits.op).name;
      EXPECT_EQ(out[1], limits.above) << DefOf(limits.op).name;
      EXPECT_TRUE(std::isnan(out[2])) << DefOf(limits.op).name;
    }
  }
  EXPECT_EQ(Applied(OpId::kRsqrt, DType::kF32, {0.0, -0.0, kInf}), (Numbers{kInf, -kInf, 0}));
}

TEST(ReferenceFunctions, MinimumAndMaximumAreSymmetricInNanAndZero) {
  for (const OpId op : {OpId::kMinimum, OpId::kMaximum}) {
    EXPECT_TRUE(std::isnan(Applied(op, kNan, 1)));
    EXPECT_TRUE(std::isnan(Applied(op, 1, kNan)));
    EXPECT_EQ(std::signbit(Applied(op, -0.0, 0.0)), op == OpId::kMinimum);
    EXPECT_EQ(std::signbit(Applied(op, 0.0, -0.0)), op == OpId::kMinimum);
  }
  EXPECT_EQ(Applied(OpId::kMaximum, 2, -3), 2);
  EXPECT_EQ(Applied(OpId::kMinimum, 2, -3), -3);
}

// C Annex F.10.4.4.
TEST(ReferenceFunctions, PowerFollowsAnnexF) {
  EXPECT_EQ(Applied(OpId::kPow, kNan, 0), 1);
  EXPECT_EQ(Applied(OpId::kPow, 1, kNan), 1);
  EXPECT_EQ(Applied(OpId::kPow, -1, -kInf), 1);
  EXPECT_TRUE(std::isnan(Applied(OpId::kPow, -8, 1.0 / 3)));
  EXPECT_EQ(Applied(OpId::kPow, -0.0, -3), -kInf);
  EXPECT_EQ(Applied(OpId::kPow, 0.5, -kInf), kInf);
}

TEST(ReferenceFunctions, HypotSurvivesTheRangeAndPrefersInfinityToNan) {
  EXPECT_EQ(Applied(OpId::kHypot, 3 * 0x1p1000, 4 * 0x1p1000), 5 * 0x1p1000);
  EXPECT_EQ(Applied(OpId::kHypot, -kInf, kNan), kInf);
}

TEST(ReferenceFunctions, RemaindersHaveTheSignOfTheirStyle) {
  enum { kTruncated, kIeee, kFloored };
  EXPECT_EQ(Applied(OpId::kRemainder, -7, 3, kTruncated), -1);
  EXPECT_EQ(Applied(OpId::kRemainder, -7, 3, kFloored), 2);
  EXPECT_EQ(Applied(OpId::kRemainder, 7, -3, kFloored), -2);
  EXPECT_EQ(Applied(OpId::kRemainder, 5, 3, kIeee), -1);
  EXPECT_EQ(Applied(OpId::kRemainder, -1, kInf, kFloored), kInf);
  EXPECT_EQ(Applied(OpId::kRemainder, 1, kInf, kFloored), 1);
  EXPECT_TRUE(std::signbit(Applied(OpId::kRemainder, -6, 3, kTruncated)));
  EXPECT_FALSE(std::signbit(Applied(OpId::kRemainder, -6, 3, kFloored)));
  EXPECT_TRUE(std::signbit(Applied(OpId::kRemainder, 6, -3, kFloored)));
  for (const int style : {0, 1, 2}) {
    EXPECT_TRUE(std::isnan(Applied(OpId::kRemainder, 1, 0, style)));
    EXPECT_TRUE(std::isnan(Applied(OpId::kRemainder, kInf, 2, style)));
  }
}

double Cast(DType from, double x, DType to, int overflow = 0) {
  PlacedCall call(OpId::kCast, from, {1});
  call.operand(1).dtype = to;
  call.Choice(kCastOverflow, overflow).Place(0, {x}).Place(1, {9});
  EXPECT_EQ(call.Run(OpenReference()), ASSAY_OK);
  return call.Output()[0];
}

// Each is a number whose rounding in two steps, through the type in the comment, differs.
TEST(ReferenceCast, RoundsOnce) {
  EXPECT_EQ(Cast(DType::kF64, 1 + 5 * 0x1p-11 + 0x1p-30, DType::kF16), 1.0029296875);  // f32
  EXPECT_EQ(Cast(DType::kF64, 65520 - 0x1p-20, DType::kF16), 65504);                   // f32
  EXPECT_EQ(Cast(DType::kI32, 0x1p30 + 0x1p22 + 1, DType::kBf16), 0x1p30 + 0x1p23);    // f32
  const double split = 0x1p60 + 0x1p36;  // the one below it is not a double
  PlacedCall call(OpId::kCast, DType::kI64, {1});
  call.operand(1).dtype = DType::kF32;
  OperandValues exact = ValuesOf(call.operand(0), {0});
  exact.bits[0] = (uint64_t{1} << 60) + (uint64_t{1} << 36) + 1;
  call.PlaceBits(0, exact).Place(1, {9});
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  EXPECT_EQ(call.Output()[0], split + 0x1p36);  // f64
}

TEST(ReferenceCast, TruncatesAndSaturatesToIntegers) {
  EXPECT_EQ(Cast(DType::kF32, -2.75, DType::kI32), -2);
  EXPECT_EQ(Cast(DType::kF32, 300, DType::kI8), 127);
  EXPECT_EQ(Cast(DType::kF32, -kInf, DType::kI8), -128);
  EXPECT_EQ(Cast(DType::kF64, 0x1p31 - 0.5, DType::kI32), 0x1p31 - 1);
  EXPECT_EQ(Cast(DType::kF64, kInf, DType::kI32), 0x1p31 - 1);
  EXPECT_EQ(Cast(DType::kF64, -0x1p63, DType::kI64), -0x1p63);
  EXPECT_EQ(Cast(DType::kF64, kNan, DType::kI64), 0);
}

// The table of ONNX, "Float stored in 8 bits": from the midpoint above the largest on.
TEST(ReferenceCast, SaturatesEightBitFloatsOnlyWhereAsked) {
  EXPECT_EQ(Cast(DType::kF32, 464, DType::kF8e4m3, 0), 448);
  EXPECT_EQ(Cast(DType::kF32, -465, DType::kF8e4m3, 0), -448);
  EXPECT_EQ(Cast(DType::kF32, kInf, DType::kF8e4m3, 0), 448);
  EXPECT_TRUE(std::isnan(Cast(DType::kF32, 465, DType::kF8e4m3, 1)));
  EXPECT_TRUE(std::isnan(Cast(DType::kF32, kNan, DType::kF8e4m3, 0)));
  EXPECT_EQ(Cast(DType::kF32, 61440, DType::kF8e5m2, 0), 57344);
  EXPECT_EQ(Cast(DType::kF32, -61440, DType::kF8e5m2, 1), -kInf);
  EXPECT_EQ(Cast(DType::kF32, 65520, DType::kF16, 0), kInf);
  EXPECT_EQ(Cast(DType::kF32, 1 + 0x1p-4 + 0x1p-13, DType::kF8e4m3), 1.125);  // not through f16
}

TEST(ReferenceCast, SaturatesUnsignedBytesAtBothEnds) {
  EXPECT_EQ(Cast(DType::kF32, -1, DType::kU8), 0);
  EXPECT_EQ(Cast(DType::kF32, 255.9, DType::kU8), 255);
  EXPECT_EQ(Cast(DType::kI8, -1, DType::kU8, 1), 255);
}

TEST(ReferenceCast, SaturatesOrWrapsNarrowerIntegers) {
  EXPECT_EQ(Cast(DType::kI32, 300, DType::kI8, 0), 127);
  EXPECT_EQ(Cast(DType::kI32, 300, DType::kI8, 1), 44);
  EXPECT_EQ(Cast(DType::kI64, -0x1p40, DType::kI32, 0), -0x1p31);
}

TEST(ReferenceCast, KeepsNanInfinityAndTheSignOfZero) {
  EXPECT_TRUE(std::isnan(Cast(DType::kF32, kNan, DType::kBf16)));
  EXPECT_EQ(Cast(DType::kF64, -1e300, DType::kF32), -kInf);
  EXPECT_TRUE(std::signbit(Cast(DType::kF64, -1e-300, DType::kF32)));
}

TEST(ReferenceQuantize, RoundsHalvesToEvenAndClamps) {
  PlacedCall call(OpId::kQuantize, DType::kF32, {6});
  call.Attribute(kQuantizeScale, 0.5).Attribute(kQuantizeZeroPoint, 10);
  call.Place(0, {0.25, 0.75, -0.25, 1, 1000, -kInf}).Place(1, Numbers(6, 9));
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  EXPECT_EQ(call.Output(), (Numbers{10, 12, 10, 12, 127, -128}));
}

TEST(ReferenceQuantize, DequantizesAboutTheZeroPoint) {
  PlacedCall call(OpId::kDequantize, DType::kI8, {3});
  call.Attribute(kQuantizeScale, 0.5).Attribute(kQuantizeZeroPoint, 10);
  call.Place(0, {10, -128, 127}).Place(1, Numbers(3, 9));
  ASSERT_EQ(call.Run(OpenReference()), ASSAY_OK);
  EXPECT_EQ(call.Output(), (Numbers{0, -69, 58.5}));
}

}  // namespace
}  // namespace assay
