// SPDX-License-Identifier: Apache-2.0
//
// Relations between calls: runs, schedules, threads, rows, places, ranks and loss scales, on
// answers that a test writes by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include "contracts/suite.h"
#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::string_view kText = R"(
contract C-ORD-09 "every relation between calls"
  primitive      path_dependence
  scope          operators sum, max, softmax, argmax, all_reduce, reduce_scatter, scaled_gradient
                 inputs    any
                 layouts   any
  precondition   none
  postcondition  runs:      runs agree as declared
                 schedules: schedules agree
                 batch:     invariant(batch) where declared
                 threads:   invariant(threads) where declared
                 places:    invariant(alignment) where declared
                 ranks:     invariant(ranks) where declared
                 overlap:   invariant(schedules) where declared
                 scales:    scales agree
                 both:      runs agree as declared, invariant(threads) where declared
  tolerance      for sum, softmax, all_reduce, reduce_scatter, scaled_gradient: u(accumulator) * abs_sum
                   from "a bound of one unit, for the sake of the test"
                 for max, argmax: 0 * abs(truth) from "exact"
  reference      exact
  measure        probe sparse_rows
                 worst ratio;  pass ratio <= 1
                 force against zero
  violation      runs_differ when not runs agree as declared
)";

std::shared_ptr<const Suite> TestSuite() {
  std::vector<Diagnostic> diagnostics;
  const SourceText source{"test.kc", std::string(kText)};
  auto suite = std::make_shared<Suite>(AssembleSuite(std::span(&source, 1), nullptr, diagnostics));
  for (const Diagnostic& each : diagnostics) ADD_FAILURE() << each.message;
  return suite;
}

struct VariantScene : Scene {
  VariantScene(OpId op, const NamedDims& dims, DType output = DType::kF32)
      : Scene(op, DType::kF32, dims, output) {
    suite = TestSuite();
    SetEach(Quantity::kAbsSum, 1);
    observation.bits.assign(static_cast<size_t>(evidence.count), 0);
    if (!IsFloat(output)) observation.real.clear();
  }
  // Truth and answer of every element.
  void Right(double number) {
    for (int64_t i = 0; i < evidence.count; ++i) {
      SetTruth(i, number);
      Answer(i, number);
    }
  }
  void Answer(int64_t i, double got) {
    SetGot(i, got);
    observation.bits[static_cast<size_t>(i)] = Encode(DType::kF32, got);
  }
  Variant& Add(VariantKind kind, int64_t first, std::initializer_list<double> answers) {
    Variant& variant = observation.variants.emplace_back();
    variant.kind = kind;
    variant.first = first;
    for (const double each : answers) {
      variant.real.push_back(each);
      variant.bits.push_back(Encode(DType::kF32, each));
    }
    return variant;
  }
  ClauseVerdict On(std::string_view clause) { return Of("C-ORD-09", clause); }
};

// One sum with truth 1 and a tolerance of 2^-24, which is one unit below 1 and half of one above.
struct SumScene : VariantScene {
  SumScene() : VariantScene(OpId::kSum, {3}) { Right(1); }
};
constexpr double kBelow = 1 - 0x1p-24;  // right by the tolerance
constexpr double kFarBelow = 1 - 0x1p-22;

TEST(Runs, AreUnderSpecifiedWithoutADeclaration) {
  SumScene scene;
  scene.Add(VariantKind::kRun, 0, {1});
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kUnderSpecified);
  EXPECT_EQ(scene.On("runs").reason, "no determinism is declared");
}

TEST(Runs, AreNotTestedByOneCall) {
  SumScene scene;
  scene.declared.determinism = Determinism::kBitwise;
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kNotTested);
}

TEST(Runs, MustHaveEqualBitsWhereBitwiseIsDeclared) {
  SumScene scene;
  scene.declared.determinism = Determinism::kBitwise;
  scene.Add(VariantKind::kRun, 0, {1});
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kConforming);
  scene.Add(VariantKind::kRun, 0, {kBelow});
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kViolating);
  EXPECT_EQ(scene.On("runs").error, ErrorClass::kRunsDiffer);
  EXPECT_EQ(scene.On("runs").witness, 0);
}

