// SPDX-License-Identifier: Apache-2.0
#include "oracles/unary.h"

#include <cmath>

#include "contracts/invariant.h"
#include "contracts/operator.h"
#include "oracles/evidence_columns.h"
#include "oracles/row_facts.h"

namespace assay {
namespace {

bool IsGelu(Function function) {
  return function == Function::kGeluErf || function == Function::kGeluTanh;
}

bool IsExact(OpId op) { return op == OpId::kRelu || op == OpId::kClamp || op == OpId::kAbs; }

double LibmCondition(Function function, double x) {
  return IsGelu(function) ? LibmGeluCondition(function, x) : TailCondition(function, x);
}

}  // namespace

Function FunctionOf(const Case& value) {
  struct Row {
    OpId op;
    Function function;
  };
  static constexpr Row kRows[] = {
      {OpId::kExp, Function::kExp},
      {OpId::kLog, Function::kLog},
      {OpId::kTanh, Function::kTanh},
      {OpId::kSqrt, Function::kSqrt},
      {OpId::kErf, Function::kErf},
      {OpId::kExpm1, Function::kExpm1},
      {OpId::kLog1p, Function::kLog1p},
      {OpId::kRsqrt, Function::kRsqrt},
      {OpId::kSigmoid, Function::kSigmoid},
      {OpId::kSilu, Function::kSilu},
      {OpId::kMish, Function::kMish},
      {OpId::kSin, Function::kSin},
      {OpId::kCos, Function::kCos},
      {OpId::kTan, Function::kTan},
      {OpId::kAsin, Function::kAsin},
      {OpId::kAcos, Function::kAcos},
      {OpId::kAtan, Function::kAtan},
      {OpId::kSinh, Function::kSinh},
      {OpId::kCosh, Function::kCosh},
      {OpId::kAsinh, Function::kAsinh},
      {OpId::kAcosh, Function::kAcosh},
      {OpId::kAtanh, Function::kAtanh},
      {OpId::kExp2, Function::kExp2},
      {OpId::kExp10, Function::kExp10},
      {OpId::kLog2, Function::kLog2},
      {OpId::kLog10, Function::kLog10},
      {OpId::kCbrt, Function::kCbrt},
      {OpId::kErfc, Function::kErfc},
      {OpId::kTgamma, Function::kTgamma},
      {OpId::kLgamma, Function::kLgamma},
      {OpId::kJ0, Function::kJ0},
      {OpId::kSoftplus, Function::kSoftplus},
      {OpId::kSoftsign, Function::kSoftsign},
  };
  if (value.op == OpId::kGelu) {
    return value.attributes[kGeluForm].choice == 0 ? Function::kGeluErf : Function::kGeluTanh;
  }
  for (const Row& row : kRows) {
    if (row.op == value.op) return row.function;
  }
  ASSAY_CHECK(false, "not a unary operator");
}

namespace {

// Where the quantity says how much an error in the argument of the tail factor costs.
bool HasTail(Function function) {
  return IsGelu(function) || function == Function::kSigmoid || function == Function::kSilu ||
         function == Function::kMish || function == Function::kSoftplus;
}

// Whether neither tier needs more than double-double arithmetic.
bool IsRoot(Function function) {
  return function == Function::kSqrt || function == Function::kRsqrt;
}

void SetScalars(const OperandValues& x, Evidence& evidence) {
  SetScalar(evidence, Quantity::kLength, 1);
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, x.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

// The sign bit alone, also of a zero.
void StoreMagnitude(double x, int64_t at, Evidence& evidence) {
  if (std::isfinite(x) && x != 0) return StoreTruth({std::fabs(x), 0, 0}, at, evidence);
  StoreClasses(std::isnan(x) ? kClassNan : ClassOf(std::fabs(x)), at, evidence);
}

// Zeros of relu and clamp may have either sign: max(-0, 0) is one or the other.
void StoreSelected(double value, int64_t at, Evidence& evidence) {
  if (std::isinf(value)) return StoreClasses(ClassOf(value), at, evidence);
  StoreTruth({value, 0, 0}, at, evidence);
}

void StoreRelu(double x, int64_t at, Evidence& evidence) {
  if (std::isnan(x)) return StoreClasses(kClassNan, at, evidence);
  StoreSelected(x > 0 ? x : 0.0, at, evidence);
}

void StoreClamped(double x, double low, double high, int64_t at, Evidence& evidence) {
  if (std::isnan(x)) return StoreClasses(kClassNan, at, evidence);
  const bool any_nan = std::isnan(low) || std::isnan(high);
  if (low > high) return StoreClasses(kAnyClass, at, evidence);  // no standard answer
  // A NaN bound may be ignored: then every comparison with it is false.
  const double raised = x < low ? low : x;
  StoreSelected(raised > high ? high : raised, at, evidence);
  if (any_nan) evidence.legal[at] |= kClassNan;
}

}  // namespace

void UnaryOracle::MeasureExact(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const bool clamp = values.source->op == OpId::kClamp;
  const double low = clamp ? ScalarAttribute(*values.source, kClampLow) : 0;
  const double high = clamp ? ScalarAttribute(*values.source, kClampHigh) : 0;
  ResetEvidence(x.count, evidence);
  evidence.special = x.any_nan || x.any_inf || !std::isfinite(low) || !std::isfinite(high);
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  for (int64_t i = 0; i < x.count; ++i) {
    const double argument = x.real[i];
    abs_x[i] = std::isfinite(argument) ? std::fabs(argument) : 0;
    if (clamp) {
      StoreClamped(argument, low, high, i, evidence);
    } else if (values.source->op == OpId::kAbs) {
      StoreMagnitude(argument, i, evidence);
    } else {
      StoreRelu(argument, i, evidence);
    }
  }
  SetScalars(x, evidence);
}

namespace {

// The tanh form's condition is a quantity of the tolerance, and its double precision covers every
// double.
double ConditionOf(Function function, double x, BallEvaluator& balls) {
  return function == Function::kGeluErf ? balls.GeluCondition(function, x)
                                        : LibmCondition(function, x);
}

}  // namespace

void UnaryOracle::MeasureByBound(Function function, double x, BallEvaluator& balls, int64_t at,
                                 double* condition, Evidence& evidence) {
  Enclosure truth = WideUnary(function, x);
  if (!IsNarrow(truth, std::fabs(truth.hi))) {
    truth = balls.Evaluate(function, x, 0);
    RaiseTier(evidence, Tier::kBall);
  }
  StoreTruth(truth, at, evidence);
  if (condition) *condition = ConditionOf(function, x, balls);
}

void UnaryOracle::MeasureWith(const Values& values, Way way, int precision_bits,
                              BallEvaluator& balls, Evidence& evidence) {
  const Function function = FunctionOf(*values.source);
  const OperandValues& x = values.operands[0];
  ResetEvidence(x.count, evidence);
  evidence.special = x.any_nan || x.any_inf;
  double* abs_x = MeasuredColumn(evidence, Quantity::kAbsX);
  double* condition = HasTail(function) ? MeasuredColumn(evidence, Quantity::kCondition) : nullptr;
  for (int64_t i = 0; i < x.count; ++i) {
    const double argument = x.real[i];
    const bool finite = std::isfinite(argument);
    abs_x[i] = finite ? std::fabs(argument) : 0;
    if (condition) condition[i] = 0;
    const ClassSet set = UnaryClasses(function, argument);
    if (!(set & kClassByValue)) {
      StoreClasses(set, i, evidence);
      evidence.special = true;
      RaiseTier(evidence, Tier::kTable);
      continue;
    }
    if (!finite) {
      StoreTruth(LimitAtInfinity(function, argument), i, evidence);
      evidence.legal[i] |= set;
    } else if (way == Way::kWide) {
      MeasureByBound(function, argument, balls, i, condition ? condition + i : nullptr, evidence);
    } else if (way == Way::kLibm) {
      StoreTruth(LibmUnary(function, argument), i, evidence);
      if (condition) condition[i] = LibmCondition(function, argument);
      if (!IsRoot(function)) RaiseTier(evidence, Tier::kLibm);
    } else {
      StoreTruth(balls.Evaluate(function, argument, precision_bits), i, evidence);
      if (condition) {
        condition[i] = IsGelu(function) ? balls.GeluCondition(function, argument)
                                        : TailCondition(function, argument);
      }
      RaiseTier(evidence, Tier::kBall);
    }
    CloseOverflow(i, evidence);
  }
  SetScalars(x, evidence);
}

void UnaryOracle::Measure(const Values& values, BallEvaluator& balls, Evidence& evidence) {
  if (IsExact(values.source->op)) return MeasureExact(values, evidence);
  const bool libm = values.operands[0].dtype != DType::kF64 || IsRoot(FunctionOf(*values.source));
  MeasureWith(values, libm ? Way::kLibm : Way::kWide, /*precision_bits=*/0, balls, evidence);
}

void UnaryOracle::MeasureHighest(const Values& values, int precision_bits, BallEvaluator& balls,
                                 Evidence& evidence) {
  if (IsExact(values.source->op)) return MeasureExact(values, evidence);
  MeasureWith(values, Way::kBall, precision_bits, balls, evidence);
}

}  // namespace assay
