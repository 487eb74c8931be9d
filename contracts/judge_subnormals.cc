// SPDX-License-Identifier: Apache-2.0
//
// The declared subnormal policy. An answer that breaks its bound, and would keep it if everything
// could be flushed, was flushed; what no flushing explains is an accuracy question of other
// clauses.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/judge_values.h"

namespace assay {
namespace {

void Complain(ClauseVerdict& verdict, int64_t i, double got, double ratio, double bound) {
  const bool first = verdict.outcome != Outcome::kViolating;
  if (!first && !(ratio > verdict.ratio)) return;
  verdict.outcome = Outcome::kViolating;
  verdict.error = got == 0 ? ErrorClass::kZeroed : ErrorClass::kValue;
  verdict.ratio = ratio;
  verdict.witness = i;
  verdict.bound = bound;
}

// Whether some element could tell a kernel that flushes: it would have been rejected.
bool HasForce(const Trial& trial, const BoundClause& clause, const ElementRule& rule,
              ClauseVerdict& verdict) {
  const uint32_t bit = 1u << static_cast<int>(DefectModel::kFlushed);
  if ((clause.force & bit) == 0) return true;
  for (int64_t i = 0; i < trial.evidence.count; ++i) {
    double emulated = 0;
    if ((trial.evidence.legal[static_cast<size_t>(i)] & kClassByValue) == 0) continue;
    if (!trial.force.Emulate(DefectModel::kFlushed, i, &emulated)) return false;
    verdict.force_tried |= bit;
    const double bound = trial.scratch.strict[static_cast<size_t>(i)];
    if (rule.DecideReal(emulated, i, bound).decision != Decision::kReject) continue;
    verdict.force |= bit;
    return true;
  }
  return false;
}

}  // namespace

bool SubnormalsHaveAClause(const BoundContracts& contracts) {
  return std::any_of(contracts.clauses.begin(), contracts.clauses.end(),
                     [](const BoundClause& each) { return each.Has(Relation::kSubnormals); });
}

void JudgeSubnormals(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  const auto undecided = [&](Outcome outcome, std::string_view reason) {
    verdict.outcome = outcome;
    verdict.reason = reason;
  };
  if (!trial.declared().subnormals) {
    return undecided(Outcome::kUnderSpecified, "no subnormal policy is declared");
  }
  std::string_view reason;
  const BoundRule* bound = RuleFor(trial, clause, reason);
  if (bound == nullptr) return undecided(OutcomeWithoutRule(reason), reason);
  if (!Measured(bound->strict, trial.evidence)) {
    return undecided(Outcome::kInconclusive, "a quantity of the tolerance was not measured");
  }
  verdict.outcome = Outcome::kConforming;
  if (!bound->loose) return;  // everything may be flushed
  ComputeStrict(trial, *bound);
  ComputeLoose(trial, *bound);
  const ElementRule rule(trial, *bound);
  const Answers answers = AnswersOf(trial);
  for (int64_t i = 0; i < trial.evidence.count; ++i) {
    const auto at = static_cast<size_t>(i);
    if ((trial.evidence.legal[at] & kClassByValue) == 0) continue;
    const double strict = trial.scratch.strict[at];
    const Decided decided = rule.Decide(answers, i, strict);
    if (decided.decision != Decision::kReject) continue;
    const Decided flushed = rule.Decide(answers, i, trial.scratch.loose[at]);
    if (flushed.decision == Decision::kReject) continue;
    Complain(verdict, i, answers.Real(i), decided.ratio, strict);
  }
  if (verdict.outcome != Outcome::kConforming || trial.force_budget <= 0) return;
  if (HasForce(trial, clause, rule, verdict)) return;
  undecided(Outcome::kVacuous, "a kernel that flushes would not have been rejected");
}

void JudgeAlike(const Trial& trial, ClauseVerdict& verdict) {
  const Evidence& evidence = trial.evidence;
  const Answers answers = AnswersOf(trial);
  verdict.bound = std::numeric_limits<double>::quiet_NaN();
  int64_t first = -1, compared = 0;
  for (int64_t i = 0; i < evidence.count; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool real = (evidence.legal[at] & kClassByValue) != 0 && evidence.hi[at] != 0;
    if (!real) continue;
    if (first < 0) first = i;
    const auto of = static_cast<size_t>(first);
    const bool like = evidence.hi[at] == evidence.hi[of] && evidence.lo[at] == evidence.lo[of];
    if (i == first || !like) continue;
    ++compared;
    if ((answers.Real(i) == 0) == (answers.Real(first) == 0)) continue;
    // No distance: where the policy itself is broken too, that clause has one, and is named.
    return Complain(verdict, i, answers.Real(i), 1, verdict.bound);
  }
  verdict.outcome = compared > 0 ? Outcome::kConforming : Outcome::kNotTested;
  if (compared == 0) verdict.reason = "no two elements have the same truth";
}

}  // namespace assay
