// SPDX-License-Identifier: Apache-2.0
//
// Gathers that differ in what they do with an index outside the table. No kernel here reads
// outside: the faults are accepted indices, not faults of memory.
#include <algorithm>
#include <optional>

#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

// Copies row `row_of(index, extent)` per index; no row: the call is rejected with nothing written.
template <class RowOf>
int32_t Gather(const AssayCall& call, const RowOf& row_of) {
  const View table(call.operands[0]), indices(call.operands[1]), out(call.operands[2]);
  const int64_t extent = table.extent(0), columns = table.extent(1), count = indices.extent(0);
  for (int64_t i = 0; i < count; ++i) {
    if (!row_of(indices.Integer(i), extent)) return ASSAY_RAISED;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = *row_of(indices.Integer(i), extent);
    for (int64_t j = 0; j < columns; ++j) out.SetBits(i, j, table.Bits(row, j));
  }
  return ASSAY_OK;
}

using Row = std::optional<int64_t>;

Row InsideOnly(int64_t index, int64_t extent) {
  return index >= 0 && index < extent ? Row(index) : std::nullopt;
}

}  // namespace

int32_t GatherRaises(const AssayCall& call) { return Gather(call, InsideOnly); }

int32_t GatherClampsAbove(const AssayCall& call) {
  return Gather(call, [](int64_t index, int64_t extent) {
    return InsideOnly(std::min(index, extent - 1), extent);
  });
}

int32_t GatherNarrowIndex(const AssayCall& call) {
  return Gather(call, [](int64_t index, int64_t extent) {
    return InsideOnly(static_cast<int32_t>(static_cast<uint32_t>(index)), extent);
  });
}

int32_t GatherModulo(const AssayCall& call) {
  return Gather(call, [](int64_t index, int64_t extent) -> Row {
    if (extent == 0) return std::nullopt;
    return (index % extent + extent) % extent;
  });
}

int32_t GatherWrapsNegative(const AssayCall& call) {
  return Gather(call, [](int64_t index, int64_t extent) {
    return InsideOnly(index < 0 && index >= -extent ? index + extent : index, extent);
  });
}

int32_t GatherZeroFills(const AssayCall& call) {
  const View table(call.operands[0]), indices(call.operands[1]), out(call.operands[2]);
  for (int64_t i = 0; i < indices.extent(0); ++i) {
    const Row row = InsideOnly(indices.Integer(i), table.extent(0));
    for (int64_t j = 0; j < table.extent(1); ++j) {
      out.SetBits(i, j, row ? table.Bits(*row, j) : 0);
    }
  }
  return ASSAY_OK;
}

}  // namespace assay::planted
