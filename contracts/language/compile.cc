// SPDX-License-Identifier: Apache-2.0
//
// From checked expressions to flat programs. Constant folding is what makes one contract serve
// every operator and backend at no cost: all that depends on types and profiles is gone after
// binding.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/dtype.h"
#include "contracts/invariant.h"
#include "contracts/language/program.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool FlushesResults(SubnormalPolicy policy) { return policy != SubnormalPolicy::kPreserve; }
bool FlushesInputs(SubnormalPolicy policy) {
  return policy == SubnormalPolicy::kFlushIn || policy == SubnormalPolicy::kFlushBoth;
}

// Integers have no roundoff; only copies are judged for them, and those look at no format.
Format FormatOrWidest(DType type) { return IsFloat(type) ? FormatOf(type) : Format::kF64; }

bool ProductsExact(Format input, Format accumulator) {
  const FormatInfo& in = InfoOf(input);
  const FormatInfo& acc = InfoOf(accumulator);
  return 2 * in.precision <= acc.precision;
}

class Compiler {
 public:
  Compiler(const ContractAst& contract, const Binding& binding, SubnormalPolicy subnormals)
      : pool_(contract.pool), binding_(binding) {
    const Declared& declared = binding.declared;
    subnormals_ = declared.subnormals.value_or(subnormals);
    const Accumulator accumulator =
        declared.accumulator.value_or(Accumulator{FormatOrWidest(binding.output), false, 0, 0});
    program_.accumulator = accumulator.format;
    program_.input_format = FormatOrWidest(binding.input);
    program_.u = InfoOf(accumulator.format).unit_roundoff *
                 (accumulator.truncates || accumulator.block > 0 ? 2 : 1);
    program_.block = accumulator.block;
    program_.guard = accumulator.guard;
    const double lambda = InfoOf(accumulator.format).smallest_normal;
    program_.flush = FlushesResults(subnormals_) ? lambda : 0;
    program_.flush_input = FlushesInputs(subnormals_) ? lambda : 0;
    program_.argument_limit =
        binding.declared.argument_limit.value_or(std::numeric_limits<double>::infinity());
    program_.exact_products = ProductsExact(program_.input_format, accumulator.format);
    program_.family = DefOf(binding.op).family;
  }

  Program Run(int root) {
    program_.result = Visit(root);
    program_.scalars = scalars_ + static_cast<int>(program_.constants.size());
    // Scalars that are computed follow the constants, whose number is only known now.
    for (auto* code : {&program_.by_case, &program_.by_element}) {
      for (Instruction& instruction : *code) {
        const bool by_case = code == &program_.by_case;
        if (by_case) instruction.target = Moved(instruction.target);
        Move(instruction.a);
        Move(instruction.b);
      }
    }
    Move(program_.result);
    return std::move(program_);
  }

 private:
  static constexpr uint16_t kComputed = 1 << 15;  // marks computed scalars until they are moved

  uint16_t Moved(uint16_t index) const {
    return (index & kComputed) != 0
               ? static_cast<uint16_t>((index & ~kComputed) + program_.constants.size())
               : index;
  }
  void Move(Operand& operand) const {
    if (operand.place == Operand::Place::kScalar) operand.index = Moved(operand.index);
  }

  Operand Constant(double value) {
    program_.constants.push_back(value);
    return {Operand::Place::kScalar, static_cast<uint16_t>(program_.constants.size() - 1)};
  }

  void Missing(std::string_view reason) {
    if (program_.missing.empty()) program_.missing = reason;
  }
  Operand Promised(const std::optional<double>& promise, std::string_view reason) {
    if (!promise) Missing(reason);
    return Constant(promise.value_or(kNaN));
  }

  Operand Emit(Code code, Rate rate, Operand a = {}, Operand b = {}) {
    Release(a);
    Release(b);
    if (rate == Rate::kCase) {
      const auto target = static_cast<uint16_t>(scalars_++ | kComputed);
      program_.by_case.push_back({code, target, a, b});
      return {Operand::Place::kScalar, target};
    }
    const uint16_t target = Column();
    program_.by_element.push_back({code, target, a, b});
    return {Operand::Place::kColumn, target};
  }

