// SPDX-License-Identifier: Apache-2.0
#include "oracles/gather.h"

#include <algorithm>
#include <cmath>

#include "oracles/evidence_columns.h"

namespace assay {
namespace {

constexpr uint32_t kAllPolicies = (uint32_t{1} << kIndexPolicyCount) - 1;

uint32_t BitOf(IndexPolicy policy) { return uint32_t{1} << static_cast<int>(policy); }

// What a pick copies: a row of the table, or a column where index_select goes along axis 1.
// gather and embedding differ in the shape of the indices alone.
struct Picks {
  explicit Picks(const Values& values)
      : columns(values.op->id == OpId::kIndexSelect &&
                IntegerAttribute(*values.source, kIndexSelectAxis) == 1),
        width(values.dims[1]),
        rows(columns ? values.dims[1] : values.dims[0]),
        length(columns ? values.dims[0] : values.dims[1]),
        count(values.operands[1].count) {}

  // Positions of element j of a line of the table, and of a line of the output.
  int64_t From(int64_t line, int64_t j) const {
    return columns ? j * width + line : line * width + j;
  }
  int64_t To(int64_t pick, int64_t j) const {
    return columns ? j * count + pick : pick * length + j;
  }

  bool columns;
  int64_t width;   // of the table
  int64_t rows;    // lines there are to pick from
  int64_t length;  // elements of a line
  int64_t count;   // picks
};

// One output line of a case: what was observed, what the policies would have it be.
struct RowMatcher {
  const Values& values;
  const Observation& observation;
  Picks picks{values};
  int64_t rows = picks.rows;

  // Whether fits(bits, position in the output, j) holds for the whole line.
  template <class Fits>
  bool All(int64_t at, const Fits& fits) const {
    for (int64_t j = 0; j < picks.length; ++j) {
      const int64_t to = picks.To(at, j);
      if (!fits(observation.bits[static_cast<size_t>(to)], to, j)) return false;
    }
    return true;
  }

  bool IsTableRow(int64_t at, int64_t row) const {
    return All(at, [&](uint64_t bits, int64_t, int64_t j) {
      return bits == values.operands[0].bits[static_cast<size_t>(picks.From(row, j))];
    });
  }
  bool IsZero(int64_t at) const { return IsFilledWith(at, 0); }
  bool IsPoison(int64_t at) const {
    return All(at, [&](uint64_t bits, int64_t to, int64_t) {
      return bits == values.operands[2].bits[static_cast<size_t>(to)];
    });
  }
  bool IsFilledWith(int64_t at, uint64_t pattern) const {
    return All(at, [pattern](uint64_t bits, int64_t, int64_t) { return bits == pattern; });
  }
  bool IsFill(int64_t at) const {
    const DType type = values.operands[0].dtype;
    if (IsFloat(type)) {
      return All(
          at, [type](uint64_t bits, int64_t, int64_t) { return std::isnan(Decode(type, bits)); });
    }
    const int bits = 8 * SizeOf(type);
    const uint64_t lowest = uint64_t{1} << (bits - 1);
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
  const Picks picks(values);
  ResetEvidence(picks.count * picks.length, evidence);
  evidence.special = table.any_nan || table.any_inf;
  evidence.tier = Tier::kTable;
  const bool real = IsFloat(table.dtype);
  int64_t outside = 0;
  for (int64_t at = 0; at < picks.count; ++at) {
    const int64_t index = values.operands[1].integer[static_cast<size_t>(at)];
    const bool inside = index >= 0 && index < picks.rows;
    outside += inside ? 0 : 1;
    for (int64_t j = 0; j < picks.length; ++j) {
      const int64_t to = picks.To(at, j);
      if (!inside) {
        StoreClasses(kAnyClass, to, evidence);
        continue;
      }
      const auto from = static_cast<size_t>(picks.From(index, j));
      const double value = real ? table.real[from] : static_cast<double>(table.integer[from]);
      StoreTruth({value, 0, 0}, to, evidence);
      if (real) evidence.legal[static_cast<size_t>(to)] = ClassOfCopy(value);
    }
  }
  SetScalar(evidence, Quantity::kExtent, static_cast<double>(picks.rows));
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
  for (int64_t at = 0; at < matcher.picks.count && set != 0; ++at) {
    if (outside(indices[at])) {
      set &= matcher.Match(at, indices[at]);
    } else if (!matcher.IsTableRow(at, indices[at])) {
      set = 0;
    }
  }
  return set != 0 && !any_outside ? set | kExactInBounds : set;
}

}  // namespace assay
