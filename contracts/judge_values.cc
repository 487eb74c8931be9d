// SPDX-License-Identifier: Apache-2.0
//
// Values: the image rule, then force. The first pass is a plain loop that only
// asks whether all is well; what is wrong is worked out in a second one, which few cases need.
#include "contracts/judge_values.h"

#include <algorithm>

namespace assay {
namespace {

ErrorClass ValueError(double got, const Truth& truth) {
  if (std::isnan(got)) return ErrorClass::kNanAppears;
  if (std::isinf(got)) return ErrorClass::kInfAppears;
  if (got == 0 && truth.hi != 0) return ErrorClass::kZeroed;
  return ErrorClass::kValue;
}

// Per-element work of one clause on some answers.
class ValueJudge {
 public:
  ValueJudge(const Trial& trial, const BoundClause& clause, const BoundRule& bound,
             const Answers& answers, ClauseVerdict& verdict)
      : trial_(trial),
        evidence_(trial.evidence),
        clause_(clause),
        bound_(bound),
        answers_(answers),
        rule_(trial, bound),
        verdict_(verdict) {}

  // Sets the outcome unless every element is right.
  void Run() {
    ComputeStrict(trial_, bound_);
    if (!AllPlainlyInside()) Elements();
  }

  bool AllRight() const { return !violated_ && !unspecified_ && !excused_ && !undecided_; }

  // REQUIRES Run() of all answers of the case.
  void Conclude() {
    verdict_.outcome = Outcome::kConforming;
    if (clause_.force == 0) return;
    if (judged_ == 0) {  // nothing that this clause speaks of
      verdict_.outcome = Outcome::kNotTested;
      verdict_.reason = "no element has a real number for an answer";
      return;
    }
    for (int model = 0; model < kDefectModelCount; ++model) {
      if ((clause_.force >> model & 1) != 0) Try(static_cast<DefectModel>(model));
    }
    if (verdict_.force != 0) return;
    verdict_.outcome = Outcome::kVacuous;
    verdict_.reason = "no narrower model would have been rejected";
  }

 private:
  std::vector<double>& strict() const { return trial_.scratch.strict; }
  int64_t end() const { return answers_.first + answers_.count; }

  // The common case without branches: output and accumulator of one type, every element a real
  // number. False means only "look closer".
  bool AllPlainlyInside() {
    if (rule_.image() || answers_.integer()) return false;
    const double* got = answers_.real.data();
    const double* bound = strict().data() + answers_.first;
    const double* hi = evidence_.hi.data() + answers_.first;
    const double* lo = evidence_.lo.data() + answers_.first;
    const double* radius = evidence_.radius.data() + answers_.first;
    double worst = 0;
    bool outside = false;
    for (int64_t i = 0; i < answers_.count; ++i) {
      const double distance = std::fabs((got[i] - hi[i]) - lo[i]);
      outside |= !(distance + radius[i] <= bound[i]);
      const double ratio = distance / std::max(bound[i], std::numeric_limits<double>::min());
      worst = ratio > worst ? ratio : worst;
    }
    for (int64_t i = answers_.first; i < end(); ++i) {
      outside |= (evidence_.legal[i] & kClassByValue) == 0;
    }
    if (outside) return false;
    judged_ = answers_.count;
    Worst(worst);
    return true;
  }

  void Worst(double ratio) {
    verdict_.ratio = ratio;
    for (int64_t i = answers_.first; i < end(); ++i) {
      const double distance = std::fabs((answers_.Real(i) - evidence_.hi[i]) - evidence_.lo[i]);
      if (distance / std::max(strict()[i], std::numeric_limits<double>::min()) != ratio) continue;
      verdict_.witness = i;
      verdict_.bound = strict()[i];
      return;
    }
  }

  void Elements() {
    verdict_.ratio = 0;
    for (int64_t i = answers_.first; i < end(); ++i) {
      const ClassSet legal = evidence_.legal[i];
      if ((legal & kClassByValue) == 0) continue;  // a table decides: the class relation's business
      // A divisor that may be taken as zero: nothing is claimed, and nothing counts as judged.
      if (std::isinf(strict()[i])) continue;
      ++judged_;
      const double got = answers_.Real(i);
      if (rule_.Plainly(got, i)) continue;
      if ((ClassOf(got) & legal) != 0) continue;
      Note(i, rule_.Decide(answers_, i, strict()[i]), strict()[i]);
    }
    if (violated_) {
      verdict_.outcome = Outcome::kViolating;
    } else if (unspecified_) {
      verdict_.outcome = Outcome::kUnderSpecified;
      verdict_.reason = "no answer to integer overflow is declared";
    } else if (excused_) {
      const bool declared = trial_.declared().subnormals.has_value();
      verdict_.outcome = declared ? Outcome::kNotTested : Outcome::kUnderSpecified;
      verdict_.reason = declared ? "flushing explains the error: the clause on subnormals decides"
                                 : "the subnormal policy is not declared and would decide";
    } else if (undecided_) {
      verdict_.outcome = Outcome::kInconclusive;
      verdict_.reason = "the enclosure of the truth straddles the bound";
    }
  }

