// SPDX-License-Identifier: Apache-2.0
//
// Types of expressions. Values, ratios and counts never mix by addition or comparison: a bound that
// adds a roundoff to a magnitude is wrong in every unit.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contracts/language/check.h"
#include "contracts/language/names.h"
#include "contracts/operator.h"

namespace assay {
namespace {

std::string_view TextOf(ExprType type) {
  static constexpr std::string_view kTexts[] = {"anything", "a condition", "a magnitude", "a ratio",
                                                "a count",  "a format",    "a policy"};
  return kTexts[static_cast<int>(type)];
}

bool IsNumber(ExprType type) { return type == ExprType::kRatio || type == ExprType::kCount; }
bool IsArithmetic(ExprType type) { return IsNumber(type) || type == ExprType::kValue; }

class Checker {
 public:
  Checker(ContractAst& contract, Place place, const Selector& selector, DiagnosticSink& sink)
      : pool_(contract.pool), place_(place), sink_(sink) {
    Concern(selector.names);
    if (ops_.empty()) Concern(contract.operators);
  }

  // Depth is bounded by the parser.
  void Visit(int node) {
    Expr& expr = pool_[node];
    if (expr.op == ExprOp::kName) return Name(expr);
    if (expr.op == ExprOp::kCall) return Call(expr);
    if (expr.op == ExprOp::kNumber) {
      expr.type = expr.number == std::floor(expr.number) ? ExprType::kCount : ExprType::kRatio;
      return;
    }
    if (expr.op == ExprOp::kIn) return Membership(expr);
    if (expr.op == ExprOp::kBy) return Map(expr);
    if (expr.op == ExprOp::kHas) return Gate(expr);
    if (!expr.args.empty()) Visit(expr.args[0]);
    if (IsComparison(expr.op) && Label(expr)) return;
    if (expr.args.size() == 2) Visit(expr.args[1]);
    for (int arg : expr.args) Raise(expr, pool_[arg].rate);
    Operator(expr);
  }

 private:
  // The operators among the words; clauses may stand there too.
  void Concern(const std::vector<Word>& words) {
    for (const Word& word : words) {
      if (const std::optional<OpId> op = ParseOp(word.text)) ops_.push_back(*op);
    }
  }

  static bool IsComparison(ExprOp op) { return op >= ExprOp::kLess && op <= ExprOp::kNotEqual; }
  static void Raise(Expr& expr, Rate rate) {
    if (rate == Rate::kElement) expr.rate = Rate::kElement;
  }
  ExprType TypeOf(const Expr& expr, size_t arg) const { return pool_[expr.args[arg]].type; }

  void Name(Expr& expr) {
    if (const NameInfo* info = FindName(expr.text)) {
      expr.type = info->type;
      expr.rate = info->rate;
      return;
    }
    if (IsAttribute(expr.text)) {
      expr.type = ExprType::kLabel;
      return;
    }
    if (Number(expr)) return;
    if (NamesTheCandidate(expr.text)) return Circular(expr);
    Unknown(expr, "name", ValueNames());
  }

  // A number among the attributes, which every operator concerned must have.
  bool Number(Expr& expr) {
    const OperatorDef* without = nullptr;
    bool any = false, integer = true;
    for (const OpId op : ops_) {
      const int attribute = NumericAttribute(op, expr.text);
      if (attribute < 0) {
        if (without == nullptr) without = &DefOf(op);
        continue;
      }
      any = true;
      integer &= DefOf(op).attributes[static_cast<size_t>(attribute)].is_integer();
    }
    if (!any) return false;
    expr.type = integer ? ExprType::kCount : ExprType::kRatio;
    if (without != nullptr) {
      sink_.Report(expr.at, std::string(without->name) + " has no attribute '" + expr.text + "'",
                   "a rule 'for' the operators that have it");
    }
    return true;
  }

  void Circular(const Expr& expr) {
    if (place_ == Place::kTolerance) {
      sink_.Report(expr.at, "circular tolerance: '" + expr.text + "' is the candidate's answer",
                   "roundoffs, lengths, magnitudes of the inputs or the truth");
    } else {
      sink_.Report(expr.at,
                   "a condition cannot look at '" + expr.text + "', the candidate's answer",
                   "properties of the inputs and of the profile");
    }
  }

