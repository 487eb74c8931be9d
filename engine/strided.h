// SPDX-License-Identifier: Apache-2.0
//
// Elements of a strided operand against their dense row-major list, and the gaps between them.
// Plain address arithmetic: knows no arena and no guard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contracts/tensor.h"

namespace assay {

// Shape and strides in elements, `size` bytes each. `element0` is the address of index (0,...,0).
struct StridedLayout {
  int size = 1;
  Dims shape;
  Dims strides;
  bool row_major = true;  // dense, in order: the list and the memory are the same bytes
};
StridedLayout LayoutOf(const Tensor& tensor);

// Stores bits[i] as element i of the row-major order; reads them back; stores one pattern
// everywhere. REQUIRES bits.size() == ElementCount(shape). Elements that share an address get the
// last one.
void Scatter(const StridedLayout& layout, std::span<const uint64_t> bits, std::byte* element0);
void Gather(const StridedLayout& layout, const std::byte* element0, std::span<uint64_t> bits);
void ScatterOne(const StridedLayout& layout, uint64_t bits, std::byte* element0);

// Bytes between elements, relative to the lowest element byte, ascending, not touching each other.
struct ByteRun {
  int64_t begin = 0;
  int64_t end = 0;
};
void FindGaps(const StridedLayout& layout, std::vector<ByteRun>& gaps);

}  // namespace assay
