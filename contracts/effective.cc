// SPDX-License-Identifier: Apache-2.0
#include "contracts/effective.h"

#include <algorithm>
#include <utility>

#include "contracts/language/check.h"
#include "contracts/language/cursor.h"
#include "contracts/language/names.h"
#include "contracts/suite.h"

namespace assay {
namespace {

static_assert(kDeclarationKeyCount <= 32);
constexpr uint32_t Bit(DeclarationKey key) { return 1u << static_cast<int>(key); }

uint32_t KeysOfSymbol(const NameInfo& info) {
  switch (info.symbol) {
    case Symbol::kKappa:
      return Bit(DeclarationKey::kKappa);
    case Symbol::kTiles:
      return Bit(DeclarationKey::kTiles);
    case Symbol::kUlpLimit:
      return Bit(DeclarationKey::kUlpLimit);
    case Symbol::kUlpLimitExp:
      return Bit(DeclarationKey::kUlpLimitExp);
    case Symbol::kUlpLimitLog:
      return Bit(DeclarationKey::kUlpLimitLog);
    case Symbol::kUlpLimitRsqrt:
      return Bit(DeclarationKey::kUlpLimitRsqrt);
    case Symbol::kErrorFloor:
      return Bit(DeclarationKey::kErrorFloor);
    case Symbol::kOmega:
    case Symbol::kFlushed:
      return Bit(DeclarationKey::kSubnormals) | Bit(DeclarationKey::kAccumulator);
    case Symbol::kLastRounding:
    case Symbol::kAccumulator:
      return Bit(DeclarationKey::kAccumulator);
    case Symbol::kProbabilities:
      return Bit(DeclarationKey::kProbabilities) | Bit(DeclarationKey::kAccumulator);
    case Symbol::kLevel:
      return Bit(DeclarationKey::kLevel);
    case Symbol::kSubnormals:
      return Bit(DeclarationKey::kSubnormals);
    case Symbol::kNan:
      return Bit(DeclarationKey::kNan);
    case Symbol::kPolicy:
      return Bit(info.key);
    default:
      return 0;
  }
}

uint32_t KeysOfCall(std::string_view name) {
  const FunctionInfo* info = FindFunction(name);
  if (info == nullptr) return 0;
  if (info->symbol == Symbol::kRounds || info->symbol == Symbol::kUlp) {
    return Bit(DeclarationKey::kAccumulator);
  }
  if (info->symbol == Symbol::kUnderflow) {
    return Bit(DeclarationKey::kAccumulator) | Bit(DeclarationKey::kSubnormals);
  }
  if (info->symbol == Symbol::kUndeclaredArgument) return Bit(DeclarationKey::kArgumentLimit);
  return info->symbol == Symbol::kFlushedInput ? Bit(DeclarationKey::kSubnormals) : 0;
}

uint32_t KeyOfCapability(std::string_view name) {
  if (name == "subnormals") return Bit(DeclarationKey::kSubnormals);
  if (name == "full_range") return Bit(DeclarationKey::kRange);
  if (name == "block_accumulator") return Bit(DeclarationKey::kAccumulator);
  if (name == "saturating_pairs") return Bit(DeclarationKey::kIntegerOverflow);
  return Bit(DeclarationKey::kInvariance);
}

uint32_t KeysOfExpression(const ContractAst& contract, int node) {
  if (node < 0) return 0;
  const Expr& expr = contract.pool[node];
  uint32_t keys = 0;
  if (expr.op == ExprOp::kHas) keys |= KeyOfCapability(expr.text);
  if (expr.op == ExprOp::kCall) keys |= KeysOfCall(expr.text);
  if (expr.op == ExprOp::kName) {
    if (const NameInfo* info = FindName(expr.text)) keys |= KeysOfSymbol(*info);
  }
  for (const int arg : expr.args) keys |= KeysOfExpression(contract, arg);
  return keys;
}

// What a relation reads of a profile by its meaning, for operators that the key can matter to.
uint32_t KeysOfRelation(Relation relation, Family family) {
  switch (relation) {
    case Relation::kImage:
      return (family == Family::kIntGemm ? Bit(DeclarationKey::kIntegerOverflow) : 0) |
             (family == Family::kCast ? Bit(DeclarationKey::kCastOutside) : 0) |
             (family == Family::kQuantize ? Bit(DeclarationKey::kRounding) : 0) |
             (family == Family::kNorm || family == Family::kBinary ? Bit(DeclarationKey::kRange)
                                                                   : 0);
    case Relation::kClass:
      return (family == Family::kAttention || family == Family::kSoftmax
                  ? Bit(DeclarationKey::kMaskedRow)
                  : 0) |
             (family == Family::kCast ? Bit(DeclarationKey::kCastOutside) : 0);
    case Relation::kIndexPolicy:
      return Bit(DeclarationKey::kOutOfBounds);
    case Relation::kDivisionPolicy:
      return Bit(DeclarationKey::kDivisionByZero) | Bit(DeclarationKey::kDivisionOverflow);
    case Relation::kNanPolicy:
      return Bit(DeclarationKey::kNan);
    case Relation::kGuards:
      return Bit(DeclarationKey::kOverread);
    case Relation::kChoice:
      return Bit(DeclarationKey::kNanPlace);
    case Relation::kRuns:
      return Bit(DeclarationKey::kDeterminism);
    case Relation::kSameInBatch:
    case Relation::kSameOnThreads:
    case Relation::kSameWhenMoved:
    case Relation::kSameOnRanks:
    case Relation::kSameOnSchedules:
      return Bit(DeclarationKey::kInvariance);
    case Relation::kSubnormals:
      return Bit(DeclarationKey::kSubnormals);
    default:
      return 0;
  }
}

bool NeedsTolerance(const ClauseAst& clause) {
  return std::any_of(clause.relations.begin(), clause.relations.end(), [](Relation relation) {
    return relation == Relation::kImage || relation == Relation::kNonZero ||
           relation == Relation::kClass || relation == Relation::kSchedules ||
           relation == Relation::kRuns || relation == Relation::kScales ||
           relation == Relation::kSubnormals;
  });
}

uint32_t KeysOfRules(const ContractAst& contract, std::string_view op) {
  uint32_t keys = 0;
  for (const ToleranceAst& rule : contract.tolerances) {
    if (!Selects(rule.selector, op)) continue;
    keys |= KeysOfExpression(contract, rule.selector.when);
    keys |= KeysOfExpression(contract, rule.bound);
  }
  return keys;
}

// What holds where nothing is declared.
std::string_view Undeclared(DeclarationKey key) {
  switch (key) {
    case DeclarationKey::kKappa:
      return "3 is taken";
    case DeclarationKey::kTiles:
      return "as many as the row has elements";
    case DeclarationKey::kSubnormals:
      return "both ways are tried, and what only one allows is left open";
    case DeclarationKey::kLevel:
      return "the strict one, tail";
    case DeclarationKey::kOverread:
      return "0 bytes";
    case DeclarationKey::kInvariance:
    case DeclarationKey::kRange:
      return "nothing is promised";
    case DeclarationKey::kProbabilities:
      return "as the accumulator";
    case DeclarationKey::kNanPlace:
      return "every convention is right";
    case DeclarationKey::kErrorFloor:
      return "none is allowed";
    case DeclarationKey::kArgumentLimit:
      return "every argument counts";
    default:
      return "under_specified";
  }
}

class Lister {
 public:
  Lister(const Suite& suite, std::string_view profile, std::string_view assume)
      : suite_(suite), profile_(profile), assume_(assume) {}

