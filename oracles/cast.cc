// SPDX-License-Identifier: Apache-2.0
#include "oracles/cast.h"

#include <cmath>

#include "contracts/operator.h"
#include "oracles/evidence_columns.h"

namespace assay {
namespace {

bool Holds(DType to, double truncated) {
  const IntegerLimits limits = LimitsOf(to);
  // The lowest value is a double; so is one more than the highest, which need not be one.
  return truncated >= static_cast<double>(limits.lowest) &&
         truncated < 2 * static_cast<double>(limits.highest / 2 + 1);
}

class Cast {
 public:
  Cast(DType to, bool saturating, Evidence& evidence)
      : to_(to), saturating_(saturating), evidence_(evidence) {}

  void Real(double x, int64_t at) const {
    if (!IsFloat(to_)) return RealToInteger(x, at);
    if (std::isnan(x)) return StoreClasses(kClassNan, at, evidence_);
    if (x == 0) return StoreClasses(ClassOf(x), at, evidence_);
    const double rounded = Round(FormatOf(to_), x);
    if (!std::isfinite(rounded)) return Overflow(x, at);
    StoreTruth({x, 0, 0}, at, evidence_);
  }

  void Integer(int64_t value, int64_t at) const {
    const Enclosure exact = Exactly(value);
    if (!IsFloat(to_)) return StoreTruth(exact, at, evidence_);
    const double rounded = RoundSum(FormatOf(to_), exact.hi, exact.lo);
    if (!std::isfinite(rounded)) return Overflow(exact.hi, at);
    StoreTruth({rounded, 0, 0}, at, evidence_);
  }

 private:
  void RealToInteger(double x, int64_t at) const {
    const double truncated = std::trunc(x);
    if (!Holds(to_, truncated)) {
      StoreClasses(kAnyClass, at, evidence_);
      evidence_.special = true;
      return;
    }
    StoreTruth({truncated, 0, 0}, at, evidence_);
  }

  // x, finite or not, rounds beyond the largest finite.
  void Overflow(double x, int64_t at) const {
    const ClassSet infinity = x > 0 ? kClassPosInf : kClassNegInf;
    const bool lacks_infinity = to_ == DType::kF8e4m3;
    evidence_.special = true;
    if (!saturating_) return StoreClasses(lacks_infinity ? kClassNan : infinity, at, evidence_);
    // A cast of an infinity to a wide type is no overflow.
    if (std::isinf(x) && SizeOf(to_) > 1) return StoreClasses(infinity, at, evidence_);
    StoreTruth({std::copysign(InfoOf(FormatOf(to_)).largest, x), 0, 0}, at, evidence_);
    if (SizeOf(to_) > 1) evidence_.legal[at] |= infinity;
  }

  DType to_;
  bool saturating_;
  Evidence& evidence_;
};

}  // namespace

void MeasureCast(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const bool saturating = values.source->attributes[kCastOverflow].choice == 0;
  ResetEvidence(x.count, evidence);
  evidence.special = x.any_nan || x.any_inf;
  evidence.tier = Tier::kTable;
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  const Cast cast(values.operands[1].dtype, saturating, evidence);
  const bool real = IsFloat(x.dtype);
  for (int64_t i = 0; i < x.count; ++i) {
    if (real) {
      cast.Real(x.real[i], i);
      abs_x[i] = std::isfinite(x.real[i]) ? std::fabs(x.real[i]) : 0;
    } else {
      cast.Integer(x.integer[i], i);
      abs_x[i] = std::fabs(static_cast<double>(x.integer[i]));
    }
  }
  SetScalar(evidence, Quantity::kLength, 1);
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, x.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

}  // namespace assay
