// SPDX-License-Identifier: Apache-2.0
//
// Warnings, and the effective contract of a profile, on small files whose answers follow from their
// text.
#include "contracts/effective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "contracts/suite.h"

namespace assay {
namespace {

constexpr char kContract[] =
    "contract C-TST-01 \"t\"\n"
    "  primitive domain_violation\n"
    "  scope operators sum, gelu\n"
    "        inputs f32, f16\n"
    "  precondition finite(inputs)\n"
    "  postcondition values unless relaxed lazy: out in image(output, truth, tolerance)\n"
    "                guards for sum: untouched(guards)\n"
    "  tolerance for gelu when level = tail: ulp_limit * ulp(truth) from \"t\"\n"
    "            for sum, gelu: u(accumulator) * abs_sum from \"t\"\n"
    "  reference exact\n"
    "  measure pass ratio <= 1\n"
    "  violation off when ratio > 1\n";
constexpr char kProfile[] =
    "profile p\n"
    "  accumulator f32 -> f32 rz block=4 guard=1 from \"a\"\n"
    "  overread sum -> 16 bytes from \"b\"\n"
    "profile q\n"
    "  inherits p\n"
    "  relaxation gelu -> lazy lets \"anything at all\" from \"c\"\n"
    "  ulp_limit gelu -> 2 from \"d\"\n";

std::vector<std::string> WarningsOf(const std::string& text, bool errors_too = false) {
  const SourceText source{"t.kc", text};
  std::vector<Diagnostic> diagnostics;
  AssembleSuite(std::span(&source, 1), nullptr, diagnostics, /*warn=*/true);
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : diagnostics) {
    EXPECT_TRUE(diagnostic.warning || errors_too) << diagnostic.Text();
    messages.push_back(diagnostic.message);
  }
  return messages;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

using Messages = std::vector<std::string>;

TEST(Warnings, AreNoneWhereEveryNameIsRead) {
  EXPECT_EQ(WarningsOf(std::string(kContract) + kProfile), Messages{});
}

TEST(Warnings, TellOfADeclarationThatNoClauseReads) {
  EXPECT_EQ(WarningsOf(std::string(kContract) + kProfile + "  kappa gelu -> 1 from \"e\"\n"),
            Messages{"no contract reads 'kappa' of these operators"});
  // sum's rule has no limit in it.
  EXPECT_EQ(WarningsOf(std::string(kContract) + kProfile + "  ulp_limit sum -> 1 from \"e\"\n"),
            Messages{"no contract reads 'ulp_limit' of these operators"});
}

TEST(Warnings, TellOfRelaxationsThatNobodyDeclaresOrAsksFor) {
  EXPECT_EQ(WarningsOf(kContract), Messages{"no profile declares the relaxation 'lazy'"});
  const std::string other = Replaced(kProfile, "lazy lets", "lazier lets");
  EXPECT_EQ(
      WarningsOf(std::string(kContract) + other),
      (Messages{"no profile declares the relaxation 'lazy'", "no clause is relaxed by 'lazier'"}));
}

TEST(Warnings, TellOfARuleThatIsNeverTaken) {
  const std::string text = Replaced(kContract, "  reference",
                                    "            for sum: 2 * abs_sum from \"t\"\n  reference");
  EXPECT_EQ(WarningsOf(text + kProfile),
            Messages{"this rule is never taken: others before it always apply"});
}

TEST(Warnings, TellOfToleranceAndForceThatNothingNeeds) {
  std::string text = Replaced(kContract, "out in image(output, truth, tolerance)", "written(out)");
  text = Replaced(text, "off when ratio > 1", "off when not written(out)");
  text = Replaced(text, "pass ratio", "force against zero; pass ratio");
  const std::string profile = "profile q\n  relaxation lazy lets \"x\" from \"c\"\n";
  EXPECT_EQ(WarningsOf(text + profile),
            (Messages{"no clause of C-TST-01 needs a tolerance",
                      "no clause of C-TST-01 needs a tolerance",
                      "no clause is judged by values, so nothing needs force"}));
}

TEST(Warnings, TellOfASignatureThatNoClauseCanShow) {
  const std::string text = Replaced(kContract, "when ratio > 1", "when not written(out)");
  EXPECT_EQ(WarningsOf(text + kProfile), Messages{"no clause can be violated like this"});
}

TEST(Warnings, TellOfAPrimitiveThatIsPerhapsMisspelt) {
  const std::string text = Replaced(kContract, "domain_violation", "domain_violetion");
  EXPECT_EQ(WarningsOf(text + kProfile),
            Messages{"'domain_violetion' is none of the primitives that reports know"});
}

TEST(Warnings, WaitUntilThereAreNoErrors) {
  const std::string text = Replaced(kContract, "abs_sum", "abs_sun");
  EXPECT_EQ(WarningsOf(text, true), Messages{"unknown name 'abs_sun'"});
}

std::vector<EffectiveClause> EffectiveOf(const std::string& profile) {
  const SourceText source{"t.kc", std::string(kContract) + kProfile};
  std::vector<Diagnostic> diagnostics;
  const Suite suite = AssembleSuite(std::span(&source, 1), nullptr, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  Result<std::vector<EffectiveClause>> clauses = EffectiveContract(suite, profile, "");
  EXPECT_TRUE(clauses.ok());
  return clauses.ok() ? std::move(clauses).value() : std::vector<EffectiveClause>();
}

EffectiveClause Find(const std::vector<EffectiveClause>& clauses, const std::string& clause,
                     const std::string& op, const std::string& type) {
  for (const EffectiveClause& each : clauses) {
    if (each.clause == clause && each.op == op && each.type == type) return each;
  }
  ADD_FAILURE() << clause << " " << op << " " << type;
  return {};
}

TEST(EffectiveContract, HoldsEveryClauseForEveryOperatorAndTypeOfItsScope) {
  const std::vector<EffectiveClause> clauses = EffectiveOf("q");
  EXPECT_EQ(clauses.size(), 6u);  // values: two operators of two types; guards: sum of two types
  EXPECT_EQ(Find(clauses, "guards", "sum", "f32").relations, Messages{"untouched(guards)"});
}

TEST(EffectiveContract, NamesWhereEachPolicyIsPromised) {
  const EffectiveClause values = Find(EffectiveOf("q"), "values", "sum", "f32");
  EXPECT_TRUE(values.applies());
  EXPECT_EQ(values.policies,
            (std::vector<EffectivePolicy>{{"accumulator", "f32 rz block=4 guard=1", "p", "a"}}));
  EXPECT_EQ(Find(EffectiveOf("q"), "guards", "sum", "f16").policies,
            (std::vector<EffectivePolicy>{{"overread", "16 bytes", "p", "b"}}));
}

TEST(EffectiveContract, MarksWhatIsNotDeclared) {
  const EffectiveClause values = Find(EffectiveOf("q"), "values", "gelu", "f16");
  EXPECT_EQ(values.policies,
            (std::vector<EffectivePolicy>{{"accumulator", "under_specified", "", ""},
                                          {"ulp_limit", "2", "q", "d"},
                                          {"level", "the strict one, tail", "", ""}}));
}

TEST(EffectiveContract, ListsARelaxationWithWhatItLetsThrough) {
  const EffectiveClause values = Find(EffectiveOf("q"), "values", "gelu", "f32");
  EXPECT_FALSE(values.applies());
  EXPECT_EQ(values.relaxed_by, "lazy");
  EXPECT_EQ(values.lets, "anything at all");
  EXPECT_EQ(values.relaxed_source, "c");
  EXPECT_TRUE(Find(EffectiveOf("p"), "values", "gelu", "f32").applies());
}

}  // namespace
}  // namespace assay
