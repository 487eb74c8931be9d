// SPDX-License-Identifier: Apache-2.0
//
// Values: class first, then the image rule, then force. The first pass is a plain loop that only
// asks whether all is well; what is wrong is worked out in a second one, which few cases need.
#include "contracts/judge_values.h"

#include <algorithm>

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Truth TruthOf(const Evidence& evidence, int64_t i) {
  return {evidence.hi[i], evidence.lo[i], evidence.radius[i]};
}

ErrorClass ValueError(double got, const Truth& truth) {
  if (std::isnan(got)) return ErrorClass::kNanAppears;
  if (std::isinf(got)) return ErrorClass::kInfAppears;
  if (got == 0 && truth.hi != 0) return ErrorClass::kZeroed;
  return ErrorClass::kValue;
}

ErrorClass ClassError(double got, ClassSet legal) {
  const ClassSet real = legal & static_cast<ClassSet>(~kClassByValue);
  if (real == kClassNan) return ErrorClass::kNanLost;
  if (std::isnan(got)) return ErrorClass::kNanAppears;
  if ((real & kClassFinite) == 0 && (real & kClassZero) == 0) return ErrorClass::kInfLost;
  if (std::isinf(got)) return ErrorClass::kInfAppears;
  if (got == 0) return (real & kClassZero) != 0 ? ErrorClass::kZeroSign : ErrorClass::kZeroed;
  return ErrorClass::kValue;
}

// E of every element into scratch.strict, unless it holds just that from the backend before.
void ComputeStrict(const Trial& trial, const BoundRule& rule) {
  JudgeScratch::Impl& scratch = trial.scratch;
  const uint64_t measurement = trial.evidence.measurement;
  if (measurement != 0 && scratch.strict_rule == &rule &&
      scratch.strict_measurement == measurement) {
    return;
  }
  const size_t count = static_cast<size_t>(trial.evidence.count);
  if (scratch.strict.size() < count) scratch.strict.resize(count);
  RunByElement(rule.strict, trial.inputs, scratch.program, scratch.strict.data());
  scratch.strict_rule = &rule;
  scratch.strict_measurement = measurement;
}

// Per-element work of one clause on one case.
class ValueJudge {
 public:
  ValueJudge(const Trial& trial, const BoundClause& clause, const BoundRule& bound,
             ClauseVerdict& verdict)
      : trial_(trial),
        evidence_(trial.evidence),
        clause_(clause),
        bound_(bound),
        rule_(bound.strict.accumulator, FormatOf(trial.contracts.binding.output)),
        verdict_(verdict) {}

  void Run() {
    ComputeStrict(trial_, bound_);
    if (!AllPlainlyInside()) Elements();
    if (verdict_.outcome == Outcome::kNotTested) Conclude();
  }

 private:
  std::vector<double>& strict() const { return trial_.scratch.strict; }
  const double* Got() const { return trial_.observation.real.data(); }

  // The common case without branches: output and accumulator of one type, every element a real
  // number. False means only "look closer".
  bool AllPlainlyInside() {
    if (rule_.image()) return false;
    const double* got = Got();
    const double* bound = strict().data();
    const double* hi = evidence_.hi.data();
    const double* lo = evidence_.lo.data();
    const double* radius = evidence_.radius.data();
    double worst = 0;
    bool outside = false;
    for (int64_t i = 0; i < evidence_.count; ++i) {
      const double distance = std::fabs((got[i] - hi[i]) - lo[i]);
      outside |= !(distance + radius[i] <= bound[i]);
      const double ratio = distance / std::max(bound[i], std::numeric_limits<double>::min());
      worst = ratio > worst ? ratio : worst;
    }
    for (int64_t i = 0; i < evidence_.count; ++i) {
      outside |= (evidence_.legal[i] & kClassByValue) == 0;
    }
    if (outside) return false;
    judged_ = evidence_.count;
    Worst(worst);
    return true;
  }

