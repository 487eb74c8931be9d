// SPDX-License-Identifier: Apache-2.0
#include "oracles/quantize.h"

#include <cmath>

#include "contracts/operator.h"
#include "oracles/binary.h"
#include "oracles/evidence_columns.h"

namespace assay {
namespace {

// The zero point is a small integer: adding it costs less than the last bits of lo.
Enclosure Steps(double x, double scale, double zero_point, BallEvaluator& balls) {
  const Enclosure quotient = Quotient(x, scale, balls);
  Enclosure result;
  double error;
  TwoSum(quotient.hi, zero_point, result.hi, error);
  TwoSum(error, quotient.lo, result.lo, error);
  double rest;
  TwoSum(result.hi, result.lo, result.hi, rest);
  result.lo = rest;
  result.radius = quotient.radius + std::fabs(error);
  return result;
}

void Quantize(const Values& values, double scale, double zero_point, BallEvaluator& balls,
              Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  const bool usable = std::isfinite(scale) && scale > 0;
  for (int64_t i = 0; i < x.count; ++i) {
    const double element = x.real[i];
    abs_x[i] = std::isfinite(element) ? std::fabs(element) : 0;
    abs_sum[i] = 0;
    if (!usable || std::isnan(element)) {
      StoreClasses(kAnyClass, i, evidence);
    } else if (std::isinf(element)) {
      StoreTruth({element, 0, 0}, i, evidence);
    } else {
      StoreTruth(Steps(element, scale, zero_point, balls), i, evidence);
      abs_sum[i] = Outward(std::fabs(element / scale));
    }
  }
  evidence.special = x.any_nan || x.any_inf || !usable;
}

void Dequantize(const Values& values, double scale, double zero_point, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  for (int64_t i = 0; i < x.count; ++i) {
    // Nine bits times 24.
    const double steps = static_cast<double>(x.integer[i]) - zero_point;
    const double value = steps * scale;
    abs_x[i] = std::fabs(steps);
    abs_sum[i] = std::isfinite(value) ? std::fabs(value) : 0;
    if (!std::isfinite(value)) {
      StoreClasses(ClassOf(value), i, evidence);
    } else {
      StoreTruth({value, 0, 0}, i, evidence);  // a zero may have either sign
    }
  }
  evidence.special = !std::isfinite(scale);
}

}  // namespace

void MeasureQuantize(const Values& values, BallEvaluator& balls, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const double scale = ScalarAttribute(*values.source, kQuantizeScale);
  const auto zero_point = static_cast<double>(IntegerAttribute(*values.source, kQuantizeZeroPoint));
  ResetEvidence(x.count, evidence);
  if (values.source->op == OpId::kQuantize) {
    Quantize(values, scale, zero_point, balls, evidence);
  } else {
    Dequantize(values, scale, zero_point, evidence);
  }
  SetScalar(evidence, Quantity::kScale, scale);
  SetScalar(evidence, Quantity::kLength, 1);
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, x.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

}  // namespace assay
