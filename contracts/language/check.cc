// SPDX-License-Identifier: Apache-2.0
//
// The rules of a contract as a whole.
#include "contracts/language/check.h"

#include <algorithm>
#include <vector>

#include "contracts/language/cursor.h"
#include "contracts/language/names.h"

namespace assay {
namespace {

class ContractChecker {
 public:
  ContractChecker(ContractAst& contract, DiagnosticSink& sink) : contract_(contract), sink_(sink) {}

  void Run() {
    Names(contract_.operators, "operator", OperatorNames());
    if (!IsAny(contract_.inputs)) Names(contract_.inputs, "type", TypeNames());
    Names({contract_.reference}, "kind of reference", ReferenceNames());
    Names(contract_.force, "defect model", DefectModelNames());
    for (PreconditionAst& precondition : contract_.preconditions) {
      Selected(precondition.selector, /*clauses_too=*/true);
      CheckExpression(contract_, precondition.condition, Place::kCondition, precondition.selector,
                      sink_);
    }
    for (ToleranceAst& rule : contract_.tolerances) {
      Selected(rule.selector, /*clauses_too=*/false);
      CheckExpression(contract_, rule.bound, Place::kTolerance, rule.selector, sink_);
    }
    for (ClauseAst& clause : contract_.clauses) Clause(clause);
    CheckMeasurement(contract_, sink_);
  }

 private:
  static bool IsAny(const std::vector<Word>& words) {
    return words.size() == 1 && words[0].text == "any";
  }

  void Names(const std::vector<Word>& words, const char* kind,
             std::span<const std::string_view> known) {
    for (const Word& word : words) {
      if (word.text.empty() || Contains(known, word.text)) continue;
      sink_.Report(word.at, std::string("unknown ") + kind + " '" + word.text + "'",
                   JoinNames(known), NearestName(word.text, known));
    }
  }

  // Names after "for": operators of the scope, or clauses where those can be meant.
  void Selected(const Selector& selector, bool clauses_too) {
    std::vector<std::string_view> known;
    for (const Word& op : contract_.operators) known.push_back(op.text);
    if (clauses_too) {
      for (const ClauseAst& clause : contract_.clauses) known.push_back(clause.name.text);
    }
    for (const Word& word : selector.names) {
      if (Contains(known, word.text)) continue;
      if (Contains(OperatorNames(), word.text)) {
        sink_.Report(word.at, "'" + word.text + "' is not in the scope of " + contract_.id.text,
                     JoinNames(known));
      } else {
        sink_.Report(word.at, "unknown operator '" + word.text + "'", JoinNames(known),
                     NearestName(word.text, known));
      }
    }
    CheckExpression(contract_, selector.when, Place::kCondition, selector, sink_);
  }

  void Clause(const ClauseAst& clause) {
    Selected(clause.selector, /*clauses_too=*/false);
    for (const ClauseAst& other : contract_.clauses) {
      if (&other == &clause) break;
      if (other.name.text == clause.name.text) {
        sink_.Report(clause.name.at, "a second clause '" + clause.name.text + "'",
                     "a name of its own");
      }
    }
    if (clause.relations.empty()) {
      sink_.Report(
          clause.name.at,
          "clause '" + clause.name.text + "' has neither an epsilon nor a policy nor a level",
          "a relation, such as 'out in image(output, truth, tolerance)'");
      return;
    }
    if (NeedsTolerance(clause)) EveryOperatorHasTolerance(clause);
  }

  static bool NeedsTolerance(const ClauseAst& clause) {
    return std::any_of(clause.relations.begin(), clause.relations.end(), [](Relation relation) {
      return relation == Relation::kImage || relation == Relation::kNonZero ||
             relation == Relation::kRuns || relation == Relation::kSchedules ||
             relation == Relation::kScales || relation == Relation::kSubnormals;
    });
  }

  void EveryOperatorHasTolerance(const ClauseAst& clause) {
    if (!contract_.has_tolerance || !contract_.tolerance_as.empty()) return;
    for (const Word& op : contract_.operators) {
      if (!Contains(OperatorNames(), op.text) || !Selects(clause.selector, op.text)) continue;
      const bool has =
          std::any_of(contract_.tolerances.begin(), contract_.tolerances.end(),
                      [&](const ToleranceAst& rule) { return Selects(rule.selector, op.text); });
      if (has) continue;
      sink_.Report(clause.name.at,
                   "clause '" + clause.name.text +
                       "' has neither an epsilon nor a policy nor a level for " + op.text,
                   "a rule 'for " + op.text + ": ...' in the tolerance");
    }
  }

  ContractAst& contract_;
  DiagnosticSink& sink_;
};

}  // namespace

bool Selects(const Selector& selector, std::string_view op) {
  if (selector.names.empty()) return true;
  return std::any_of(selector.names.begin(), selector.names.end(),
                     [&](const Word& word) { return word.text == op; });
}

bool Concerns(const ContractAst& contract, const Selector& selector, std::string_view op,
              std::string_view clause) {
  bool any_clause = false, any_op = false;
  for (const Word& word : selector.names) {
    const bool is_clause =
        std::any_of(contract.clauses.begin(), contract.clauses.end(),
                    [&](const ClauseAst& each) { return each.name.text == word.text; });
    any_clause |= is_clause;
    any_op |= !is_clause;
  }
  return (!any_op || Selects(selector, op)) && (!any_clause || Selects(selector, clause));
}

void CheckContract(ContractAst& contract, DiagnosticSink& sink) {
  ContractChecker(contract, sink).Run();
}

}  // namespace assay