  void Note(int64_t i, Decided decided, double bound) {
    if (decided.decision == Decision::kReject && MayBeExcused()) {
      const Decided loose = rule_.Decide(answers_, i, Loose(i));
      if (loose.decision == Decision::kReject) {
        // Undeclared, the widest reading is what is broken.
        if (!trial_.declared().subnormals) {
          decided = loose;
          bound = Loose(i);
        }
      } else {
        excused_ = true;
        decided = {Decision::kUndecided, decided.ratio};
      }
    }
    const bool reject = decided.decision == Decision::kReject;
    undecided_ |= decided.decision == Decision::kUndecided;
    if (undecided_ && answers_.integer()) {
      unspecified_ |= JudgeBeyond(trial_, i, answers_.Integer(i)) == Beyond::kUnspecified;
    }
    // The witness of a violation is a violating element, however near an accepted one came.
    const bool first_violation = reject && !violated_;
    violated_ |= reject;
    if (violated_ && !reject) return;
    if (!first_violation && !(decided.ratio > verdict_.ratio)) return;
    verdict_.ratio = decided.ratio;
    verdict_.witness = i;
    verdict_.bound = bound;
    if (reject) verdict_.error = ValueError(answers_.Real(i), TruthOf(evidence_, i));
  }

  bool MayBeExcused() const {
    if (!bound_.loose) return false;
    return !trial_.declared().subnormals || SubnormalsHaveAClause(trial_.contracts);
  }

  double Loose(int64_t i) {
    if (!have_loose_) ComputeLoose(trial_, bound_);
    have_loose_ = true;
    return trial_.scratch.loose[i];
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
      const Decided decided = rule_.DecideReal(emulated, i, strict()[i]);
      if (decided.decision != Decision::kReject) continue;
      verdict_.force |= bit;
      return;
    }
  }

  const Trial& trial_;
  const Evidence& evidence_;
  const BoundClause& clause_;
  const BoundRule& bound_;
  const Answers& answers_;
  ElementRule rule_;
  ClauseVerdict& verdict_;
  int64_t judged_ = 0;
  bool violated_ = false, undecided_ = false, excused_ = false, unspecified_ = false;
  bool have_loose_ = false;
};

}  // namespace

Answers AnswersOf(const Trial& trial) {
  const Observation& observation = trial.observation;
  return {observation.dtype, observation.bits, observation.real, 0, trial.evidence.count};
}

Answers AnswersOf(const Trial& trial, const Variant& variant) {
  const auto count = static_cast<int64_t>(variant.bits.size());
  return {trial.observation.dtype, variant.bits, variant.real, variant.first, count};
}

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

void ComputeLoose(const Trial& trial, const BoundRule& rule) {
  std::vector<double>& loose = trial.scratch.loose;
  const auto count = static_cast<size_t>(trial.evidence.count);
  if (loose.size() < count) loose.resize(count);
  RunByElement(*rule.loose, trial.inputs, trial.scratch.program, loose.data());
}

const BoundRule* RuleFor(const Trial& trial, const BoundClause& clause, std::string_view& reason) {
  for (const BoundRule& rule : clause.rules) {
    if (rule.when) {
      if (!rule.when->missing.empty()) {
        reason = rule.when->missing;
        return nullptr;
      }
      if (RunByCase(*rule.when, trial.inputs, trial.scratch.program) == 0) continue;
    }
    for (const Program& precondition : rule.preconditions) {
      if (!precondition.missing.empty()) {
        reason = precondition.missing;
        return nullptr;
      }
      if (RunByCase(precondition, trial.inputs, trial.scratch.program) == 0) {
        reason = kOutsideTheRule;
        return nullptr;
      }
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
    verdict.outcome = OutcomeWithoutRule(reason);
    verdict.reason = reason;
    return;
  }
  if (!Measured(rule->strict, trial.evidence)) {
    verdict.outcome = Outcome::kInconclusive;
    verdict.reason = "a quantity of the tolerance was not measured";
    return;
  }
  const Answers answers = AnswersOf(trial);
  ValueJudge judge(trial, clause, *rule, answers, verdict);
  judge.Run();
  if (judge.AllRight()) judge.Conclude();
}

void CheckAnswers(const Trial& trial, const BoundClause& clause, const Answers& answers,
                  ClauseVerdict& verdict) {
  if (trial.evidence.choice) return JudgeChoice(trial, answers, verdict);
  std::string_view reason;
  const BoundRule* rule = RuleFor(trial, clause, reason);
  if (rule != nullptr && Measured(rule->strict, trial.evidence)) {
    ValueJudge judge(trial, clause, *rule, answers, verdict);
    judge.Run();
    if (!judge.AllRight()) return;
  }
  verdict.outcome = Outcome::kConforming;
  CheckClasses(trial, clause, answers, verdict);
}

}  // namespace assay
