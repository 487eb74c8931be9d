// SPDX-License-Identifier: Apache-2.0
#include "oracles/emulate.h"

#include <cmath>

#include "contracts/operator.h"
#include "oracles/emulate_rows.h"
#include "oracles/enclosure.h"
#include "oracles/gather.h"
#include "oracles/measure.h"
#include "oracles/select.h"

namespace assay {
namespace {

// The factors of one output of gemm, dot or sum, straight from the operands.
struct Terms {
  const double* a = nullptr;
  const double* b = nullptr;  // null: all ones
  int64_t a_stride = 1, b_stride = 1, length = 0;
  double alpha = 1, beta = 0, c = 0;
  DType input = DType::kF32, output = DType::kF32;

  double A(int64_t k) const { return a[k * a_stride]; }
  double B(int64_t k) const { return b == nullptr ? 1 : b[k * b_stride]; }
};

Terms GemmTerms(const Values& values, int64_t index) {
  Terms terms;
  const int64_t m = values.dims[0], n = values.dims[1], k = values.dims[2];
  const int64_t row = index / n, column = index % n;
  const auto& attributes = values.source->attributes;
  const bool a_transposed = attributes[kGemmTransA].choice == 1;
  const bool b_transposed = attributes[kGemmTransB].choice == 1;
  terms.a = values.operands[0].real.data() + (a_transposed ? row : row * k);
  terms.a_stride = a_transposed ? m : 1;
  terms.b = values.operands[1].real.data() + (b_transposed ? column * k : column);
  terms.b_stride = b_transposed ? 1 : n;
  terms.alpha = ScalarAttribute(*values.source, kGemmAlpha);
  terms.beta = ScalarAttribute(*values.source, kGemmBeta);
  terms.c = terms.beta == 0 ? 0 : values.operands[2].real[index];
  terms.length = terms.alpha == 0 ? 0 : k;
  return terms;
}

Terms TermsOf(const Values& values, int64_t index) {
  Terms terms;
  if (values.source->op == OpId::kGemm) {
    terms = GemmTerms(values, index);
  } else {
    terms.a = values.operands[0].real.data();
    if (values.source->op == OpId::kDot) terms.b = values.operands[1].real.data();
    terms.length = values.dims[0];
  }
  terms.input = values.operands[0].dtype;
  terms.output = values.operands.back().dtype;
  return terms;
}

// One rounding of x y + z to a narrow format. Double keeps the sum's error beside it; for f64
// factors the product itself is rounded first, far below the formats emulated here.
double FusedIn(Format format, double x, double y, double z) {
  double sum, error;
  TwoSum(z, x * y, sum, error);
  return RoundSum(format, sum, error);
}

double NarrowAccumulator(Format format, const Terms& terms) {
  double sum = 0;
  for (int64_t k = 0; k < terms.length; ++k) sum = FusedIn(format, terms.A(k), terms.B(k), sum);
  if (terms.alpha != 1 && terms.length > 0) sum = Round(format, terms.alpha * sum);
  if (terms.beta != 0) sum = FusedIn(format, terms.beta, terms.c, sum);
  return Round(FormatOf(terms.output), sum);
}

double NarrowOperands(Format format, const Terms& terms) {
  double sum = 0, compensation = 0;
  for (int64_t k = 0; k < terms.length; ++k) {
    double error;
    TwoSum(sum, Round(format, terms.A(k)) * Round(format, terms.B(k)), sum, error);
    compensation += error;
  }
  double result = sum + compensation;
  if (terms.alpha != 1 && terms.length > 0) result *= terms.alpha;
  if (terms.beta != 0) result += terms.beta * terms.c;
  const Format accumulator = terms.input == DType::kF64 ? Format::kF64 : Format::kF32;
  return Round(FormatOf(terms.output), Round(accumulator, result));
}

bool EmulateSum(const Values& values, DefectModel model, int64_t index, double* out) {
  const Terms terms = TermsOf(values, index);
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
    case DefectModel::kZero:
    case DefectModel::kNoShift:
    case DefectModel::kOnePass:
    case DefectModel::kRoundedIntermediate:
    case DefectModel::kFlushed:
      break;
  }
  return false;
}

bool IsOverRows(Family family) {
  return family == Family::kSoftmax || family == Family::kNorm || family == Family::kProduct ||
         family == Family::kAttention;
}

}  // namespace

bool EmulateModel(const Values& values, DefectModel model, int64_t index, double* out) {
  const OpId op = values.source->op;
  if (op == OpId::kGather) return false;
  if (model == DefectModel::kZero) {
    *out = 0;
    return true;
  }
  if (op == OpId::kGemm || op == OpId::kDot || op == OpId::kSum) {
    return EmulateSum(values, model, index, out);
  }
  if (IsOverRows(DefOf(op).family)) return EmulateRows(values, model, index, out);
  return false;
}

bool Emulator::Emulate(DefectModel model, int64_t index, double* out) {
  return EmulateModel(*values_, model, index, out);
}

bool Emulator::LegalChoice(int64_t element, int64_t got, std::optional<NanPlace> place) {
  return LegalChoiceOf(*values_, element, got, place);
}

uint32_t Emulator::MatchingPolicies(const Observation& observation) {
  return MatchingIndexPolicies(*values_, observation);
}

}  // namespace assay