TEST(Runs, MayDifferWithinTheBoundWhereBoundedOrNoneIsDeclared) {
  for (const Determinism promise : {Determinism::kBounded, Determinism::kNone}) {
    SumScene scene;
    scene.declared.determinism = promise;
    scene.Add(VariantKind::kRun, 0, {kBelow});
    EXPECT_EQ(scene.On("runs").outcome, Outcome::kConforming);
    EXPECT_EQ(scene.On("runs").ratio, 1);
    scene.Add(VariantKind::kRun, 0, {kFarBelow});
    EXPECT_EQ(scene.On("runs").outcome, Outcome::kViolating);
    EXPECT_EQ(scene.On("runs").error, ErrorClass::kRunsDiffer);
    EXPECT_EQ(scene.On("runs").ratio, 4);
  }
}

TEST(Runs, ThatGiveNanOnceAreWrong) {
  SumScene scene;
  scene.declared.determinism = Determinism::kNone;
  scene.Add(VariantKind::kRun, 0, {kNaN});
  scene.Add(VariantKind::kRun, 0, {1});
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kViolating);
  EXPECT_EQ(scene.On("runs").ratio, kInf);
}

TEST(Runs, ThatAgreeOnZeroDoNotPass) {
  SumScene scene;
  scene.declared.determinism = Determinism::kBitwise;
  scene.Answer(0, 0);
  scene.Add(VariantKind::kRun, 0, {0});
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kViolating);
  EXPECT_EQ(scene.On("runs").error, ErrorClass::kZeroed);
}

TEST(Runs, MayDifferInTheirNanPayloads) {
  SumScene scene;
  scene.declared.determinism = Determinism::kBitwise;
  scene.evidence.legal[0] = kClassNan;
  scene.Answer(0, kNaN);
  scene.Add(VariantKind::kRun, 0, {kNaN}).bits[0] = 0xFFC00123u;
  EXPECT_NE(scene.On("runs").outcome, Outcome::kViolating);
  scene.observation.variants[0].bits[0] = Encode(DType::kF32, 1);
  scene.observation.variants[0].real[0] = 1;
  EXPECT_EQ(scene.On("runs").error, ErrorClass::kRunsDiffer);
}

TEST(Runs, AreVacuousUnderABoundThatZeroWouldPass) {
  SumScene scene;
  scene.declared.determinism = Determinism::kBounded;
  scene.SetEach(Quantity::kAbsSum, 0x1p25);
  scene.Add(VariantKind::kRun, 0, {1.5});
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kVacuous);
}

TEST(Runs, ThatFailWhereOneSucceedsDiffer) {
  SumScene scene;
  scene.declared.determinism = Determinism::kNone;
  scene.Add(VariantKind::kRun, 0, {}).status = RunStatus::kFailed;
  EXPECT_EQ(scene.On("runs").error, ErrorClass::kRunsDiffer);
}

TEST(Schedules, AreEachHeldAgainstTheTruth) {
  SumScene scene;
  scene.Add(VariantKind::kSchedule, 0, {kBelow});
  EXPECT_EQ(scene.On("schedules").outcome, Outcome::kConforming);
  scene.Add(VariantKind::kSchedule, 0, {kFarBelow});
  EXPECT_EQ(scene.On("schedules").error, ErrorClass::kSchedulesDiffer);
  scene.Answer(0, kFarBelow);  // the call itself is wrong: that is no matter of schedules
  EXPECT_EQ(scene.On("schedules").error, ErrorClass::kValue);
}

TEST(Schedules, ThatAgreeOnZeroDoNotPass) {
  SumScene scene;
  scene.Answer(0, 0);
  scene.Add(VariantKind::kSchedule, 0, {0});
  EXPECT_EQ(scene.On("schedules").outcome, Outcome::kViolating);
}

