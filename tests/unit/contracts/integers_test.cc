// SPDX-License-Identifier: Apache-2.0
//
// Integer answers and casts: exact comparison, ties of quantization, and what is declared of
// numbers that a type cannot hold. Numbers come from two's complement, IEEE 754 and the x86 manual.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/decide.h"
#include "contracts/suite.h"
#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMax32 = std::numeric_limits<int32_t>::max();

TEST(IntegerDecision, SeesOneUnitBeyondWhatADoubleHolds) {
  const Truth truth{0x1p53, 1, 0};
  EXPECT_EQ(DecideInteger((int64_t{1} << 53) + 1, truth, 0).decision, Decision::kAccept);
  EXPECT_EQ(DecideInteger(int64_t{1} << 53, truth, 0).decision, Decision::kReject);
  EXPECT_EQ(DecideInteger(kMax64, {0x1p63, -1, 0}, 0).decision, Decision::kAccept);
  EXPECT_EQ(DecideInteger(kMax64 - 1, {0x1p63, -1, 0}, 0).decision, Decision::kReject);
}

TEST(IntegerDecision, AcceptsNoNumberForATruthThatIsNone) {
  EXPECT_NE(DecideInteger(0, {kNaN, 0, 0}, 0).decision, Decision::kAccept);
  EXPECT_NE(DecideInteger(kMax64, {kInf, 0, 0}, 0).decision, Decision::kAccept);
  EXPECT_NE(DecideRounded({0, -128, 127, Ties::kEither}, {kNaN, 0, 0}, 1).decision,
            Decision::kAccept);
}

// Whether `got` may stand for `truth` in an i8.
bool Rounds(int64_t got, double truth, Ties ties, double bound = 0) {
  return DecideRounded({got, -128, 127, ties}, {truth, 0, 0}, bound).decision == Decision::kAccept;
}

TEST(RoundedInteger, TakesTiesAsDeclared) {
  EXPECT_TRUE(Rounds(2, 2.5, Ties::kEven));
  EXPECT_FALSE(Rounds(3, 2.5, Ties::kEven));
  EXPECT_TRUE(Rounds(3, 2.5, Ties::kAway));
  EXPECT_FALSE(Rounds(2, 2.5, Ties::kAway));
  EXPECT_TRUE(Rounds(-3, -2.5, Ties::kAway));
  EXPECT_FALSE(Rounds(-2, -2.5, Ties::kAway));
  EXPECT_TRUE(Rounds(-1, -0.5, Ties::kAway));
  EXPECT_TRUE(Rounds(0, -0.5, Ties::kEven));
  for (const int64_t got : {2, 3}) EXPECT_TRUE(Rounds(got, 2.5, Ties::kEither));
  EXPECT_FALSE(Rounds(4, 2.5, Ties::kEither));
}

TEST(RoundedInteger, AllowsTheNeighbourOnlyWithinTheBoundOfAMidpoint) {
  EXPECT_FALSE(Rounds(3, 2.4375, Ties::kEven));
  EXPECT_FALSE(Rounds(3, 2.4375, Ties::kEven, 0x1p-5));
  EXPECT_TRUE(Rounds(3, 2.4375, Ties::kEven, 0x1p-4));
}

TEST(RoundedInteger, ClampsWhatLiesBeyondTheEnds) {
  EXPECT_TRUE(Rounds(127, 1e30, Ties::kEven));
  EXPECT_TRUE(Rounds(127, kInf, Ties::kEven));
  EXPECT_TRUE(Rounds(-128, -kInf, Ties::kEven));
  EXPECT_FALSE(Rounds(-128, 1e30, Ties::kEven));
  EXPECT_FALSE(Rounds(126, 127.75, Ties::kEven));
}

constexpr std::string_view kText = R"(
contract C-PRC-09 "integers and casts"
  primitive      domain_violation
  scope          operators int8_gemm, quantize, cast
                 inputs    any
                 layouts   any
  precondition   none
  postcondition  values:  each element: out in image(output, truth, tolerance)
                 special: each element: class(out) in legal
  tolerance      0 * abs(truth) from "exact"
  reference      exact
  measure        probe sparse_rows
                 worst ratio;  pass ratio <= 1
  violation      wrong when ratio > 1
)";

struct IntegerScene : Scene {
  IntegerScene(OpId op, DType input, DType output, const NamedDims& dims)
      : Scene(op, input, dims, output) {
    std::vector<Diagnostic> diagnostics;
    const SourceText source{"test.kc", std::string(kText)};
    suite = std::make_shared<Suite>(AssembleSuite(std::span(&source, 1), nullptr, diagnostics));
    for (const Diagnostic& each : diagnostics) ADD_FAILURE() << each.Text();
    declared.accumulator.reset();
    if (!IsFloat(output)) observation.real.clear();
    observation.bits.assign(static_cast<size_t>(evidence.count), 0);
  }
  ClauseVerdict Values(int64_t got) {
    observation.bits[0] = EncodeInteger(output_type, got);
    return Of("C-PRC-09", "values");
  }
  ClauseVerdict Special(int64_t got) {
    observation.bits[0] = EncodeInteger(output_type, got);
    return Of("C-PRC-09", "special");
  }
};

TEST(Int8Gemm, IsExact) {
  IntegerScene scene(OpId::kInt8Gemm, DType::kI8, DType::kI32, {1, 1, 2});
  scene.SetTruth(0, 16129);
  EXPECT_EQ(scene.Values(16129).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Values(16128).error, ErrorClass::kValue);
  EXPECT_EQ(scene.Values(0).error, ErrorClass::kZeroed);
}

