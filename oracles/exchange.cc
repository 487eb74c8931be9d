// SPDX-License-Identifier: Apache-2.0
#include "oracles/exchange.h"

#include <algorithm>
#include <cmath>

#include "oracles/evidence_columns.h"
#include "oracles/sums_finish.h"

namespace assay {
namespace {

// Nothing is added: every magnitude that a bound could be made of is 0.
void ResetExact(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  ResetEvidence(values.operands.back().count, evidence);
  for (const Quantity quantity : {Quantity::kAbsSum, Quantity::kNonZeros, Quantity::kOperandSum}) {
    std::fill_n(MeasuredColumn(evidence, quantity), evidence.count, 0.0);
  }
  evidence.special = x.any_nan || x.any_inf;
  evidence.tier = Tier::kTable;
  SetSumScalars(values, evidence);
  SetScalar(evidence, Quantity::kRanks, static_cast<double>(values.dims[0]));
  SetScalar(evidence, Quantity::kMaxAbsSum, 0);
  SetScalar(evidence, Quantity::kMaxAbsProductSum, 0);
}

// A number that is an answer as it stands.
void StoreNumber(double value, ClassSet besides, int64_t at, Evidence& evidence) {
  const ClassSet own = ClassOf(value);
  if (own == kClassNan || (own & kClassInf) != 0) {
    return StoreClasses(static_cast<ClassSet>(own | besides), at, evidence);
  }
  StoreTruth({value, 0, 0}, at, evidence);
  evidence.legal[at] = static_cast<ClassSet>(kClassByValue | besides);
}

void StoreCopy(double value, int64_t at, Evidence& evidence) {
  StoreNumber(value, 0, at, evidence);
  if (value == 0) StoreClasses(ClassOf(value), at, evidence);
}

// Largest or smallest over the ranks of one place.
void StoreExtremum(const OperandValues& buffers, int64_t ranks, int64_t place, bool largest,
                   int64_t at, Evidence& evidence) {
  const int64_t places = buffers.count / ranks;
  bool nan = false;
  double best = kNan;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const double value = buffers.real[rank * places + place];
    nan |= std::isnan(value);
    best = largest ? std::fmax(best, value) : std::fmin(best, value);
  }
  StoreNumber(best, nan ? kClassNan : 0, at, evidence);
}

}  // namespace

bool AddsOverRanks(const Values& values) {
  const OpId op = values.source->op;
  if (op != OpId::kAllReduce && op != OpId::kReduceScatter) return false;
  return values.source->attributes[kCollectiveReduction].choice <= 1;
}

void MeasureExchange(const Values& values, Evidence& evidence) {
  const OperandValues& buffers = values.operands[0];
  const OpId op = values.source->op;
  const int64_t ranks = values.dims[0];
  ResetExact(values, evidence);
  if (op == OpId::kAllGather) {  // every rank ends with all buffers, in order
    for (int64_t at = 0; at < evidence.count; ++at) {
      StoreCopy(buffers.real[at % buffers.count], at, evidence);
    }
    return;
  }
  const bool largest = values.source->attributes[kCollectiveReduction].choice == 2;
  for (int64_t at = 0; at < evidence.count; ++at) {
    // all_reduce gives every rank the same n numbers; the parts of reduce_scatter lie side by side.
    const int64_t place = op == OpId::kAllReduce ? at % values.dims[1] : at;
    StoreExtremum(buffers, ranks, place, largest, at, evidence);
  }
}

void MeasureIntegerGemm(const Values& values, Evidence& evidence) {
  const OperandValues &a = values.operands[0], &b = values.operands[1];
  const int64_t m = values.dims[0], n = values.dims[1], k = values.dims[2];
  ResetEvidence(m * n, evidence);
  evidence.tier = Tier::kExact;
  double* abs_sum = MeasuredColumn(evidence, Quantity::kAbsSum);
  double* non_zeros = MeasuredColumn(evidence, Quantity::kNonZeros);
  std::fill_n(MeasuredColumn(evidence, Quantity::kOperandSum), m * n, 0.0);
  double largest = 0;
  for (int64_t at = 0; at < m * n; ++at) {
    const int64_t row = at / n, column = at % n;
    int64_t sum = 0, size = 0, count = 0;  // 2^20 products of at most 2^16 each
    for (int64_t p = 0; p < k; ++p) {
      const int64_t product = a.integer[row * k + p] * b.integer[p * n + column];
      sum += product;
      size += std::abs(product);
      count += product != 0 ? 1 : 0;
    }
    StoreTruth({static_cast<double>(sum), 0, 0}, at, evidence);
    abs_sum[at] = static_cast<double>(size);
    non_zeros[at] = static_cast<double>(count);
    largest = std::max(largest, abs_sum[at]);
  }
  SetSumScalars(values, evidence);
  SetScalar(evidence, Quantity::kLength, static_cast<double>(k));
  SetScalar(evidence, Quantity::kMaxAbsSum, largest);
  SetScalar(evidence, Quantity::kMaxAbsProductSum, largest);
  SetScalar(evidence, Quantity::kSubnormalCount, 0);
}

}  // namespace assay
