// SPDX-License-Identifier: Apache-2.0
//
// How the reference kernels hold each operand type: the word in memory and the type they calculate
// with. 16-bit types are calculated in float and rounded once, when stored.
#pragma once

#include <cstdint>

#include "contracts/dtype.h"
#include "engine/include/assay/backend.h"

namespace assay::reference {

struct F64 {
  using Word = double;
  using Real = double;
  static double Load(double word) { return word; }
  static double Store(double value) { return value; }
};

struct F32 {
  using Word = float;
  using Real = float;
  static float Load(float word) { return word; }
  static float Store(float value) { return value; }
};

template <DType kType>
struct Half {
  using Word = uint16_t;
  using Real = float;
  static float Load(uint16_t word) { return static_cast<float>(Decode(kType, word)); }
  static uint16_t Store(float value) { return static_cast<uint16_t>(Encode(kType, value)); }
};
using F16 = Half<DType::kF16>;
using Bf16 = Half<DType::kBf16>;

// The type of an operand; integers by their size.
inline DType TypeOf(const AssayTensor& tensor) {
  constexpr uint8_t kInteger = 0, kBfloat = 4;
  const int bits = tensor.dtype.bits;
  if (tensor.dtype.code == kInteger) {
    return bits == 64 ? DType::kI64 : bits == 32 ? DType::kI32 : DType::kI8;
  }
  if (tensor.dtype.code == kBfloat) return DType::kBf16;
  return bits == 64 ? DType::kF64 : bits == 32 ? DType::kF32 : DType::kF16;
}

// Calls visit(format) for the format of a float type.
template <class Visit>
void WithFormat(DType type, Visit visit) {
  switch (type) {
    case DType::kF64:
      return visit(F64{});
    case DType::kF32:
      return visit(F32{});
    case DType::kF16:
      return visit(F16{});
    default:
      return visit(Bf16{});
  }
}

// Elements of an operand of up to two axes, missing axes of extent 1.
template <class Format>
class View {
 public:
  using Word = typename Format::Word;
  using Real = typename Format::Real;

  explicit View(const AssayTensor& tensor, bool transposed = false)
      : element0_(reinterpret_cast<Word*>(static_cast<char*>(tensor.data) + tensor.byte_offset)) {
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      const int from = transposed ? tensor.ndim - 1 - axis : axis;
      extent_[axis] = tensor.shape[from];
      stride_[axis] = tensor.shape[from] > 1 ? tensor.strides[from] : 0;
    }
  }

  int64_t extent(int axis) const { return extent_[axis]; }
  Real Get(int64_t i, int64_t j = 0) const { return Format::Load(*At(i, j)); }
  void Set(int64_t i, int64_t j, Real value) const { *At(i, j) = Format::Store(value); }
  Word* At(int64_t i, int64_t j = 0) const { return element0_ + (i * stride_[0] + j * stride_[1]); }

 private:
  Word* element0_;
  int64_t extent_[2] = {1, 1};
  int64_t stride_[2] = {0, 0};
};

}  // namespace assay::reference