TEST(Int8Gemm, BeyondItsTypeWrapsOrSaturatesAsDeclared) {
  IntegerScene scene(OpId::kInt8Gemm, DType::kI8, DType::kI32, {1, 1, 2});
  scene.SetTruth(0, 0x1p31 + 5);
  EXPECT_EQ(scene.Values(kMin32 + 5).outcome, Outcome::kUnderSpecified);
  EXPECT_EQ(scene.Values(kMax32).outcome, Outcome::kUnderSpecified);
  EXPECT_EQ(scene.Values(7).outcome, Outcome::kViolating);
  scene.declared.integer_overflow = IntegerOverflow::kWrap;
  EXPECT_EQ(scene.Values(kMin32 + 5).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Values(kMax32).outcome, Outcome::kViolating);
  scene.declared.integer_overflow = IntegerOverflow::kSaturate;
  EXPECT_EQ(scene.Values(kMin32 + 5).outcome, Outcome::kViolating);
  EXPECT_EQ(scene.Values(kMax32).outcome, Outcome::kConforming);
}

TEST(Quantize, RoundsBeforeTheZeroPointIsAdded) {
  IntegerScene scene(OpId::kQuantize, DType::kF32, DType::kI8, {1});
  scene.value.attributes[kQuantizeZeroPoint].real = 1;
  scene.SetTruth(0, 3.5);  // 2.5 and the zero point
  scene.declared.rounding = QuantizeRounding::kHalfEven;
  EXPECT_EQ(scene.Values(3).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Values(4).outcome, Outcome::kViolating);
  scene.declared.rounding = QuantizeRounding::kHalfAway;
  EXPECT_EQ(scene.Values(3).outcome, Outcome::kViolating);
  EXPECT_EQ(scene.Values(4).outcome, Outcome::kConforming);
}

TEST(Cast, OfAnIntegerThatDoesNotFitWrapsOrSaturatesAsItsAttributeSays) {
  IntegerScene scene(OpId::kCast, DType::kI64, DType::kI8, {1});
  scene.values.operands[0].integer[0] = 300;
  scene.SetTruth(0, 300);
  scene.value.attributes[kCastOverflow].choice = 1;  // ieee: the low bits
  EXPECT_EQ(scene.Values(44).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Values(127).outcome, Outcome::kViolating);
  scene.values.operands[0].integer[0] = -300;
  EXPECT_EQ(scene.Values(-44).outcome, Outcome::kConforming);
  scene.value.attributes[kCastOverflow].choice = 0;
  EXPECT_EQ(scene.Values(-128).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Values(-44).outcome, Outcome::kViolating);
}

// Every class is legal where C leaves the answer undefined.
struct OutsideScene : IntegerScene {
  OutsideScene(double x, DType output) : IntegerScene(OpId::kCast, DType::kF32, output, {1}) {
    values.operands[0].real[0] = x;
    SetTruth(0, 0);
    evidence.legal[0] = kClassFinite | kClassZero;
  }
};

TEST(Cast, OfANumberOutsideIsAnythingUntilSomethingIsDeclared) {
  OutsideScene scene(kNaN, DType::kI32);
  EXPECT_EQ(scene.Special(77).outcome, Outcome::kConforming);
  scene.declared.cast_outside = CastOutside::kIndefinite;
  EXPECT_EQ(scene.Special(kMin32).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Special(0).outcome, Outcome::kViolating);
  scene.declared.cast_outside = CastOutside::kSaturateNanZero;
  EXPECT_EQ(scene.Special(0).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Special(kMin32).outcome, Outcome::kViolating);
}

TEST(Cast, IndefiniteKeepsTheLowBitsOfThe32BitConversion) {
  OutsideScene inside_32(300.75, DType::kI8);
  inside_32.declared.cast_outside = CastOutside::kIndefinite;
  EXPECT_EQ(inside_32.Special(44).outcome, Outcome::kConforming);
  OutsideScene far(3e9, DType::kI8);
  far.declared.cast_outside = CastOutside::kIndefinite;
  EXPECT_EQ(far.Special(0).outcome, Outcome::kConforming);
  EXPECT_EQ(far.Special(127).outcome, Outcome::kViolating);
  far.declared.cast_outside = CastOutside::kSaturateNanZero;
  EXPECT_EQ(far.Special(127).outcome, Outcome::kConforming);
}

TEST(Cast, RoundsOnceWhateverTheBackendComputesIn) {
  IntegerScene scene(OpId::kCast, DType::kF64, DType::kF16, {1});
  const double direct = 1.0029296875, through_f32 = 1.001953125;
  scene.SetTruth(0, 1 + 5 * 0x1p-11 + 0x1p-30);
  scene.SetGot(0, direct);
  EXPECT_EQ(scene.Of("C-PRC-09", "values").outcome, Outcome::kConforming);
  scene.SetGot(0, through_f32);
  EXPECT_EQ(scene.Of("C-PRC-09", "values").outcome, Outcome::kViolating);
}

TEST(Cast, OfA64BitIntegerRoundsToTheNearestDouble) {
  IntegerScene scene(OpId::kCast, DType::kI64, DType::kF64, {1});
  scene.SetTruth(0, 0x1p53 + 4, -1);  // 2^53 + 3, half way to 2^53 + 2
  scene.SetGot(0, 0x1p53 + 4);
  EXPECT_EQ(scene.Of("C-PRC-09", "values").outcome, Outcome::kConforming);
  scene.SetGot(0, 0x1p53 + 2);
  EXPECT_EQ(scene.Of("C-PRC-09", "values").outcome, Outcome::kViolating);
}

}  // namespace
}  // namespace assay
