// SPDX-License-Identifier: Apache-2.0
#include "oracles/linear.h"

#include "oracles/exchange.h"
#include "oracles/fused_linear.h"
#include "oracles/prefix_sums.h"
#include "oracles/sums_finish.h"

namespace assay {
namespace {

// Operators without a tier to choose: measured, and true, the same way at every level.
bool MeasureExact(const Values& values, Evidence& evidence) {
  switch (values.source->op) {
    case OpId::kInt8Gemm:
      MeasureIntegerGemm(values, evidence);
      return true;
    case OpId::kAllReduce:
    case OpId::kReduceScatter:
    case OpId::kAllGather:
      if (AddsOverRanks(values)) return false;
      MeasureExchange(values, evidence);
      return true;
    default:
      return false;
  }
}

}  // namespace

void LinearOracle::Measure(const Values& values, Evidence& evidence) {
  if (values.source->op == OpId::kCumsum) {
    MeasurePrefixSums(values, evidence);
  } else if (!MeasureExact(values, evidence)) {
    sums_.Measure(values, evidence);
  }
  if (values.source->op == OpId::kFusedLinear) {
    ApplyEpilogue(values, /*highest=*/false, /*precision_bits=*/0, activations_, evidence);
  }
}

void LinearOracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  if (values.source->op == OpId::kCumsum) {
    MeasurePrefixSumsHighest(values, exact_sum_, evidence);
  } else if (!MeasureExact(values, evidence)) {
    sums_.MeasureHighest(values, evidence);
  }
  if (values.source->op == OpId::kFusedLinear) {
    ApplyEpilogue(values, /*highest=*/true, precision_bits, activations_, evidence);
  }
}

}  // namespace assay
