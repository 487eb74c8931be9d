// SPDX-License-Identifier: Apache-2.0
#include "oracles/fused_linear.h"

#include <algorithm>
#include <cmath>

#include "contracts/invariant.h"
#include "oracles/evidence_columns.h"

namespace assay {
namespace {

constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;       // 1 / sqrt 2
constexpr double kRootTwoOverPi = 0x1.9884533d43651p-1;  // sqrt(2 / pi)
constexpr double kCubic = 0.044715;

// The argument of an exponential or of erfc is rounded, and the exponent multiplies its error: up
// to 1500 units where a result is not yet lost in kVanished.
constexpr double kRelative = 0x1p-38;
constexpr double kVanished = 0x1p-900;

ClassSet InfinityOf(double sign) { return sign > 0 ? kClassPosInf : kClassNegInf; }

// An activation of an infinity: a number, or classes, or both.
struct AtInfinity {
  bool has_value = false;
  double value = 0;
  ClassSet set = 0;
};

AtInfinity Limit(Activation activation, bool positive) {
  switch (activation) {
    case Activation::kNone:
      return {false, 0, positive ? kClassPosInf : kClassNegInf};
    case Activation::kRelu:
      return positive ? AtInfinity{false, 0, kClassPosInf} : AtInfinity{true, 0, 0};
    case Activation::kGeluErf:
    case Activation::kGeluTanh:
    case Activation::kSilu:
      // At -Inf the limit is 0, the written formula -Inf * 0.
      return positive ? AtInfinity{false, 0, kClassPosInf} : AtInfinity{true, 0, kClassNan};
    case Activation::kSigmoid:
      return {true, positive ? 1.0 : 0.0, 0};
    case Activation::kTanh:
      return {true, positive ? 1.0 : -1.0, 0};
  }
  return {};
}

// max(z, 0) over the enclosure.
Enclosure Relu(const Enclosure& z) {
  const double reach = Outward(z.radius);
  if (z.hi > 0 && z.hi + z.lo > reach) return z;
  if (z.hi <= 0 && z.hi + z.lo < -reach) return {0, 0, 0};
  const double high = std::max(0.0, z.hi + z.lo) + reach;  // the kink lies inside
  if (z.radius == 0) return z.hi > 0 ? z : Enclosure{0, 0, 0};
  return {high / 2, 0, Outward(high / 2)};
}

class Epilogue {
 public:
  Epilogue(const Values& values, bool balls_only, int precision_bits, ActivationBall& balls,
           Evidence& evidence)
      : activation_(static_cast<Activation>(values.source->attributes[kLinearActivation].choice)),
        by_balls_(balls_only || values.operands[0].dtype == DType::kF64),
        precision_bits_(precision_bits),
        balls_(balls),
        evidence_(evidence) {}

  // Classes of the activation into `set`, kClassByValue if `value` is one of its answers.
  void Activate(int64_t at, ClassSet& set, Enclosure& value) {
    const ClassSet before = evidence_.legal[at];
    set = before & kClassNan;
    if (before & (kClassByValue | kClassZero | kClassFinite)) {
      set |= kClassByValue;
      value = Of({evidence_.hi[at], evidence_.lo[at], evidence_.radius[at]});
    }
    for (const bool positive : {true, false}) {
      if (!(before & InfinityOf(positive ? 1 : -1))) continue;
      const AtInfinity limit = Limit(activation_, positive);
      set |= limit.set;
      if (!limit.has_value || (set & kClassByValue)) continue;
      set |= kClassByValue;
      value = {limit.value, 0, 0};
    }
  }

  double Lipschitz() const { return LipschitzOf(activation_); }

 private:
  Enclosure Of(const Enclosure& z) {
    if (activation_ == Activation::kNone) return z;
    if (activation_ == Activation::kRelu) return Relu(z);
    if (by_balls_) {
      RaiseTier(evidence_, Tier::kBall);
      return balls_.Evaluate(activation_, z, precision_bits_);
    }
    RaiseTier(evidence_, Tier::kLibm);
    const double value = ActivateInDouble(activation_, z.hi);
    const double reach = (std::fabs(z.lo) + z.radius) * LipschitzOf(activation_);
    return {value, 0, Outward(std::fabs(value) * kRelative + reach) + kVanished};
  }