TEST(Schedules, MakeTheSameChoiceAmongSpecialAnswers) {
  VariantScene scene(OpId::kSoftmax, {1, 2});
  scene.Right(1);
  scene.evidence.legal[1] = kClassNan | kClassPosZero;
  scene.Answer(1, kNaN);
  scene.Add(VariantKind::kSchedule, 0, {1, kNaN});
  EXPECT_EQ(scene.On("schedules").outcome, Outcome::kConforming);
  scene.Add(VariantKind::kSchedule, 0, {1, 0});
  EXPECT_EQ(scene.On("schedules").error, ErrorClass::kSchedulesDiffer);
  EXPECT_EQ(scene.On("schedules").witness, 1);
}

TEST(Invariance, IsNoQuestionWhereItIsNotDeclared) {
  SumScene scene;
  scene.Add(VariantKind::kThreads, 0, {kBelow});
  EXPECT_EQ(scene.On("threads").contract, "");
}

TEST(Invariance, IsOfBitsWhereItIsDeclared) {
  const std::tuple<Invariance, VariantKind, std::string_view, ErrorClass> rows[] = {
      {kThreadInvariant, VariantKind::kThreads, "threads", ErrorClass::kThreadsDiffer},
      {kAlignmentInvariant, VariantKind::kAlignment, "places", ErrorClass::kAlignmentDiffers},
      {kScheduleInvariant, VariantKind::kSchedule, "overlap", ErrorClass::kSchedulesDiffer}};
  for (const auto& [promise, kind, clause, error] : rows) {
    SumScene scene;
    scene.declared.invariance = promise;
    EXPECT_EQ(scene.On(clause).outcome, Outcome::kNotTested) << clause;
    scene.Add(kind, 0, {1});
    EXPECT_EQ(scene.On(clause).outcome, Outcome::kConforming) << clause;
    scene.Add(kind, 0, {kBelow});
    EXPECT_EQ(scene.On(clause).outcome, Outcome::kViolating) << clause;
    EXPECT_EQ(scene.On(clause).error, error) << clause;
  }
}

TEST(Invariance, OfARowIsJudgedAtItsPlaceInTheBatch) {
  VariantScene scene(OpId::kSoftmax, {2, 2});
  scene.declared.invariance = kBatchInvariant;
  scene.Right(0.5);
  scene.Answer(3, 0.25);
  scene.Add(VariantKind::kAlone, 2, {0.5, 0.25});
  EXPECT_EQ(scene.On("batch").outcome, Outcome::kConforming);
  scene.Add(VariantKind::kAlone, 0, {0.5, 0.25});
  EXPECT_EQ(scene.On("batch").error, ErrorClass::kBatchDiffers);
  EXPECT_EQ(scene.On("batch").witness, 1);
}

TEST(Invariance, OfRanksComparesWhatTheyHold) {
  VariantScene scene(OpId::kAllReduce, {2, 3});
  scene.declared.invariance = kRankInvariant;
  scene.Right(1);
  EXPECT_EQ(scene.On("ranks").outcome, Outcome::kConforming);
  scene.Answer(4, kBelow);
  EXPECT_EQ(scene.On("ranks").error, ErrorClass::kRanksDiffer);
  EXPECT_EQ(scene.On("ranks").witness, 4);
  // Each rank of a reduce-scatter ends with another part.
  VariantScene parts(OpId::kReduceScatter, {2, 3});
  parts.declared.invariance = kRankInvariant;
  EXPECT_EQ(parts.On("ranks").contract, "");
}

TEST(Relations, OfOneClauseGiveTheWorstVerdict) {
  SumScene scene;
  scene.declared.determinism = Determinism::kBounded;
  scene.declared.invariance = kThreadInvariant;
  scene.Add(VariantKind::kRun, 0, {kBelow});
  scene.Add(VariantKind::kThreads, 0, {1});
  EXPECT_EQ(scene.On("both").outcome, Outcome::kConforming);
  scene.Add(VariantKind::kThreads, 0, {kBelow});
  EXPECT_EQ(scene.On("both").error, ErrorClass::kThreadsDiffer);
  EXPECT_EQ(scene.On("both").contract, "C-ORD-09");
}

