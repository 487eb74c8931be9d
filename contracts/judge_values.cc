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

  // Run() of all answers of the call, once for all clauses with this tolerance.
  void RunOnce() {
    JudgeScratch::Impl& scratch = trial_.scratch;
    const uint32_t strict = bound_.strict.identity;
    const uint32_t loose = bound_.loose ? bound_.loose->identity : 0;
    const bool kept = trial_.evidence.measurement != 0;
    if (kept && scratch.findings_strict == strict && scratch.findings_loose == loose) {
      ComputeStrict(trial_, bound_);  // for the force
      Recall(scratch.findings);
      return;
    }
    Run();
    if (!kept) return;
    scratch.findings = found_;
    scratch.findings.verdict = verdict_;
    scratch.findings_strict = strict;
    scratch.findings_loose = loose;
  }

  bool AllRight() const { return found_.AllRight(); }

  // REQUIRES RunOnce().
  void Conclude() {
    verdict_.outcome = Outcome::kConforming;
    if (clause_.force == 0) return;
    if (found_.judged == 0) {  // nothing that this clause speaks of
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
  void Recall(const ValueFindings& findings) {
    found_ = findings;
    const ClauseVerdict& from = findings.verdict;
    verdict_.outcome = from.outcome;
    verdict_.error = from.error;
    verdict_.ratio = from.ratio;
    verdict_.witness = from.witness;
    verdict_.bound = from.bound;
    verdict_.reason = from.reason;
  }

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
    std::vector<double>& ratios = trial_.scratch.ratios;
    if (ratios.size() < evidence_.hi.size()) ratios.resize(evidence_.hi.size());
    double* ratio = ratios.data();
    bool outside = false;
    for (int64_t i = 0; i < answers_.count; ++i) {
      const double distance = std::fabs((got[i] - hi[i]) - lo[i]);
      outside |= !(distance + radius[i] <= bound[i]);
      ratio[i] = distance / std::max(bound[i], std::numeric_limits<double>::min());
    }
    for (int64_t i = answers_.first; i < end(); ++i) {
      outside |= (evidence_.legal[i] & kClassByValue) == 0;
    }
    if (outside) return false;
    found_.judged = answers_.count;
    if (answers_.count == 0) return true;
    const int64_t worst = std::max_element(ratio, ratio + answers_.count) - ratio;
    verdict_.ratio = ratio[worst];
    verdict_.witness = answers_.first + worst;
    verdict_.bound = bound[worst];
    return true;
  }

  void Elements() {
    verdict_.ratio = 0;
    for (int64_t i = answers_.first; i < end(); ++i) {
      const ClassSet legal = evidence_.legal[i];
      if ((legal & kClassByValue) == 0) continue;  // a table decides: the class relation's business
      // A divisor that may be taken as zero: nothing is claimed, and nothing counts as judged.
      if (std::isinf(strict()[i])) continue;
      ++found_.judged;
      const double got = answers_.Real(i);
      if (rule_.Plainly(got, i)) continue;
      if ((ClassOf(got) & legal) != 0) continue;
      Note(i, rule_.Decide(answers_, i, strict()[i]), strict()[i]);
    }
    if (found_.violated) {
      verdict_.outcome = Outcome::kViolating;
    } else if (found_.unspecified) {
      verdict_.outcome = Outcome::kUnderSpecified;
      verdict_.reason = "no answer to integer overflow is declared";
    } else if (found_.excused) {
      const bool declared = trial_.declared().subnormals.has_value();
      verdict_.outcome = declared ? Outcome::kNotTested : Outcome::kUnderSpecified;
      verdict_.reason = declared ? "flushing explains the error: the clause on subnormals decides"
                                 : "the subnormal policy is not declared and would decide";
    } else if (found_.undecided) {
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
        found_.excused = true;
        decided = {Decision::kUndecided, decided.ratio};
      }
    }
    const bool reject = decided.decision == Decision::kReject;
    found_.undecided |= decided.decision == Decision::kUndecided;
    if (found_.undecided && answers_.integer()) {
      found_.unspecified |= JudgeBeyond(trial_, i, answers_.Integer(i)) == Beyond::kUnspecified;
    }
    // The witness of a violation is a violating element, however near an accepted one came.
    const bool first_violation = reject && !found_.violated;
    found_.violated |= reject;
    if (found_.violated && !reject) return;
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
  ValueFindings found_;
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

namespace {

// Unless `bounds` holds just that.
void ComputeBounds(const Trial& trial, const Program& program, std::vector<double>& bounds,
                   uint32_t& identity, uint64_t& measurement) {
  const uint64_t wanted = trial.evidence.measurement;
  if (wanted != 0 && identity == program.identity && measurement == wanted) return;
  const auto count = static_cast<size_t>(trial.evidence.count);
  if (bounds.size() < count) bounds.resize(count);
  RunByElement(program, trial.inputs, trial.scratch.program, bounds.data());
  identity = program.identity;
  measurement = wanted;
}

}  // namespace

void ComputeStrict(const Trial& trial, const BoundRule& rule) {
  JudgeScratch::Impl& scratch = trial.scratch;
  ComputeBounds(trial, rule.strict, scratch.strict, scratch.strict_identity,
                scratch.strict_measurement);
}

void ComputeLoose(const Trial& trial, const BoundRule& rule) {
  JudgeScratch::Impl& scratch = trial.scratch;
  ComputeBounds(trial, *rule.loose, scratch.loose, scratch.loose_identity,
                scratch.loose_measurement);
}

double Trial::ByCase(const Program& program) const {
  const uint64_t measurement = evidence.measurement;
  if (measurement == 0) return RunByCase(program, inputs, scratch.program);
  if (scratch.known.size() <= program.identity) scratch.known.resize(program.identity + 1);
  JudgeScratch::Impl::Known& known = scratch.known[program.identity];
  if (known.measurement != measurement) {
    known = {measurement, RunByCase(program, inputs, scratch.program)};
  }
  return known.value;
}

const BoundRule* RuleFor(const Trial& trial, const BoundClause& clause, std::string_view& reason) {
  for (const BoundRule& rule : clause.rules) {
    if (rule.when) {
      if (!rule.when->missing.empty()) {
        reason = rule.when->missing;
        return nullptr;
      }
      if (trial.ByCase(*rule.when) == 0) continue;
    }
    for (const Program& precondition : rule.preconditions) {
      if (!precondition.missing.empty()) {
        reason = precondition.missing;
        return nullptr;
      }
      if (trial.ByCase(precondition) == 0) {
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
  judge.RunOnce();
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
