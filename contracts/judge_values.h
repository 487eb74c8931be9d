// SPDX-License-Identifier: Apache-2.0
//
// The relations that look at output elements: values against the tolerance, classes against the
// table, force, and further calls against each other. Part of the judge; included by its files
// only.
#pragma once

#include "contracts/decide.h"
#include "contracts/suite.h"

namespace assay {

// What the answers of one call came to under a tolerance: all that JudgeValues needs to conclude.
struct ValueFindings {
  ClauseVerdict verdict;  // outcome, error, ratio, witness, bound, reason
  int64_t judged = 0;     // elements that the bound says something of
  bool violated = false, undecided = false, excused = false, unspecified = false;

  bool AllRight() const { return !violated && !undecided && !excused && !unspecified; }
};

// What is computed once for all clauses and backends that ask the same of the same evidence. Keys
// are identities of programs, with the measurement they were evaluated on; evidence made by hand
// has none, and nothing of it is kept.
struct JudgeScratch::Impl {
  ProgramScratch program;
  std::vector<double> strict, loose;  // E of every element
  std::vector<double> ratios;         // of distance to E, of some answers
  uint32_t strict_identity = 0, loose_identity = 0;
  uint64_t strict_measurement = 0, loose_measurement = 0;
  // Of programs that give one number, by identity.
  struct Known {
    uint64_t measurement = 0;
    double value = 0;
  };
  std::vector<Known> known;
  // Of the call that is being judged, under the rule of these identities; 0: none yet.
  ValueFindings findings;
  uint32_t findings_strict = 0, findings_loose = 0;
  std::optional<bool> ordinary;  // no class could be wrong
  std::vector<int64_t> places;   // answers of a call, where they are places
};

// One case under judgement, for all clauses.
struct Trial {
  const BoundContracts& contracts;
  const Values& values;
  const Evidence& evidence;
  const Observation& observation;
  ForceSource& force;
  int force_budget;
  JudgeScratch::Impl& scratch;
  Inputs inputs;

  const Declared& declared() const { return contracts.binding.declared; }
  // Value of a program that gives one number.
  double ByCase(const Program& program) const;
};

// Consecutive output elements as one call wrote them: all of them, or one row of the batch.
struct Answers {
  DType dtype;
  const std::vector<uint64_t>& bits;
  const std::vector<double>& real;  // float types only
  int64_t first = 0;                // output element that element 0 stands for
  int64_t count = 0;

  bool integer() const { return !IsFloat(dtype); }
  // Of output element i; of an integer its class and sign are exact, its value only up to 2^53.
  double Real(int64_t i) const {
    return integer() ? static_cast<double>(Integer(i)) : real[static_cast<size_t>(i - first)];
  }
  int64_t Integer(int64_t i) const {
    return DecodeInteger(dtype, bits[static_cast<size_t>(i - first)]);
  }
};
Answers AnswersOf(const Trial& trial);
Answers AnswersOf(const Trial& trial, const Variant& variant);

// All REQUIRE observation.status == kOk and fill outcome, error, ratio, witness, bound, reason,
// force.
void JudgeValues(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict);
void JudgeClasses(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict);
// Subnormal numbers: what flushing alone explains, and whether like elements were treated alike.
void JudgeSubnormals(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict);
void JudgeAlike(const Trial& trial, ClauseVerdict& verdict);
// Whether some clause of the suite asks for the declared subnormal policy by itself, so that the
// value clauses leave to it what flushing explains.
bool SubnormalsHaveAClause(const BoundContracts& contracts);
// E of every element under the widest reading of the subnormal policy, into scratch.loose.
// REQUIRES rule.loose.
void ComputeLoose(const Trial& trial, const BoundRule& rule);
// What is declared of integers without a quotient. Also of calls that raised.
void JudgeDivision(const Trial& trial, ClauseVerdict& verdict);
void JudgeChoice(const Trial& trial, const Answers& answers, ClauseVerdict& verdict);
// The relations between calls; to what the clause's other relations came to the worst is added.
void JudgeVariants(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict);
void JudgeScales(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict);
// Of relations, a bit each, those that ask for no invariance that is not declared.
uint32_t PromisedOf(uint32_t relations, const Binding& binding);

// Whether the classes of some answers are legal. REQUIRES verdict.outcome kConforming.
void CheckClasses(const Trial& trial, const BoundClause& clause, const Answers& answers,
                  ClauseVerdict& verdict);
// Values and classes of some answers under a clause, without force. Leaves the tolerance's own
// complaints (no rule, a quantity not measured) to JudgeValues: such answers conform.
void CheckAnswers(const Trial& trial, const BoundClause& clause, const Answers& answers,
                  ClauseVerdict& verdict);

// Reason of RuleFor where the only rule that applies is borrowed, and its own contract does not
// speak of the case.
inline constexpr std::string_view kOutsideTheRule =
    "the inputs do not meet the precondition of the tolerance";
// The rule that applies to the case; nullptr and a reason where none can be evaluated.
inline Outcome OutcomeWithoutRule(std::string_view reason) {
  return reason == kOutsideTheRule ? Outcome::kRejected : Outcome::kUnderSpecified;
}
const BoundRule* RuleFor(const Trial& trial, const BoundClause& clause, std::string_view& reason);
// E of every element into scratch.strict, unless it holds just that from the backend before.
void ComputeStrict(const Trial& trial, const BoundRule& rule);

inline Truth TruthOf(const Evidence& evidence, int64_t i) {
  return {evidence.hi[i], evidence.lo[i], evidence.radius[i]};
}

// How one element is decided, whatever its type: by the image rule, exactly, or by what is declared
// of integers that leave the range of their type.
class ElementRule {
 public:
  ElementRule(const Trial& trial, const BoundRule& bound);
  bool image() const { return rule_.image(); }
  // True: right whatever the bound. For the image rule; false says nothing.
  bool Plainly(double got, int64_t i) const {
    return rule_.image() && rule_.PlainlyRounds(got, TruthOf(*evidence_, i));
  }
  Decided Decide(const Answers& answers, int64_t i, double bound) const;
  // The same for a number that no call wrote: an emulated answer.
  Decided DecideReal(double got, int64_t i, double bound) const;

 private:
  Decided DecideWhole(int64_t got, int64_t i, double bound) const;

  const Trial* trial_;
  const Evidence* evidence_;
  AnswerRule rule_;
  bool rounds_to_f64_ = false;
};

// Integer answers whose right value a declaration chooses: sums and casts beyond the type's range.
enum class Beyond : uint8_t {
  kInside = 0,   // the truth is a number of the type
  kRight,        // outside, and the declared answer (any, where nothing must be declared)
  kWrong,        // outside, and none of the answers there are
  kUnspecified,  // outside, and right only under a declaration that is missing
};
Beyond JudgeBeyond(const Trial& trial, int64_t i, int64_t got);

}  // namespace assay
