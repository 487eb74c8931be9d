// SPDX-License-Identifier: Apache-2.0
//
// The formatter: its layout on small texts, and on the whole suite and on damaged copies of it that
// the meaning stays and a second time changes nothing.
#include "contracts/language/format.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <string_view>
#include <vector>

#include "contracts/language/cursor.h"
#include "contracts/suite.h"

namespace assay {
namespace {

// Everything a tree says, without the places where it says it.
class Dump {
 public:
  explicit Dump(const SourceFile& file) {
    for (const ContractAst& contract : file.contracts) Contract(contract);
    for (const ProfileAst& profile : file.profiles) Profile(profile);
  }
  std::string text;

 private:
  void Put(const std::string& word) { text += word + "\x1f"; }
  void Put(double number) { Put(std::to_string(number)); }
  void Words(const std::vector<Word>& words) {
    for (const Word& word : words) Put(word.text);
    Put("/");
  }

  void Expression(const ContractAst& contract, int node) {
    if (node < 0) return Put("-");
    const Expr& expr = contract.pool[node];
    Put(static_cast<double>(expr.op));
    Put(expr.text);
    Put(expr.number);
    for (const int arg : expr.args) Expression(contract, arg);
    Put(".");
  }

  void Chosen(const ContractAst& contract, const Selector& selector) {
    Words(selector.names);
    Expression(contract, selector.when);
  }

  void Contract(const ContractAst& contract) {
    Put(contract.id.text + contract.title + contract.primitive.text + contract.reference.text);
    for (const auto* words :
         {&contract.operators, &contract.inputs, &contract.tolerance_as, &contract.probes,
          &contract.force, &contract.sweep_names, &contract.enumerate_names}) {
      Words(*words);
    }
    for (const PreconditionAst& each : contract.preconditions) {
      Chosen(contract, each.selector);
      Expression(contract, each.condition);
    }
    for (const ClauseAst& each : contract.clauses) {
      Put(each.name.text);
      Chosen(contract, each.selector);
      Words(each.unless);
      for (const Relation relation : each.relations) Put(static_cast<double>(relation));
    }
    for (const ToleranceAst& each : contract.tolerances) {
      Chosen(contract, each.selector);
      Expression(contract, each.bound);
      Put(each.source);
    }
    Measure(contract);
    for (const ViolationAst& each : contract.violations) {
      Put(each.name.text);
      Put(each.by_ratio ? -1.0 : static_cast<double>(each.relation));
    }
  }

  void Measure(const ContractAst& contract) {
    const Measurement& measurement = contract.measurement;
    Put(static_cast<double>(measurement.repeats));
    for (const Sweep& sweep : measurement.sweeps) {
      for (const double value : sweep.values) Put(value);
    }
    for (const Injection& injection : measurement.injections) {
      for (const Special special : injection.values) Put(static_cast<double>(special));
      for (const std::string& operand : injection.operands) Put(operand);
      for (const InjectAt place : injection.places) Put(static_cast<double>(place));
    }
    for (const Enumeration& enumeration : measurement.enumerations) {
      for (const std::string& label : enumeration.labels) Put(label);
      for (const IndexValue& index : enumeration.indices) {
        Put(index.extents);
        Put(static_cast<double>(index.offset));
      }
    }
  }

