// SPDX-License-Identifier: Apache-2.0
//
// What adapters need to read a call of the C table: places of elements, texts, and how BLAS-like
// interfaces name a matrix. Header only, and dependent on the C table alone, since modules with
// compiler flags of their own include it too.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/include/assay/backend.h"

namespace assay {

inline bool IsFloat(const AssayTensor& tensor, int bits) {
  constexpr uint8_t kFloat = 2;
  return tensor.dtype.code == kFloat && tensor.dtype.bits == bits && tensor.dtype.lanes == 1;
}
inline bool IsBfloat16(const AssayTensor& tensor) {
  constexpr uint8_t kBfloat = 4;
  return tensor.dtype.code == kBfloat && tensor.dtype.bits == 16 && tensor.dtype.lanes == 1;
}
inline bool SameType(const AssayTensor& a, const AssayTensor& b) {
  return a.dtype.code == b.dtype.code && a.dtype.bits == b.dtype.bits;
}

template <class T>
T* Element0(const AssayTensor& tensor) {
  return reinterpret_cast<T*>(static_cast<char*>(tensor.data) + tensor.byte_offset);
}

// The text may be absent: a caller that does not want the reason.
inline void Say(AssayText* text, std::string_view words) {
  if (text == nullptr) return;
  text->size = std::min(words.size(), text->capacity);
  std::memcpy(text->data, words.data(), text->size);
}
// OK for an empty reason, else the refusal with its reason.
inline int32_t Answer(std::string_view reason, AssayText* text) {
  if (reason.empty()) return ASSAY_OK;
  Say(text, reason);
  return ASSAY_UNSUPPORTED;
}

// Whether the element type of `tensor` holds a scalar that calls pass as f64, or as f32 beside
// anything narrower than that. Libraries whose scalars have the type of the elements round others.
inline bool HoldsScalar(const AssayTensor& tensor, double scalar) {
  const bool half = IsFloat(tensor, 16);
  if ((!half && !IsBfloat16(tensor)) || scalar != scalar || scalar == 0) return true;
  const auto single = static_cast<float>(scalar);
  uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  if (!half) return (bits & 0xffff) == 0;
  constexpr float kSmallestNormal = 0x1p-14f, kLargest = 65504;
  const float magnitude = single < 0 ? -single : single;
  return magnitude >= kSmallestNormal && magnitude <= kLargest && (bits & 0x1fff) == 0;
}

// Whether a cast is one between integers that asks for saturation.
inline bool SaturatesIntegers(const AssayCall& cast) {
  constexpr uint8_t kUnsigned = 1;
  return cast.operands[0].dtype.code <= kUnsigned && cast.operands[1].dtype.code <= kUnsigned &&
         cast.attributes[0] == 0;
}

// A vector operand. The stride of fewer than two elements is never used and counts as 1.
struct VectorView {
  int64_t size = 0;
  int64_t stride = 1;
};
inline VectorView VectorOf(const AssayTensor& tensor) {
  const int64_t size = tensor.shape[0];
  return {size, size > 1 ? tensor.strides[0] : 1};
}

// Leading dimension of a matrix whose elements along `unit` follow each other, as BLAS wants it: at
// least the extent of that axis and at least 1. Nothing if the strides are not of that form.
inline std::optional<int64_t> LeadingDimension(const AssayTensor& matrix, int unit) {
  const int64_t extent = matrix.shape[unit];
  const int64_t others = matrix.shape[1 - unit];
  const int64_t smallest = std::max<int64_t>(1, extent);
  const int64_t stride = matrix.strides[1 - unit];
  if (extent > 1 && others > 0 && matrix.strides[unit] != 1) return std::nullopt;
  if (stride >= smallest && stride <= INT_MAX) return stride;
  // A stride that is never stepped over may hold anything.
  if (others <= 1 || extent == 0) return smallest;
  return std::nullopt;
}

// The arguments of a BLAS gemm, data left out. `row_major` is the order of c; a and b stored in the
// other order are passed as transposed.
struct GemmShape {
  bool row_major = true;
  bool trans_a = false, trans_b = false;
  int64_t m = 0, n = 0, k = 0;
  int64_t lda = 1, ldb = 1, ldc = 1;
};

namespace internal {
// Leading dimension of an input in the order of c, or else in the other order with `trans` flipped.
inline std::optional<int64_t> InputLeadingDimension(const AssayTensor& matrix, bool row_major,
                                                    bool& trans) {
  const int unit = row_major ? 1 : 0;
  if (const auto leading = LeadingDimension(matrix, unit)) return leading;
  const auto flipped = LeadingDimension(matrix, 1 - unit);
  if (flipped.has_value()) trans = !trans;
  return flipped;
}
}  // namespace internal

// Derives the arguments from the strides; an empty text, or why BLAS cannot say it.
inline std::string_view DeriveGemm(const AssayCall& call, GemmShape& gemm) {
  const AssayTensor* operands = call.operands;
  gemm.trans_a = call.attributes[2] != 0;
  gemm.trans_b = call.attributes[3] != 0;
  gemm.m = operands[2].shape[0];
  gemm.n = operands[2].shape[1];
  gemm.k = operands[0].shape[gemm.trans_a ? 0 : 1];
  std::optional<int64_t> ldc = LeadingDimension(operands[2], 1);
  gemm.row_major = ldc.has_value();
  if (!gemm.row_major) ldc = LeadingDimension(operands[2], 0);
  if (!ldc.has_value()) return "c has no axis of stride 1 with a leading dimension beside it";
  const auto lda = internal::InputLeadingDimension(operands[0], gemm.row_major, gemm.trans_a);
  if (!lda.has_value()) return "a has no axis of stride 1 with a leading dimension beside it";
  const auto ldb = internal::InputLeadingDimension(operands[1], gemm.row_major, gemm.trans_b);
  if (!ldb.has_value()) return "b has no axis of stride 1 with a leading dimension beside it";
  gemm.lda = *lda;
  gemm.ldb = *ldb;
  gemm.ldc = *ldc;
  return {};
}

}  // namespace assay
