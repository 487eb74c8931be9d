// SPDX-License-Identifier: Apache-2.0
//
// The relations between calls of one case: runs, schedules, threads, rows, places and loss scales.
// Answers that each lie within E of one truth lie within 2 E of each other, and so do their spread
// and every pair: holding each against the truth says all that a pairwise bound would, and zeros
// that agree with each other do not pass.
#include <algorithm>
#include <cmath>
#include <span>

#include "contracts/judge_values.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A relation that asks for the same bits, the promise it holds a backend to, and its evidence.
struct Invariant {
  Relation relation;
  Invariance promise;
  VariantKind kind;
  ErrorClass error;
};
constexpr Invariant kInvariants[] = {
    {Relation::kSameInBatch, kBatchInvariant, VariantKind::kAlone, ErrorClass::kBatchDiffers},
    {Relation::kSameOnThreads, kThreadInvariant, VariantKind::kThreads, ErrorClass::kThreadsDiffer},
    {Relation::kSameWhenMoved, kAlignmentInvariant, VariantKind::kAlignment,
     ErrorClass::kAlignmentDiffers},
    {Relation::kSameOnSchedules, kScheduleInvariant, VariantKind::kSchedule,
     ErrorClass::kSchedulesDiffer},
};

constexpr uint32_t Bit(Relation relation) { return 1u << static_cast<int>(relation); }
constexpr uint32_t kInvariantBits = Bit(Relation::kSameInBatch) | Bit(Relation::kSameOnThreads) |
                                    Bit(Relation::kSameWhenMoved) |
                                    Bit(Relation::kSameOnSchedules) | Bit(Relation::kSameOnRanks);

constexpr uint32_t kVariantBits =
    kInvariantBits | Bit(Relation::kRuns) | Bit(Relation::kSchedules) | Bit(Relation::kScales);

// Ranks of a collective that all end with the same numbers.
bool HasEqualRanks(OpId op) { return op == OpId::kAllReduce || op == OpId::kAllGather; }

void Set(ClauseVerdict& verdict, Outcome outcome, std::string_view reason) {
  verdict.outcome = outcome;
  verdict.reason = reason;
}

void Violate(ClauseVerdict& verdict, ErrorClass error, int64_t witness) {
  verdict.outcome = Outcome::kViolating;
  verdict.error = error;
  verdict.ratio = kInf;
  verdict.bound = kNaN;
  verdict.witness = witness;
}

// Equal bits, or two NaN, whose sign and payload nobody promises.
bool SameBits(DType type, uint64_t a, uint64_t b) {
  if (a == b) return true;
  return IsFloat(type) && std::isnan(Decode(type, a)) && std::isnan(Decode(type, b));
}

// First output element in which `answers` differs from what the call itself wrote, or -1.
int64_t FirstDifference(const Trial& trial, const Answers& answers) {
  for (int64_t k = 0; k < answers.count; ++k) {
    const auto at = static_cast<size_t>(answers.first + k);
    const uint64_t base = trial.observation.bits[at];
    if (!SameBits(answers.dtype, base, answers.bits[static_cast<size_t>(k)])) {
      return answers.first + k;
    }
  }
  return -1;
}

// Calls visit(answers) for each further call of `kind` that ended well; one that did not, where the
// case itself did, is a difference. Where there is none nothing was compared, whatever the call by
// itself came to.
template <class Visit>
void ForEachVariant(const Trial& trial, VariantKind kind, ErrorClass error, ClauseVerdict& verdict,
                    const Visit& visit) {
  bool any = false;
  for (const Variant& variant : trial.observation.variants) {
    if (variant.kind != kind || variant.status == RunStatus::kUnsupported) continue;
    any = true;
    if (verdict.outcome == Outcome::kViolating) break;
    if (variant.status == RunStatus::kGuardHit) {
      Set(verdict, Outcome::kNotTested, "a further call touched memory outside an operand");
    } else if (variant.status != RunStatus::kOk) {
      Violate(verdict, error, variant.first);
    } else {
      visit(AnswersOf(trial, variant), variant);
    }
  }
  if (!any) Set(verdict, Outcome::kNotTested, "no further call of this case was made");
}

