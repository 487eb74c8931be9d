// SPDX-License-Identifier: Apache-2.0
//
// The language's words as numbers: small contracts written here, evaluated on evidence that a test
// states, against the values that the words are documented to have.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "contracts/suite.h"
#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

// A contract with one clause and the given tolerance and precondition.
std::string ContractOf(const std::string& operators, const std::string& bound,
                       const std::string& condition = "none") {
  return "contract C-TST-01 \"t\"\n  primitive domain_violation\n  scope operators " + operators +
         "\n        inputs any\n  precondition " + condition +
         "\n  postcondition values: out in image(output, truth, tolerance)\n  tolerance " + bound +
         " from \"t\"\n  reference exact\n  measure pass ratio <= 1\n"
         "  violation off when ratio > 1\n";
}

std::string Complaints(const std::string& text) {
  const SourceText source{"t.kc", text};
  std::vector<Diagnostic> diagnostics;
  AssembleSuite(std::span(&source, 1), nullptr, diagnostics);
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics) all += diagnostic.message + "\n";
  return all;
}

std::shared_ptr<const Suite> SuiteOf(const std::string& text) {
  const SourceText source{"t.kc", text};
  std::vector<Diagnostic> diagnostics;
  auto suite =
      std::make_shared<const Suite>(AssembleSuite(std::span(&source, 1), nullptr, diagnostics));
  for (const Diagnostic& diagnostic : diagnostics) ADD_FAILURE() << diagnostic.Text();
  return suite;
}

double BoundOf(Scene& scene, const std::string& bound) {
  scene.suite = SuiteOf(ContractOf(std::string(DefOf(scene.value.op).name), bound));
  return scene.Tolerance("C-TST-01");
}

TEST(Words, GiveTheDeclaredLimitsOfInnerFunctions) {
  Scene scene(OpId::kLogSoftmax, DType::kF32, {1, 3});
  scene.declared.ulp_limit_log = 2;
  scene.declared.ulp_limit_rsqrt = 3;
  EXPECT_EQ(BoundOf(scene, "ulp_limit_log * one"), 2);
  EXPECT_EQ(BoundOf(scene, "ulp_limit_rsqrt * one"), 3);
}

TEST(Words, AreUnderSpecifiedWhereALimitIsNotDeclared) {
  Scene scene(OpId::kLogSoftmax, DType::kF32, {1, 3});
  EXPECT_TRUE(std::isnan(BoundOf(scene, "ulp_limit_log * one")));
  EXPECT_EQ(scene.Of("C-TST-01", "values").outcome, Outcome::kUnderSpecified);
}

TEST(Words, TakeTheTypeOfProbabilitiesFromTheProfile) {
  Scene scene(OpId::kAttention, DType::kF32, {1, 1, 1, 1});
  EXPECT_EQ(BoundOf(scene, "u(probabilities) * one"), 0x1p-24);  // as the accumulator
  scene.declared.probabilities = Format::kBf16;
  EXPECT_EQ(BoundOf(scene, "u(probabilities) * one"), 0x1p-8);
}

TEST(Words, ComputeExponentialsAndLogarithms) {
  Scene scene(OpId::kSoftmax, DType::kF32, {1, 2});
  scene.Set(Quantity::kLength, 2);
  EXPECT_EQ(BoundOf(scene, "exp(length) * one"), std::exp(2.0));
  EXPECT_EQ(BoundOf(scene, "log(length) * one"), std::log(2.0));
}

TEST(Words, TellPowersOfTwo) {
  Scene scene(OpId::kGemm, DType::kF32, {1, 1, 1});
  const auto outcome = [&](double alpha) {
    scene.suite = SuiteOf(ContractOf("gemm", "one", "power_of_two(alpha)"));
    scene.Set(Quantity::kAlpha, alpha);
    return scene.Of("C-TST-01", "values").outcome;
  };
  EXPECT_NE(outcome(-0.25), Outcome::kRejected);
  EXPECT_EQ(outcome(3), Outcome::kRejected);
  EXPECT_EQ(outcome(0), Outcome::kRejected);
}