  void Unknown(const Expr& expr, const char* kind, std::span<const std::string_view> known) {
    sink_.Report(expr.at, std::string("unknown ") + kind + " '" + expr.text + "'",
                 std::string("a ") + (kind == std::string("name") ? "quantity" : "function") +
                     " of the language",
                 NearestName(expr.text, known));
  }

  // Attributes with labels, of any operator in the scope.
  bool IsAttribute(std::string_view name) const {
    for (const OperatorDef& def : Operators()) {
      for (const AttributeDef& attribute : def.attributes) {
        if (attribute.name == name && !attribute.labels.empty()) return true;
      }
    }
    return false;
  }

  std::vector<std::string_view> LabelsOfName(const Expr& expr) const {
    const NameInfo* info = FindName(expr.text);
    if (info != nullptr) {
      const std::span<const std::string_view> labels = LabelsOf(*info);
      return {labels.begin(), labels.end()};
    }
    std::vector<std::string_view> labels;
    for (const OperatorDef& def : Operators()) {
      for (const AttributeDef& attribute : def.attributes) {
        if (attribute.name == expr.text) {
          labels.assign(attribute.labels.begin(), attribute.labels.end());
        }
      }
    }
    return labels;
  }

  void CheckLabel(const Expr& policy, const Expr& label) {
    const std::vector<std::string_view> labels = LabelsOfName(policy);
    if (label.op == ExprOp::kName && Contains(labels, label.text)) return;
    sink_.Report(label.at, "'" + label.text + "' is no value of '" + policy.text + "'",
                 JoinNames(labels), NearestName(label.text, labels));
  }

  // "level = tail": the right side is no name of a quantity. False if this is another comparison.
  bool Label(Expr& expr) {
    Expr& policy = pool_[expr.args[0]];
    if (policy.type != ExprType::kLabel) return false;
    expr.type = ExprType::kBool;
    if (expr.op != ExprOp::kEqual && expr.op != ExprOp::kNotEqual) {
      sink_.Report(expr.at, "policies have no order", "= or !=");
      return true;
    }
    CheckLabel(policy, pool_[expr.args[1]]);
    return true;
  }

  void Membership(Expr& expr) {
    Visit(expr.args[0]);
    expr.type = ExprType::kBool;
    const Expr& policy = pool_[expr.args[0]];
    if (policy.type != ExprType::kLabel) {
      if (policy.type != ExprType::kUnknown) {
        sink_.Report(policy.at, "only a policy can be one of several labels",
                     "level, subnormals, nan or an attribute");
      }
      return;
    }
    for (size_t i = 1; i < expr.args.size(); ++i) CheckLabel(policy, pool_[expr.args[i]]);
  }

  // The word after "by", one arm per type, and what all other types get.
  void Map(Expr& expr) {
    static constexpr std::string_view kSubjects[] = {"input", "output", "accumulator"};
    const Expr& subject = pool_[expr.args[0]];
    if (!Contains(kSubjects, subject.text)) {
      Refuse(subject, "is nothing that a value can go by", kSubjects);
    }
    std::vector<std::string_view> known(TypeNames().begin(), TypeNames().end());
    if (subject.text == "accumulator") {
      const auto formats = LabelsOf(DeclarationKey::kAccumulator);
      known.assign(formats.begin(), formats.end());
    }
    known.push_back("else");
    std::vector<std::string_view> seen;
    for (size_t i = 1; i + 1 < expr.args.size(); i += 2) {
      const Expr& label = pool_[expr.args[i]];
      if (!Contains(known, label.text)) Refuse(label, "is none of these types", known);
      if (Contains(seen, label.text)) {
        sink_.Report(label.at, "a second '" + label.text + "'", "each type once");
      }
      seen.push_back(label.text);
      Arm(expr, i + 1);
    }
    if (seen.empty() || seen.back() != "else") {
      sink_.Report(expr.at, "this says nothing of other types", "a last arm 'else: ...'");
    }
  }

