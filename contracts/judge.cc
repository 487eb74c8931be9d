// SPDX-License-Identifier: Apache-2.0
//
// The judge: which clauses apply, whether their preconditions hold, and the relations that look at
// the call as a whole. Elements are judged in judge_values.cc.
#include "contracts/judge.h"

#include <algorithm>

#include "contracts/judge_values.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr uint32_t kInBoundsBit = 1u << 31;  // of ForceSource::MatchingPolicies

// The clause that every call is under, whatever the operator.
constexpr std::string_view kSafetyContract = "X-SAFE-01";

void Set(ClauseVerdict& verdict, Outcome outcome, std::string_view reason) {
  verdict.outcome = outcome;
  verdict.reason = reason;
}

void Violate(ClauseVerdict& verdict, ErrorClass error, int64_t witness = -1) {
  verdict.outcome = Outcome::kViolating;
  verdict.error = error;
  verdict.ratio = kInf;
  verdict.bound = kNaN;
  verdict.witness = witness;
}

ErrorClass ErrorOf(const GuardHit& hit) {
  static constexpr ErrorClass kRead[] = {ErrorClass::kReadBefore, ErrorClass::kReadAfter,
                                         ErrorClass::kReadGap};
  static constexpr ErrorClass kWrite[] = {ErrorClass::kWriteBefore, ErrorClass::kWriteAfter,
                                          ErrorClass::kWriteGap};
  return (hit.access == Access::kRead ? kRead : kWrite)[static_cast<int>(hit.side)];
}

// The last answer of a status that leaves nothing to look at.
std::string_view WhyNothingToSee(RunStatus status) {
  switch (status) {
    case RunStatus::kRaised:
      return "the call raised an error";
    case RunStatus::kFailed:
      return "the call failed";
    case RunStatus::kGuardHit:
      return "the call touched memory outside an operand";
    case RunStatus::kCrashed:
      return "the call crashed";
    case RunStatus::kTimedOut:
      return "the call did not end";
    default:
      return "";
  }
}

// Old output content that shows makes every other complaint about values a consequence.
bool OldContentShows(const Observation& observation) {
  return observation.prefill_dependent >= 0 ||
         (observation.unwritten >= 0 && observation.prefills >= 2);
}

void JudgeWritten(const Observation& observation, ClauseVerdict& verdict) {
  verdict.bound = kNaN;
  if (observation.unwritten >= 0 && observation.prefills >= 2) {
    Violate(verdict, ErrorClass::kUnwritten, observation.unwritten);
  } else if (observation.prefill_dependent >= 0) {
    Violate(verdict, ErrorClass::kPrefillRead, observation.prefill_dependent);
  } else if (observation.unwritten >= 0) {
    Set(verdict, Outcome::kInconclusive, "an answer equals the old content; one run cannot tell");
    verdict.witness = observation.unwritten;
  } else {
    verdict.outcome = Outcome::kConforming;
  }
}

void JudgeIndexPolicy(const Trial& trial, ClauseVerdict& verdict) {
  const std::optional<IndexPolicy>& policy = trial.contracts.binding.declared.out_of_bounds;
  verdict.bound = kNaN;
  const bool outside = trial.evidence.scalar[static_cast<int>(Quantity::kOutsideCount)] > 0;
  if (outside && !policy) {
    return Set(verdict, Outcome::kUnderSpecified, "no index policy is declared");
  }
  if (!outside && trial.observation.status == RunStatus::kRaised) {
    return Set(verdict, Outcome::kNotTested, WhyNothingToSee(RunStatus::kRaised));
  }
  // Sums are no copies: where all indices are inside, their values are held against a tolerance.
  if (!outside && DefOf(trial.contracts.binding.op).family == Family::kScatter) {
    return Set(verdict, Outcome::kNotTested, "no index lies outside");
  }
  const uint32_t matching = trial.force.MatchingPolicies(trial.observation);
  const uint32_t wanted = outside ? 1u << static_cast<int>(*policy) : kInBoundsBit;
  verdict.outcome = Outcome::kConforming;
  if ((matching & wanted) == 0) {
    Violate(verdict, outside ? ErrorClass::kPolicy : ErrorClass::kValue);
  }
}

void JudgeGuards(const Trial& trial, ClauseVerdict& verdict) {
  verdict.bound = kNaN;
  const Observation& observation = trial.observation;
  if (observation.guard) {
    const GuardHit& hit = *observation.guard;
    const bool documented = hit.access == Access::kRead && hit.side == Side::kAfter &&
                            hit.distance_bytes <= trial.contracts.binding.declared.overread_bytes;
    if (!documented) return Violate(verdict, ErrorOf(hit));
  }
  if (observation.status == RunStatus::kCrashed || observation.status == RunStatus::kTimedOut) {
    return Set(verdict, Outcome::kNotTested, WhyNothingToSee(observation.status));
  }
  verdict.outcome = Outcome::kConforming;
}