  void Profile(const ProfileAst& profile) {
    Put(profile.name.text);
    for (const DeclarationAst& each : profile.declarations) {
      Put(static_cast<double>(each.key));
      Words(each.selectors);
      Put(each.label.text);
      Put(each.number);
      Put(each.truncates * 1e6 + each.block * 1e3 + each.guard);
      Put(each.lets + each.source);
    }
  }
};

// The tree as text; nothing if the source does not parse.
std::string TreeOf(const std::string& text) {
  DiagnosticSink sink("t.kc", text);
  const SourceFile file = ParseSource("t.kc", text, sink);
  return sink.found().empty() ? Dump(file).text : "";
}

std::string Formatted(const std::string& text) {
  Result<std::string> formatted = FormatSource("t.kc", text);
  EXPECT_TRUE(formatted.ok()) << formatted.error().what;
  return formatted.ok() ? formatted.value() : "";
}

constexpr char kCanonical[] =
    "-- A licence.\n"
    "contract C-TST-01 \"t\"\n"
    "  primitive      domain_violation\n"
    "\n"
    "  scope          operators sum, gelu\n"
    "                 inputs    any\n"
    "\n"
    "  precondition   finite(inputs)  -- said of all\n"
    "                 not (max_abs_a > 2 ^ -3) and |alpha| <= 1\n"
    "                 for sum: max_abs_sum, max_abs_a\n"
    "                   <= max_finite(accumulator) / 2\n"
    "\n"
    "  postcondition  values: each element: out in image(output, truth, tolerance)\n"
    "\n"
    "  -- The first.\n"
    "  tolerance      for gelu:\n"
    "                   by input {f16: 2, else: 1} * (abs_sum\n"
    "                     + abs_sum)\n"
    "                   from \"t\"\n"
    "                 abs_sum - -(2 * abs_sum) from \"t\"\n"
    "  reference      exact\n"
    "  measure        inject NAN, -0, +INF into x at head; enumerate form in {erf}\n"
    "                 pass ratio <= 1\n"
    "  violation      off        when ratio > 1\n"
    "                 off_for_it when ratio > 1\n"
    "\n"
    "profile p\n"
    "  accumulator    sum f16, bf16 -> f32 rz block=4 guard=1 from \"t\"\n"
    "  out_of_bounds  gather -> FILL(2) from \"t -- no comment\"\n";

TEST(Formatter, LeavesItsOwnLayoutAsItIs) { EXPECT_EQ(Formatted(kCanonical), kCanonical); }

TEST(Formatter, GivesAnyLayoutOfTheSameLinesTheSameForm) {
  std::string loose;
  bool fixed = false;  // in a comment or a string
  for (const char* c = kCanonical; *c != '\0'; ++c) {
    if (*c == '\n') fixed = false;
    if (*c == '"' || std::string_view(c).starts_with("-- ")) fixed = true;
    const bool inner = !fixed && c != kCanonical && c[-1] != '\n' && c[-1] != ' ';
    loose += *c == ' ' && inner ? "  \t" : std::string(1, *c);
    if (*c == '\n' && c[1] == '\n') loose += "\n   \n";
  }
  EXPECT_EQ(Formatted(loose + "\n\n"), kCanonical);
}

TEST(Formatter, KeepsMeaningAndEveryComment) {
  for (const auto& [path, text] : EmbeddedSources()) {
    const std::string before(text), after = Formatted(before);
    EXPECT_NE(TreeOf(before), "") << path;
    EXPECT_EQ(TreeOf(after), TreeOf(before)) << path << "\n" << after;
    EXPECT_EQ(Formatted(after), after) << path;
    const auto comments = [](const std::string& all) {
      size_t count = 0;
      for (size_t at = all.find("--"); at != all.npos; at = all.find("--", at + 2)) ++count;
      return count;
    };
    EXPECT_EQ(comments(after), comments(before)) << path;
  }
}

TEST(Formatter, RefusesWhatDoesNotParse) {
  const Result<std::string> formatted = FormatSource("t.kc", "contract C-TST-01\n");
  ASSERT_FALSE(formatted.ok());
  EXPECT_NE(formatted.error().what.find("t.kc:1:"), std::string::npos);
}

TEST(Formatter, KeepsTheMeaningOfDamagedFilesThatStillParse) {
  const auto sources = EmbeddedSources();
  rc::check("one change", [&] {
    const auto& [path, original] = sources[*rc::gen::inRange<size_t>(0, sources.size())];
    std::string text(original);
    const int edits = *rc::gen::inRange(1, 6);
    for (int i = 0; i < edits; ++i) {
      static constexpr const char* kPieces[] = {
          " ",    "\n                    ",     "  ", "\t", "-- x\n",
          "\n\n", " -- y\n                   ", "(",  "- "};
      const size_t at = *rc::gen::inRange<size_t>(0, text.size());
      const std::string damaged =
          std::string(text).insert(at, kPieces[*rc::gen::inRange<size_t>(0, std::size(kPieces))]);
      if (!TreeOf(damaged).empty()) text = damaged;
    }
    const Result<std::string> once = FormatSource("t.kc", text);
    RC_ASSERT(once.ok());
    RC_ASSERT(TreeOf(once.value()) == TreeOf(text));
    const Result<std::string> twice = FormatSource("t.kc", once.value());
    RC_ASSERT(twice.ok());
    RC_ASSERT(twice.value() == once.value());
  });
}

}  // namespace
}  // namespace assay
