// SPDX-License-Identifier: Apache-2.0
//
// Verdicts on hand-built evidence: values, classes, policies, memory and how a call ends.
#include "contracts/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A dot product of four non-zero products, truth 1, S = 1: E is about 4u.
struct DotScene : Scene {
  DotScene() : Scene(OpId::kDot, DType::kF32, {4}) {
    SetSums(1, 4, 1);
    SetTruth(0, 1);
    SetGot(0, 1);
  }
};

// exp of four inputs at one ulp.
struct ExpScene : Scene {
  ExpScene() : Scene(OpId::kExp, DType::kF32, {4}) {
    declared.ulp_limit = 1;
    SetEach(Quantity::kAbsX, 1);
    for (int i = 0; i < 4; ++i) {
      SetTruth(i, 1.5);
      SetGot(i, 1.5);
    }
  }
};

TEST(Values, ConformWithinTheBoundAndNameTheWorst) {
  ExpScene scene;
  scene.SetGot(2, 1.5 + 0x1p-24);  // half a unit: no f32, but exact for the sake of the ratio
  const ClauseVerdict verdict = scene.Of("C-PRC-02", "values");
  EXPECT_EQ(verdict.outcome, Outcome::kConforming);
  EXPECT_EQ(verdict.error, ErrorClass::kNone);
  EXPECT_EQ(verdict.ratio, 0.5);
  EXPECT_EQ(verdict.witness, 2);
  EXPECT_EQ(verdict.bound, 0x1p-23);
}

TEST(Values, ViolateBeyondTheBoundWithAWitness) {
  ExpScene scene;
  scene.SetGot(1, 1.5 + 0x1p-22);
  scene.SetGot(3, 1.5 + 0x1p-20);
  const ClauseVerdict verdict = scene.Of("C-PRC-02", "values");
  EXPECT_EQ(verdict.outcome, Outcome::kViolating);
  EXPECT_EQ(verdict.error, ErrorClass::kValue);
  EXPECT_EQ(verdict.ratio, 8);
  EXPECT_EQ(verdict.witness, 3);
}

TEST(Values, NameWhatWentWrong) {
  const std::pair<double, ErrorClass> rows[] = {
      {kNaN, ErrorClass::kNanAppears},  {kInf, ErrorClass::kInfAppears},
      {-kInf, ErrorClass::kInfAppears}, {0, ErrorClass::kZeroed},
      {-0.0, ErrorClass::kZeroed},      {-1.5, ErrorClass::kValue}};
  for (const auto& [got, error] : rows) {
    ExpScene scene;
    scene.SetGot(1, got);
    const ClauseVerdict verdict = scene.Of("C-PRC-02", "values");
    EXPECT_EQ(verdict.outcome, Outcome::kViolating) << got;
    EXPECT_EQ(verdict.error, error) << got;
    EXPECT_EQ(verdict.witness, 1) << got;
    EXPECT_GT(verdict.ratio, 1) << got;
  }
}

TEST(Values, KeepANanRatioInfiniteWhateverFollowsIt) {
  ExpScene scene;
  scene.SetGot(0, kNaN);
  scene.SetGot(2, 1.5 + 0x1p-20);
  const ClauseVerdict verdict = scene.Of("C-PRC-02", "values");
  EXPECT_EQ(verdict.ratio, kInf);
  EXPECT_EQ(verdict.witness, 0);
  EXPECT_EQ(verdict.error, ErrorClass::kNanAppears);
}

TEST(Values, AreInconclusiveWhereTheEnclosureStraddlesTheBound) {
  ExpScene scene;
  scene.SetTruth(1, 1.5, 0, 0x1p-25);
  scene.SetGot(1, 1.5 + 0x1p-23);
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kInconclusive);
  scene.SetGot(3, 1.5 + 0x1p-20);  // another element decides
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kViolating);
}

TEST(Values, OfAnExactSumAllowNoDifference) {
  Scene scene(OpId::kSum, DType::kF32, {3});
  scene.SetSums(3, 1);
  scene.SetTruth(0, 3);
  scene.SetGot(0, 3);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kConforming);
  scene.SetGot(0, 3 + 0x1p-22);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kViolating);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").ratio, kInf);
}

