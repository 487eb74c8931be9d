// SPDX-License-Identifier: Apache-2.0
//
// Loss scales: gradients from scaled and stored ones must not tell with which scale they were
// computed, but for what storing lost. Row j of the output comes from column j of dy.
#include <algorithm>
#include <cmath>

#include "contracts/judge_values.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What storing does to a column of dy at the case's scale and at a larger one.
struct ColumnFacts {
  bool finite = true;      // the gradients themselves
  bool overflows = false;  // at the larger scale, when stored
  bool exact = true;       // nothing leaves the normal range: a power of two changes no rounding
  bool sums_fit = true;    // no order of additions overflows at the larger scale
};

class ScaleJudge {
 public:
  ScaleJudge(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict)
      : trial_(trial),
        clause_(clause),
        verdict_(verdict),
        dy_(trial.values.operands[0]),
        x_(trial.values.operands[1]),
        scale_(ScalarAttribute(*trial.values.source, kGradientScale)),
        store_(trial.values.source->attributes[kGradientStore].choice == 0 ? Format::kF16
                                                                           : Format::kBf16) {
    for (const double each : x_.real) {
      if (each != 0) smallest_x_ = std::min(smallest_x_, std::fabs(each));
    }
  }

  void Compare(const Answers& answers, int64_t log2_factor) {
    const double larger = std::ldexp(scale_, static_cast<int>(log2_factor));
    const int64_t width = trial_.values.operands.back().shape[1];
    for (int64_t j = 0; j < dy_.shape[1]; ++j) {
      const ColumnFacts facts = FactsOf(j, larger);
      if (!facts.finite || !facts.sums_fit) continue;
      for (int64_t i = j * width; i < (j + 1) * width; ++i) {
        if (verdict_.outcome != Outcome::kViolating) Element(answers, i, facts);
      }
    }
  }

 private:
  ColumnFacts FactsOf(int64_t j, double larger) const {
    const FormatInfo& store = InfoOf(store_);
    const FormatInfo& single = InfoOf(Format::kF32);
    const auto terms = static_cast<double>(dy_.shape[0]);
    ColumnFacts facts;
    for (int64_t m = 0; m < dy_.shape[0]; ++m) {
      const double each = dy_.real[static_cast<size_t>(m * dy_.shape[1] + j)];
      facts.finite &= std::isfinite(each);
      if (each == 0 || !facts.finite) continue;
      const double small = std::fabs(scale_ * each), large = std::fabs(larger * each);
      facts.overflows |= std::isinf(Round(store_, Round(Format::kF32, large)));
      facts.exact &=
          small >= store.smallest_normal && small * smallest_x_ >= 2 * single.smallest_normal;
      facts.sums_fit &=
          facts.overflows || !(terms * large * std::max(1.0, x_.max_abs) > single.largest / 2);
    }
    return facts;
  }

  void Element(const Answers& answers, int64_t i, const ColumnFacts& facts) {
    if ((trial_.evidence.legal[i] & kClassByValue) == 0) return;  // the class relation's business
    if (facts.overflows) {
      if (std::isfinite(answers.Real(i))) Violate(ErrorClass::kOverflowHidden, i, kInf, kNaN);
      return;
    }
    const double base = trial_.observation.real[static_cast<size_t>(i)];
    const double difference = std::fabs(base - answers.Real(i));
    if (difference == 0 || (std::isnan(base) && std::isnan(answers.Real(i)))) return;
    if (facts.exact) return Violate(ErrorClass::kScalesDiffer, i, kInf, 0);
    if (!Prepare()) return;
    const std::vector<double>& rescaling =
        trial_.evidence.element[static_cast<int>(Quantity::kRescaling)];
    const double bound = rescaling[static_cast<size_t>(i)] / scale_ +
                         2 * trial_.scratch.strict[static_cast<size_t>(i)];
    const double ratio = difference / bound;
    if (!(difference <= bound * (1 + kBoundSlack))) {
      return Violate(ErrorClass::kScalesDiffer, i, std::isnan(ratio) ? kInf : ratio, bound);
    }
    if (ratio > verdict_.ratio) {
      verdict_.ratio = ratio;
      verdict_.witness = i;
      verdict_.bound = bound;
    }
  }

  // False: there is no bound to decide by, and the verdict says so.
  bool Prepare() {
    if (prepared_) return true;
    std::string_view reason;
    const BoundRule* rule = RuleFor(trial_, clause_, reason);
    if (rule == nullptr) {
      verdict_.outcome = OutcomeWithoutRule(reason);
      verdict_.reason = reason;
      return false;
    }
    const auto count = static_cast<size_t>(trial_.evidence.count);
    const auto column = static_cast<size_t>(Quantity::kRescaling);
    if (trial_.evidence.element[column].size() < count ||
        !Measured(rule->strict, trial_.evidence)) {
      verdict_.outcome = Outcome::kInconclusive;
      verdict_.reason = "a quantity of the tolerance was not measured";
      return false;
    }
    ComputeStrict(trial_, *rule);
    return prepared_ = true;
  }

  void Violate(ErrorClass error, int64_t witness, double ratio, double bound) {
    verdict_.outcome = Outcome::kViolating;
    verdict_.error = error;
    verdict_.witness = witness;
    verdict_.ratio = ratio;
    verdict_.bound = bound;
  }

  const Trial& trial_;
  const BoundClause& clause_;
  ClauseVerdict& verdict_;
  const OperandValues& dy_;
  const OperandValues& x_;
  double scale_;
  Format store_;
  double smallest_x_ = 1;  // the last column multiplies by one
  bool prepared_ = false;
};

}  // namespace

void JudgeScales(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict) {
  if (trial.contracts.binding.op != OpId::kScaledGradient) return;
  verdict.outcome = Outcome::kConforming;
  bool any = false;
  ScaleJudge judge(trial, clause, verdict);
  for (const Variant& variant : trial.observation.variants) {
    if (variant.kind != VariantKind::kScale || variant.status == RunStatus::kUnsupported) continue;
    any = true;
    if (verdict.outcome == Outcome::kViolating) break;
    if (variant.status == RunStatus::kOk) {
      judge.Compare(AnswersOf(trial, variant), variant.parameter);
    } else if (variant.status != RunStatus::kGuardHit) {
      verdict.outcome = Outcome::kViolating;
      verdict.error = ErrorClass::kScalesDiffer;
      verdict.ratio = kInf;
      verdict.bound = kNaN;
    }
  }
  if (any) return;
  verdict.outcome = Outcome::kNotTested;
  verdict.reason = "no further call of this case was made";
}

}  // namespace assay
