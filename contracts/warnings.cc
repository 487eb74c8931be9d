// SPDX-License-Identifier: Apache-2.0
#include "contracts/warnings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "contracts/language/check.h"
#include "contracts/language/cursor.h"
#include "contracts/language/names.h"

namespace assay {
namespace {

bool Has(const ContractAst& contract, std::initializer_list<Relation> relations) {
  for (const ClauseAst& clause : contract.clauses) {
    for (const Relation relation : clause.relations) {
      if (std::find(relations.begin(), relations.end(), relation) != relations.end()) return true;
    }
  }
  return false;
}

class Warner {
 public:
  Warner(const Suite& suite, const Suite* beside, DiagnosticSink& sink)
      : suite_(suite), beside_(beside), sink_(sink) {}

  void Contract(const ContractAst& contract) {
    if (!Contains(PrimitiveNames(), contract.primitive.text)) {
      sink_.Warn(contract.primitive.at,
                 "'" + contract.primitive.text + "' is none of the primitives that reports know",
                 JoinNames(PrimitiveNames()),
                 NearestName(contract.primitive.text, PrimitiveNames()));
    }
    UnusedRules(contract);
    UnusedForce(contract);
    Violations(contract);
    for (const ClauseAst& clause : contract.clauses) {
      for (const Word& word : clause.unless) UndeclaredRelaxation(word);
    }
  }

  void Profile(const ProfileAst& profile) {
    for (const DeclarationAst& declaration : profile.declarations) {
      if (declaration.key == DeclarationKey::kInherits) continue;
      if (declaration.key == DeclarationKey::kRelaxation) {
        UnaskedRelaxation(declaration);
      } else if (!AnyReads(declaration)) {
        sink_.Warn(
            declaration.at,
            "no contract reads '" + std::string(NameOf(declaration.key)) + "' of these operators",
            "a declaration that some clause depends on");
      }
    }
  }

 private:
  template <class Visit>  // visit(suite, contract); true ends it
  bool AnyContract(const Visit& visit) const {
    for (const Suite* suite : {&suite_, beside_}) {
      if (suite == nullptr) continue;
      for (const ContractAst& contract : suite->contracts) {
        if (visit(*suite, contract)) return true;
      }
    }
    return false;
  }

  static bool Speaks(const DeclarationAst& declaration, std::string_view op) {
    bool names_ops = false;
    for (const Word& word : declaration.selectors) {
      names_ops |= Contains(OperatorNames(), word.text);
      if (word.text == op) return true;
    }
    return !names_ops;
  }

  bool AnyReads(const DeclarationAst& declaration) const {
    const uint32_t key = 1u << static_cast<int>(declaration.key);
    return AnyContract([&](const Suite& suite, const ContractAst& contract) {
      for (const Word& op : contract.operators) {
        if (!Speaks(declaration, op.text)) continue;
        for (const ClauseAst& clause : contract.clauses) {
          if (!Selects(clause.selector, op.text)) continue;
          if ((KeysRead(suite, contract, clause, op.text) & key) != 0) return true;
        }
      }
      return false;
    });
  }

  void UnaskedRelaxation(const DeclarationAst& declaration) {
    const std::string& name = declaration.label.text;
    std::vector<std::string_view> known;
    const bool asked = AnyContract([&](const Suite&, const ContractAst& contract) {
      for (const ClauseAst& clause : contract.clauses) {
        for (const Word& word : clause.unless) {
          if (word.text == name) return true;
          known.push_back(word.text);
        }
      }
      return false;
    });
    if (asked) return;
    sink_.Warn(declaration.label.at, "no clause is relaxed by '" + name + "'",
               "a name that some clause gives after 'unless relaxed'", NearestName(name, known));
  }

  void UndeclaredRelaxation(const Word& word) {
    std::vector<std::string_view> known;
    for (const Suite* suite : {&suite_, beside_}) {
      if (suite == nullptr) continue;
      for (const ProfileAst& profile : suite->profiles) {
        for (const DeclarationAst& declaration : profile.declarations) {
          if (declaration.key != DeclarationKey::kRelaxation) continue;
          if (declaration.label.text == word.text) return;
          known.push_back(declaration.label.text);
        }
      }
    }
    sink_.Warn(word.at, "no profile declares the relaxation '" + word.text + "'",
               "a relaxation that some backend documents", NearestName(word.text, known));
  }

  // A tolerance that no clause needs, and rules behind one that always applies.
  void UnusedRules(const ContractAst& contract) {
    const bool needed = Has(contract, {Relation::kImage, Relation::kNonZero, Relation::kClass,
                                       Relation::kSchedules, Relation::kRuns, Relation::kScales});
    for (size_t i = 0; i < contract.tolerances.size(); ++i) {
      const ToleranceAst& rule = contract.tolerances[i];
      if (!needed) {
        sink_.Warn(rule.at, "no clause of " + contract.id.text + " needs a tolerance",
                   "'tolerance none'");
      } else if (!Reached(contract, i)) {
        sink_.Warn(rule.at, "this rule is never taken: others before it always apply",
                   "rules with conditions first, for each operator");
      }
    }
  }

  static bool Reached(const ContractAst& contract, size_t i) {
    return std::any_of(contract.operators.begin(), contract.operators.end(), [&](const Word& op) {
      if (!Selects(contract.tolerances[i].selector, op.text)) return false;
      for (size_t before = 0; before < i; ++before) {
        const Selector& selector = contract.tolerances[before].selector;
        if (selector.when < 0 && Selects(selector, op.text)) return false;
      }
      return true;
    });
  }

  void UnusedForce(const ContractAst& contract) {
    if (contract.force.empty() || Has(contract, {Relation::kImage, Relation::kSubnormals})) return;
    sink_.Warn(contract.force.front().at, "no clause is judged by values, so nothing needs force",
               "a clause 'out in image(output, truth, tolerance)'");
  }

  // A signature describes something that the postcondition says.
  void Violations(const ContractAst& contract) {
    for (const ViolationAst& violation : contract.violations) {
      const Relation wanted = violation.by_ratio ? Relation::kImage : violation.relation;
      if (Has(contract, {wanted})) continue;
      sink_.Warn(violation.name.at, "no clause can be violated like this",
                 "a relation of the postcondition; '" + TextOf(wanted) + "' is none of them");
    }
  }

  const Suite& suite_;
  const Suite* beside_;
  DiagnosticSink& sink_;
};

}  // namespace

void WarnOfUnused(const Suite& suite, const Suite* beside, const SourceFile& file,
                  DiagnosticSink& sink) {
  Warner warner(suite, beside, sink);
  for (const ContractAst& contract : file.contracts) warner.Contract(contract);
  for (const ProfileAst& profile : file.profiles) warner.Profile(profile);
}

}  // namespace assay