TEST(Values, AreRejectedOutsideThePrecondition) {
  DotScene scene;
  scene.Set(Quantity::kMaxAbsSum, 0x1.8p127);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kRejected);
  DotScene special;
  special.values.operands[1].any_inf = true;
  EXPECT_EQ(special.Of("C-PRC-01", "values").outcome, Outcome::kRejected);
}

TEST(Values, AreUnderSpecifiedWithoutADeclaredAccumulator) {
  DotScene scene;
  scene.declared.accumulator.reset();
  const ClauseVerdict verdict = scene.Of("C-PRC-01", "values");
  EXPECT_EQ(verdict.outcome, Outcome::kUnderSpecified);
  EXPECT_EQ(verdict.reason, "the accumulator is not declared");
  ExpScene limitless;
  limitless.declared.ulp_limit.reset();
  EXPECT_EQ(limitless.Of("C-PRC-02", "values").outcome, Outcome::kUnderSpecified);
}

TEST(Values, LeaveFlushedResultsToTheDeclaration) {
  ExpScene scene;
  scene.SetTruth(0, 0x1p-130);
  scene.SetGot(0, 0);
  scene.Set(Quantity::kSubnormalCount, 1);
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kNotTested);
  EXPECT_EQ(scene.Of("C-PRC-03", "preserved").outcome, Outcome::kViolating);
  EXPECT_EQ(scene.Of("C-PRC-03", "preserved").error, ErrorClass::kZeroed);
  scene.declared.subnormals = SubnormalPolicy::kFlushOut;
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kConforming);
  scene.declared.subnormals.reset();
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kUnderSpecified);
  scene.SetGot(1, 1.5 + 0x1p-20);  // wrong under every policy
  const ClauseVerdict verdict = scene.Of("C-PRC-02", "values");
  EXPECT_EQ(verdict.outcome, Outcome::kViolating);
  EXPECT_EQ(verdict.witness, 1);
}

TEST(Values, FlagALogarithmThatTakesASubnormalForTheSmallestNormal) {
  Scene scene(OpId::kLog, DType::kF32, {1});
  scene.declared.ulp_limit = 3;
  scene.SetEach(Quantity::kAbsX, 0x1p-149);
  scene.SetTruth(0, -103.27892990343185);
  scene.SetGot(0, -87.336544036865234);
  scene.Set(Quantity::kSubnormalCount, 1);
  EXPECT_EQ(scene.Of("C-PRC-03", "preserved").outcome, Outcome::kViolating);
}

TEST(Values, SkipElementsThatATableDecides) {
  ExpScene scene;
  scene.evidence.legal[1] = kClassNan;
  scene.SetTruth(1, kNaN);
  scene.SetGot(1, 7);
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kConforming);
  scene.evidence.legal[2] = kClassByValue | kClassPosInf;
  scene.SetGot(2, kInf);
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kConforming);
  scene.SetGot(2, -kInf);
  EXPECT_EQ(scene.Of("C-PRC-02", "values").outcome, Outcome::kViolating);
}

TEST(Values, UseTheImageOfANarrowOutput) {
  Scene scene(OpId::kGemm, DType::kF16, {1, 1, 5});
  scene.declared.accumulator = Accumulator{Format::kF32, false, 0, 0};
  scene.SetSums(65519.998046875, 5, 32752);
  scene.SetTruth(0, 65519.998046875);
  for (const double got : {65504.0, kInf}) {
    scene.SetGot(0, got);
    EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kConforming) << got;
  }
  scene.SetGot(0, 65472);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kViolating);
}