  Result<std::vector<EffectiveClause>> Run() && {
    for (const ContractAst& contract : suite_.contracts) {
      for (const ClauseAst& clause : contract.clauses) {
        for (const Word& word : contract.operators) {
          const std::optional<OpId> op = ParseOp(word.text);
          if (!op || !Selects(clause.selector, word.text)) continue;
          const Status status = AddOperator(contract, clause, *op);
          if (!status.ok()) return status.error();
        }
      }
    }
    return std::move(clauses_);
  }

 private:
  Status AddOperator(const ContractAst& contract, const ClauseAst& clause, OpId op) {
    const uint32_t keys = KeysRead(suite_, contract, clause, DefOf(op).name);
    for (const DType type : InputTypesOf(op)) {
      const std::string_view name = NameOf(type);
      const bool in_scope =
          std::any_of(contract.inputs.begin(), contract.inputs.end(),
                      [&](const Word& word) { return word.text == "any" || word.text == name; });
      if (!in_scope) continue;
      Result<std::vector<DeclarationInfo>> declared =
          DeclarationsOf(suite_, profile_, op, type, assume_);
      if (!declared.ok()) return std::move(declared).error();
      EffectiveClause each;
      each.contract = contract.id.text;
      each.clause = clause.name.text;
      each.op = DefOf(op).name;
      each.type = name;
      for (const Relation relation : clause.relations) each.relations.push_back(TextOf(relation));
      Relax(clause, declared.value(), each);
      AddPolicies(keys, declared.value(), each);
      clauses_.push_back(std::move(each));
    }
    return {};
  }