TEST(Words, SayExactly) {
  Scene scene(OpId::kMax, DType::kF32, {3});
  EXPECT_EQ(BoundOf(scene, "0"), 0);
  EXPECT_EQ(BoundOf(scene, "0 * one"), 0);
  EXPECT_NE(Complaints(ContractOf("max", "1")), "");
}

TEST(Words, GiveNumericAttributesOfTheOperator) {
  Scene variance(OpId::kVariance, DType::kF32, {3});
  variance.value.attributes[kVarianceCorrection].real = 1;
  EXPECT_EQ(BoundOf(variance, "gamma(correction, 0.5) * one"), 1);
  // f32(1e-5) is what a kernel of 16-bit operands receives.
  Scene norm(OpId::kRmsNorm, DType::kF16, {1, 3});
  norm.value.attributes[kNormEpsilon].real = 1e-5;
  EXPECT_EQ(BoundOf(norm, "epsilon * one"), static_cast<double>(1e-5f));
  Scene attention(OpId::kAttention, DType::kF32, {1, 1, 1, 1});
  attention.value.attributes[kAttentionScale].real = 0.125;
  EXPECT_EQ(BoundOf(attention, "scale * one"), 0.125);
}

TEST(Words, RefuseAnAttributeThatSomeOperatorOfTheRuleLacks) {
  EXPECT_EQ(Complaints(ContractOf("variance, nrm2", "correction * one")),
            "nrm2 has no attribute 'correction'\n");
  EXPECT_EQ(Complaints(ContractOf("variance, nrm2",
                                  "for variance: correction * one from \"t\"\n"
                                  "            for nrm2: one")),
            "");
}

TEST(Words, ChooseByTheTypeOfInputOutputOrAccumulator) {
  const std::string by_input = "by input { f16: 2, bf16: 3, else: 1 } * one";
  Scene half(OpId::kSum, DType::kBf16, {3}), single(OpId::kSum, DType::kF32, {3});
  EXPECT_EQ(BoundOf(half, by_input), 3);
  EXPECT_EQ(BoundOf(single, by_input), 1);
  Scene narrow(OpId::kSum, DType::kF32, {3});
  narrow.declared.accumulator = Accumulator{Format::kTf32, false, 0, 0};
  EXPECT_EQ(BoundOf(narrow, "by accumulator { tf32: 4, else: 1 } * one"), 4);
  Scene wide(OpId::kSum, DType::kF16, {3}, DType::kF32);
  EXPECT_EQ(BoundOf(wide, "by output { f16: 5, else: 6 } * one"), 6);
}

TEST(Words, LeaveOutWhatOnlyAnotherTypeWouldNeed) {
  Scene scene(OpId::kSum, DType::kF32, {3});
  EXPECT_EQ(BoundOf(scene, "by input { f16: ulp_limit, else: 1 } * one"), 1);
  EXPECT_TRUE(std::isnan(BoundOf(scene, "by input { f16: 1, else: ulp_limit } * one")));
}

TEST(Words, AskForDeclaredCapabilities) {
  Scene scene(OpId::kSum, DType::kF32, {3});
  const auto outcome = [&](const std::string& gate) {
    scene.suite = SuiteOf(ContractOf("sum", "one", gate));
    return scene.Of("C-TST-01", "values").outcome;
  };
  EXPECT_NE(outcome("has subnormals"), Outcome::kRejected);
  scene.declared.subnormals = SubnormalPolicy::kFlushOut;
  EXPECT_EQ(outcome("has subnormals"), Outcome::kRejected);
  EXPECT_EQ(outcome("has thread_invariance"), Outcome::kRejected);
  scene.declared.invariance = kThreadInvariant;
  EXPECT_NE(outcome("has thread_invariance"), Outcome::kRejected);
  EXPECT_EQ(outcome("has batch_invariance"), Outcome::kRejected);
  EXPECT_EQ(outcome("has full_range"), Outcome::kRejected);
  scene.declared.full_range = true;
  EXPECT_NE(outcome("has full_range and not has block_accumulator"), Outcome::kRejected);
}