void JudgeOperands(const Observation& observation, ClauseVerdict& verdict) {
  verdict.bound = kNaN;
  if (observation.changed_input >= 0) return Violate(verdict, ErrorClass::kInputsChanged);
  if (observation.status != RunStatus::kOk && observation.status != RunStatus::kRaised) {
    return Set(verdict, Outcome::kNotTested, WhyNothingToSee(observation.status));
  }
  verdict.outcome = Outcome::kConforming;
}

// False, with the verdict set, when the case lies outside what the clause speaks of.
bool PreconditionsHold(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  std::string_view missing;
  for (const Program& precondition : clause.preconditions) {
    if (!precondition.missing.empty()) {
      missing = precondition.missing;
    } else if (trial.ByCase(precondition) == 0) {
      Set(verdict, Outcome::kRejected, "the inputs do not meet the precondition");
      return false;
    }
  }
  if (missing.empty()) return true;
  Set(verdict, Outcome::kUnderSpecified, missing);
  return false;
}

bool Raised(const Trial& trial, const BoundClause& clause) {
  return clause.Has(Relation::kNanPolicy) && trial.observation.status == RunStatus::kRaised &&
         trial.contracts.binding.declared.nan == NanPolicy::kRaise;
}

// What the clause says of the answers themselves, then of further calls.
void JudgeAnswers(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  if (clause.Has(Relation::kImage)) {
    JudgeValues(trial, clause, verdict);
  } else if (clause.Has(Relation::kSubnormals)) {
    JudgeSubnormals(trial, clause, verdict);
  } else if (clause.Has(Relation::kAlike)) {
    JudgeAlike(trial, verdict);
  } else if (clause.Has(Relation::kChoice)) {
    JudgeChoice(trial, AnswersOf(trial), verdict);
  } else if (clause.Has(Relation::kClass) || clause.Has(Relation::kFinite) ||
             clause.Has(Relation::kNonZero) || clause.Has(Relation::kNanPolicy)) {
    JudgeClasses(trial, clause, verdict);
  }
  if (verdict.outcome != Outcome::kViolating) JudgeVariants(trial, clause, verdict);
}

void JudgeClause(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  const Observation& observation = trial.observation;
  if (observation.status == RunStatus::kUnsupported) {
    return Set(verdict, Outcome::kUnsupported, "the backend says it cannot");
  }
  if (!PreconditionsHold(trial, clause, verdict)) return;
  if (clause.Has(Relation::kGuards)) return JudgeGuards(trial, verdict);
  if (clause.Has(Relation::kOperands)) return JudgeOperands(observation, verdict);
  const bool policy = clause.Has(Relation::kIndexPolicy) || clause.Has(Relation::kDivisionPolicy);
  if (Raised(trial, clause)) {
    verdict.outcome = Outcome::kConforming;
    return;
  }
  if (observation.status != RunStatus::kOk &&
      !(policy && observation.status == RunStatus::kRaised)) {
    return Set(verdict, Outcome::kNotTested, WhyNothingToSee(observation.status));
  }
  if (clause.Has(Relation::kWritten)) return JudgeWritten(observation, verdict);
  if (OldContentShows(observation)) {
    return Set(verdict, Outcome::kNotTested, "old content of the output shows");
  }
  if (clause.Has(Relation::kDivisionPolicy)) return JudgeDivision(trial, verdict);
  if (policy) return JudgeIndexPolicy(trial, verdict);
  JudgeAnswers(trial, clause, verdict);
}

// A rejection is due where an index lies outside or an integer has no quotient, and where NaN is
// declared to raise.
bool RaiseIsDue(const Trial& trial) {
  const Binding& binding = trial.contracts.binding;
  const Family family = DefOf(binding.op).family;
  if (family == Family::kGather || family == Family::kScatter || family == Family::kIntDivision) {
    return trial.evidence.scalar[static_cast<int>(Quantity::kOutsideCount)] > 0;
  }
  // Nothing has no largest element, and a call may say so.
  if (family == Family::kSelect && trial.values.operands[0].count == 0) return true;
  return binding.declared.nan == NanPolicy::kRaise && trial.inputs.special;
}

void JudgeEnd(const Trial& trial, ClauseVerdict& verdict) {
  verdict.bound = kNaN;
  switch (trial.observation.status) {
    case RunStatus::kOk:
      verdict.outcome = Outcome::kConforming;
      return;
    case RunStatus::kUnsupported:
      return Set(verdict, Outcome::kUnsupported, "the backend says it cannot");
    case RunStatus::kRaised:
      verdict.outcome = Outcome::kConforming;
      if (!RaiseIsDue(trial)) Violate(verdict, ErrorClass::kRaisedUndeclared);
      return;
    case RunStatus::kFailed:
      return Violate(verdict, ErrorClass::kFailure);
    case RunStatus::kGuardHit:
      return Set(verdict, Outcome::kNotTested, WhyNothingToSee(RunStatus::kGuardHit));
    case RunStatus::kCrashed:
      Violate(verdict, ErrorClass::kCrash);
      verdict.outcome = Outcome::kCrashed;
      return;
    case RunStatus::kTimedOut:
      Violate(verdict, ErrorClass::kTimeout);
      verdict.outcome = Outcome::kTimedOut;
      return;
  }
}

