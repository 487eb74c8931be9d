// SPDX-License-Identifier: Apache-2.0
#include "oracles/prefix_sums.h"

#include <algorithm>
#include <cmath>

#include "oracles/evidence_columns.h"
#include "oracles/sums_finish.h"

namespace assay {
namespace {

// A positive sum whose own roundings are carried along: far below kOutward.
class Magnitude {
 public:
  void Add(double x) {
    double error;
    TwoSum(sum_, std::fabs(x), sum_, error);
    rest_ += error;
  }
  double Bound() const { return Outward(sum_ + rest_); }

 private:
  double sum_ = 0, rest_ = 0;
};

// What has been met so far, for the class of a prefix.
struct Met {
  bool nan = false, positive_inf = false, negative_inf = false;
  double above = 0, below = 0;  // sums of the finite terms of either sign

  void Add(double x) {
    nan |= std::isnan(x);
    positive_inf |= x == kInfinity;
    negative_inf |= x == -kInfinity;
    if (std::isfinite(x)) (x > 0 ? above : below) += std::fabs(x);
  }

  // Infinities that some order of the finite terms may reach, and NaN where it may reach both.
  ClassSet Classes(double half_range) const {
    const bool up = above > half_range, down = below > half_range;
    if (nan || (positive_inf && negative_inf)) return kClassNan;
    ClassSet set = positive_inf ? kClassPosInf : negative_inf ? kClassNegInf : kClassByValue;
    if (positive_inf || negative_inf) {
      return (positive_inf ? down : up) ? static_cast<ClassSet>(set | kClassNan) : set;
    }
    if (up) set |= kClassPosInf;
    if (down) set |= kClassNegInf;
    if (up && down) set |= kClassNan;
    return set;
  }
};

// Classes, magnitudes and counts of every prefix; truths are left open.
void MeasureMagnitudes(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  ResetEvidence(x.count, evidence);
  evidence.special = x.any_nan || x.any_inf;
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  double* non_zeros = MeasuredColumn(evidence, Quantity::kNonZeros);
  std::fill_n(MeasuredColumn(evidence, Quantity::kOperandSum), x.count, 0.0);
  const Format accumulator = x.dtype == DType::kF64 ? Format::kF64 : Format::kF32;
  const double half_range = InfoOf(accumulator).largest / 2;
  Magnitude magnitude;
  Met met;
  double count = 0;
  for (int64_t i = 0; i < x.count; ++i) {
    const double term = x.real[i];
    met.Add(term);
    if (std::isfinite(term)) magnitude.Add(term);
    count += term != 0 ? 1 : 0;
    abs_sum[i] = magnitude.Bound();
    non_zeros[i] = count;
    evidence.radius[i] = kInfinity;
    StoreClasses(met.Classes(half_range), i, evidence);
    if (!(evidence.legal[i] & kClassByValue)) RaiseTier(evidence, Tier::kTable);
  }
  SetSumScalars(values, evidence);
  const double largest = x.count == 0 ? 0 : abs_sum[x.count - 1];
  SetScalar(evidence, Quantity::kMaxAbsSum, largest);
  SetScalar(evidence, Quantity::kMaxAbsProductSum, largest);
}

// The certificate of dot2.h with products that are exact: prefix i passes at most i + 2 additions.
void RunCompensated(const OperandValues& x, Evidence& evidence) {
  const double unit = 0x1p-20 * InfoOf(FormatOf(x.dtype)).unit_roundoff;
  const double* abs_sum = evidence.element[static_cast<int>(Quantity::kAbsSum)].data();
  double sum = 0, error = 0, error_size = 0;
  for (int64_t i = 0; i < x.count; ++i) {
    double rounded;
    TwoSum(sum, x.real[i], sum, rounded);
    error += rounded;
    error_size += std::fabs(rounded);
    Enclosure prefix;
    TwoSum(sum, error, prefix.hi, prefix.lo);
    const double height = static_cast<double>(i + 2);
    if (error_size != 0) {
      prefix.radius = error_size * (height * kUnit * (1 + 16 * height * kUnit)) + 0x1p-1060;
    }
    const bool decides =
        prefix.radius <= unit * std::fabs(prefix.hi) || prefix.radius <= 0x1p-63 * abs_sum[i];
    if (decides && (evidence.legal[i] & kClassByValue)) StoreTruth(prefix, i, evidence);
  }
}

// Prefixes without a truth. One beyond every double is its infinity.
template <class Accumulator>
void RunExact(const OperandValues& x, Accumulator& exact, Evidence& evidence) {
  exact.Clear();
  for (int64_t i = 0; i < x.count; ++i) {
    if (!std::isfinite(x.real[i])) break;  // no real number from here on
    exact.Add(x.real[i]);
    if (std::isfinite(evidence.radius[i]) || !(evidence.legal[i] & kClassByValue)) continue;
    StoreTruth(exact.Peek(), i, evidence);
    RaiseTier(evidence, Tier::kExact);
    const double hi = evidence.hi[i];
    if (!std::isinf(hi)) continue;
    const ClassSet others = evidence.legal[i] & static_cast<ClassSet>(~kClassByValue);
    StoreClasses(static_cast<ClassSet>(others | ClassOf(hi)), i, evidence);
  }
  exact.Clear();
}

}  // namespace

void MeasurePrefixSums(const Values& values, Evidence& evidence) {
  MeasureMagnitudes(values, evidence);
  RunCompensated(values.operands[0], evidence);
  const auto open = [](double radius) { return !std::isfinite(radius); };
  if (std::none_of(evidence.radius.begin(), evidence.radius.end(), open)) return;
  LongAccumulator exact;
  RunExact(values.operands[0], exact, evidence);
}

void MeasurePrefixSumsHighest(const Values& values, ExactSum& exact, Evidence& evidence) {
  MeasureMagnitudes(values, evidence);
  RunExact(values.operands[0], exact, evidence);
}

}  // namespace assay