  Activation activation_;
  bool by_balls_;
  int precision_bits_;
  ActivationBall& balls_;
  Evidence& evidence_;
};

// value + addend, exactly but for what three doubles cannot hold.
Enclosure Plus(const Enclosure& value, double addend) {
  double sum, error, low, lost;
  TwoSum(value.hi, addend, sum, error);
  TwoSum(error, value.lo, low, lost);
  Enclosure result{0, 0, value.radius};
  TwoSum(sum, low, result.hi, result.lo);
  if (lost != 0) result.radius = Outward(result.radius + std::fabs(lost));
  return result;
}

// Adds the residual to an answer and stores both.
void StoreSum(ClassSet set, const Enclosure& value, double residual, int64_t at,
              Evidence& evidence) {
  if (std::isnan(residual)) return StoreClasses(kClassNan, at, evidence);
  if (std::isinf(residual)) {
    const ClassSet own = InfinityOf(residual);
    ClassSet sum = set & kClassNan;
    if (set & (kClassByValue | own)) sum |= own;
    if (set & kClassInf & ~own) sum |= kClassNan;
    return StoreClasses(sum, at, evidence);
  }
  if (!(set & kClassByValue)) return StoreClasses(set, at, evidence);
  const Enclosure sum = Plus(value, residual);
  if (std::isinf(sum.hi)) {
    set = static_cast<ClassSet>((set & ~kClassByValue) | ClassOf(sum.hi));
    return StoreClasses(set, at, evidence);
  }
  evidence.legal[at] = set;
  StoreTruth(sum, at, evidence);
}

}  // namespace

double LipschitzOf(Activation activation) {
  switch (activation) {
    case Activation::kGeluErf:
    case Activation::kGeluTanh:
      return 1.1290;
    case Activation::kSilu:
      return 1.0999;
    case Activation::kSigmoid:
      return 0.25;
    case Activation::kNone:
    case Activation::kRelu:
    case Activation::kTanh:
      break;
  }
  return 1;
}

double ActivateInDouble(Activation activation, double z) {
  switch (activation) {
    case Activation::kNone:
      return z;
    case Activation::kRelu:
      return std::max(z, 0.0);
    case Activation::kGeluErf:
      return 0.5 * z * std::erfc(-z * kRootHalf);
    case Activation::kGeluTanh: {
      const double growth = std::exp(-2 * kRootTwoOverPi * z * (1 + kCubic * z * z));
      return std::isinf(growth) ? 0 : z / (1 + growth);
    }
    case Activation::kSilu:
      return z / (1 + std::exp(-z));
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-z));
    case Activation::kTanh:
      return std::tanh(z);
  }
  ASSAY_CHECK(false, "not an activation");
}

void ApplyEpilogue(const Values& values, bool highest, int precision_bits, ActivationBall& balls,
                   Evidence& evidence) {
  const OperandValues& residual = values.operands[3];
  Epilogue epilogue(values, highest, precision_bits, balls, evidence);
  double* activated = MeasuredColumn(evidence, Quantity::kActivated);
  double* added = MeasuredColumn(evidence, Quantity::kBias);
  double* addends = MeasuredColumn(evidence, Quantity::kNonZeros);
  const std::vector<double>& bias = values.operands[2].real;
  evidence.special |= residual.any_nan || residual.any_inf;
  double largest = 0;
  for (int64_t at = 0; at < evidence.count; ++at) {
    ClassSet set = 0;
    Enclosure value;
    epilogue.Activate(at, set, value);
    const double addend = residual.real[at];
    const bool real = (set & kClassByValue) && std::isfinite(addend);
    activated[at] = real ? Outward(std::fabs(value.hi) + std::fabs(value.lo) + value.radius) : 0;
    added[at] = std::isfinite(addend) ? std::fabs(addend) : 0;
    largest = std::max(largest, activated[at] + added[at]);
    addends[at] += bias[static_cast<size_t>(at) % bias.size()] != 0 ? 1 : 0;
    StoreSum(set, value, addend, at, evidence);
    if (!(evidence.legal[at] & kClassByValue)) RaiseTier(evidence, Tier::kTable);
  }
  double& max_abs_sum = evidence.scalar[static_cast<int>(Quantity::kMaxAbsSum)];
  max_abs_sum = std::max(max_abs_sum, largest);
  SetScalar(evidence, Quantity::kLipschitz, epilogue.Lipschitz());
}

}  // namespace assay
