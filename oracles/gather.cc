// SPDX-License-Identifier: Apache-2.0
#include "oracles/gather.h"

#include <algorithm>
#include <cmath>

#include "oracles/evidence_columns.h"

namespace assay {
namespace {

constexpr uint32_t kAllPolicies = (uint32_t{1} << kIndexPolicyCount) - 1;

uint32_t BitOf(IndexPolicy policy) { return uint32_t{1} << static_cast<int>(policy); }

// One output row of a case: what was observed, what the policies would have it be.
struct RowMatcher {
  const Values& values;
  const Observation& observation;
  int64_t rows = values.dims[0], columns = values.dims[1];

  const uint64_t* Observed(int64_t at) const { return observation.bits.data() + at * columns; }

  bool IsTableRow(int64_t at, int64_t row) const {
    const uint64_t* expected = values.operands[0].bits.data() + row * columns;
    return std::equal(expected, expected + columns, Observed(at));
  }
  bool IsZero(int64_t at) const {
    return std::all_of(Observed(at), Observed(at) + columns,
                       [](uint64_t bits) { return bits == 0; });
  }
  bool IsPoison(int64_t at) const {
    const uint64_t* poison = values.operands[2].bits.data() + at * columns;
    return std::equal(poison, poison + columns, Observed(at));
  }
  bool IsFilledWith(int64_t at, uint64_t pattern) const {
    return std::all_of(Observed(at), Observed(at) + columns,
                       [pattern](uint64_t bits) { return bits == pattern; });
  }
  bool IsFill(int64_t at) const {
    const DType type = values.operands[0].dtype;
    if (IsFloat(type)) {
      return std::all_of(Observed(at), Observed(at) + columns,
                         [type](uint64_t bits) { return std::isnan(Decode(type, bits)); });
    }
    const int width = 8 * SizeOf(type);
    const uint64_t lowest = uint64_t{1} << (width - 1);
    return IsFilledWith(at, lowest) || IsFilledWith(at, lowest - 1);
  }

  // Policies under which row `at`, whose index lies outside the table, is right.
  uint32_t Match(int64_t at, int64_t index) const {
    uint32_t set = 0;
    const auto allow = [&set](IndexPolicy policy, bool holds) { set |= holds ? BitOf(policy) : 0; };
    allow(IndexPolicy::kZero, IsZero(at));
    allow(IndexPolicy::kFill, IsFill(at));
    allow(IndexPolicy::kDrop, IsPoison(at));
    if (rows == 0) return set;
    allow(IndexPolicy::kClamp, IsTableRow(at, index < 0 ? 0 : rows - 1));
    const int64_t remainder = index % rows;
    allow(IndexPolicy::kModulo, IsTableRow(at, remainder < 0 ? remainder + rows : remainder));
    allow(IndexPolicy::kWrapNegative, index < 0 && index >= -rows && IsTableRow(at, index + rows));
    return set;
  }
};

ClassSet ClassOfCopy(double value) {
  const ClassSet kept = ClassOf(value);
  return kept == kClassFinite ? kClassByValue : kept;
}

}  // namespace

void MeasureGather(const Values& values, Evidence& evidence) {
  const OperandValues& table = values.operands[0];
  const int64_t rows = values.dims[0], columns = values.dims[1], count = values.dims[2];
  ResetEvidence(count * columns, evidence);
  evidence.special = table.any_nan || table.any_inf;
  evidence.tier = Tier::kTable;
  const bool real = IsFloat(table.dtype);
  int64_t outside = 0;
  for (int64_t at = 0; at < count; ++at) {
    const int64_t index = values.operands[1].integer[at];
    const bool inside = index >= 0 && index < rows;
    outside += inside ? 0 : 1;
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t to = at * columns + column;
      if (!inside) {
        StoreClasses(kEveryClass, to, evidence);
        continue;
      }
      const int64_t from = index * columns + column;
      const double value = real ? table.real[from] : static_cast<double>(table.integer[from]);
      StoreTruth({value, 0, 0}, to, evidence);
      if (real) evidence.legal[to] = ClassOfCopy(value);
    }
  }
  SetScalar(evidence, Quantity::kExtent, static_cast<double>(rows));
  SetScalar(evidence, Quantity::kOutsideCount, static_cast<double>(outside));
}

uint32_t MatchingIndexPolicies(const Values& values, const Observation& observation) {
  const RowMatcher matcher{values, observation};
  const std::vector<int64_t>& indices = values.operands[1].integer;
  const auto outside = [&](int64_t index) { return index < 0 || index >= matcher.rows; };
  const bool any_outside = std::any_of(indices.begin(), indices.end(), outside);
  if (observation.status == RunStatus::kRaised) {
    uint32_t set = any_outside ? BitOf(IndexPolicy::kRaise) : 0;
    // NumPy and ONNX wrap one turn and reject what lies further out.
    const bool beyond = std::any_of(indices.begin(), indices.end(), [&](int64_t index) {
      return index < -matcher.rows || index >= matcher.rows;
    });
    if (beyond) set |= BitOf(IndexPolicy::kWrapNegative);
    return set;
  }
  if (observation.status != RunStatus::kOk) return 0;
  uint32_t set = kAllPolicies;
  if (any_outside) set &= ~BitOf(IndexPolicy::kRaise);
  for (int64_t at = 0; at < values.dims[2] && set != 0; ++at) {
    if (outside(indices[at])) {
      set &= matcher.Match(at, indices[at]);
    } else if (!matcher.IsTableRow(at, indices[at])) {
      set = 0;
    }
  }
  return set != 0 && !any_outside ? set | kExactInBounds : set;
}

}  // namespace assay
