// SPDX-License-Identifier: Apache-2.0
//
// A suite bound to an operator, its types and the declarations of one backend: clauses that speak
// of them, with every expression compiled.
#include <algorithm>
#include <utility>

#include "contracts/judge_values.h"
#include "contracts/language/check.h"
#include "contracts/suite.h"

namespace assay {
namespace {

bool Names(const std::vector<Word>& words, std::string_view name) {
  return std::any_of(words.begin(), words.end(),
                     [&](const Word& word) { return word.text == name || word.text == "any"; });
}

bool InScope(const ContractAst& contract, const Binding& binding) {
  return Names(contract.operators, DefOf(binding.op).name) &&
         Names(contract.inputs, NameOf(binding.input));
}

std::optional<Program> CompileWhen(const ContractAst& contract, int when, const Binding& binding) {
  if (when < 0) return std::nullopt;
  return Compile(contract, when, binding, SubnormalPolicy::kPreserve);
}

// `borrowed`: for a clause of another contract, whose own preconditions say nothing of this one's.
void BindRules(const ContractAst& contract, const Binding& binding, bool borrowed,
               std::vector<BoundRule>& rules) {
  for (const ToleranceAst& ast : contract.tolerances) {
    if (!Selects(ast.selector, DefOf(binding.op).name)) continue;
    BoundRule rule;
    for (const PreconditionAst& precondition : contract.preconditions) {
      if (!borrowed || !Concerns(contract, precondition.selector, DefOf(binding.op).name, "")) {
        continue;
      }
      rule.preconditions.push_back(
          Compile(contract, precondition.condition, binding, SubnormalPolicy::kPreserve));
    }
    rule.when = CompileWhen(contract, ast.selector.when, binding);
    rule.strict = Compile(contract, ast.bound, binding, SubnormalPolicy::kPreserve);
    if (binding.declared.subnormals != SubnormalPolicy::kFlushBoth) {
      // As if nothing were declared: what the widest policy would allow.
      Binding undeclared = binding;
      undeclared.declared.subnormals.reset();
      Program loose = Compile(contract, ast.bound, undeclared, SubnormalPolicy::kFlushBoth);
      if (loose.assumes_preserve) rule.loose = std::move(loose);
    }
    rules.push_back(std::move(rule));
  }
}

// A defect model is worth trying where it is narrower than what is declared: bf16 operands say
// nothing about bf16 inputs.
bool Narrower(DefectModel model, const Binding& binding) {
  const auto precision = [](Format format) { return InfoOf(format).precision; };
  const int input = IsFloat(binding.input) ? precision(FormatOf(binding.input)) : 0;
  const int accumulator =
      binding.declared.accumulator ? precision(binding.declared.accumulator->format) : 0;
  switch (model) {
    case DefectModel::kF16Accumulator:
      return precision(Format::kF16) < accumulator;
    case DefectModel::kBf16Accumulator:
      return precision(Format::kBf16) < accumulator;
    case DefectModel::kTf32Operands:
      return precision(Format::kTf32) < input;
    case DefectModel::kHf32Operands:
      return precision(Format::kHf32) < input;
    case DefectModel::kBf16Operands:
      return precision(Format::kBf16) < input;
    case DefectModel::kFlushed:
      return binding.declared.subnormals != SubnormalPolicy::kFlushBoth;
    default:
      return true;
  }
}

uint32_t ForceOf(const ContractAst& contract, const Binding& binding) {
  uint32_t mask = 0;
  for (int i = 0; i < kDefectModelCount; ++i) {
    const auto model = static_cast<DefectModel>(i);
    const bool named = std::any_of(contract.force.begin(), contract.force.end(),
                                   [&](const Word& word) { return word.text == NameOf(model); });
    if (named && Narrower(model, binding)) mask |= 1u << i;
  }
  return mask;
}

bool NeedsRules(const BoundClause& clause) {
  constexpr Relation kByTolerance[] = {Relation::kImage,  Relation::kClass,
                                       Relation::kRuns,   Relation::kSchedules,
                                       Relation::kScales, Relation::kSubnormals};
  return std::any_of(std::begin(kByTolerance), std::end(kByTolerance),
                     [&](Relation relation) { return clause.Has(relation); });
}

BoundClause BindClause(const Suite& suite, const ContractAst& contract, const ClauseAst& ast,
                       const Binding& binding) {
  const std::string_view op = DefOf(binding.op).name;
  BoundClause clause;
  clause.contract = contract.id.text;
  clause.name = ast.name.text;
  for (Relation relation : ast.relations) clause.relations |= 1u << static_cast<int>(relation);
  clause.when = CompileWhen(contract, ast.selector.when, binding);
  for (const PreconditionAst& precondition : contract.preconditions) {
    if (!Concerns(contract, precondition.selector, op, clause.name)) continue;
    clause.preconditions.push_back(
        Compile(contract, precondition.condition, binding, SubnormalPolicy::kPreserve));
  }
  clause.due = PromisedOf(clause.relations, binding);
  if (NeedsRules(clause)) {
    BindRules(contract, binding, /*borrowed=*/false, clause.rules);
    for (const Word& id : contract.tolerance_as) {
      const ContractAst* other = suite.FindContract(id.text);
      if (other != nullptr && InScope(*other, binding)) {
        // A table of classes only asks whether an infinity is a rounding of the truth.
        BindRules(*other, binding, /*borrowed=*/!clause.Has(Relation::kClass), clause.rules);
      }
    }
    clause.force = ForceOf(contract, binding);
  }
  return clause;
}

// Under a relaxation that the backend documents the clause promises nothing.
bool Relaxed(const ClauseAst& clause, const Declared& declared) {
  return std::any_of(clause.unless.begin(), clause.unless.end(), [&](const Word& word) {
    return std::find(declared.relaxations.begin(), declared.relaxations.end(), word.text) !=
           declared.relaxations.end();
  });
}

// Where several clauses complain alike, the one whose subject it is comes first: contracts with a
// tolerance of their own, then those that borrow one, then what compares calls.
int RankOf(const ContractAst& contract, const BoundClause& clause) {
  constexpr Relation kBetweenCalls[] = {Relation::kRuns,          Relation::kSchedules,
                                        Relation::kScales,        Relation::kSameInBatch,
                                        Relation::kSameOnThreads, Relation::kSameWhenMoved,
                                        Relation::kSameOnRanks,   Relation::kSameOnSchedules};
  const bool between = std::any_of(std::begin(kBetweenCalls), std::end(kBetweenCalls),
                                   [&](Relation relation) { return clause.Has(relation); });
  return between ? 2 : contract.tolerance_as.empty() ? 0 : 1;
}

void InOrderOf(const std::vector<int>& ranks, std::vector<BoundClause>& clauses) {
  std::vector<BoundClause> ordered;
  for (int rank = 0; rank <= 2; ++rank) {
    for (size_t i = 0; i < clauses.size(); ++i) {
      if (ranks[i] == rank) ordered.push_back(std::move(clauses[i]));
    }
  }
  clauses = std::move(ordered);
}

}  // namespace

std::shared_ptr<const BoundContracts> Bind(std::shared_ptr<const Suite> suite, OpId op, DType input,
                                           DType output, const Declared& declared) {
  auto bound = std::make_shared<BoundContracts>();
  bound->binding = {op, input, output, declared};
  std::vector<int> ranks;
  for (const ContractAst& contract : suite->contracts) {
    if (!InScope(contract, bound->binding)) continue;
    for (const ClauseAst& clause : contract.clauses) {
      if (!Selects(clause.selector, DefOf(op).name) || Relaxed(clause, declared)) continue;
      bound->clauses.push_back(BindClause(*suite, contract, clause, bound->binding));
      ranks.push_back(RankOf(contract, bound->clauses.back()));
    }
  }
  InOrderOf(ranks, bound->clauses);
  bound->suite = std::move(suite);
  return bound;
}

}  // namespace assay