  void Worst(double ratio) {
    verdict_.ratio = ratio;
    for (int64_t i = 0; i < evidence_.count; ++i) {
      const double distance = std::fabs((Got()[i] - evidence_.hi[i]) - evidence_.lo[i]);
      if (distance / std::max(strict()[i], std::numeric_limits<double>::min()) != ratio) continue;
      verdict_.witness = i;
      verdict_.bound = strict()[i];
      return;
    }
  }

  void Elements() {
    verdict_.ratio = 0;
    for (int64_t i = 0; i < evidence_.count; ++i) {
      const ClassSet legal = evidence_.legal[i];
      if ((legal & kClassByValue) == 0) continue;  // a table decides: the class relation's business
      ++judged_;
      const double got = Got()[i];
      if (rule_.image() && rule_.PlainlyRounds(got, TruthOf(evidence_, i))) continue;
      if ((ClassOf(got) & legal) != 0) continue;
      Note(i, rule_.Decide(got, TruthOf(evidence_, i), strict()[i]), strict()[i]);
    }
    if (violated_) {
      verdict_.outcome = Outcome::kViolating;
    } else if (excused_) {
      verdict_.outcome = Outcome::kUnderSpecified;
      verdict_.reason = "the subnormal policy is not declared and would decide";
    } else if (undecided_) {
      verdict_.outcome = Outcome::kInconclusive;
      verdict_.reason = "the enclosure of the truth straddles the bound";
    }
  }

  void Note(int64_t i, Decided decided, double bound) {
    if (decided.decision == Decision::kReject && bound_.loose) {
      const Decided loose = rule_.Decide(Got()[i], TruthOf(evidence_, i), Loose(i));
      if (loose.decision == Decision::kReject) {
        decided = loose;
        bound = Loose(i);
      } else {
        excused_ = true;
        decided = {Decision::kUndecided, decided.ratio};
      }
    }
    const bool reject = decided.decision == Decision::kReject;
    undecided_ |= decided.decision == Decision::kUndecided;
    // The witness of a violation is a violating element, however near an accepted one came.
    const bool first_violation = reject && !violated_;
    violated_ |= reject;
    if (violated_ && !reject) return;
    if (!first_violation && !(decided.ratio > verdict_.ratio)) return;
    verdict_.ratio = decided.ratio;
    verdict_.witness = i;
    verdict_.bound = bound;
    if (reject) verdict_.error = ValueError(Got()[i], TruthOf(evidence_, i));
  }

  double Loose(int64_t i) {
    if (!have_loose_) {
      std::vector<double>& loose = trial_.scratch.loose;
      if (loose.size() < strict().size()) loose.resize(strict().size());
      RunByElement(*bound_.loose, trial_.inputs, trial_.scratch.program, loose.data());
      have_loose_ = true;
    }
    return trial_.scratch.loose[i];
  }

  void Conclude() {
    verdict_.outcome = Outcome::kConforming;
    if (clause_.force == 0) return;
    for (int model = 0; model < kDefectModelCount; ++model) {
      if ((clause_.force >> model & 1) != 0) Try(static_cast<DefectModel>(model));
    }
    if (verdict_.force != 0) return;
    verdict_.outcome = Outcome::kVacuous;
    verdict_.reason = judged_ == 0 ? "no element has a real number for an answer"
                                   : "no narrower model would have been rejected";
  }

  void Try(DefectModel model) {
    const bool zero = model == DefectModel::kZero;
    if (!zero && trial_.force_budget <= 0) return;
    const uint32_t bit = 1u << static_cast<int>(model);
    // Other models cost an emulation each: a few elements, spread over the output.
    const int64_t tries =
        zero ? evidence_.count : std::min<int64_t>(evidence_.count, trial_.force_budget);
    for (int64_t k = 0; k < tries; ++k) {
      const int64_t i = zero ? k : k * evidence_.count / tries;
      if ((evidence_.legal[i] & kClassByValue) == 0) continue;
      double emulated = 0;
      if (!zero && !trial_.force.Emulate(model, i, &emulated)) return;
      verdict_.force_tried |= bit;
      if ((ClassOf(emulated) & evidence_.legal[i]) != 0) continue;
      const Decided decided = rule_.Decide(emulated, TruthOf(evidence_, i), strict()[i]);
      if (decided.decision != Decision::kReject) continue;
      verdict_.force |= bit;
      return;
    }
  }