void JudgeSame(const Trial& trial, const Invariant& invariant, ClauseVerdict& verdict) {
  verdict.outcome = Outcome::kConforming;
  verdict.bound = kNaN;
  ForEachVariant(trial, invariant.kind, invariant.error, verdict,
                 [&](const Answers& answers, const Variant&) {
                   const int64_t differs = FirstDifference(trial, answers);
                   if (differs >= 0) Violate(verdict, invariant.error, differs);
                 });
}

void JudgeRanks(const Trial& trial, ClauseVerdict& verdict) {
  verdict.outcome = Outcome::kConforming;
  verdict.bound = kNaN;
  const int64_t ranks = trial.values.operands.back().shape[0];
  const std::vector<uint64_t>& bits = trial.observation.bits;
  const size_t each = ranks > 0 ? bits.size() / static_cast<size_t>(ranks) : 0;
  for (size_t i = each; i < bits.size(); ++i) {
    if (SameBits(trial.observation.dtype, bits[i], bits[i % each])) continue;
    return Violate(verdict, ErrorClass::kRanksDiffer, static_cast<int64_t>(i));
  }
}

// The call itself, as the relation's first answer: values with force, then classes.
void JudgeBase(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  if (trial.evidence.choice) return JudgeChoice(trial, AnswersOf(trial), verdict);
  if (DefOf(trial.contracts.binding.op).family == Family::kGather) {
    verdict.outcome = Outcome::kConforming;  // copies: the index policy says what is right
    return;
  }
  JudgeValues(trial, clause, verdict);
  const bool right = verdict.outcome == Outcome::kConforming ||
                     verdict.outcome == Outcome::kVacuous || verdict.outcome == Outcome::kNotTested;
  if (!right) return;
  ClauseVerdict classes;
  classes.contract = verdict.contract;
  classes.clause = verdict.clause;
  classes.outcome = Outcome::kConforming;
  CheckClasses(trial, clause, AnswersOf(trial), classes);
  if (classes.outcome == Outcome::kConforming) return;
  verdict = classes;
}

// A further call is right by itself. What is wrong with it alone is a difference between calls.
void HoldAgainstTruth(const Trial& trial, const BoundClause& clause, const Answers& answers,
                      ErrorClass error, ClauseVerdict& verdict) {
  if (DefOf(trial.contracts.binding.op).family == Family::kGather) {
    const int64_t differs = FirstDifference(trial, answers);
    if (differs >= 0) Violate(verdict, error, differs);
    return;
  }
  ClauseVerdict own;
  CheckAnswers(trial, clause, answers, own);
  if (own.outcome == Outcome::kConforming) {
    if (!(own.ratio > verdict.ratio)) return;
    verdict.ratio = own.ratio;
    verdict.witness = own.witness;
    verdict.bound = own.bound;
    return;
  }
  verdict.outcome = own.outcome;
  verdict.reason = own.reason;
  verdict.error = own.outcome == Outcome::kViolating ? error : ErrorClass::kNone;
  verdict.ratio = own.ratio;
  verdict.witness = own.witness;
  verdict.bound = own.bound;
}

void JudgeRuns(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  const std::optional<Determinism>& promise = trial.declared().determinism;
  if (!promise) return Set(verdict, Outcome::kUnderSpecified, "no determinism is declared");
  JudgeBase(trial, clause, verdict);
  if (verdict.outcome == Outcome::kViolating) return;
  ForEachVariant(trial, VariantKind::kRun, ErrorClass::kRunsDiffer, verdict,
                 [&](const Answers& answers, const Variant&) {
                   const int64_t differs = FirstDifference(trial, answers);
                   if (differs < 0) return;
                   if (*promise == Determinism::kBitwise) {
                     return Violate(verdict, ErrorClass::kRunsDiffer, differs);
                   }
                   HoldAgainstTruth(trial, clause, answers, ErrorClass::kRunsDiffer, verdict);
                 });
}

// NaN, +Inf, -Inf or a number: where the table of special answers leaves a choice, all schedules
// make the same.
bool SameClass(double a, double b) {
  const auto broad = [](double x) { return std::isfinite(x) ? kClassFinite : ClassOf(x); };
  return broad(a) == broad(b);
}

