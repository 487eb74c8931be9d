// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing the operands of a call, whatever their type and strides: what the planted
// kernels are written in. Values travel as double, in which every operand type but i64 is exact.
// Must not depend on anything of the engine but the C table.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "contracts/dtype.h"
#include "engine/include/assay/backend.h"

namespace assay::planted {

// Type of an operand. REQUIRES one of the types of contracts/dtype.h.
inline DType TypeOf(const AssayTensor& tensor) {
  constexpr uint8_t kInteger = 0, kUnsigned = 1, kBfloat = 4, kE4m3fn = 10, kE5m2 = 12;
  if (tensor.dtype.code == kUnsigned) return DType::kU8;
  if (tensor.dtype.code == kE4m3fn) return DType::kF8e4m3;
  if (tensor.dtype.code == kE5m2) return DType::kF8e5m2;
  if (tensor.dtype.code == kBfloat) return DType::kBf16;
  if (tensor.dtype.code == kInteger) {
    return tensor.dtype.bits == 64 ? DType::kI64
                                   : (tensor.dtype.bits == 32 ? DType::kI32 : DType::kI8);
  }
  return tensor.dtype.bits == 64 ? DType::kF64
                                 : (tensor.dtype.bits == 32 ? DType::kF32 : DType::kF16);
}

// A view of up to two axes, strides in elements. A vector uses (i), a scalar (), a matrix (i, j).
class View {
 public:
  View(const AssayTensor& tensor, bool transposed = false)
      : element0_(static_cast<std::byte*>(tensor.data) + tensor.byte_offset),
        type_(TypeOf(tensor)),
        size_(SizeOf(type_)) {
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      const int from = transposed ? tensor.ndim - 1 - axis : axis;
      extent_[axis] = tensor.shape[from];
      stride_[axis] = tensor.strides[from];
    }
  }

  DType type() const { return type_; }
  int64_t extent(int axis) const { return extent_[axis]; }
  int64_t stride(int axis) const { return stride_[axis]; }

  uint64_t Bits(int64_t i, int64_t j = 0) const {
    uint64_t bits = 0;
    std::memcpy(&bits, At(i, j), static_cast<size_t>(size_));
    return bits;
  }
  void SetBits(int64_t i, int64_t j, uint64_t bits) const {
    std::memcpy(At(i, j), &bits, static_cast<size_t>(size_));
  }
  double Get(int64_t i, int64_t j = 0) const {
    const uint64_t bits = Bits(i, j);
    if (type_ == DType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (type_ == DType::kF64) return std::bit_cast<double>(bits);
    return Decode(type_, bits);
  }
  // One rounding to the operand's type.
  void Set(int64_t i, int64_t j, double value) const { SetBits(i, j, Encode(type_, value)); }
  void Set(int64_t i, double value) const { Set(i, 0, value); }
  int64_t Integer(int64_t i) const { return DecodeInteger(type_, Bits(i)); }
  // Of element (i, j), which need not be one of the operand's.
  void* Address(int64_t i, int64_t j = 0) const { return At(i, j); }
  // What lies right behind the highest element. REQUIRES an element.
  uint64_t BitsPastEnd() const {
    int64_t highest = 0;
    for (int axis = 0; axis < 2; ++axis) {
      if (stride_[axis] > 0) highest += (extent_[axis] - 1) * stride_[axis];
    }
    uint64_t bits = 0;
    std::memcpy(&bits, element0_ + (highest + 1) * size_, static_cast<size_t>(size_));
    return bits;
  }

 private:
  std::byte* At(int64_t i, int64_t j) const {
    return element0_ + (i * stride_[0] + j * stride_[1]) * size_;
  }

  std::byte* element0_;
  DType type_;
  int64_t size_;
  int64_t extent_[2] = {1, 1};
  int64_t stride_[2] = {0, 0};
};

// The operands and scalars of c := alpha op(a) op(b) + beta c, transposes already in the views.
struct GemmOperands {
  explicit GemmOperands(const AssayCall& call)
      : a(call.operands[0], call.attributes[2] != 0),
        b(call.operands[1], call.attributes[3] != 0),
        c(call.operands[2]),
        alpha(call.attributes[0]),
        beta(call.attributes[1]),
        m(c.extent(0)),
        n(c.extent(1)),
        k(a.extent(1)) {}
  View a, b, c;
  double alpha, beta;
  int64_t m, n, k;
};

}  // namespace assay::planted