  const Trial& trial_;
  const Evidence& evidence_;
  const BoundClause& clause_;
  const BoundRule& bound_;
  AnswerRule rule_;
  ClauseVerdict& verdict_;
  int64_t judged_ = 0;
  bool violated_ = false, undecided_ = false, excused_ = false, have_loose_ = false;
};

// E of an element where a class relation needs it: an infinite answer can be the rounding of a
// finite truth. Computed on first use.
class LazyBound {
 public:
  LazyBound(const Trial& trial, const BoundClause& clause) : trial_(trial), clause_(clause) {}

  // Undecided where there is no bound to decide by.
  Decided Decide(double got, int64_t i) {
    Prepare();
    if (rule_ == nullptr) return {Decision::kUndecided, kInf};
    const AnswerRule answer(rule_->strict.accumulator, FormatOf(trial_.contracts.binding.output));
    return answer.Decide(got, TruthOf(trial_.evidence, i), trial_.scratch.strict[i]);
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
void JudgeRealClass(const Trial& trial, LazyBound& bound, int64_t i, ClauseVerdict& verdict) {
  const double got = trial.observation.real[i];
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

}  // namespace

const BoundRule* RuleFor(const Trial& trial, const BoundClause& clause, std::string_view& reason) {
  for (const BoundRule& rule : clause.rules) {
    if (rule.when) {
      if (!rule.when->missing.empty()) {
        reason = rule.when->missing;
        return nullptr;
      }
      if (RunByCase(*rule.when, trial.inputs, trial.scratch.program) == 0) continue;
    }
    if (!rule.strict.missing.empty()) {
      reason = rule.strict.missing;
      return nullptr;
    }
    return &rule;
  }
  reason = "no tolerance is written for this operator";
  return nullptr;
}

void JudgeValues(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  std::string_view reason;
  const BoundRule* rule = RuleFor(trial, clause, reason);
  if (rule == nullptr) {
    verdict.outcome = Outcome::kUnderSpecified;
    verdict.reason = reason;
    return;
  }
  if (!Measured(rule->strict, trial.evidence)) {
    verdict.outcome = Outcome::kInconclusive;
    verdict.reason = "a quantity of the tolerance was not measured";
    return;
  }
  ValueJudge(trial, clause, *rule, verdict).Run();
}

void JudgeClasses(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  const std::optional<NanPolicy>& policy = trial.contracts.binding.declared.nan;
  if (clause.Has(Relation::kNanPolicy) && !policy) {
    verdict.outcome = Outcome::kUnderSpecified;
    verdict.reason = "no NaN policy is declared";
    return;
  }
  const bool mask = policy == NanPolicy::kMask;
  LazyBound bound(trial, clause);
  verdict.outcome = Outcome::kConforming;
  verdict.bound = kNaN;
  for (int64_t i = 0; i < trial.evidence.count; ++i) {
    const ClassSet legal = trial.evidence.legal[i];
    const double got = trial.observation.real[i];
    if ((ClassOf(got) & legal) != 0 || (mask && (legal & kClassNan) != 0)) continue;
    if ((legal & kClassByValue) != 0) {
      JudgeRealClass(trial, bound, i, verdict);
    } else {
      ClassViolation(verdict, i, ClassError(got, legal));
    }
  }
  if (verdict.outcome == Outcome::kViolating && SubnormalsMayVanish(trial)) {
    verdict.outcome = Outcome::kUnderSpecified;
    verdict.error = ErrorClass::kNone;
    verdict.ratio = 0;
    verdict.witness = -1;
    verdict.reason = "the subnormal policy is not declared and would decide";
  }
}

}  // namespace assay