// c holds 3 and stays 3 although beta is 2 and there is no product.
TEST(Written, TakesTheBlameForOldContentWhereThereIsNoProduct) {
  Scene scene(OpId::kGemm, DType::kF32, {1, 1, 0});
  scene.SetSums(6, 0);
  scene.Set(Quantity::kBeta, 2);
  scene.SetTruth(0, 6);
  scene.SetGot(0, 3);
  scene.observation.bits = {Encode(DType::kF32, 3)};
  scene.values.operands.back().bits = {Encode(DType::kF32, 3)};
  EXPECT_EQ(scene.Of("C-CMP-03", "written").error, ErrorClass::kUnwritten);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kNotTested);
  scene.SetGot(0, 5);  // some other wrong answer is a wrong value
  scene.observation.bits = {Encode(DType::kF32, 5)};
  EXPECT_EQ(scene.Of("C-CMP-03", "written").outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kViolating);
}

TEST(Values, AreNotTestedWhereOldContentShows) {
  DotScene scene;
  scene.SetGot(0, 77);
  scene.observation.unwritten = 0;
  scene.observation.prefills = 2;
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kNotTested);
  const ClauseVerdict written = scene.Of("C-CMP-03", "written");
  EXPECT_EQ(written.outcome, Outcome::kViolating);
  EXPECT_EQ(written.error, ErrorClass::kUnwritten);
  EXPECT_EQ(written.witness, 0);
}

TEST(Written, TellsOldContentThatIsReadFromOldContentThatIsLeft) {
  DotScene scene;
  scene.observation.prefill_dependent = 0;
  EXPECT_EQ(scene.Of("C-CMP-03", "written").error, ErrorClass::kPrefillRead);
  DotScene once;
  once.observation.unwritten = 0;
  EXPECT_EQ(once.Of("C-CMP-03", "written").outcome, Outcome::kInconclusive);
  DotScene clean;
  EXPECT_EQ(clean.Of("C-CMP-03", "written").outcome, Outcome::kConforming);
}

TEST(Classes, AreJudgedOnlyWhereSomethingIsSpecial) {
  ExpScene scene;
  EXPECT_TRUE(scene.Of("C-EXC-01", "special").clause.empty());
  scene.evidence.special = true;
  EXPECT_EQ(scene.Of("C-EXC-01", "special").outcome, Outcome::kConforming);
}

struct ClassRow {
  ClassSet legal;
  double got;
  ErrorClass error;  // kNone: conforming
};

TEST(Classes, MustBeInTheSet) {
  const ClassRow rows[] = {{kClassNan, kNaN, ErrorClass::kNone},
                           {kClassNan, kInf, ErrorClass::kNanLost},
                           {kClassNan, 0, ErrorClass::kNanLost},
                           {kClassPosInf, kInf, ErrorClass::kNone},
                           {kClassPosInf, -kInf, ErrorClass::kInfLost},
                           {kClassPosInf, kNaN, ErrorClass::kNanAppears},
                           {kClassPosInf, 3, ErrorClass::kInfLost},
                           {kClassPosZero, 0, ErrorClass::kNone},
                           {kClassPosZero, -0.0, ErrorClass::kZeroSign},
                           {kClassZero, -0.0, ErrorClass::kNone},
                           {kClassPosZero, kNaN, ErrorClass::kNanAppears},
                           {kClassPosZero, 3, ErrorClass::kValue},
                           {kClassNan | kClassPosZero, 0, ErrorClass::kNone},
                           {kClassNan | kClassPosZero, kInf, ErrorClass::kInfAppears},
                           {kClassByValue, 1.25, ErrorClass::kNone},  // values are another clause's
                           {kClassByValue, kNaN, ErrorClass::kNanAppears},
                           {kClassByValue, kInf, ErrorClass::kInfAppears}};
  for (const ClassRow& row : rows) {
    ExpScene scene;
    scene.evidence.special = true;
    scene.evidence.legal[1] = row.legal;
    scene.SetGot(1, row.got);
    const ClauseVerdict verdict = scene.Of("C-EXC-01", "special");
    EXPECT_EQ(verdict.error, row.error) << int{row.legal} << " " << row.got;
    EXPECT_EQ(verdict.outcome,
              row.error == ErrorClass::kNone ? Outcome::kConforming : Outcome::kViolating);
    if (row.error != ErrorClass::kNone) EXPECT_EQ(verdict.witness, 1);
  }
}

