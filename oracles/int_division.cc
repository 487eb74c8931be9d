// SPDX-License-Identifier: Apache-2.0
#include "oracles/int_division.h"

#include <cmath>

#include "contracts/int_division.h"
#include "contracts/operator.h"
#include "oracles/evidence_columns.h"

namespace assay {

void MeasureIntDivision(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const OperandValues& y = values.operands[1];
  const bool floored = values.source->attributes[kIntDivisionStyle].choice == 1;
  const bool remainder = values.op->id == OpId::kIntRemainder;
  const IntegerLimits limits = LimitsOf(x.dtype);
  ResetEvidence(x.count, evidence);
  evidence.tier = Tier::kTable;
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  int64_t outside = 0;
  for (int64_t i = 0; i < x.count; ++i) {
    const int64_t a = x.integer[static_cast<size_t>(i)], b = y.integer[static_cast<size_t>(i)];
    abs_x[i] = std::fabs(static_cast<double>(a));
    const Quotient quotient = QuotientOf(a, b, limits);
    outside += quotient != Quotient::kThere;
    if (quotient == Quotient::kByZero || (quotient == Quotient::kBeyond && !remainder)) {
      StoreClasses(kAnyClass, i, evidence);
    } else if (quotient == Quotient::kBeyond) {
      StoreTruth({0, 0, 0}, i, evidence);
    } else {
      const Division division = Divide(a, b, floored);
      StoreTruth(Exactly(remainder ? division.remainder : division.quotient), i, evidence);
    }
  }
  SetScalar(evidence, Quantity::kLength, 1);
  SetScalar(evidence, Quantity::kOutsideCount, static_cast<double>(outside));
}

}  // namespace assay
