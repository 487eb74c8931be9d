// SPDX-License-Identifier: Apache-2.0
#include "oracles/norms_classes.h"

#include <cmath>

namespace assay {
namespace {

// -1, 0 or 1 for a finite number, itself otherwise: enough to tell what arithmetic makes of NaN,
// infinities and zeros, and beyond overflow.
double Sign(double x) {
  if (!std::isfinite(x) || x == 0) return x;
  return x > 0 ? 1 : -1;
}

ClassSet SpecialOrByValue(double x) {
  return std::isfinite(x) ? static_cast<ClassSet>(kClassByValue) : ClassOf(x);
}

// gain times a normalized element. Under the rounding of the mean an element this near to it may
// lie on the other side.
ClassSet GainClasses(const NormFacts& facts, int64_t length, double deviation, double gain) {
  if (std::isnan(gain)) return kClassNan;
  if (!std::isinf(gain)) return kClassByValue;
  if (facts.divisor == Divisor::kInfinite) return kClassNan;
  const double unsure = facts.mean_abs * 0x1p-7 * static_cast<double>(length) + 2 * facts.smallest;
  if (!(std::fabs(deviation) > unsure)) return kClassNan | kClassInf;
  return InfinityOfSign((gain < 0) != (deviation < 0));
}

}  // namespace

Divisor DivisorOf(bool zero, double variance, double epsilon, double squares, Format accumulator) {
  if (std::isnan(epsilon) || std::isnan(variance) || epsilon == -kInfinity ||
      variance == -kInfinity) {
    return Divisor::kNan;
  }
  const FormatInfo& info = InfoOf(accumulator);
  if (!(squares <= info.largest / 4)) return Divisor::kUncertain;
  if (std::isinf(epsilon) || std::isinf(variance)) return Divisor::kInfinite;
  if (zero && epsilon == 0) return Divisor::kZero;
  const double sum = variance + epsilon;
  const bool cancels = (variance < 0) != (epsilon < 0) && variance != 0 && epsilon != 0;
  if (cancels && std::fabs(sum) <= 0.5 * std::fmax(std::fabs(variance), std::fabs(epsilon))) {
    return Divisor::kUncertain;
  }
  if (sum < 0) return Divisor::kNan;
  return sum < 16 * info.smallest_normal ? Divisor::kUncertain : Divisor::kOrdinary;
}

ClassSet LayerNormClasses(const NormFacts& facts, int64_t length, double deviation, double gain,
                          double bias) {
  if (facts.specials.nan || facts.specials.inf() || std::isnan(gain) || std::isnan(bias)) {
    return kClassNan;
  }
  ClassSet set = 0;
  switch (facts.divisor) {
    case Divisor::kNan:
      return kClassNan;
    case Divisor::kUncertain:
      set = kAnyAnswer;
      break;
    case Divisor::kZero:
      // 0 / 0, or the residue of a rounded mean over 0; a kernel that guards the division has 0.
      set = kClassNan | kClassInf | kClassByValue;
      break;
    case Divisor::kInfinite:
    case Divisor::kOrdinary:
      set = GainClasses(facts, length, deviation, gain);
      break;
  }
  return AddToClasses(set, bias);
}

ClassSet RmsNormClasses(const NormFacts& facts, double x, double gain, Format accumulator) {
  if (facts.specials.nan || std::isnan(gain)) return kClassNan;
  const bool negative = std::signbit(x) != std::signbit(gain);
  if (facts.specials.inf() || facts.divisor == Divisor::kInfinite) {
    if (facts.divisor == Divisor::kNan || !std::isfinite(x) || std::isinf(gain)) return kClassNan;
    // Multiplied by the gain first, a large element meets the infinity as another one.
    const bool may_overflow =
        std::fabs(x) > 1 && std::fabs(gain) > InfoOf(accumulator).largest / 4 / std::fabs(x);
    const ClassSet zero = ZeroOfSign(negative);
    return may_overflow ? static_cast<ClassSet>(zero | kClassNan) : zero;
  }
  if (facts.divisor == Divisor::kNan || facts.divisor == Divisor::kZero) return kClassNan;
  if (facts.divisor == Divisor::kUncertain) return kAnyAnswer;
  if (!std::isinf(gain)) return kClassByValue;
  return x == 0 ? static_cast<ClassSet>(kClassNan) : InfinityOfSign(negative);
}

ClassSet VarianceClasses(const NormFacts& facts, int64_t length, int64_t correction) {
  if (length <= correction || length == 0) return kClassNan | kClassPosInf;
  if (facts.specials.nan || facts.specials.inf()) return kClassNan;
  // Sums or squares beyond the accumulator: an infinity, and NaN where it is subtracted.
  if (facts.divisor == Divisor::kUncertain) return kClassByValue | kClassPosInf | kClassNan;
  return kClassByValue;
}

ClassSet Nrm2Classes(const RowSpecials& specials) {
  ClassSet set = 0;
  if (specials.nan) set |= kClassNan;
  if (specials.inf()) set |= kClassPosInf;
  return set == 0 ? static_cast<ClassSet>(kClassByValue) : set;
}

ClassSet BatchNormClasses(Divisor divisor, double x, double mean, double gain, double bias) {
  if (divisor == Divisor::kNan) return kClassNan;
  if (divisor == Divisor::kUncertain) return kAnyAnswer;
  const double root = divisor == Divisor::kZero ? 0 : divisor == Divisor::kInfinite ? kInfinity : 1;
  const bool finite = std::isfinite(x) && std::isfinite(mean);  // whose difference may overflow
  const double deviation = finite ? (x > mean) - (x < mean) : x - mean;
  const double g = Sign(gain), b = Sign(bias), r = 1 / root;
  const double scale = g * r;
  const double folded = Sign(x) * scale + (b - Sign(mean) * scale);
  return SpecialOrByValue(g * (deviation * r) + b) | SpecialOrByValue(g * deviation / root + b) |
         SpecialOrByValue(deviation * scale + b) | SpecialOrByValue(folded);
}

}  // namespace assay