void JudgeEnvironment(const Observation& observation, ClauseVerdict& verdict) {
  verdict.bound = kNaN;
  if (observation.environment != 0) return Violate(verdict, ErrorClass::kEnvironment);
  const bool ended =
      observation.status == RunStatus::kOk || observation.status == RunStatus::kRaised;
  if (!ended) return Set(verdict, Outcome::kNotTested, WhyNothingToSee(observation.status));
  verdict.outcome = Outcome::kConforming;
}

// X-SAFE-01: a call ends, and leaves the process as it found it. No text of a contract could say
// more.
void JudgeSafety(const Trial& trial, Verdict& verdict) {
  ClauseVerdict& ends = verdict.clauses.emplace_back();
  ends.contract = kSafetyContract;
  ends.clause = "ends";
  JudgeEnd(trial, ends);
  if (trial.observation.status == RunStatus::kUnsupported) return;
  ClauseVerdict& environment = verdict.clauses.emplace_back();
  environment.contract = kSafetyContract;
  environment.clause = "environment";
  JudgeEnvironment(trial.observation, environment);
}

// Where the table of special answers, and not arithmetic, says what is right for some element.
bool IsSpecial(const Evidence& evidence) {
  ClassSet all = kClassByValue;
  const auto count = std::min<size_t>(evidence.legal.size(), static_cast<size_t>(evidence.count));
  for (size_t i = 0; i < count; ++i) all &= evidence.legal[i];
  return evidence.special || (all & kClassByValue) == 0;
}

// With an empty sum only beta c is left, and a wrong answer that is the old content bit for bit
// means that c was not written. Said by the clause that asks for it, in place of all others: one
// cause gives one key.
void BlameOldContent(const Trial& trial, Verdict& verdict) {
  if (trial.values.op->family != Family::kGemm) return;
  if (trial.evidence.scalar[static_cast<int>(Quantity::kLength)] != 0) return;
  const auto asks =
      std::find_if(trial.contracts.clauses.begin(), trial.contracts.clauses.end(),
                   [](const BoundClause& clause) { return clause.Has(Relation::kWritten); });
  if (asks == trial.contracts.clauses.end()) return;
  int64_t unwritten = -1;
  for (ClauseVerdict& clause : verdict.clauses) {
    const size_t at = static_cast<size_t>(clause.witness);
    if (clause.outcome != Outcome::kViolating || clause.witness < 0) continue;
    // Two zeros that happen to agree say nothing about who wrote them.
    if (clause.error == ErrorClass::kZeroSign || at >= trial.observation.bits.size()) continue;
    if (trial.observation.bits[at] != trial.values.operands.back().bits[at]) continue;
    unwritten = clause.witness;
    clause.error = ErrorClass::kNone;
    clause.ratio = 0;
    Set(clause, Outcome::kNotTested, "old content of the output shows");
  }
  if (unwritten < 0) return;
  for (ClauseVerdict& clause : verdict.clauses) {
    const bool written = clause.contract == asks->contract && clause.clause == asks->name;
    if (written) Violate(clause, ErrorClass::kUnwritten, unwritten);
  }
}

}  // namespace

JudgeScratch::JudgeScratch() : impl(std::make_unique<Impl>()) {}
JudgeScratch::~JudgeScratch() = default;

void Judge(const BoundContracts& contracts, const Values& values, const Evidence& evidence,
           const Observation& observation, ForceSource& force, int force_budget,
           JudgeScratch& scratch, Verdict& verdict) {
  const Trial trial{
      contracts, values,       evidence,      observation,
      force,     force_budget, *scratch.impl, {&evidence, &values, IsSpecial(evidence)}};
  scratch.impl->findings_strict = 0;
  scratch.impl->ordinary.reset();
  for (const BoundClause& clause : contracts.clauses) {
    if (!clause.promised()) continue;
    if (clause.when && trial.ByCase(*clause.when) == 0) continue;
    ClauseVerdict& judged = verdict.clauses.emplace_back();
    judged.contract = clause.contract;
    judged.clause = clause.name;
    JudgeClause(trial, clause, judged);
  }
  BlameOldContent(trial, verdict);
  JudgeSafety(trial, verdict);
}

std::vector<double> ToleranceOf(const BoundContracts& contracts, std::string_view id,
                                const Values& values, const Evidence& evidence) {
  const Inputs inputs{&evidence, &values, IsSpecial(evidence)};
  ProgramScratch scratch;
  for (const BoundClause& clause : contracts.clauses) {
    if (clause.contract != id) continue;
    for (const BoundRule& rule : clause.rules) {
      if (rule.when &&
          (!rule.when->missing.empty() || RunByCase(*rule.when, inputs, scratch) == 0)) {
        continue;
      }
      if (!rule.strict.missing.empty() || !Measured(rule.strict, evidence)) return {};
      std::vector<double> bounds(static_cast<size_t>(evidence.count));
      RunByElement(rule.strict, inputs, scratch, bounds.data());
      return bounds;
    }
  }
  return {};
}

}  // namespace assay
