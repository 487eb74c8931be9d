// SPDX-License-Identifier: Apache-2.0
#include "oracles/scatter.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "oracles/evidence_columns.h"
#include "oracles/gather.h"

namespace assay {
namespace {

constexpr IndexPolicy kPolicies[] = {IndexPolicy::kClamp, IndexPolicy::kWrapNegative,
                                     IndexPolicy::kModulo, IndexPolicy::kDrop};

uint32_t BitOf(IndexPolicy policy) { return uint32_t{1} << static_cast<int>(policy); }

bool Outside(int64_t index, int64_t rows) { return index < 0 || index >= rows; }

constexpr int64_t kNowhere = -1;

// The row that `policy` adds an update to; nothing where the policy rejects the index.
std::optional<int64_t> RowOf(IndexPolicy policy, int64_t index, int64_t rows) {
  if (!Outside(index, rows)) return index;
  if (policy == IndexPolicy::kDrop) return kNowhere;
  if (rows == 0) return std::nullopt;
  switch (policy) {
    case IndexPolicy::kClamp:
      return index < 0 ? 0 : rows - 1;
    case IndexPolicy::kWrapNegative:
      if (index >= 0 || index < -rows) return std::nullopt;
      return index + rows;
    case IndexPolicy::kModulo: {
      const int64_t remainder = index % rows;
      return remainder < 0 ? remainder + rows : remainder;
    }
    default:
      return std::nullopt;
  }
}

// Sums of the whole output under one policy, with what they are made of.
class PolicySums {
 public:
  explicit PolicySums(const Values& values)
      : values_(values), rows_(values.dims[0]), columns_(values.dims[1]) {}

  // False where the policy rejects some index.
  bool Add(IndexPolicy policy) {
    const OperandValues &updates = values_.operands[0], &base = values_.operands[2];
    const std::vector<int64_t>& indices = values_.operands[1].integer;
    sum_ = size_ = base.real;
    for (double& size : size_) size = std::fabs(size);
    rest_.assign(sum_.size(), 0);
    addends_.assign(static_cast<size_t>(rows_), 1);
    for (size_t i = 0; i < indices.size(); ++i) {
      const std::optional<int64_t> row = RowOf(policy, indices[i], rows_);
      if (!row) return false;
      if (*row == kNowhere) continue;
      ++addends_[static_cast<size_t>(*row)];
      for (int64_t column = 0; column < columns_; ++column) {
        const double update = updates.real[static_cast<int64_t>(i) * columns_ + column];
        const auto at = static_cast<size_t>(*row * columns_ + column);
        double error;
        TwoSum(sum_[at], update, sum_[at], error);
        rest_[at] += error;
        size_[at] += std::fabs(update);
      }
    }
    return true;
  }

  bool Holds(const Observation& observation) const {
    const FormatInfo& out = InfoOf(FormatOf(values_.operands[2].dtype));
    for (size_t at = 0; at < sum_.size(); ++at) {
      const double got = observation.real[at];
      if (!std::isfinite(size_[at]) || size_[at] > out.largest) {
        if (!std::isfinite(got)) continue;
        if (!std::isfinite(size_[at])) return false;
      }
      const double addends = addends_[at / static_cast<size_t>(columns_)];
      const double bound = (addends + 1) * out.unit_roundoff * size_[at] + out.smallest_subnormal;
      if (!(std::fabs((got - sum_[at]) - rest_[at]) <= bound)) return false;
    }
    return true;
  }

 private:
  const Values& values_;
  int64_t rows_, columns_;
  std::vector<double> sum_, rest_, size_, addends_;
};

}  // namespace

void FreeRowsOfPolicies(const Values& values, Evidence& evidence) {
  const int64_t rows = values.dims[0], columns = values.dims[1];
  int64_t outside = 0;
  for (const int64_t index : values.operands[1].integer) {
    if (!Outside(index, rows)) continue;
    ++outside;
    for (const IndexPolicy policy : kPolicies) {
      const int64_t row = RowOf(policy, index, rows).value_or(kNowhere);
      if (row == kNowhere) continue;
      for (int64_t column = 0; column < columns; ++column) {
        StoreClasses(kAnyClass, row * columns + column, evidence);
      }
    }
  }
  SetScalar(evidence, Quantity::kExtent, static_cast<double>(rows));
  SetScalar(evidence, Quantity::kOutsideCount, static_cast<double>(outside));
}

uint32_t MatchingScatterPolicies(const Values& values, const Observation& observation) {
  const int64_t rows = values.dims[0];
  const std::vector<int64_t>& indices = values.operands[1].integer;
  const bool any_outside = std::any_of(indices.begin(), indices.end(),
                                       [rows](int64_t index) { return Outside(index, rows); });
  if (observation.status == RunStatus::kRaised) {
    uint32_t set = any_outside ? BitOf(IndexPolicy::kRaise) : 0;
    const bool beyond = std::any_of(indices.begin(), indices.end(), [rows](int64_t index) {
      return index < -rows || index >= rows;
    });
    if (beyond) set |= BitOf(IndexPolicy::kWrapNegative);
    return set;
  }
  if (observation.status != RunStatus::kOk) return 0;
  PolicySums sums(values);
  uint32_t set = 0;
  for (const IndexPolicy policy : kPolicies) {
    if (sums.Add(policy) && sums.Holds(observation)) set |= BitOf(policy);
    if (!any_outside) break;  // all policies ask for the same
  }
  if (any_outside || set == 0) return set;
  return kExactInBounds | ((uint32_t{1} << kIndexPolicyCount) - 1);
}

}  // namespace assay