  static void Relax(const ClauseAst& clause, const std::vector<DeclarationInfo>& declared,
                    EffectiveClause& each) {
    for (const DeclarationInfo& info : declared) {
      const bool lifts = info.key == NameOf(DeclarationKey::kRelaxation) &&
                         std::any_of(clause.unless.begin(), clause.unless.end(),
                                     [&](const Word& word) { return word.text == info.value; });
      if (!lifts) continue;
      each.relaxed_by = info.value;
      each.lets = info.lets;
      each.relaxed_source = info.source;
    }
  }

  static void AddPolicies(uint32_t keys, const std::vector<DeclarationInfo>& declared,
                          EffectiveClause& each) {
    for (int i = 0; i < kDeclarationKeyCount; ++i) {
      if ((keys >> i & 1) == 0) continue;
      const auto key = static_cast<DeclarationKey>(i);
      const size_t before = each.policies.size();
      for (const DeclarationInfo& info : declared) {
        if (info.key == NameOf(key)) {
          each.policies.push_back({info.key, info.value, info.profile, info.source});
        }
      }
      if (each.policies.size() > before) continue;
      each.policies.push_back({std::string(NameOf(key)), std::string(Undeclared(key)), "", ""});
    }
  }

  const Suite& suite_;
  std::string_view profile_, assume_;
  std::vector<EffectiveClause> clauses_;
};

}  // namespace

uint32_t KeysRead(const Suite& suite, const ContractAst& contract, const ClauseAst& clause,
                  std::string_view op) {
  uint32_t keys = KeysOfExpression(contract, clause.selector.when);
  const std::optional<OpId> id = ParseOp(op);
  for (const Relation relation : clause.relations) {
    if (id) keys |= KeysOfRelation(relation, DefOf(*id).family);
  }
  for (const PreconditionAst& precondition : contract.preconditions) {
    if (!Concerns(contract, precondition.selector, op, clause.name.text)) continue;
    keys |= KeysOfExpression(contract, precondition.condition);
  }
  if (!NeedsTolerance(clause)) return keys;
  keys |= KeysOfRules(contract, op);
  for (const Word& other : contract.tolerance_as) {
    const ContractAst* as = suite.FindContract(other.text);
    if (as != nullptr) keys |= KeysOfRules(*as, op);
  }
  return keys;
}

Result<std::vector<EffectiveClause>> EffectiveContract(const Suite& suite, std::string_view profile,
                                                       std::string_view assume) {
  return Lister(suite, profile, assume).Run();
}

}  // namespace assay
