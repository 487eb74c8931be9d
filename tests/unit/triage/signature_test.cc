// SPDX-License-Identifier: Apache-2.0
//
// Keys of known causes, the length over all combinations of words, the choice of the worst clause.

#include "triage/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "contracts/operator.h"
#include "triage/findings.h"

namespace assay {
namespace {

using testing::ElementsAre;

Case Parsed(const std::string& text) {
  const Result<CaseLine> line = ParseCase(text);
  EXPECT_TRUE(line.ok()) << text << ": " << (line.ok() ? "" : line.error().Text());
  return line.value().value;
}

Violation ViolationOf(std::string_view contract, std::string_view clause, ErrorClass error,
                      int64_t witness = 0) {
  Violation violation;
  violation.clause.contract = contract;
  violation.clause.clause = clause;
  violation.clause.outcome = Outcome::kViolating;
  violation.clause.error = error;
  violation.clause.witness = witness;
  return violation;
}

std::string Key(const std::string& text, const Violation& violation, std::string_view family) {
  const Case value = Parsed(text);
  return KeyOf(value, DefOf(value.op).dims(value).value(), violation, family);
}

TEST(Signature, NamesACauseOnTheMinimizedCase) {
  EXPECT_EQ(Key("gemm alpha=0 a=f32[1,1]:fill(zero):set(0,0=nan) b=f32[1,1]:fill(zero) "
                "c=f32[1,1]:fill(zero)",
                ViolationOf("C-EXC-01", "special", ErrorClass::kNanAppears), "openblas"),
            "exc01_special_gemm_nan_appears_openblas_alpha_zero");
  EXPECT_EQ(Key("exp x=f32[1]:fill(zero):set(0=nan) out=f32[1]",
                ViolationOf("C-EXC-01", "special", ErrorClass::kNanLost), "onednn"),
            "exc01_special_exp_nan_lost_onednn_nan");
  EXPECT_EQ(Key("gemm a=f32[1,0]:fill(zero) b=f32[0,1]:fill(zero) c=f32[1,1]:fill(zero)",
                ViolationOf("C-EXC-02", "unwritten", ErrorClass::kUnwritten), "onednn"),
            "exc02_unwritten_gemm_unwritten_onednn_empty");
  EXPECT_EQ(Key("log x=f32[16]:fill(constant,1):set(3=0x1p-127) out=f32[16]",
                ViolationOf("C-PRC-02", "values", ErrorClass::kValue, 3), "eigen"),
            "prc02_values_log_value_eigen_subnormal");
  EXPECT_EQ(Key("gather table=f32[4,1] indices=i64[1]:fill(constant,4) out=f32[1,1]",
                ViolationOf("C-EXC-02", "policy", ErrorClass::kPolicy), "eigen"),
            "exc02_policy_gather_policy_eigen_outside");
}

TEST(Signature, SaysTheOperandInPlaceOfATriggerWhereMemoryIsTouched) {
  Violation violation = ViolationOf("C-EXC-02", "guards", ErrorClass::kReadAfter);
  violation.guard.operand = 2;
  for (const char* text : {"gemm alpha=0 a=f32[2,1] b=f32[1,2] c=f32[2,2]",
                           "gemm beta=1 a=f32[2,1]:fill(subnormal) b=f32[1,2] "
                           "c=f32[2,2]:strides(9,1):set(0,0=nan)"}) {
    EXPECT_EQ(Key(text, violation, "blis"), "exc02_guards_gemm_read_after_c_blis");
  }
}

TEST(Signature, HasOneWordForTheFactorsOfAGemmWhichATransposeSwaps) {
  Violation violation = ViolationOf("C-EXC-02", "guards", ErrorClass::kReadAfter);
  for (const int operand : {0, 1}) {
    violation.guard.operand = operand;
    EXPECT_EQ(Key("gemm a=f32[2,1] b=f32[1,2] c=f32[2,2]", violation, "blis"),
              "exc02_guards_gemm_read_after_factor_blis");
    EXPECT_EQ(
        Key("dot x=f32[2] y=f32[2] out=f32[]", violation, "blis"),
        operand == 0 ? "exc02_guards_dot_read_after_x_blis" : "exc02_guards_dot_read_after_y_blis");
  }
}

std::string Trigger(const std::string& text, ErrorClass error, int64_t witness = 0) {
  const Case value = Parsed(text);
  return std::string(TriggerOf(value, DefOf(value.op).dims(value).value(),
                               ViolationOf("C-PRC-01", "values", error, witness)));
}

TEST(Trigger, IsReadOffWhatTheWitnessDependsOn) {
  const std::string mixed =
      "exp x=f32[4]:fill(constant,1):set(0=nan):set(1=0x1p-140):set(2=0x1p+70) out=f32[4]";
  EXPECT_EQ(Trigger(mixed, ErrorClass::kValue, 0), "nan");
  EXPECT_EQ(Trigger(mixed, ErrorClass::kValue, 1), "subnormal");
  EXPECT_EQ(Trigger(mixed, ErrorClass::kValue, 2), "huge");
  EXPECT_EQ(Trigger(mixed, ErrorClass::kValue, 3), "nan") << "the others where these are plain";
}

TEST(Trigger, FollowsRowsAndColumnsOfGemm) {
  // Row 1 of a holds an Inf, column 0 of b a subnormal; stored turned.
  const std::string line =
      "gemm trans_a=t trans_b=t a=f32[3,2]:fill(constant,1):set(0,1=inf) "
      "b=f32[2,3]:fill(constant,1):set(0,1=0x1p-130) c=f32[2,2]:fill(zero)";
  EXPECT_EQ(Trigger(line, ErrorClass::kValue, 0), "subnormal");  // (0, 0)
  EXPECT_EQ(Trigger(line, ErrorClass::kValue, 3), "inf");        // (1, 1)
  EXPECT_EQ(Trigger(line, ErrorClass::kValue, 2), "inf");        // (1, 0)
  EXPECT_EQ(Trigger(line, ErrorClass::kValue, 1), "inf") << "(0, 1) depends on plain values only";
}

TEST(Trigger, LooksAtCOnlyWhereBetaReadsIt) {
  const std::string c = "a=f32[1,1]:fill(zero) b=f32[1,1]:fill(zero) c=f32[1,1]:set(0,0=nan)";
  EXPECT_EQ(Trigger("gemm beta=1 " + c, ErrorClass::kNanLost), "nan");
  EXPECT_EQ(Trigger("gemm " + c, ErrorClass::kNanAppears), "beta_zero");
  EXPECT_EQ(Trigger("gemm " + c, ErrorClass::kValue), "plain");
}

TEST(Trigger, PutsShapeBeforeValuesBeforeLayout) {
  EXPECT_EQ(Trigger("sum x=f32[0] out=f32[]", ErrorClass::kValue), "empty");
  EXPECT_EQ(Trigger("gemm alpha=0 a=f32[1,1]:set(0,0=inf) b=f32[1,1] c=f32[1,1]",
                    ErrorClass::kNanAppears),
            "alpha_zero");
  EXPECT_EQ(Trigger("gemm alpha=-0 a=f32[1,0] b=f32[0,1] c=f32[1,1]", ErrorClass::kZeroSign),
            "alpha_zero")
      << "minimizing leaves out what alpha = 0 leaves unread";
  EXPECT_EQ(
      Trigger("sum x=f32[2]:strides(2):fill(constant,0x1p-100) out=f32[]", ErrorClass::kValue),
      "tiny");
  EXPECT_EQ(Trigger("sum x=f32[2]:strides(2):fill(constant,1) out=f32[]", ErrorClass::kValue),
            "stride");
  EXPECT_EQ(Trigger("sum x=f32[2]:fill(constant,1) out=f32[]", ErrorClass::kValue), "plain");
  EXPECT_EQ(Trigger("gelu x=f32[1]:fill(constant,-5) out=f32[1]", ErrorClass::kValue), "tail");
  EXPECT_EQ(Trigger("silu x=f32[1]:fill(constant,-5) out=f32[1]", ErrorClass::kValue), "tail");
  EXPECT_EQ(Trigger("erf x=f32[1]:fill(constant,-5) out=f32[1]", ErrorClass::kValue), "plain");
}

TEST(Trigger, IsReadOffAttributesIndicesAndRowsOfEveryOperator) {
  EXPECT_EQ(Trigger("scal alpha=0 x=f32[1]:set(0=nan)", ErrorClass::kNanLost), "alpha_zero");
  EXPECT_EQ(Trigger("axpy alpha=nan x=f32[1] y=f32[1]", ErrorClass::kNanLost), "nan");
  EXPECT_EQ(Trigger("clamp high=inf x=f32[1]:fill(constant,1) out=f32[1]", ErrorClass::kValue),
            "inf");
  EXPECT_EQ(Trigger("index_select axis=1 table=f32[9,2] indices=i64[1]:fill(constant,2) "
                    "out=f32[9,1]",
                    ErrorClass::kPolicy),
            "outside");
  EXPECT_EQ(Trigger("scatter_add updates=f32[1,1] indices=i64[1]:fill(constant,-1) out=f32[2,1]",
                    ErrorClass::kPolicy),
            "outside");
  const std::string rows = "log_sum_exp x=f32[2,2]:fill(constant,1):set(1,0=inf) out=f32[2]";
  EXPECT_EQ(Trigger(rows, ErrorClass::kValue, 1), "inf");
  const std::string pair =
      "add x=f32[2]:fill(constant,1):set(0=inf) y=f32[2]:fill(constant,1):set(1=0x1p-130) "
      "out=f32[2]";
  EXPECT_EQ(Trigger(pair, ErrorClass::kValue, 0), "inf");
  EXPECT_EQ(Trigger(pair, ErrorClass::kValue, 1), "subnormal");
}

TEST(Trigger, OfACallThatEndsBadlyIgnoresValues) {
  EXPECT_EQ(Trigger("sum x=f32[2]:set(0=nan) out=f32[]", ErrorClass::kCrash), "plain");
  EXPECT_EQ(Trigger("sum x=f32[0] out=f32[]", ErrorClass::kTimeout), "empty");
}

// Cases of the operator with the long triggers that it can have.
std::vector<Case> Triggering(OpId op) {
  const OperatorDef& def = DefOf(op);
  NamedDims dims;
  for (size_t i = 0; i < def.dimensions.size(); ++i) dims.push_back(2);
  Case value = MakeCase(op, InputTypesOf(op)[0], dims);
  std::vector<Case> cases = {value};
  if (IsFloat(value.operands[0].dtype)) {
    Case subnormal = value;
    subnormal.operands[0].fill = {FillKind::kSubnormal, 1, 0, 0};
    cases.push_back(subnormal);
  }
  if (def.family == Family::kGemm || def.family == Family::kVector) {
    Case zero = value;
    zero.attributes[kGemmAlpha].real = 0;
    cases.push_back(zero);
  }
  if (IndexOperandOf(def) >= 0) {
    Case outside = value;
    outside.operands[IndexOperandOf(def)].fill = {FillKind::kConstant, 0, 5, 0};
    cases.push_back(outside);
  }
  return cases;
}

TEST(Signature, TriggersOfTheLengthTestAreTheLongOnes) {
  const Violation violation = ViolationOf("C-PRC-01", "values", ErrorClass::kValue);
  std::set<std::string> words;
  for (const OperatorDef& def : Operators()) {
    for (const Case& value : Triggering(def.id)) {
      words.insert(std::string(TriggerOf(value, def.dims(value).value(), violation)));
    }
  }
  EXPECT_THAT(words, testing::IsSupersetOf({"alpha_zero", "subnormal", "outside", "plain"}));
}

TEST(Signature, ShortensOperatorsAndThenClausesOnlyWhereTheWholeIsTooLong) {
  const std::string line = "scaled_gradient dy=f32[1,1] x=f32[1,1] out=f32[1,2]";
  EXPECT_EQ(Key(line, ViolationOf("C-PRC-04", "values", ErrorClass::kValue), "reference"),
            "prc04_values_scaled_gradient_value_reference_plain");
  EXPECT_EQ(Key(line, ViolationOf("C-CMP-01", "threads", ErrorClass::kThreadsDiffer), "reference"),
            "cmp01_threads_scldgrdnt_threads_differ_reference_plain");
  EXPECT_EQ(Key("log_sum_exp x=f32[1,1]:fill(constant,1) out=f32[1]",
                ViolationOf("C-CMP-01", "threads", ErrorClass::kThreadsDiffer), "planted"),
            "cmp01_threads_lgsmexp_threads_differ_planted_plain");
}

TEST(Signature, TellsEveryTwoOperatorsApart) {
  Violation violation = ViolationOf("X-SAFE-01", "a long clause", ErrorClass::kThreadsDiffer);
  std::set<std::string> keys;
  for (const OperatorDef& def : Operators()) {
    const Case value = Triggering(def.id)[0];
    keys.insert(KeyOf(value, def.dims(value).value(), violation, "a_long_family_name"));
  }
  EXPECT_EQ(keys.size(), static_cast<size_t>(kOpCount));
}

TEST(Signature, StaysWithinItsLengthAndAlphabetOverAllWords) {
  const std::string_view contracts[] = {"C-PRC-01", "X-SAFE-01",
                                        "my own contract-with a long name"};
  const std::string_view clauses[] = {"values", "unwritten", "environment",
                                      "A Clause With A Long Name", ""};
  const std::string_view families[] = {"reference", "openblas", "Some/Very.Long-Family_name", ""};
  constexpr int kErrors = static_cast<int>(ErrorClass::kOverflowHidden) + 1;
  size_t longest = 0;
  for (const OperatorDef& def : Operators()) {
    for (const Case& value : Triggering(def.id)) {
      const NamedDims dims = def.dims(value).value();
      for (int error = 0; error < kErrors; ++error) {
        for (size_t operand = 0; operand < def.operands.size(); ++operand) {
          for (const auto contract : contracts) {
            for (const auto clause : clauses) {
              for (const auto family : families) {
                Violation violation = ViolationOf(contract, clause, static_cast<ErrorClass>(error));
                violation.guard.operand = static_cast<int>(operand);
                const std::string key = KeyOf(value, dims, violation, family);
                ASSERT_TRUE(IsKey(key)) << key << " " << key.size();
                longest = std::max(longest, key.size());
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GE(longest, 50u) << "the words are not the long ones";
}

TEST(Signature, TellsLongFamiliesApart) {
  const Violation violation = ViolationOf("C-PRC-01", "values", ErrorClass::kValue);
  std::set<std::string> keys;
  for (const char* family : {"a_long_family_name_one", "a_long_family_name_two"}) {
    keys.insert(Key("sum x=f32[1]:fill(zero) out=f32[]", violation, family));
  }
  EXPECT_EQ(keys.size(), 2u);
}

// ---- The worst clause ----

ClauseVerdict Clause(Outcome outcome, ErrorClass error, double ratio) {
  ClauseVerdict clause;
  clause.contract = "C-PRC-01";
  clause.clause = "values";
  clause.outcome = outcome;
  clause.error = error;
  clause.ratio = ratio;
  return clause;
}

TEST(ViolationsOf, TakesTheWorstClauseOfEachBackend) {
  Record record;
  record.outcomes.resize(3);
  record.outcomes[0].backend = 4;
  record.outcomes[0].verdict.clauses = {Clause(Outcome::kViolating, ErrorClass::kValue, 1e9),
                                        Clause(Outcome::kViolating, ErrorClass::kNanAppears, 1),
                                        Clause(Outcome::kConforming, ErrorClass::kReadAfter, 0)};
  record.outcomes[1].verdict.clauses = {Clause(Outcome::kInconclusive, ErrorClass::kValue, 2)};
  record.outcomes[2].backend = 6;
  record.outcomes[2].verdict.clauses = {Clause(Outcome::kViolating, ErrorClass::kValue, 2),
                                        Clause(Outcome::kViolating, ErrorClass::kZeroed, 3),
                                        Clause(Outcome::kViolating, ErrorClass::kValue, 3)};
  const std::vector<Violation> violations = ViolationsOf(record);
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].backend, 4);
  EXPECT_EQ(violations[0].clause.error, ErrorClass::kNanAppears);
  EXPECT_EQ(violations[1].backend, 6);
  EXPECT_EQ(violations[1].clause.error, ErrorClass::kZeroed);
}

TEST(ViolationsOf, PutsDamageToMemoryFirstAndSaysWhichOperand) {
  Record record;
  record.outcomes.resize(2);
  record.outcomes[0].observation.guard = GuardHit{1, Side::kBefore, 4, Access::kWrite};
  record.outcomes[0].verdict.clauses = {
      Clause(Outcome::kViolating, ErrorClass::kNanAppears, std::numeric_limits<double>::infinity()),
      Clause(Outcome::kViolating, ErrorClass::kWriteBefore, 0)};
  record.outcomes[1].observation.changed_input = 1;
  record.outcomes[1].verdict.clauses = {Clause(Outcome::kViolating, ErrorClass::kInputsChanged, 0)};
  const std::vector<Violation> violations = ViolationsOf(record);
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].clause.error, ErrorClass::kWriteBefore);
  EXPECT_EQ(violations[0].guard.distance_bytes, 4);
  EXPECT_EQ(violations[1].guard.operand, 1);
}

TEST(ViolationsOf, CountsACallThatCrashedOrHangsAndSaysHow) {
  Record record;
  record.outcomes.resize(2);
  record.outcomes[0].observation.detail = "signal 6";
  record.outcomes[0].verdict.clauses = {Clause(Outcome::kCrashed, ErrorClass::kCrash, 0)};
  record.outcomes[1].verdict.clauses = {Clause(Outcome::kTimedOut, ErrorClass::kTimeout, 0)};
  const std::vector<Violation> violations = ViolationsOf(record);
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].clause.error, ErrorClass::kCrash);
  EXPECT_EQ(violations[0].status_detail, "signal 6");
  EXPECT_EQ(violations[1].clause.error, ErrorClass::kTimeout);
}

TEST(Facets, SayWhatTheKeyLeavesOut) {
  const Case value =
      Parsed("gemm a=f32[17,3]:strides(1,17) b=f32[3,4]:strides(-4,1) c=f32[17,4]:strides(6,1)");
  Violation violation = ViolationOf("C-PRC-01", "values", ErrorClass::kValue);
  violation.clause.ratio = 2500;
  const Facets facets = FacetsOf(value, DefOf(value.op).dims(value).value(), violation, "core=X");
  EXPECT_THAT(facets.dtypes, ElementsAre("f32", "f32", "f32"));
  EXPECT_THAT(facets.layouts, ElementsAre("transposed", "negative", "strided"));
  EXPECT_THAT(facets.size_residues, ElementsAre(1, 4, 3));
  EXPECT_EQ(facets.trigger, "stride");
  EXPECT_EQ(facets.pins, "core=X");
  EXPECT_EQ(facets.ratio_decade, 3);
  const Case broadcast = Parsed("sum x=f32[5]:strides(0) out=f32[]");
  EXPECT_THAT(FacetsOf(broadcast, {5}, violation, "").layouts, ElementsAre("zero", "contiguous"));
}

}  // namespace
}  // namespace assay
