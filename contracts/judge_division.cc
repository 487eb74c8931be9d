// SPDX-License-Identifier: Apache-2.0
//
// Integer divisions that have no quotient: what is declared of them, element by element. Quotients
// that there are belong to the value clauses.
#include <optional>

#include "contracts/int_division.h"
#include "contracts/judge_values.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

int64_t AnswerOf(DivisionPolicy policy, int64_t dividend, DType type) {
  switch (policy) {
    case DivisionPolicy::kAllOnes:
      return DecodeInteger(type, EncodeInteger(type, -1));
    case DivisionPolicy::kWrap:
      return LimitsOf(type).lowest;
    case DivisionPolicy::kDividend:
      return dividend;
    default:
      return 0;
  }
}

// What the elements of a case ask for together.
struct Demands {
  bool any = false;         // some element has no quotient
  bool raise = false;       // and a declaration says that the call is then rejected
  bool undeclared = false;  // no declaration says what it is
  int64_t wrong = -1;       // first element that is not as declared
};

class DivisionJudge {
 public:
  explicit DivisionJudge(const Trial& trial)
      : trial_(trial),
        type_(trial.contracts.binding.output),
        raised_(trial.observation.status == RunStatus::kRaised),
        remainder_(trial.contracts.binding.op == OpId::kIntRemainder) {}

  Demands Ask() {
    const OperandValues& x = trial_.values.operands[0];
    const OperandValues& y = trial_.values.operands[1];
    for (int64_t i = 0; i < x.count; ++i) {
      const auto at = static_cast<size_t>(i);
      const Quotient quotient = QuotientOf(x.integer[at], y.integer[at], LimitsOf(type_));
      if (quotient == Quotient::kThere) continue;
      // The lowest number leaves 0, which the values decide; a call may be declared to reject it.
      const bool leaves_zero = remainder_ && quotient == Quotient::kBeyond;
      if (!leaves_zero || raised_) Element(i, x.integer[at], PolicyOf(quotient));
    }
    return demands_;
  }

 private:
  std::optional<DivisionPolicy> PolicyOf(Quotient quotient) const {
    const Declared& declared = trial_.declared();
    return quotient == Quotient::kByZero ? declared.division_by_zero : declared.division_overflow;
  }

  void Element(int64_t i, int64_t dividend, std::optional<DivisionPolicy> policy) {
    demands_.any = true;
    demands_.undeclared |= !policy;
    demands_.raise |= policy == DivisionPolicy::kRaise;
    if (!policy || raised_ || demands_.wrong >= 0) return;
    const bool right = *policy != DivisionPolicy::kRaise &&
                       AnswersOf(trial_).Integer(i) == AnswerOf(*policy, dividend, type_);
    if (!right) demands_.wrong = i;
  }

  const Trial& trial_;
  DType type_;
  bool raised_, remainder_;
  Demands demands_;
};

}  // namespace

void JudgeDivision(const Trial& trial, ClauseVerdict& verdict) {
  verdict.bound = kNaN;
  const bool raised = trial.observation.status == RunStatus::kRaised;
  const Demands demands = DivisionJudge(trial).Ask();
  const bool rejected_as_declared = raised && demands.raise;
  if (!demands.any) {
    verdict.outcome = Outcome::kNotTested;
    verdict.reason = "every integer has a quotient";
  } else if (demands.wrong >= 0 || (raised && !demands.raise && !demands.undeclared)) {
    verdict.outcome = Outcome::kViolating;
    verdict.error = ErrorClass::kPolicy;
    verdict.ratio = kInf;
    verdict.witness = demands.wrong;
  } else if (demands.undeclared && !rejected_as_declared) {
    verdict.outcome = Outcome::kUnderSpecified;
    verdict.reason = "no answer is declared where an integer has no quotient";
  } else {
    verdict.outcome = Outcome::kConforming;
  }
}

}  // namespace assay
