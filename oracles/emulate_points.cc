// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of operators that look at each element by itself, and of selections.
#include <cmath>

#include "contracts/operator.h"
#include "oracles/emulate.h"
#include "oracles/evidence_columns.h"
#include "oracles/select.h"
#include "oracles/unary.h"

namespace assay {
namespace {

// What a model does to an argument, and to the result before it is stored.
class Narrowing {
 public:
  Narrowing(DefectModel model, DType input, DType output)
      : model_(model), input_(input), output_(output) {}

  bool applies() const {
    switch (model_) {
      case DefectModel::kF16Accumulator:
      case DefectModel::kBf16Accumulator:
      case DefectModel::kTf32Operands:
      case DefectModel::kHf32Operands:
      case DefectModel::kBf16Operands:
        return true;
      case DefectModel::kFlushed:
        return IsFloat(input_) || IsFloat(output_);
      default:
        return false;
    }
  }

  double Argument(double x) const {
    switch (model_) {
      case DefectModel::kF16Accumulator:
        return Round(Format::kF16, x);
      case DefectModel::kBf16Accumulator:
      case DefectModel::kBf16Operands:
        return Round(Format::kBf16, x);
      case DefectModel::kTf32Operands:
        return Round(Format::kTf32, x);
      case DefectModel::kHf32Operands:
        return Round(Format::kHf32, x);
      default:
        return IsFloat(input_) ? Flushed(FormatOf(input_), x) : x;
    }
  }

  // Stored: rounded to the output type, and before to the model's accumulator.
  double Result(double y) const {
    if (model_ == DefectModel::kF16Accumulator) y = Round(Format::kF16, y);
    if (model_ == DefectModel::kBf16Accumulator) y = Round(Format::kBf16, y);
    if (!IsFloat(output_)) return y;
    const double stored = Round(FormatOf(output_), y);
    return model_ == DefectModel::kFlushed ? Flushed(FormatOf(output_), stored) : stored;
  }

 private:
  static double Flushed(Format format, double x) {
    return std::fabs(x) < InfoOf(format).smallest_normal ? std::copysign(0.0, x) : x;
  }

  DefectModel model_;
  DType input_, output_;
};

double ElementOf(const OperandValues& operand, int64_t index) {
  const auto at = static_cast<size_t>(index);
  return IsFloat(operand.dtype) ? operand.real[at] : static_cast<double>(operand.integer[at]);
}

// By the C library: far better than the models, whatever its last bits. NaN where there is no
// value.
double UnaryValue(const Values& values, double x) {
  const Case& value = *values.source;
  if (value.op == OpId::kRelu) return x > 0 ? x : 0;
  if (value.op == OpId::kAbs) return std::fabs(x);
  if (value.op == OpId::kClamp) {
    const double low = ScalarAttribute(value, kClampLow);
    const double high = ScalarAttribute(value, kClampHigh);
    const double raised = x < low ? low : x;
    return raised > high ? high : raised;
  }
  const Function function = FunctionOf(value);
  const ClassSet set = UnaryClasses(function, x);
  if ((set & kClassByValue) == 0) return Representative(set);
  return std::isfinite(x) ? LibmUnary(function, x).hi : kNan;
}

double BinaryValue(const Case& value, double x, double y) {
  switch (value.op) {
    case OpId::kAdd:
      return x + y;
    case OpId::kMul:
      return x * y;
    case OpId::kDiv:
      return x / y;
    case OpId::kMinimum:
      return x <= y ? x : y;
    case OpId::kMaximum:
      return x >= y ? x : y;
    case OpId::kMinimumNumber:
      return std::isnan(y) || x <= y ? x : y;
    case OpId::kMaximumNumber:
      return std::isnan(y) || x >= y ? x : y;
    case OpId::kPow:
      return std::pow(x, y);
    case OpId::kHypot:
      return std::hypot(x, y);
    default:
      break;
  }
  const int style = value.attributes[kRemainderStyle].choice;
  if (style == 1) return std::remainder(x, y);
  const double rest = std::fmod(x, y);
  return style == 2 && rest != 0 && std::signbit(rest) != std::signbit(y) ? rest + y : rest;
}

double QuantizedValue(const Values& values, double x, DType output) {
  const double scale = ScalarAttribute(*values.source, kQuantizeScale);
  const auto zero_point = static_cast<double>(IntegerAttribute(*values.source, kQuantizeZeroPoint));
  if (values.source->op == OpId::kDequantize) return (x - zero_point) * scale;
  const IntegerLimits limits = LimitsOf(output);
  const double steps = std::nearbyint(x / scale) + zero_point;
  return std::fmin(std::fmax(steps, static_cast<double>(limits.lowest)),
                   static_cast<double>(limits.highest));
}

double SelectedValue(const Values& values, const Narrowing& narrowing) {
  const OpId op = values.source->op;
  const bool maximum = op == OpId::kMax || op == OpId::kNanMax;
  double best = maximum ? -kInfinity : kInfinity;
  for (const double element : values.operands[0].real) {
    const double x = narrowing.Argument(element);
    if (maximum ? x > best : x < best) best = x;
  }
  return best;
}

}  // namespace

bool EmulatePoint(const Values& values, DefectModel model, int64_t index, double* out) {
  const OperandValues& x = values.operands[0];
  const Family family = values.op->family;
  const DType output = values.operands.back().dtype;
  const Narrowing narrowing(model, x.dtype, output);
  if (!narrowing.applies()) return false;
  if (family == Family::kSort) return false;
  if (family == Family::kSelect) {
    if (!IsFloat(output)) return false;  // a place has no narrower model
    *out = narrowing.Result(SelectedValue(values, narrowing));
    return true;
  }
  const double argument = narrowing.Argument(ElementOf(x, index));
  switch (family) {
    case Family::kUnary:
      *out = narrowing.Result(UnaryValue(values, argument));
      return true;
    case Family::kBinary: {
      const double second = narrowing.Argument(ElementOf(values.operands[1], index));
      *out = narrowing.Result(BinaryValue(*values.source, argument, second));
      return true;
    }
    case Family::kCast:
      *out = IsFloat(output) ? narrowing.Result(argument) : std::trunc(argument);
      return true;
    case Family::kQuantize:
      *out = narrowing.Result(QuantizedValue(values, argument, output));
      return true;
    default:
      return false;
  }
}

}  // namespace assay