TEST(Classes, AllowAnInfinityThatRoundsAFiniteTruth) {
  Scene scene(OpId::kExp, DType::kF16, {2});
  scene.declared.accumulator = Accumulator{Format::kF32, false, 0, 0};
  scene.declared.ulp_limit = 1;
  scene.evidence.special = true;
  scene.SetEach(Quantity::kAbsX, 1);
  scene.SetTruth(1, 65530);
  scene.SetGot(1, kInf);
  EXPECT_EQ(scene.Of("C-EXC-01", "special").outcome, Outcome::kConforming);
  scene.SetTruth(1, 65500);  // near the threshold: C-PRC-02's question, on finite inputs
  EXPECT_EQ(scene.Of("C-EXC-01", "special").outcome, Outcome::kConforming);
  scene.SetTruth(1, 30000);
  EXPECT_EQ(scene.Of("C-EXC-01", "special").error, ErrorClass::kInfAppears);
  scene.SetTruth(1, 1e6);
  scene.SetGot(1, 65504);
  EXPECT_EQ(scene.Of("C-EXC-01", "special").error, ErrorClass::kInfLost);
}

TEST(Classes, FollowTheDeclaredNanPolicy) {
  ExpScene scene;
  scene.evidence.special = true;
  scene.evidence.legal[1] = kClassNan;
  scene.declared.nan = NanPolicy::kMask;
  EXPECT_EQ(scene.Of("C-EXC-01", "special").outcome, Outcome::kConforming);
  scene.declared.nan.reset();
  EXPECT_EQ(scene.Of("C-EXC-01", "special").outcome, Outcome::kUnderSpecified);
  scene.declared.nan = NanPolicy::kRaise;
  scene.observation.status = RunStatus::kRaised;
  EXPECT_EQ(scene.Of("C-EXC-01", "special").outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Of("X-SAFE-01", "ends").outcome, Outcome::kConforming);
}

struct GatherScene : Scene {
  GatherScene() : Scene(OpId::kGather, DType::kF32, {4, 2, 3}) {
    Set(Quantity::kExtent, 4);
    Set(Quantity::kOutsideCount, 1);
    declared.out_of_bounds = IndexPolicy::kRaise;
    observation.status = RunStatus::kRaised;
    force.policies = 1u << static_cast<int>(IndexPolicy::kRaise);
  }
};

TEST(IndexPolicy, MustMatchTheDeclaredOne) {
  GatherScene scene;
  EXPECT_EQ(scene.Of("C-EXC-02", "policy").outcome, Outcome::kConforming);
  EXPECT_EQ(scene.Of("X-SAFE-01", "ends").outcome, Outcome::kConforming);
  scene.declared.out_of_bounds = IndexPolicy::kClamp;
  EXPECT_EQ(scene.Of("C-EXC-02", "policy").error, ErrorClass::kPolicy);
  scene.observation.status = RunStatus::kOk;
  scene.force.policies = 1u << static_cast<int>(IndexPolicy::kClamp);
  EXPECT_EQ(scene.Of("C-EXC-02", "policy").outcome, Outcome::kConforming);
  scene.declared.out_of_bounds.reset();
  EXPECT_EQ(scene.Of("C-EXC-02", "policy").outcome, Outcome::kUnderSpecified);
}

TEST(IndexPolicy, AsksForExactCopiesWhereAllIndicesAreInside) {
  GatherScene scene;
  scene.Set(Quantity::kOutsideCount, 0);
  scene.observation.status = RunStatus::kOk;
  scene.force.policies = 1u << 31;
  scene.declared.out_of_bounds.reset();  // not needed here
  EXPECT_EQ(scene.Of("C-EXC-02", "policy").outcome, Outcome::kConforming);
  scene.force.policies = 0;
  EXPECT_EQ(scene.Of("C-EXC-02", "policy").error, ErrorClass::kValue);
}

