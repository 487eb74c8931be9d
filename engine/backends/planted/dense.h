// SPDX-License-Identifier: Apache-2.0
//
// Operands of any rank as dense row-major vectors of doubles, for planted kernels whose fault lies
// in arithmetic and not in addressing. Every operand type but i64 is exact in double; writing
// rounds once to the operand's type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "contracts/dtype.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {

// Calls visit(address) for every element in row-major order.
template <class Visit>
void ForEachElement(const AssayTensor& tensor, const Visit& visit) {
  const int64_t size = SizeOf(TypeOf(tensor));
  int64_t count = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis) count *= tensor.shape[axis];
  std::byte* const element0 = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  for (int64_t position = 0; position < count; ++position) {
    int64_t rest = position, offset = 0;
    for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
      offset += rest % tensor.shape[axis] * tensor.strides[axis];
      rest /= tensor.shape[axis];
    }
    visit(element0 + offset * size);
  }
}

inline std::vector<double> ReadDense(const AssayTensor& tensor) {
  const DType type = TypeOf(tensor);
  std::vector<double> values;
  ForEachElement(tensor, [&](const std::byte* at) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<size_t>(SizeOf(type)));
    values.push_back(IsFloat(type) ? Decode(type, bits)
                                   : static_cast<double>(DecodeInteger(type, bits)));
  });
  return values;
}

inline void WriteDense(const AssayTensor& tensor, const std::vector<double>& values) {
  const DType type = TypeOf(tensor);
  size_t next = 0;
  ForEachElement(tensor, [&](std::byte* at) {
    const double value = values[next++];
    const uint64_t bits =
        IsFloat(type) ? Encode(type, value) : EncodeInteger(type, static_cast<int64_t>(value));
    std::memcpy(at, &bits, static_cast<size_t>(SizeOf(type)));
  });
}

}  // namespace assay::planted
