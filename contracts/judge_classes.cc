// SPDX-License-Identifier: Apache-2.0
//
// Classes: NaN, infinities and signed zeros against the set that the table of special answers
// gives, narrowed by what is declared; and places of a maximum.
#include <algorithm>
#include <cmath>
#include <optional>

#include "contracts/judge_values.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ErrorClass ClassError(double got, ClassSet legal) {
  const ClassSet real = legal & static_cast<ClassSet>(~kClassByValue);
  if (real == kClassNan) return ErrorClass::kNanLost;
  if (std::isnan(got)) return ErrorClass::kNanAppears;
  if ((real & kClassFinite) == 0 && (real & kClassZero) == 0) return ErrorClass::kInfLost;
  if (std::isinf(got)) return ErrorClass::kInfAppears;
  if (got == 0) return (real & kClassZero) != 0 ? ErrorClass::kZeroSign : ErrorClass::kZeroed;
  return ErrorClass::kValue;
}

// The table's set of classes, narrowed where a declaration names one answer of several: rows of
// attention or softmax in which everything is masked.
ClassSet LegalAt(const Trial& trial, int64_t i) {
  constexpr ClassSet kEither = kClassNan | kClassPosZero;
  const ClassSet legal = trial.evidence.legal[i];
  const std::optional<MaskedRow>& masked = trial.declared().masked_row;
  const OpId op = trial.contracts.binding.op;
  if (!masked || (legal & kClassByValue) != 0) return legal;
  if (op == OpId::kAttention && (legal & ~kClassNegZero) == kEither) {
    return *masked == MaskedRow::kNan ? kClassNan : legal & kClassZero;
  }
  if (op != OpId::kSoftmax || legal != kClassNan || *masked != MaskedRow::kZero) return legal;
  const auto length = trial.values.operands[0].shape[1];
  const double* row = trial.values.operands[0].real.data() + i / length * length;
  return std::all_of(row, row + length, [](double x) { return x == -kInf; }) ? kClassPosZero
                                                                             : legal;
}

// A masked row of attention has two answers, of which a profile names one.
bool AsksForMaskedRow(const Trial& trial, ClassSet legal) {
  return trial.contracts.binding.op == OpId::kAttention && !trial.declared().masked_row &&
         (legal & ~kClassNegZero) == (kClassNan | kClassPosZero);
}

// E of an element where a class relation needs it: an infinite answer can be the rounding of a
// finite truth. Computed on first use.
class LazyBound {
 public:
  LazyBound(const Trial& trial, const BoundClause& clause) : trial_(trial), clause_(clause) {}

  // The tolerance is unbounded: it says of no answer that it is wrong.
  bool ClaimsNothing(int64_t i) {
    Prepare();
    return rule_ != nullptr && std::isinf(trial_.scratch.strict[static_cast<size_t>(i)]);
  }

  // Undecided where there is no bound to decide by.
  Decided Decide(double got, int64_t i) {
    Prepare();
    if (rule_ == nullptr) return {Decision::kUndecided, kInf};
    return ElementRule(trial_, *rule_).DecideReal(got, i, trial_.scratch.strict[i]);
  }

 private:
  void Prepare() {
    if (prepared_) return;
    prepared_ = true;
    std::string_view reason;
    rule_ = RuleFor(trial_, clause_, reason);
    if (rule_ != nullptr && !Measured(rule_->strict, trial_.evidence)) rule_ = nullptr;
    if (rule_ == nullptr) return;
    ComputeStrict(trial_, *rule_);
  }

  const Trial& trial_;
  const BoundClause& clause_;
  const BoundRule* rule_ = nullptr;
  bool prepared_ = false;
};

void ClassViolation(ClauseVerdict& verdict, int64_t i, ErrorClass error) {
  if (verdict.outcome == Outcome::kViolating) return;
  verdict.outcome = Outcome::kViolating;
  verdict.error = error;
  verdict.ratio = kInf;
  verdict.witness = i;
}

bool IsSubnormal(Format format, double value) {
  return value != 0 && std::fabs(value) < InfoOf(format).smallest_normal;
}

// Whether an input may be taken as zero, which changes what Inf times it, or a root of it, answers.
bool SubnormalsMayVanish(const Trial& trial) {
  const Binding& binding = trial.contracts.binding;
  if (binding.declared.subnormals == SubnormalPolicy::kPreserve) return false;
  for (const OperandValues& operand : trial.values.operands) {
    if (operand.any_subnormal) return true;
  }
  const Format scalars = binding.input == DType::kF64 ? Format::kF64 : Format::kF32;
  for (const Quantity quantity : {Quantity::kAlpha, Quantity::kBeta}) {
    if (IsSubnormal(scalars, trial.evidence.scalar[static_cast<int>(quantity)])) return true;
  }
  return false;
}

