// SPDX-License-Identifier: Apache-2.0
#include "oracles/emulate.h"

#include "contracts/operator.h"
#include "oracles/emulate_rows.h"
#include "oracles/emulate_solve.h"
#include "oracles/emulate_sums.h"
#include "oracles/gather.h"
#include "oracles/measure.h"
#include "oracles/scatter.h"
#include "oracles/select.h"
#include "oracles/sort.h"

namespace assay {
namespace {

bool IsOverRows(Family family) {
  return family == Family::kSoftmax || family == Family::kNorm || family == Family::kProduct ||
         family == Family::kAttention;
}

}  // namespace

bool EmulateModel(const Values& values, DefectModel model, int64_t index, double* out) {
  const Family family = values.op->family;
  if (family == Family::kGather) return false;
  if (model == DefectModel::kZero) {
    *out = 0;
    return true;
  }
  if (family == Family::kSolve) return EmulateSolve(values, model, index, out);
  if (IsOverRows(family)) return EmulateRows(values, model, index, out);
  if (EmulateLinear(values, model, index, out)) return true;
  return EmulatePoint(values, model, index, out);
}

bool Emulator::Emulate(DefectModel model, int64_t index, double* out) {
  return EmulateModel(*values_, model, index, out);
}

bool Emulator::LegalChoice(int64_t element, int64_t got, std::span<const int64_t> before,
                           std::optional<NanPlace> place) {
  if (values_->op->id == OpId::kTopkIndices) {
    return LegalTopkIndex(*values_, element, got, before);
  }
  return LegalChoiceOf(*values_, element, got, place);
}

uint32_t Emulator::MatchingPolicies(const Observation& observation) {
  if (values_->source->op == OpId::kScatterAdd) {
    return MatchingScatterPolicies(*values_, observation);
  }
  return MatchingIndexPolicies(*values_, observation);
}

}  // namespace assay