TEST(Words, CompareDeclaredPolicies) {
  Scene scene(OpId::kSum, DType::kF32, {3});
  const auto outcome = [&] {
    scene.suite = SuiteOf(ContractOf("sum", "one", "determinism in {BITWISE, BOUNDED}"));
    return scene.Of("C-TST-01", "values").outcome;
  };
  EXPECT_EQ(outcome(), Outcome::kUnderSpecified);
  scene.declared.determinism = Determinism::kNone;
  EXPECT_EQ(outcome(), Outcome::kRejected);
  scene.declared.determinism = Determinism::kBounded;
  EXPECT_NE(outcome(), Outcome::kRejected);
}

TEST(Clauses, AreNotAppliedUnderARelaxationThatTheProfileDeclares) {
  std::string text = ContractOf("sum", "one");
  text.replace(text.find("values:"), 7, "values unless relaxed lazy_sums:");
  text += "profile lax\n  relaxation sum -> lazy_sums lets \"anything\" from \"t\"\n";
  Scene scene(OpId::kSum, DType::kF32, {3});
  scene.suite = SuiteOf(text);
  EXPECT_EQ(scene.Bound()->clauses.size(), 1u);
  const Result<Declared> declared = DeclaredBy(*scene.suite, "lax", OpId::kSum, DType::kF32);
  ASSERT_TRUE(declared.ok());
  EXPECT_EQ(declared.value().relaxations, std::vector<std::string>{"lazy_sums"});
  scene.declared = declared.value();
  EXPECT_EQ(scene.Bound()->clauses.size(), 0u);
}

TEST(Profiles, DeclareSeveralInvariancesAtOnce) {
  const auto suite = SuiteOf("profile p\n  invariance batch, threads from \"t\"\n");
  const Result<Declared> declared = DeclaredBy(*suite, "p", OpId::kSum, DType::kF32);
  ASSERT_TRUE(declared.ok());
  EXPECT_EQ(declared.value().invariance, kBatchInvariant | kThreadInvariant);
}

TEST(Measures, AreDataForWhoeverMeasures) {
  std::string text = ContractOf("gather, softmax, gelu, scaled_gradient", "one");
  const std::string measure =
      "measure sweep scale over 1, 256\n"
      "          sweep n over 0, 17\n"
      "          inject NAN, +INF, -INF, -0 into x, inputs at head, lanes, tail\n"
      "          enumerate form in {tanh, erf}\n"
      "          enumerate index in {-1, extent, -extent - 1, extent + 10}\n"
      "          repeat 100 runs\n         ";
  text.replace(text.find("measure"), 7, measure);
  const auto suite = SuiteOf(text);
  const Measurement measurement = ContractsOf(*suite)[0].measurement;
  ASSERT_EQ(measurement.sweeps.size(), 2u);
  EXPECT_EQ(measurement.sweeps[0].name, "scale");
  EXPECT_EQ(measurement.sweeps[0].values, (std::vector<double>{1, 256}));
  EXPECT_EQ(measurement.sweeps[1].values, (std::vector<double>{0, 17}));
  ASSERT_EQ(measurement.injections.size(), 1u);
  EXPECT_EQ(measurement.injections[0].values,
            (std::vector<Special>{Special::kNan, Special::kPlusInf, Special::kMinusInf,
                                  Special::kMinusZero}));
  EXPECT_EQ(measurement.injections[0].operands, (std::vector<std::string>{"x", "inputs"}));
  EXPECT_EQ(measurement.injections[0].places,
            (std::vector<InjectAt>{InjectAt::kHead, InjectAt::kLanes, InjectAt::kTail}));
  ASSERT_EQ(measurement.enumerations.size(), 2u);
  EXPECT_EQ(measurement.enumerations[0].labels, (std::vector<std::string>{"tanh", "erf"}));
  EXPECT_EQ(measurement.enumerations[1].indices,
            (std::vector<IndexValue>{{0, -1}, {1, 0}, {-1, -1}, {1, 10}}));
  EXPECT_EQ(measurement.repeats, 100);
}

}  // namespace
}  // namespace assay
