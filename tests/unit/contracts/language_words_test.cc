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

}  // namespace
}  // namespace assay
