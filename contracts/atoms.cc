// SPDX-License-Identifier: Apache-2.0
//
// Boundaries mined from preconditions: where a contract begins and ceases to speak is where
// mutators should look. An atom is a comparison of one quantity of the case with something that
// types alone fix.
#include <array>
#include <cmath>

#include "contracts/language/check.h"
#include "contracts/suite.h"

namespace assay {
namespace {

// The name at the heart of a side of a comparison: alpha in |alpha|, max_abs_a in |alpha| *
// max_abs_a.
std::string_view QuantityIn(const ContractAst& contract, int node) {
  const Expr& expr = contract.pool[node];
  if (expr.op == ExprOp::kName) {
    const NameInfo* info = FindName(expr.text);
    return info != nullptr && info->symbol == Symbol::kQuantity ? std::string_view(expr.text)
                                                                : std::string_view();
  }
  for (size_t i = expr.args.size(); i-- > 0;) {
    if (const std::string_view name = QuantityIn(contract, expr.args[i]); !name.empty())
      return name;
  }
  return {};
}

class Miner {
 public:
  Miner(const ContractAst& contract, OpId op, std::vector<Atom>& atoms)
      : contract_(contract), op_(op), atoms_(atoms) {}

  void Visit(int node) {
    const Expr& expr = contract_.pool[node];
    if (expr.op == ExprOp::kAnd || expr.op == ExprOp::kOr || expr.op == ExprOp::kNot) {
      for (int arg : expr.args) Visit(arg);
    } else if (expr.op >= ExprOp::kLess && expr.op <= ExprOp::kNotEqual &&
               contract_.pool[expr.args[0]].type != ExprType::kLabel) {
      Compare(expr);
    }
  }

 private:
  void Compare(const Expr& expr) {
    const std::string_view left = QuantityIn(contract_, expr.args[0]);
    const std::string_view right = QuantityIn(contract_, expr.args[1]);
    if (left.empty() == right.empty()) return;
    const int bound = left.empty() ? expr.args[0] : expr.args[1];
    // The accumulator's range is what bounds mention; the two that there are in practice.
    for (const DType type : {DType::kF64, DType::kF32}) {
      Binding binding{op_, type, type, {}};
      binding.declared.accumulator = Accumulator{FormatOf(type), false, 0, 0};
      const Program program = Compile(contract_, bound, binding, SubnormalPolicy::kPreserve);
      if (!program.missing.empty() || !program.by_element.empty()) continue;
      Evidence none;
      Add(std::string(left.empty() ? right : left), Value(program, none));
    }
  }

  static double Value(const Program& program, const Evidence& none) {
    ProgramScratch scratch;
    return RunByCase(program, {&none, nullptr, false}, scratch);
  }

  void Add(std::string name, double value) {
    for (const Atom& atom : atoms_) {
      if (atom.op == op_ && atom.name == name && atom.value == value) return;
    }
    atoms_.push_back({op_, std::move(name), value});
  }

  const ContractAst& contract_;
  OpId op_;
  std::vector<Atom>& atoms_;
};

bool NamesAnOperator(const Selector& selector) {
  for (const Word& word : selector.names) {
    if (ParseOp(word.text)) return true;
  }
  return false;
}

}  // namespace

std::vector<Atom> AtomsOf(const Suite& suite) {
  std::vector<Atom> atoms;
  for (const ContractAst& contract : suite.contracts) {
    for (const Word& word : contract.operators) {
      const std::optional<OpId> op = ParseOp(word.text);
      if (!op) continue;
      for (const PreconditionAst& precondition : contract.preconditions) {
        const bool concerned =
            !NamesAnOperator(precondition.selector) || Selects(precondition.selector, word.text);
        if (concerned) Miner(contract, *op, atoms).Visit(precondition.condition);
      }
    }
  }
  return atoms;
}

}  // namespace assay