TEST(IndexPolicy, SpeaksOfOneBadIndexPerCall) {
  GatherScene scene;
  scene.Set(Quantity::kOutsideCount, 2);
  EXPECT_EQ(scene.Of("C-EXC-02", "policy").outcome, Outcome::kRejected);
  EXPECT_EQ(scene.Of("C-EXC-02", "guards").outcome, Outcome::kConforming);
}

TEST(Guards, NameOperandSideAndAccess) {
  DotScene scene;
  scene.observation.status = RunStatus::kGuardHit;
  scene.observation.guard = GuardHit{0, Side::kAfter, 4, Access::kRead};
  EXPECT_EQ(scene.Of("C-EXC-02", "guards").error, ErrorClass::kReadAfter);
  EXPECT_EQ(scene.Of("C-PRC-01", "values").outcome, Outcome::kNotTested);
  EXPECT_EQ(scene.Of("X-SAFE-01", "ends").outcome, Outcome::kNotTested);
  scene.declared.overread_bytes = 3;
  EXPECT_EQ(scene.Of("C-EXC-02", "guards").outcome, Outcome::kViolating);
  scene.declared.overread_bytes = 4;
  EXPECT_EQ(scene.Of("C-EXC-02", "guards").outcome, Outcome::kConforming);
  scene.observation.guard = GuardHit{0, Side::kBefore, 4, Access::kWrite};
  EXPECT_EQ(scene.Of("C-EXC-02", "guards").error, ErrorClass::kWriteBefore);
  scene.observation.status = RunStatus::kOk;  // a damaged canary
  scene.observation.guard = GuardHit{2, Side::kGap, 4, Access::kWrite};
  EXPECT_EQ(scene.Of("C-EXC-02", "guards").error, ErrorClass::kWriteGap);
}

TEST(Inputs, MustBeUntouched) {
  DotScene scene;
  EXPECT_EQ(scene.Of("C-EXC-02", "inputs").outcome, Outcome::kConforming);
  scene.observation.changed_input = 1;
  EXPECT_EQ(scene.Of("C-EXC-02", "inputs").error, ErrorClass::kInputsChanged);
}

TEST(Safety, JudgesHowTheCallEnded) {
  struct Row {
    RunStatus status;
    Outcome outcome;
    ErrorClass error;
  };
  const Row rows[] = {{RunStatus::kOk, Outcome::kConforming, ErrorClass::kNone},
                      {RunStatus::kCrashed, Outcome::kCrashed, ErrorClass::kCrash},
                      {RunStatus::kTimedOut, Outcome::kTimedOut, ErrorClass::kTimeout},
                      {RunStatus::kFailed, Outcome::kViolating, ErrorClass::kFailure},
                      {RunStatus::kRaised, Outcome::kViolating, ErrorClass::kRaisedUndeclared}};
  for (const Row& row : rows) {
    DotScene scene;
    scene.observation.status = row.status;
    const ClauseVerdict ends = scene.Of("X-SAFE-01", "ends");
    EXPECT_EQ(ends.outcome, row.outcome) << NameOf(row.status);
    EXPECT_EQ(ends.error, row.error) << NameOf(row.status);
    const Outcome values = scene.Of("C-PRC-01", "values").outcome;
    EXPECT_EQ(values, row.status == RunStatus::kOk ? Outcome::kConforming : Outcome::kNotTested);
  }
}

TEST(Safety, SeesAChangedEnvironment) {
  DotScene scene;
  EXPECT_EQ(scene.Of("X-SAFE-01", "environment").outcome, Outcome::kConforming);
  scene.observation.environment = kRoundingModeChanged;
  EXPECT_EQ(scene.Of("X-SAFE-01", "environment").error, ErrorClass::kEnvironment);
}

TEST(Safety, TakesUnsupportedForAnAnswer) {
  DotScene scene;
  scene.observation.status = RunStatus::kUnsupported;
  for (const ClauseVerdict& verdict : scene.Judged().clauses) {
    EXPECT_EQ(verdict.outcome, Outcome::kUnsupported) << verdict.clause;
  }
}

}  // namespace
}  // namespace assay