  // All arms are of one unit; the widest is that of the whole.
  void Arm(Expr& expr, size_t arg) {
    Visit(expr.args[arg]);
    Raise(expr, pool_[expr.args[arg]].rate);
    const ExprType type = Require(expr, arg, IsArithmetic, "a magnitude or a number");
    if (arg == 2 || type == ExprType::kUnknown) {
      expr.type = type;
    } else if (IsNumber(type) && IsNumber(expr.type)) {
      if (type != expr.type) expr.type = ExprType::kRatio;
    } else if (expr.type != ExprType::kUnknown && type != expr.type) {
      sink_.Report(pool_[expr.args[arg]].at,
                   "this is " + std::string(TextOf(type)) + " where the others are " +
                       std::string(TextOf(expr.type)),
                   "one unit for all types");
    }
  }

  void Gate(Expr& expr) {
    expr.type = ExprType::kBool;
    if (!Contains(CapabilityNames(), expr.text)) {
      Refuse(expr, "is no capability that a profile declares", CapabilityNames());
    }
  }

  void Refuse(const Expr& expr, const char* what, std::span<const std::string_view> known) {
    if (expr.text.empty()) return;  // reported by the parser
    sink_.Report(expr.at, "'" + expr.text + "' " + what, JoinNames(known),
                 NearestName(expr.text, known));
  }

  void Call(Expr& expr) {
    const FunctionInfo* info = FindFunction(expr.text);
    if (info == nullptr) {
      if (NamesTheCandidate(expr.text)) return Circular(expr);
      for (int arg : expr.args) Visit(arg);
      return Unknown(expr, "function", FunctionNames());
    }
    expr.rate = info->rate;
    expr.type = info->result;
    if (static_cast<int>(expr.args.size()) != info->arity) {
      sink_.Report(expr.at,
                   "'" + expr.text + "' takes " + std::to_string(info->arity) + " arguments, not " +
                       std::to_string(expr.args.size()),
                   std::to_string(info->arity) + " arguments");
      return;
    }
    if (info->symbol == Symbol::kFiniteInputs) return FiniteInputs(expr);
    for (size_t i = 0; i < expr.args.size(); ++i) {
      Visit(expr.args[i]);
      Raise(expr, pool_[expr.args[i]].rate);
      Parameter(expr, *info, i);
    }
    if (info->result == ExprType::kUnknown && !expr.args.empty()) SameAsArguments(expr);
  }

  void FiniteInputs(const Expr& expr) {
    const Expr& argument = pool_[expr.args[0]];
    if (argument.op == ExprOp::kName && argument.text == "inputs") return;
    sink_.Report(argument.at, "finite() asks about the inputs here", "finite(inputs)");
  }

  void Parameter(const Expr& expr, const FunctionInfo& info, size_t i) {
    const ExprType wanted = info.parameters[i], given = TypeOf(expr, i);
    if (given == ExprType::kUnknown || given == wanted) return;
    if (wanted == ExprType::kUnknown ? IsArithmetic(given) : IsNumber(wanted) && IsNumber(given)) {
      return;
    }
    sink_.Report(
        pool_[expr.args[i]].at,
        std::string(TextOf(given)) + " does not fit as argument " + std::to_string(i + 1) +
            " of '" + expr.text + "'",
        wanted == ExprType::kUnknown ? "a magnitude or a number" : std::string(TextOf(wanted)));
  }

  void SameAsArguments(Expr& expr) {
    expr.type = TypeOf(expr, 0);
    if (expr.args.size() == 2) Same(expr, "compare");
  }

  // Both arguments of one unit; the wider of ratio and count is the result.
  void Same(Expr& expr, const char* verb) {
    const ExprType a = TypeOf(expr, 0), b = TypeOf(expr, 1);
    if (a == ExprType::kUnknown || b == ExprType::kUnknown) {
      expr.type = ExprType::kUnknown;
    } else if (IsNumber(a) && IsNumber(b)) {
      expr.type = a == b ? a : ExprType::kRatio;
    } else if (a == b && a == ExprType::kValue) {
      expr.type = a;
    } else {
      sink_.Report(expr.at,
                   std::string("cannot ") + verb + " " + std::string(TextOf(a)) + " and " +
                       std::string(TextOf(b)),
                   "two magnitudes or two numbers");
      expr.type = ExprType::kUnknown;
    }
  }