  // Scratch columns are a stack in all but name: the lowest free one is taken.
  uint16_t Column() {
    for (uint16_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i]) continue;
      taken_[i] = true;
      return i;
    }
    taken_.push_back(true);
    program_.columns = static_cast<int>(taken_.size());
    return static_cast<uint16_t>(taken_.size() - 1);
  }
  void Release(Operand operand) {
    if (operand.place == Operand::Place::kColumn) taken_[operand.index] = false;
  }

  static Rate RateOf(Operand operand) {
    return operand.place == Operand::Place::kScalar ? Rate::kCase : Rate::kElement;
  }
  Operand Unary(Code code, Operand a) { return Emit(code, RateOf(a), a); }
  Operand Binary(Code code, Operand a, Operand b) {
    const bool by_case = RateOf(a) == Rate::kCase && RateOf(b) == Rate::kCase;
    return Emit(code, by_case ? Rate::kCase : Rate::kElement, a, b);
  }

  Operand Visit(int node) {
    const Expr& expr = pool_[node];
    switch (expr.op) {
      case ExprOp::kNumber:
        return Constant(expr.number);
      case ExprOp::kName:
        return Name(expr);
      case ExprOp::kCall:
        return Call(expr);
      case ExprOp::kIn:
        return Membership(expr);
      case ExprOp::kEqual:
      case ExprOp::kNotEqual:
        if (pool_[expr.args[0]].type == ExprType::kLabel) return Membership(expr);
        break;
      case ExprOp::kBy:
        return Visit(ArmOf(expr));
      case ExprOp::kHas:
        return Constant(Has(expr.text) ? 1 : 0);
      default:
        break;
    }
    if (expr.args.size() == 1) return Unary(CodeOf(expr.op), Visit(expr.args[0]));
    ASSAY_CHECK(expr.args.size() == 2, "an expression that was not checked");
    const Operand a = Visit(expr.args[0]);
    const Operand b = Visit(expr.args[1]);
    return Binary(CodeOf(expr.op), a, b);
  }

  static Code CodeOf(ExprOp op) {
    static constexpr std::pair<ExprOp, Code> kCodes[] = {
        {ExprOp::kNegate, Code::kNegate},     {ExprOp::kNot, Code::kNot},
        {ExprOp::kAbs, Code::kAbs},           {ExprOp::kAdd, Code::kAdd},
        {ExprOp::kSubtract, Code::kSubtract}, {ExprOp::kMultiply, Code::kMultiply},
        {ExprOp::kDivide, Code::kDivide},     {ExprOp::kPower, Code::kPower},
        {ExprOp::kLess, Code::kLess},         {ExprOp::kLessEqual, Code::kLessEqual},
        {ExprOp::kGreater, Code::kGreater},   {ExprOp::kGreaterEqual, Code::kGreaterEqual},
        {ExprOp::kEqual, Code::kEqual},       {ExprOp::kNotEqual, Code::kNotEqual},
        {ExprOp::kAnd, Code::kAnd},           {ExprOp::kOr, Code::kOr}};
    for (const auto& [from, to] : kCodes) {
      if (from == op) return to;
    }
    ASSAY_CHECK(false, "an expression that was not checked");
    return Code::kNot;
  }

  Operand Name(const Expr& expr) {
    const NameInfo* info = FindName(expr.text);
    // An attention's scale is its own, not the quantity that gradients and quantizers measure.
    if (info == nullptr || info->quantity == Quantity::kScale) {
      if (const int attribute = NumericAttribute(binding_.op, expr.text); attribute >= 0) {
        return Emit(Code::kNumber, Rate::kCase,
                    {Operand::Place::kQuantity, static_cast<uint16_t>(attribute)});
      }
    }
    ASSAY_CHECK(info != nullptr, "an unknown name survived the checker");
    const Declared& declared = binding_.declared;
    switch (info->symbol) {
      case Symbol::kQuantity:
        return QuantityOf(*info);
      case Symbol::kTruth:
        return Emit(Code::kTruth, Rate::kElement);
      case Symbol::kKappa:
        return Constant(declared.kappa.value_or(3));
      case Symbol::kTiles:
        if (declared.tiles) return Constant(*declared.tiles);
        return QuantityOf(*FindName("length"));
      case Symbol::kUlpLimit:
        return Promised(declared.ulp_limit, "no ulp limit is declared");
      case Symbol::kUlpLimitExp:
        return Promised(declared.ulp_limit_exp, "no ulp limit of the exponential is declared");
      case Symbol::kUlpLimitLog:
        return Promised(declared.ulp_limit_log, "no ulp limit of the logarithm is declared");
      case Symbol::kUlpLimitRsqrt:
        return Promised(declared.ulp_limit_rsqrt,
                        "no ulp limit of the reciprocal square root is declared");
      case Symbol::kErrorFloor:
        return Constant(declared.error_floor.value_or(0));
      case Symbol::kOne:
        return Constant(1);
      case Symbol::kOmega: {
        NeedSubnormals();
        const FormatInfo& acc = AccumulatorInfo();
        return Constant(program_.flush > 0 ? acc.smallest_normal : 2 * acc.smallest_subnormal);
      }
      case Symbol::kFlushed:
        NeedSubnormals();
        NeedAccumulator();
        return Constant(program_.flush);
      case Symbol::kLastRounding:
        return Constant(FormatOrWidest(binding_.output) == AccumulatorFormat() ? program_.u : 0);
      case Symbol::kSpecial:
        return Emit(Code::kSpecial, Rate::kCase);
      default:
        ASSAY_CHECK(false, "a format or a label where a value belongs");
        return {};
    }
  }

  Operand QuantityOf(const NameInfo& info) {
    const auto index = static_cast<uint16_t>(info.quantity);
    if (info.rate == Rate::kElement) {
      program_.quantities.push_back(info.quantity);
      return {Operand::Place::kQuantity, index};
    }
    return Emit(Code::kScalarQuantity, Rate::kCase, {Operand::Place::kQuantity, index});
  }

  void NeedAccumulator() {
    if (!binding_.declared.accumulator) Missing("the accumulator is not declared");
  }
  void NeedSubnormals() {
    if (!binding_.declared.subnormals) program_.assumes_preserve = true;
  }
  Format AccumulatorFormat() {
    NeedAccumulator();
    return program_.accumulator;
  }
  const FormatInfo& AccumulatorInfo() { return InfoOf(AccumulatorFormat()); }

  const FormatInfo& FormatArgument(const Expr& call, bool& is_accumulator) {
    const NameInfo* info = FindName(pool_[call.args[0]].text);
    const std::optional<Format>& probabilities = binding_.declared.probabilities;
    const bool of_probabilities = info != nullptr && info->symbol == Symbol::kProbabilities;
    if (of_probabilities && probabilities) return InfoOf(*probabilities);
    is_accumulator = of_probabilities || (info != nullptr && info->symbol == Symbol::kAccumulator);
    if (is_accumulator) return AccumulatorInfo();
    if (info != nullptr && info->symbol == Symbol::kOutput) {
      return InfoOf(FormatOrWidest(binding_.output));
    }
    if (info != nullptr && info->symbol == Symbol::kInput) return InfoOf(program_.input_format);
    return InfoOf(info != nullptr ? info->format : Format::kF64);
  }

  Operand Call(const Expr& expr) {
    const FunctionInfo* info = FindFunction(expr.text);
    ASSAY_CHECK(info != nullptr, "an unknown function survived the checker");
    bool accumulator = false;
    switch (info->symbol) {
      case Symbol::kU: {
        const FormatInfo& format = FormatArgument(expr, accumulator);
        return Constant(accumulator ? program_.u : format.unit_roundoff);
      }
      case Symbol::kEta:
        return Constant(FormatArgument(expr, accumulator).smallest_subnormal);
      case Symbol::kLambda:
        return Constant(FormatArgument(expr, accumulator).smallest_normal);
      case Symbol::kMaxFinite:
        return Constant(FormatArgument(expr, accumulator).largest);
      case Symbol::kFiniteInputs:
        return Emit(Code::kFiniteInputs, Rate::kCase);
      case Symbol::kRounds:
        NeedAccumulator();
        program_.quantities.push_back(Quantity::kNonZeros);
        return Emit(Code::kRounds, Rate::kElement);
      case Symbol::kUnderflow:
        NeedAccumulator();
        NeedSubnormals();
        program_.quantities.push_back(Quantity::kNonZeros);
        if (program_.family != Family::kSum) program_.quantities.push_back(Quantity::kOperandSum);
        return Emit(Code::kUnderflow, Rate::kElement);
      case Symbol::kUlp:
        NeedAccumulator();
        return Emit(Code::kUlp, Rate::kElement);
      default:
        return Arithmetic(expr, info->symbol);
    }
  }

  Operand Arithmetic(const Expr& expr, Symbol symbol) {
    static constexpr std::pair<Symbol, Code> kCodes[] = {
        {Symbol::kAbs, Code::kAbs},
        {Symbol::kSqrt, Code::kSqrt},
        {Symbol::kExpm1, Code::kExpm1},
        {Symbol::kSwell, Code::kSwell},
        {Symbol::kExp, Code::kExp},
        {Symbol::kLog, Code::kLog},
        {Symbol::kPowerOfTwo, Code::kPowerOfTwo},
        {Symbol::kMax, Code::kMax},
        {Symbol::kMin, Code::kMin},
        {Symbol::kGamma, Code::kGamma},
        {Symbol::kFlushedInput, Code::kFlushedInput},
        {Symbol::kUndeclaredArgument, Code::kUndeclaredArgument}};
    if (symbol == Symbol::kFlushedInput) NeedSubnormals();
    const auto* code = std::find_if(std::begin(kCodes), std::end(kCodes),
                                    [&](const auto& row) { return row.first == symbol; });
    ASSAY_CHECK(code != std::end(kCodes), "a function without code");
    const Operand a = Visit(expr.args[0]);
    if (expr.args.size() == 1) return Unary(code->second, a);
    return Binary(code->second, a, Visit(expr.args[1]));
  }

  // Policies are known here and give constants; attributes are compared per case.
  Operand Membership(const Expr& expr) {
    const std::string& name = pool_[expr.args[0]].text;
    const bool negate = expr.op == ExprOp::kNotEqual;
    if (const NameInfo* info = FindName(name)) {
      bool inside = false;
      for (size_t i = 1; i < expr.args.size(); ++i) {
        inside |= PolicyIs(*info, pool_[expr.args[i]].text);
      }
      return Constant(inside != negate ? 1 : 0);
    }
    return AttributeIn(expr, name, negate);
  }

  bool PolicyIs(const NameInfo& policy, const std::string& label) {
    const std::span<const std::string_view> labels = LabelsOf(policy);
    const auto position =
        static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin());
    if (policy.symbol == Symbol::kLevel) {
      // Numerics: undeclared is judged at the stricter level.
      return position == static_cast<int>(binding_.declared.level.value_or(GeluLevel::kTail));
    }
    if (policy.symbol == Symbol::kSubnormals) {
      NeedSubnormals();
      return position == static_cast<int>(subnormals_);
    }
    std::string_view undeclared = "no NaN policy is declared";
    const std::optional<int> declared = policy.symbol == Symbol::kNan
                                            ? Position(binding_.declared.nan)
                                            : DeclaredLabel(policy.key, undeclared);
    if (!declared) Missing(undeclared);
    return declared == position;
  }

  template <class Enum>
  static std::optional<int> Position(const std::optional<Enum>& declared) {
    return declared ? std::optional(static_cast<int>(*declared)) : std::nullopt;
  }

  std::optional<int> DeclaredLabel(DeclarationKey key, std::string_view& undeclared) const {
    const Declared& declared = binding_.declared;
    switch (key) {
      case DeclarationKey::kOutOfBounds:
        undeclared = "no index policy is declared";
        return Position(declared.out_of_bounds);
      case DeclarationKey::kDeterminism:
        undeclared = "no determinism is declared";
        return Position(declared.determinism);
      case DeclarationKey::kIntegerOverflow:
        undeclared = "no rule for integer overflow is declared";
        return Position(declared.integer_overflow);
      case DeclarationKey::kCastOutside:
        undeclared = "no rule for casts outside the range is declared";
        return Position(declared.cast_outside);
      case DeclarationKey::kMaskedRow:
        undeclared = "no rule for masked rows is declared";
        return Position(declared.masked_row);
      case DeclarationKey::kNanPlace:
        undeclared = "no place of NaN is declared";
        return Position(declared.nan_place);
      case DeclarationKey::kDivisionByZero:
        undeclared = "no answer to an integer division by zero is declared";
        return Position(declared.division_by_zero);
      case DeclarationKey::kDivisionOverflow:
        undeclared = "no answer to the lowest integer divided by -1 is declared";
        return Position(declared.division_overflow);
      default:
        undeclared = "no rounding is declared";
        return Position(declared.rounding);
    }
  }

  // The value for the type in question. An undeclared accumulator is the output's type, and said.
  int ArmOf(const Expr& expr) {
    const std::string& subject = pool_[expr.args[0]].text;
    std::string_view type = NameOf(subject == "input" ? binding_.input : binding_.output);
    if (subject == "accumulator") type = NameOf(AccumulatorFormat());
    for (size_t i = 1; i + 2 < expr.args.size(); i += 2) {
      if (pool_[expr.args[i]].text == type) return expr.args[i + 1];
    }
    return expr.args.back();
  }

  bool Has(std::string_view name) {
    const std::span<const std::string_view> names = CapabilityNames();
    const auto capability =
        static_cast<Capability>(std::find(names.begin(), names.end(), name) - names.begin());
    const Declared& declared = binding_.declared;
    const auto invariant = [&](Invariance bit) { return (declared.invariance & bit) != 0; };
    switch (capability) {
      case Capability::kSubnormals:
        NeedSubnormals();
        return subnormals_ == SubnormalPolicy::kPreserve;
      case Capability::kFullRange:
        return declared.full_range;
      case Capability::kBlockAccumulator:
        return program_.block > 0;
      case Capability::kBatchInvariance:
        return invariant(kBatchInvariant);
      case Capability::kThreadInvariance:
        return invariant(kThreadInvariant);
      case Capability::kAlignmentInvariance:
        return invariant(kAlignmentInvariant);
      case Capability::kRankInvariance:
        return invariant(kRankInvariant);
      case Capability::kScheduleInvariance:
        return invariant(kScheduleInvariant);
      case Capability::kSaturatingPairs:
        return declared.integer_overflow == IntegerOverflow::kSaturatePairs;
    }
    return false;
  }

  Operand AttributeIn(const Expr& expr, const std::string& name, bool negate) {
    const OperatorDef& def = DefOf(binding_.op);
    for (size_t a = 0; a < def.attributes.size(); ++a) {
      if (def.attributes[a].name != name) continue;
      const Operand choice = Emit(Code::kAttribute, Rate::kCase,
                                  {Operand::Place::kQuantity, static_cast<uint16_t>(a)});
      Operand any = Constant(0);
      for (size_t i = 1; i < expr.args.size(); ++i) {
        const auto& labels = def.attributes[a].labels;
        const auto label = std::find(labels.begin(), labels.end(), pool_[expr.args[i]].text);
        const Operand position = Constant(static_cast<double>(label - labels.begin()));
        any = Binary(Code::kOr, any, Binary(Code::kEqual, choice, position));
      }
      return negate ? Unary(Code::kNot, any) : any;
    }
    return Constant(negate ? 1 : 0);  // an operator without the attribute has none of its labels
  }

  const ExprPool& pool_;
  const Binding& binding_;
  SubnormalPolicy subnormals_ = SubnormalPolicy::kPreserve;
  Program program_;
  int scalars_ = 0;
  std::vector<bool> taken_;
};

}  // namespace

Program Compile(const ContractAst& contract, int root, const Binding& binding,
                SubnormalPolicy subnormals) {
  Program program = Compiler(contract, binding, subnormals).Run(root);
  program.identity = IdentityOf(program);
  return program;
}

}  // namespace assay
