// SPDX-License-Identifier: Apache-2.0
//
// How the reference kernels hold each operand type: the word in memory and the type they calculate
// with. 16-bit types are calculated in float and rounded once, when stored.
#pragma once

#include <cstdint>

#include "contracts/dtype.h"
#include "contracts/tensor.h"
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

// An element as its bits, for what is copied.
template <class Bits>
struct Raw {
  using Word = Bits;
  using Real = Bits;
  static Bits Load(Bits word) { return word; }
  static Bits Store(Bits value) { return value; }
};

// The type of an operand, by DLPack's codes. REQUIRES one of the types of contracts/dtype.h.
inline DType TypeOf(const AssayTensor& tensor) {
  constexpr uint8_t kInteger = 0, kUnsigned = 1, kBfloat = 4, kE4m3fn = 10, kE5m2 = 12;
  const int bits = tensor.dtype.bits;
  switch (tensor.dtype.code) {
    case kInteger:
      return bits == 64 ? DType::kI64 : bits == 32 ? DType::kI32 : DType::kI8;
    case kUnsigned:
      return DType::kU8;
    case kBfloat:
      return DType::kBf16;
    case kE4m3fn:
      return DType::kF8e4m3;
    case kE5m2:
      return DType::kF8e5m2;
    default:
      return bits == 64 ? DType::kF64 : bits == 32 ? DType::kF32 : DType::kF16;
  }
}

// Calls visit(format) for the format of a float type that is calculated with: f64, f32, f16, bf16.
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

// Calls visit(in, out): one type throughout, or an f32 result of 16-bit operands. Both calculate in
// the same type.
template <class Visit>
void WithFormats(DType in, DType out, Visit visit) {
  WithFormat(in, [&](auto format) {
    using In = decltype(format);
    if constexpr (sizeof(typename In::Word) < sizeof(typename In::Real)) {
      if (out == DType::kF32) return visit(format, F32{});
    }
    visit(format, format);
  });
}

// Calls visit(Raw<unsigned integer of that size>{}).
template <class Visit>
void WithWord(const AssayTensor& tensor, Visit visit) {
  switch (tensor.dtype.bits) {
    case 8:
      return visit(Raw<uint8_t>{});
    case 16:
      return visit(Raw<uint16_t>{});
    case 32:
      return visit(Raw<uint32_t>{});
    default:
      return visit(Raw<uint64_t>{});
  }
}

// Elements of an operand; missing axes have extent 1, so that trailing indices may be left out.
template <class Format>
class View {
 public:
  using Word = typename Format::Word;
  using Real = typename Format::Real;

  explicit View(const AssayTensor& tensor)
      : element0_(reinterpret_cast<Word*>(static_cast<char*>(tensor.data) + tensor.byte_offset)) {
    for (int axis = 0; axis < tensor.ndim; ++axis) SetAxis(axis, tensor, axis);
  }

  // As (batch, row, column) whatever the rank: a vector is one column, a matrix one batch.
  static View Matrix(const AssayTensor& tensor, bool transposed = false) {
    View view(tensor);
    const int row = tensor.ndim == 1 ? 0 : tensor.ndim - 2;
    view.SetAxis(0, tensor, tensor.ndim == 3 ? 0 : tensor.ndim);
    view.SetAxis(1, tensor, transposed ? row + 1 : row);
    view.SetAxis(2, tensor, transposed ? row : row + 1);
    return view;
  }

  int64_t extent(int axis) const { return extent_[axis]; }
  Word* At(int64_t i = 0, int64_t j = 0, int64_t k = 0, int64_t l = 0) const {
    return element0_ + (i * stride_[0] + j * stride_[1] + k * stride_[2] + l * stride_[3]);
  }
  Real Get(int64_t i = 0, int64_t j = 0, int64_t k = 0, int64_t l = 0) const {
    return Format::Load(*At(i, j, k, l));
  }
  void Put(Real value, int64_t i = 0, int64_t j = 0, int64_t k = 0, int64_t l = 0) const {
    *At(i, j, k, l) = Format::Store(value);
  }

 private:
  // Axis `from` of the tensor, or one of extent 1 if it has none. The stride of fewer than two
  // elements may hold anything.
  void SetAxis(int axis, const AssayTensor& tensor, int from) {
    extent_[axis] = from < tensor.ndim ? tensor.shape[from] : 1;
    stride_[axis] = extent_[axis] > 1 ? tensor.strides[from] : 0;
  }

  Word* element0_;
  int64_t extent_[kMaxRank] = {1, 1, 1, 1};
  int64_t stride_[kMaxRank] = {0, 0, 0, 0};
};

}  // namespace assay::reference
