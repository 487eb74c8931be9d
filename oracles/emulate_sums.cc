// SPDX-License-Identifier: Apache-2.0
#include "oracles/emulate_sums.h"

#include <cmath>

#include "oracles/enclosure.h"
#include "oracles/fused_linear.h"
#include "oracles/linear_terms.h"

namespace assay {
namespace {

Format AccumulatorOf(const LinearTerms& terms) {
  return terms.input == DType::kF64 ? Format::kF64 : Format::kF32;
}

// One rounding of x y + z to a narrow format. Double keeps the sum's error beside it; for f64
// factors the product itself is rounded first, far below the formats emulated here.
double FusedIn(Format format, double x, double y, double z) {
  double sum, error;
  TwoSum(z, x * y, sum, error);
  return RoundSum(format, sum, error);
}

// What follows the pre-activation, in double.
double Finish(const LinearTerms& terms, double z) {
  if (terms.activation != Activation::kNone && std::isfinite(z)) {
    z = ActivateInDouble(terms.activation, z);
  }
  return z + terms.residual;
}

double NarrowAccumulator(Format format, const LinearTerms& terms) {
  double sum = 0;
  for (size_t k = 0; k < terms.length(); ++k) {
    sum = FusedIn(format, terms.a[k], terms.B(k), sum);
  }
  if (terms.alpha != 1 && terms.length() > 0) sum = Round(format, terms.alpha * sum);
  if (terms.beta != 0) sum = FusedIn(format, terms.beta, terms.c, sum);
  if (terms.divisor != 1) sum = Round(format, sum / terms.divisor);
  return Round(FormatOf(terms.output), Finish(terms, sum));
}

// The answer with each factor and each product changed by a function first.
template <class Operand, class Product>
double Compensated(const LinearTerms& terms, Operand operand, Product product) {
  double sum = 0, compensation = 0;
  for (size_t k = 0; k < terms.length(); ++k) {
    double error;
    TwoSum(sum, product(operand(terms.a[k]) * operand(terms.B(k))), sum, error);
    compensation += error;
  }
  double result = sum + compensation;
  if (terms.alpha != 1 && terms.length() > 0) result *= terms.alpha;
  if (terms.beta != 0) result += terms.beta * terms.c;
  return result / terms.divisor;
}

double Exact(double value) { return value; }

double NarrowOperands(Format format, const LinearTerms& terms) {
  const auto narrow = [format](double value) { return Round(format, value); };
  const double result = Finish(terms, Compensated(terms, narrow, Exact));
  return Round(FormatOf(terms.output), Round(AccumulatorOf(terms), result));
}

double RoundedIntermediate(const LinearTerms& terms) {
  const bool wide = terms.output == DType::kF32 || terms.output == DType::kF64;
  const Format stored = wide ? Format::kF16 : FormatOf(terms.output);
  LinearTerms product = terms;
  product.beta = 0;
  double z = Round(stored, Compensated(product, Exact, Exact));
  z = Round(stored, z + terms.c);
  if (terms.activation != Activation::kNone && std::isfinite(z)) {
    z = Round(stored, ActivateInDouble(terms.activation, z));
  }
  return Round(FormatOf(terms.output), z + terms.residual);
}

double Flushed(const LinearTerms& terms) {
  const auto flush = [](Format format) {
    return [normal = InfoOf(format).smallest_normal](double value) {
      return std::fabs(value) < normal ? std::copysign(0.0, value) : value;
    };
  };
  const auto in = flush(FormatOf(terms.input)), out = flush(FormatOf(terms.output));
  const Format accumulator = AccumulatorOf(terms);
  LinearTerms kept = terms;
  kept.c = flush(FormatOf(terms.output))(terms.c);
  kept.residual = in(terms.residual);
  const double result = Finish(kept, Compensated(kept, in, flush(accumulator)));
  return out(Round(FormatOf(terms.output), Round(accumulator, result)));
}

}  // namespace

bool EmulateLinear(const Values& values, DefectModel model, int64_t index, double* out) {
  thread_local LinearTerms terms;  // keeps its capacity from one element to the next
  if (!GatherTerms(values, index, terms)) return false;
  switch (model) {
    case DefectModel::kF16Accumulator:
      *out = NarrowAccumulator(Format::kF16, terms);
      return true;
    case DefectModel::kBf16Accumulator:
      *out = NarrowAccumulator(Format::kBf16, terms);
      return true;
    case DefectModel::kTf32Operands:
      *out = NarrowOperands(Format::kTf32, terms);
      return true;
    case DefectModel::kHf32Operands:
      *out = NarrowOperands(Format::kHf32, terms);
      return true;
    case DefectModel::kBf16Operands:
      *out = NarrowOperands(Format::kBf16, terms);
      return true;
    case DefectModel::kFlushed:
      *out = Flushed(terms);
      return true;
    case DefectModel::kRoundedIntermediate:
      if (values.op->family != Family::kLinear) return false;
      *out = RoundedIntermediate(terms);
      return true;
    case DefectModel::kZero:
    case DefectModel::kNoShift:
    case DefectModel::kOnePass:
      break;
  }
  return false;
}

}  // namespace assay
