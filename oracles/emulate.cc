// SPDX-License-Identifier: Apache-2.0
#include "oracles/emulate.h"

#include <cmath>

#include "contracts/operator.h"
#include "oracles/emulate_sums.h"
#include "oracles/gather.h"
#include "oracles/measure.h"
#include "oracles/scatter.h"
#include "oracles/select.h"

namespace assay {
namespace {

double SoftmaxWithoutShift(const Values& values, int64_t index) {
  const OperandValues& x = values.operands[0];
  const Format format = x.dtype == DType::kF64 ? Format::kF64 : Format::kF32;
  const int64_t length = values.dims[1];
  const int64_t from = index / length * length;
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) {
    sum = Round(format, sum + Round(format, std::exp(x.real[from + i])));
  }
  const double quotient = Round(format, Round(format, std::exp(x.real[index])) / sum);
  return Round(FormatOf(values.operands[1].dtype), quotient);
}

}  // namespace

bool EmulateModel(const Values& values, DefectModel model, int64_t index, double* out) {
  const OpId op = values.source->op;
  if (op == OpId::kGather) return false;
  if (model == DefectModel::kZero) {
    *out = 0;
    return true;
  }
  if (EmulateLinear(values, model, index, out)) return true;
  if (EmulatePoint(values, model, index, out)) return true;
  if (op != OpId::kSoftmax || model != DefectModel::kNoShift) return false;
  *out = SoftmaxWithoutShift(values, index);
  return true;
}

bool Emulator::Emulate(DefectModel model, int64_t index, double* out) {
  return EmulateModel(*values_, model, index, out);
}

bool Emulator::LegalChoice(int64_t element, int64_t got, std::optional<NanPlace> place) {
  return LegalChoiceOf(*values_, element, got, place);
}

uint32_t Emulator::MatchingPolicies(const Observation& observation) {
  if (values_->source->op == OpId::kScatterAdd) {
    return MatchingScatterPolicies(*values_, observation);
  }
  return MatchingIndexPolicies(*values_, observation);
}

}  // namespace assay