  void Operator(Expr& expr) {
    switch (expr.op) {
      case ExprOp::kNegate:
      case ExprOp::kAbs:
        expr.type = Require(expr, 0, IsArithmetic, "a magnitude or a number");
        return;
      case ExprOp::kAdd:
      case ExprOp::kSubtract:
        return Same(expr, expr.op == ExprOp::kAdd ? "add" : "subtract");
      case ExprOp::kMultiply:
      case ExprOp::kDivide:
        return Product(expr);
      case ExprOp::kPower:
        Require(expr, 0, IsNumber, "a number");
        Require(expr, 1, IsNumber, "a number");
        expr.type = ExprType::kRatio;
        return;
      case ExprOp::kAnd:
      case ExprOp::kOr:
      case ExprOp::kNot:
        for (size_t i = 0; i < expr.args.size(); ++i) {
          Require(expr, i, [](ExprType type) { return type == ExprType::kBool; }, "a condition");
        }
        expr.type = ExprType::kBool;
        return;
      default:
        if (!IsComparison(expr.op)) return;
        Same(expr, "compare");
        expr.type = ExprType::kBool;
    }
  }

  template <class Predicate>
  ExprType Require(const Expr& expr, size_t arg, Predicate fits, const char* expected) {
    const ExprType type = TypeOf(expr, arg);
    if (type == ExprType::kUnknown || fits(type)) return type;
    sink_.Report(pool_[expr.args[arg]].at, std::string(TextOf(type)) + " does not fit here",
                 expected);
    return ExprType::kUnknown;
  }

  void Product(Expr& expr) {
    const bool divide = expr.op == ExprOp::kDivide;
    const ExprType a = Require(expr, 0, IsArithmetic, "a magnitude or a number");
    const ExprType b = Require(expr, 1, IsArithmetic, "a magnitude or a number");
    if (a == ExprType::kUnknown || b == ExprType::kUnknown) return;
    if (a == ExprType::kValue && b == ExprType::kValue) {
      if (divide) {
        expr.type = ExprType::kRatio;
        return;
      }
      sink_.Report(expr.at, "the product of two magnitudes is no magnitude",
                   "one magnitude and pure numbers");
    } else if (b == ExprType::kValue && divide) {
      sink_.Report(expr.at, "a number divided by a magnitude is no magnitude",
                   "a magnitude over a number, or over a magnitude");
    } else if (a == ExprType::kValue || b == ExprType::kValue) {
      expr.type = ExprType::kValue;
    } else {
      expr.type = divide || a != b ? ExprType::kRatio : a;
    }
  }

  ExprPool& pool_;
  Place place_;
  std::vector<OpId> ops_;
  DiagnosticSink& sink_;
};

}  // namespace

void CheckExpression(ContractAst& contract, int root, Place place, const Selector& selector,
                     DiagnosticSink& sink) {
  if (root < 0) return;
  Checker(contract, place, selector, sink).Visit(root);
  const Expr& expr = contract.pool[root];
  if (expr.type == ExprType::kUnknown) return;
  if (place == Place::kTolerance) {
    const bool nothing = expr.op == ExprOp::kNumber && expr.number == 0;  // exact in every unit
    if (expr.type != ExprType::kValue && !nothing) {
      sink.Report(expr.at,
                  "a tolerance is a magnitude, and this is " + std::string(TextOf(expr.type)),
                  "something like 'u(accumulator) * abs_sum'");
    }
    return;
  }
  if (expr.type != ExprType::kBool) {
    sink.Report(expr.at, "this is " + std::string(TextOf(expr.type)) + " and no condition",
                "a comparison or a predicate");
  } else if (expr.rate == Rate::kElement) {
    sink.Report(expr.at, "a condition holds for a whole case, and this differs between elements",
                "quantities of the case, such as max_abs_sum");
  }
}

}  // namespace assay
