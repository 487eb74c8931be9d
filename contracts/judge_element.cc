// SPDX-License-Identifier: Apache-2.0
//
// One element: by the image rule, or as an integer, of which what is declared of numbers that the
// type cannot hold is part. An integer is compared by its bits, never through a double that may not
// hold it.
#include <cmath>
#include <optional>

#include "contracts/judge_values.h"

namespace assay {
namespace {

// What the two answers to an integer beyond the range are.
struct Outside {
  int64_t wrapped, saturated;
};

std::optional<Outside> OutsideOf(long double truth, DType type) {
  const IntegerLimits range = LimitsOf(type);
  if (!std::isfinite(truth)) return std::nullopt;
  if (truth >= range.lowest && truth <= range.highest) return std::nullopt;
  const long double modulus = std::ldexp(1.0L, 8 * SizeOf(type));
  const long double rest = truth - std::floor(truth / modulus) * modulus;  // exact: both integers
  const int64_t wrapped = DecodeInteger(type, static_cast<uint64_t>(rest));
  return Outside{wrapped, truth < 0 ? range.lowest : range.highest};
}

Beyond Overflowed(const Outside& outside, std::optional<IntegerOverflow> declared, int64_t got) {
  const bool wraps = got == outside.wrapped, saturates = got == outside.saturated;
  if (declared == IntegerOverflow::kWrap) return wraps ? Beyond::kRight : Beyond::kWrong;
  if (declared == IntegerOverflow::kSaturate) return saturates ? Beyond::kRight : Beyond::kWrong;
  return wraps || saturates ? Beyond::kUnspecified : Beyond::kWrong;
}

// x86's answer: the conversion to 32 bits (64 for a 64-bit result) gives its lowest number for NaN
// and for whatever does not fit, and a narrower result keeps the low bits.
int64_t IndefiniteOf(double x, DType type) {
  const IntegerLimits wide = LimitsOf(SizeOf(type) == 8 ? DType::kI64 : DType::kI32);
  const double whole = std::trunc(x);
  const double above = -static_cast<double>(wide.lowest);
  const bool fits = whole >= static_cast<double>(wide.lowest) && whole < above;
  const int64_t converted = fits ? static_cast<int64_t>(whole) : wide.lowest;
  return DecodeInteger(type, static_cast<uint64_t>(converted));
}

int64_t SaturatedOf(double x, DType type) {
  const IntegerLimits range = LimitsOf(type);
  if (std::isnan(x)) return 0;
  return x < 0 ? range.lowest : range.highest;
}

bool Fits(double x, DType type) {
  const IntegerLimits range = LimitsOf(type);
  const double whole = std::trunc(x);
  // highest + 1 is a power of two, and so exact where highest is not.
  return whole >= static_cast<double>(range.lowest) &&
         whole < static_cast<double>(range.highest / 2 + 1) * 2;
}

Beyond CastFromReal(double x, DType type, std::optional<CastOutside> declared, int64_t got) {
  if (Fits(x, type)) return Beyond::kInside;
  if (!declared) return Beyond::kRight;  // C and C++ leave it undefined: any answer, and no trap
  const int64_t wanted =
      *declared == CastOutside::kIndefinite ? IndefiniteOf(x, type) : SaturatedOf(x, type);
  return got == wanted ? Beyond::kRight : Beyond::kWrong;
}

}  // namespace

Beyond JudgeBeyond(const Trial& trial, int64_t i, int64_t got) {
  const Binding& binding = trial.contracts.binding;
  const auto at = static_cast<size_t>(i);
  const OperandValues& source = trial.values.operands[0];
  std::optional<IntegerOverflow> overflow = binding.declared.integer_overflow;
  std::optional<Outside> outside;
  if (binding.op == OpId::kCast && IsFloat(source.dtype)) {
    return CastFromReal(source.real[at], binding.output, binding.declared.cast_outside, got);
  }
  if (binding.op == OpId::kCast) {
    // Between integers the operator's own attribute says it.
    const bool saturates = trial.values.source->attributes[kCastOverflow].choice == 0;
    overflow = saturates ? IntegerOverflow::kSaturate : IntegerOverflow::kWrap;
    outside = OutsideOf(static_cast<long double>(source.integer[at]), binding.output);
  } else if (binding.op == OpId::kInt8Gemm) {
    const long double truth =
        static_cast<long double>(trial.evidence.hi[at]) + trial.evidence.lo[at];
    outside = OutsideOf(truth, binding.output);
  }
  return outside ? Overflowed(*outside, overflow, got) : Beyond::kInside;
}

ElementRule::ElementRule(const Trial& trial, const BoundRule& bound)
    : trial_(&trial),
      evidence_(&trial.evidence),
      // A cast rounds once, from the exact value, whatever else the backend computes in.
      rule_(trial.contracts.binding.op == OpId::kCast ? Format::kF64 : bound.strict.accumulator,
            IsFloat(trial.contracts.binding.output) ? FormatOf(trial.contracts.binding.output)
                                                    : Format::kF64),
      rounds_to_f64_(trial.contracts.binding.op == OpId::kCast &&
                     trial.contracts.binding.output == DType::kF64) {}

Decided ElementRule::Decide(const Answers& answers, int64_t i, double bound) const {
  return answers.integer() ? DecideWhole(answers.Integer(i), i, bound)
                           : DecideReal(answers.Real(i), i, bound);
}

Decided ElementRule::DecideReal(double got, int64_t i, double bound) const {
  const Truth truth = TruthOf(*evidence_, i);
  if (!IsFloat(trial_->contracts.binding.output)) {
    if (!(std::fabs(got) < 0x1p63)) return {};
    return DecideWhole(static_cast<int64_t>(got), i, bound);
  }
  // hi + lo rounds to the nearest double: the one answer of a 64-bit integer's cast.
  if (rounds_to_f64_ && truth.radius == 0 && got == truth.hi + truth.lo) {
    return {Decision::kAccept, 0};
  }
  return rule_.Decide(got, truth, bound);
}

Decided ElementRule::DecideWhole(int64_t got, int64_t i, double bound) const {
  const Case& value = *trial_->values.source;
  Truth truth = TruthOf(*evidence_, i);
  if (value.op == OpId::kQuantize) {
    const IntegerLimits range = LimitsOf(trial_->contracts.binding.output);
    const int64_t zero = IntegerAttribute(value, kQuantizeZeroPoint);
    const std::optional<QuantizeRounding>& declared = trial_->declared().rounding;
    const Ties ties = !declared                                  ? Ties::kEither
                      : *declared == QuantizeRounding::kHalfEven ? Ties::kEven
                                                                 : Ties::kAway;
    truth.hi -= static_cast<double>(zero);
    return DecideRounded({got - zero, range.lowest - zero, range.highest - zero, ties}, truth,
                         bound);
  }
  switch (JudgeBeyond(*trial_, i, got)) {
    case Beyond::kInside:
      return DecideInteger(got, truth, bound);
    case Beyond::kRight:
      return {Decision::kAccept, 0};
    case Beyond::kWrong:
      return {};
    case Beyond::kUnspecified:
      return {Decision::kUndecided, 0};
  }
  return {};
}

}  // namespace assay