int64_t FirstClassDifference(const Trial& trial, const Answers& answers) {
  const Answers base = AnswersOf(trial);
  for (int64_t i = answers.first; i < answers.first + answers.count; ++i) {
    // An infinity can be the rounding of a finite truth; its tolerance decides. Where one is among
    // several answers, the order of scaling and adding chose, which is what schedules are for.
    if ((trial.evidence.legal[i] & (kClassByValue | kClassInf)) != 0) continue;
    if (!SameClass(base.Real(i), answers.Real(i))) return i;
  }
  return -1;
}

void JudgeSchedules(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  JudgeBase(trial, clause, verdict);
  if (verdict.outcome == Outcome::kViolating) return;
  ForEachVariant(trial, VariantKind::kSchedule, ErrorClass::kSchedulesDiffer, verdict,
                 [&](const Answers& answers, const Variant&) {
                   if (FirstDifference(trial, answers) < 0) return;
                   HoldAgainstTruth(trial, clause, answers, ErrorClass::kSchedulesDiffer, verdict);
                   const int64_t differs = FirstClassDifference(trial, answers);
                   if (differs >= 0 && verdict.outcome != Outcome::kViolating) {
                     Violate(verdict, ErrorClass::kSchedulesDiffer, differs);
                   }
                 });
}

// Nothing decays into "conforming": the worse of two verdicts of one clause stands.
int Severity(Outcome outcome) {
  static constexpr Outcome kWorstFirst[] = {Outcome::kViolating,    Outcome::kUnderSpecified,
                                            Outcome::kInconclusive, Outcome::kVacuous,
                                            Outcome::kConforming,   Outcome::kNotTested};
  const auto* at = std::find(std::begin(kWorstFirst), std::end(kWorstFirst), outcome);
  return static_cast<int>(std::end(kWorstFirst) - at);
}

void Add(const ClauseVerdict& part, ClauseVerdict& verdict) {
  if (Severity(part.outcome) > Severity(verdict.outcome) ||
      (part.outcome == verdict.outcome && part.ratio > verdict.ratio)) {
    verdict = part;
  }
}

}  // namespace

uint32_t PromisedOf(uint32_t relations, const Binding& binding) {
  const Invariance declared = binding.declared.invariance;
  uint32_t promised = relations & ~kInvariantBits;
  for (const Invariant& invariant : kInvariants) {
    if ((declared & invariant.promise) != 0) promised |= relations & Bit(invariant.relation);
  }
  const bool ranks = (declared & kRankInvariant) != 0 && HasEqualRanks(binding.op);
  return ranks ? promised | (relations & Bit(Relation::kSameOnRanks)) : promised;
}

void JudgeVariants(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  if ((clause.due & kVariantBits) == 0) return;
  ClauseVerdict blank;
  blank.contract = verdict.contract;
  blank.clause = verdict.clause;
  const auto judge = [&](Relation relation, const auto& function) {
    if ((clause.due & Bit(relation)) == 0) return;
    ClauseVerdict part = blank;
    function(part);
    Add(part, verdict);
  };
  judge(Relation::kRuns, [&](ClauseVerdict& part) { JudgeRuns(trial, clause, part); });
  judge(Relation::kSchedules, [&](ClauseVerdict& part) { JudgeSchedules(trial, clause, part); });
  judge(Relation::kScales, [&](ClauseVerdict& part) { JudgeScales(trial, clause, part); });
  judge(Relation::kSameOnRanks, [&](ClauseVerdict& part) { JudgeRanks(trial, part); });
  for (const Invariant& invariant : kInvariants) {
    judge(invariant.relation, [&](ClauseVerdict& part) { JudgeSame(trial, invariant, part); });
  }
}

VariantKinds VariantsFor(const BoundContracts& contracts) {
  VariantKinds kinds = 0;
  const auto want = [&](VariantKind kind) { kinds |= BitOf(kind); };
  for (const BoundClause& clause : contracts.clauses) {
    const bool runs = (clause.due & Bit(Relation::kRuns)) != 0;
    if (runs && contracts.binding.declared.determinism) want(VariantKind::kRun);
    if ((clause.due & Bit(Relation::kSchedules)) != 0) want(VariantKind::kSchedule);
    if ((clause.due & Bit(Relation::kScales)) != 0) want(VariantKind::kScale);
    for (const Invariant& invariant : kInvariants) {
      if ((clause.due & Bit(invariant.relation)) != 0) want(invariant.kind);
    }
  }
  return kinds;
}

}  // namespace assay