TEST(Choice, IsAskedOfTheOracle) {
  VariantScene scene(OpId::kArgmax, {5}, DType::kI64);
  scene.suite = TestSuite();
  scene.declared.determinism = Determinism::kNone;
  scene.evidence.choice = true;
  scene.force.choice = 3;
  scene.observation.bits[0] = 3;
  scene.Add(VariantKind::kRun, 0, {0}).bits[0] = 3;
  EXPECT_EQ(scene.On("runs").outcome, Outcome::kConforming);
  scene.observation.variants[0].bits[0] = 2;
  EXPECT_EQ(scene.On("runs").error, ErrorClass::kRunsDiffer);
  scene.observation.bits[0] = 2;
  EXPECT_EQ(scene.On("runs").error, ErrorClass::kChoice);
}

// dy [1,1], x [1,1] in f32 stored as f16: one gradient of the weight, one of the bias.
struct GradientScene : VariantScene {
  explicit GradientScene(double dy, double scale = 1)
      : VariantScene(OpId::kScaledGradient, {1, 1, 1}) {
    value.attributes[kGradientScale].real = scale;
    value.operands[0].fill = {FillKind::kConstant, 0, dy, 0};
    value.operands[1].fill = {FillKind::kConstant, 0, 1, 0};
    MakeValues(value, {1, 1, 1}, values);
    SetEach(Quantity::kAbsSum, dy);
    SetEach(Quantity::kRescaling, 0x1p-25);  // half a subnormal of f16, times |x| = 1
    Right(dy);
  }
};

TEST(Scales, ChangeNoBitWhereNothingIsSubnormal) {
  GradientScene scene(1);
  scene.Add(VariantKind::kScale, 0, {1, 1}).parameter = 8;
  EXPECT_EQ(scene.On("scales").outcome, Outcome::kConforming);
  scene.Add(VariantKind::kScale, 0, {kBelow, 1}).parameter = 8;
  EXPECT_EQ(scene.On("scales").error, ErrorClass::kScalesDiffer);
  EXPECT_EQ(scene.On("scales").witness, 0);
}

TEST(Scales, MayShowWhatStoringASubnormalLost) {
  // 3.1e-8 stored in f16: 2^-24 at scale 1, nearly itself at 2^15.
  const double dy = 0x1.0a4p-25;
  GradientScene scene(dy);
  scene.Answer(0, 0x1p-24);
  scene.Answer(1, 0x1p-24);
  scene.Add(VariantKind::kScale, 0, {dy, dy}).parameter = 15;
  EXPECT_EQ(scene.On("scales").outcome, Outcome::kConforming);
  // Two subnormal units beyond are none of storing's business.
  scene.Answer(1, 0x1p-24 + 0x1p-23);
  EXPECT_EQ(scene.On("scales").error, ErrorClass::kScalesDiffer);
  EXPECT_EQ(scene.On("scales").witness, 1);
}

TEST(Scales, MustNotHideAnOverflow) {
  GradientScene scene(8);  // 8 * 2^15 is beyond f16
  scene.Add(VariantKind::kScale, 0, {kInf, kNaN}).parameter = 15;
  EXPECT_EQ(scene.On("scales").outcome, Outcome::kConforming);
  scene.Add(VariantKind::kScale, 0, {kInf, 8}).parameter = 15;
  EXPECT_EQ(scene.On("scales").error, ErrorClass::kOverflowHidden);
  EXPECT_EQ(scene.On("scales").witness, 1);
}

TEST(Scales, GivingNanOnceDiffer) {
  GradientScene scene(0x1.0a4p-25);
  scene.Add(VariantKind::kScale, 0, {kNaN, kNaN}).parameter = 8;
  EXPECT_EQ(scene.On("scales").outcome, Outcome::kViolating);
  EXPECT_EQ(scene.On("scales").ratio, kInf);
}

TEST(FurtherCalls, AreThoseThatABackendPromisedSomethingOf) {
  SumScene scene;
  const VariantKinds always = BitOf(VariantKind::kSchedule) | BitOf(VariantKind::kScale);
  EXPECT_EQ(VariantsFor(*scene.Bound()), always);
  scene.declared.determinism = Determinism::kNone;
  scene.declared.invariance = kBatchInvariant;
  EXPECT_EQ(VariantsFor(*scene.Bound()),
            always | BitOf(VariantKind::kRun) | BitOf(VariantKind::kAlone));
}

}  // namespace
}  // namespace assay
