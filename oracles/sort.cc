// SPDX-License-Identifier: Apache-2.0
#include "oracles/sort.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "contracts/operator.h"
#include "oracles/evidence_columns.h"

namespace assay {
namespace {

struct Order {
  explicit Order(const Values& values)
      : length(values.dims[1]),
        answered(values.operands[1].shape[1]),
        descending(values.op->id != OpId::kSort ||
                   values.source->attributes[kSortOrder].choice == 1),
        nan_first(values.source->attributes[kSortNan].choice == 1) {}
  static_assert(kSortNan == kTopkNan);

  bool operator()(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) {
      return nan_first ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
    }
    return descending ? a > b : a < b;
  }

  // The first `answered` elements of a row, in order.
  std::vector<double> Sorted(const Values& values, int64_t row) const {
    const double* from = values.operands[0].real.data() + row * length;
    std::vector<double> sorted(from, from + length);
    std::partial_sort(sorted.begin(), sorted.begin() + answered, sorted.end(), *this);
    sorted.resize(static_cast<size_t>(answered));
    return sorted;
  }

  int64_t length, answered;
  bool descending, nan_first;
};

ClassSet ZerosOf(const Values& values, int64_t row, int64_t length) {
  ClassSet zeros = 0;
  const double* from = values.operands[0].real.data() + row * length;
  for (int64_t i = 0; i < length; ++i) zeros |= ClassOf(from[i]) & kClassZero;
  return zeros;
}

bool Equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

void MeasureSort(const Values& values, Evidence& evidence) {
  const OperandValues& x = values.operands[0];
  const Order order(values);
  const int64_t rows = values.dims[0];
  ResetEvidence(rows * order.answered, evidence);
  evidence.special = x.any_nan || x.any_inf;
  evidence.tier = Tier::kTable;
  evidence.choice = values.op->id == OpId::kTopkIndices;
  int64_t at = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (const double element : order.Sorted(values, row)) {
      if (evidence.choice) {
        StoreClasses(kClassZero | kClassFinite, at++, evidence);
      } else if (element == 0) {
        StoreClasses(ZerosOf(values, row, order.length), at++, evidence);
      } else if (!std::isfinite(element)) {
        StoreClasses(ClassOf(element), at++, evidence);
      } else {
        StoreTruth({element, 0, 0}, at++, evidence);
      }
    }
  }
  SetScalar(evidence, Quantity::kLength, static_cast<double>(order.length));
  SetScalar(evidence, Quantity::kAlpha, 1);
  SetScalar(evidence, Quantity::kBeta, 0);
  SetScalar(evidence, Quantity::kMaxAbsA, x.max_abs);
  SetScalar(evidence, Quantity::kMaxAbsB, 0);
  SetScalar(evidence, Quantity::kMaxAbsC, 0);
}

bool LegalTopkIndex(const Values& values, int64_t element, int64_t got,
                    std::span<const int64_t> before) {
  const Order order(values);
  if (got < 0 || got >= order.length) return false;
  const int64_t row = element / order.answered, place = element % order.answered;
  const double due = order.Sorted(values, row)[static_cast<size_t>(place)];
  const double named = values.operands[0].real[static_cast<size_t>(row * order.length + got)];
  const std::span<const int64_t> of_row = before.last(static_cast<size_t>(place));
  return Equal(due, named) && std::ranges::find(of_row, got) == of_row.end();
}

}  // namespace assay
