// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// All indices in row-major order; false if one lies outside [0, extent).
bool ReadIndices(const AssayTensor& tensor, int64_t extent, std::vector<int64_t>& indices) {
  const bool wide = tensor.dtype.bits == 64;
  const View<Raw<int64_t>> as64(tensor);
  const View<Raw<int32_t>> as32(tensor);
  for (int64_t i = 0; i < as64.extent(0); ++i) {
    for (int64_t j = 0; j < as64.extent(1); ++j) {
      const int64_t index = wide ? as64.Get(i, j) : as32.Get(i, j);
      if (index < 0 || index >= extent) return false;
      indices.push_back(index);
    }
  }
  return true;
}

// Output rows, whose place is given by their number: out has one or two axes in front of a row.
template <class Word>
void CopyRows(const View<Word>& table, const std::vector<int64_t>& indices, const View<Word>& out,
              bool batched) {
  const auto count = batched ? out.extent(1) : static_cast<int64_t>(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    for (int64_t column = 0; column < table.extent(1); ++column) {
      const auto value = table.Get(indices[i], column);
      if (batched) {
        out.Put(value, place / count, place % count, column);
      } else {
        out.Put(value, place, column);
      }
    }
  }
}

template <class Word>
void CopyColumns(const View<Word>& table, const std::vector<int64_t>& indices,
                 const View<Word>& out) {
  for (int64_t row = 0; row < table.extent(0); ++row) {
    for (size_t i = 0; i < indices.size(); ++i) {
      out.Put(table.Get(row, indices[i]), row, static_cast<int64_t>(i));
    }
  }
}

// Adds up each row of `out` that an index names in the type of the sums, so that a 16-bit element
// is rounded once; the other rows keep their bits.
template <class Format>
void AddRows(const View<Format>& updates, const std::vector<int64_t>& indices,
             const View<Format>& out) {
  using Real = typename Format::Real;
  const int64_t rows = out.extent(0), columns = out.extent(1);
  std::vector<bool> named(static_cast<size_t>(rows));
  for (const int64_t index : indices) named[static_cast<size_t>(index)] = true;
  std::vector<Real> sums(static_cast<size_t>(rows));
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t row = 0; row < rows; ++row) sums[static_cast<size_t>(row)] = out.Get(row, column);
    for (size_t i = 0; i < indices.size(); ++i) {
      sums[static_cast<size_t>(indices[i])] += updates.Get(static_cast<int64_t>(i), column);
    }
    for (int64_t row = 0; row < rows; ++row) {
      if (named[static_cast<size_t>(row)]) out.Put(sums[static_cast<size_t>(row)], row, column);
    }
  }
}

}  // namespace

bool GatherRows(const AssayCall& call) {
  const AssayTensor& table = call.operands[0];
  const bool columns = call.op == ASSAY_OP_INDEX_SELECT && call.attributes[0] == 1;
  std::vector<int64_t> indices;
  if (!ReadIndices(call.operands[1], table.shape[columns ? 1 : 0], indices)) return false;
  WithWord(table, [&](auto word) {
    const View<decltype(word)> from(table), out(call.operands[2]);
    if (columns) return CopyColumns(from, indices, out);
    CopyRows(from, indices, out, call.op == ASSAY_OP_EMBEDDING);
  });
  return true;
}

bool ScatterAdd(const AssayCall& call) {
  std::vector<int64_t> indices;
  if (!ReadIndices(call.operands[1], call.operands[2].shape[0], indices)) return false;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    AddRows(View<decltype(format)>(call.operands[0]), indices,
            View<decltype(format)>(call.operands[2]));
  });
  return true;
}

}  // namespace assay::reference