// An element whose truth is a real number: NaN is wrong, and an infinity is wrong unless the
// truth's neighbourhood reaches it.
void JudgeRealClass(const Trial& trial, LazyBound& bound, int64_t i, double got,
                    ClauseVerdict& verdict) {
  if (!std::isfinite(got) && bound.ClaimsNothing(i)) return;
  if (std::isnan(got)) return ClassViolation(verdict, i, ErrorClass::kNanAppears);
  const double largest = InfoOf(FormatOf(trial.contracts.binding.output)).largest;
  const double truth = std::fabs(trial.evidence.hi[i]);
  if (!std::isinf(got) && !(truth > largest)) return;
  // Within a factor of two of the threshold, overflowing or not is a question of accuracy: the
  // value clauses ask it on finite inputs, and one cause gives one key.
  if (truth > largest / 2 && truth / 2 < largest) return;
  const Decided decided = bound.Decide(got, i);
  if (decided.decision == Decision::kAccept) return;
  if (decided.decision == Decision::kReject) {
    return ClassViolation(verdict, i,
                          std::isinf(got) ? ErrorClass::kInfAppears : ErrorClass::kInfLost);
  }
  if (verdict.outcome != Outcome::kConforming) return;
  verdict.outcome = Outcome::kInconclusive;
  verdict.witness = i;
  verdict.reason = "no bound says whether this infinity is a rounding of the truth";
}

// An integer whose truth the type cannot hold: a declaration may name the answer.
void JudgeIntegerClass(const Trial& trial, const Answers& answers, int64_t i,
                       ClauseVerdict& verdict) {
  if (JudgeBeyond(trial, i, answers.Integer(i)) != Beyond::kWrong) return;
  ClassViolation(verdict, i, ErrorClass::kValue);
}

}  // namespace

namespace {

// Real truths well inside the range of the type, and finite answers: what nearly every call gives,
// and nothing of which a class could be wrong. Without branches.
bool AllOrdinary(const Trial& trial, const Answers& answers) {
  if (answers.integer()) return false;
  const Evidence& evidence = trial.evidence;
  const double largest = InfoOf(FormatOf(answers.dtype)).largest;
  const double* hi = evidence.hi.data() + answers.first;
  const ClassSet* legal = evidence.legal.data() + answers.first;
  bool other = false;
  for (int64_t i = 0; i < answers.count; ++i) {
    other |= !(std::fabs(answers.real[static_cast<size_t>(i)]) <= largest);
    other |= !(std::fabs(hi[i]) <= largest);
  }
  for (int64_t i = 0; i < answers.count; ++i) other |= legal[i] != kClassByValue;
  return !other;
}

// The same, remembered for the call itself, which most clauses look at.
bool IsOrdinary(const Trial& trial, const Answers& answers) {
  const bool whole = &answers.bits == &trial.observation.bits;
  std::optional<bool>& known = trial.scratch.ordinary;
  if (!whole) return AllOrdinary(trial, answers);
  if (!known) known = AllOrdinary(trial, answers);
  return *known;
}

}  // namespace

void CheckClasses(const Trial& trial, const BoundClause& clause, const Answers& answers,
                  ClauseVerdict& verdict) {
  if (IsOrdinary(trial, answers)) return;
  const bool mask = trial.declared().nan == NanPolicy::kMask;
  LazyBound bound(trial, clause);
  bool masked_row_asked = false;
  for (int64_t i = answers.first; i < answers.first + answers.count; ++i) {
    const ClassSet legal = LegalAt(trial, i);
    const double got = answers.Real(i);
    const bool by_value = (legal & kClassByValue) != 0;
    if ((ClassOf(got) & legal) != 0 || (mask && (legal & kClassNan) != 0)) {
      masked_row_asked |= AsksForMaskedRow(trial, legal);
      if (answers.integer() && !by_value) JudgeIntegerClass(trial, answers, i, verdict);
    } else if (!by_value) {
      ClassViolation(verdict, i, ClassError(got, legal));
    } else if (!answers.integer()) {
      JudgeRealClass(trial, bound, i, got, verdict);
    }
  }
  if (verdict.outcome == Outcome::kViolating && SubnormalsMayVanish(trial)) {
    verdict.outcome = Outcome::kUnderSpecified;
    verdict.error = ErrorClass::kNone;
    verdict.ratio = 0;
    verdict.witness = -1;
    verdict.reason = "the subnormal policy is not declared and would decide";
  } else if (verdict.outcome == Outcome::kConforming && masked_row_asked) {
    verdict.outcome = Outcome::kUnderSpecified;
    verdict.reason = "no answer for a row that is masked entirely is declared";
  }
}

void JudgeClasses(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  if (clause.Has(Relation::kNanPolicy) && !trial.declared().nan) {
    verdict.outcome = Outcome::kUnderSpecified;
    verdict.reason = "no NaN policy is declared";
    return;
  }
  verdict.outcome = Outcome::kConforming;
  verdict.bound = kNaN;
  CheckClasses(trial, clause, AnswersOf(trial), verdict);
}

void JudgeChoice(const Trial& trial, const Answers& answers, ClauseVerdict& verdict) {
  verdict.outcome = Outcome::kConforming;
  verdict.bound = kNaN;
  std::vector<int64_t>& before = trial.scratch.places;
  before.clear();
  for (int64_t i = answers.first; i < answers.first + answers.count; ++i) {
    const int64_t got = answers.Integer(i);
    const bool legal = trial.force.LegalChoice(i, got, before, trial.declared().nan_place);
    before.push_back(got);
    if (legal) continue;
    return ClassViolation(verdict, i, ErrorClass::kChoice);
  }
}

}  // namespace assay
