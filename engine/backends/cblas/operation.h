// SPDX-License-Identifier: Apache-2.0
//
// One operation of a CBLAS: whether a call can be made of it, and making it. What the files of the
// three levels share. Depends on the C table and the loaded library alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/backends/call_view.h"
#include "engine/backends/cblas/library.h"

namespace assay::cblas {

constexpr int kRowMajor = 101, kColMajor = 102;
constexpr int kNoTrans = 111, kTrans = 112;

// Of one operation in one type of element.
template <class T>
struct Operation {
  uint32_t op;  // ASSAY_OP_
  // Empty, or why this call cannot be made.
  std::string_view (*refusal)(const CblasOf<T>& f, const AssayCall& call);
  // REQUIRES a call that was not refused.
  void (*run)(const CblasOf<T>& f, const AssayCall& call);
};

// level1.cc, level2.cc, level3.cc; for float and double.
template <class T>
std::span<const Operation<T>> Level1();
template <class T>
std::span<const Operation<T>> Level2();
template <class T>
std::span<const Operation<T>> Level3();

// Increments as BLAS counts them: a negative one walks the vector from its far end, so that the
// pointer passed is the lowest address either way. scal, nrm2, asum and iamax do nothing for one
// that is not positive, which is no answer.
inline std::string_view CheckIncrement(const AssayTensor& tensor, bool negative_defined) {
  const VectorView vector = VectorOf(tensor);
  if (vector.stride == 0) return "BLAS does not define an increment of 0";
  if (vector.stride < 0 && !negative_defined) return "negative increments are not defined here";
  if (vector.stride > INT_MAX || vector.stride < -INT_MAX) return "increment beyond 32 bits";
  return {};
}

// A vector operand as BLAS takes it.
template <class T>
struct Vector {
  explicit Vector(const AssayTensor& tensor) {
    const VectorView view = VectorOf(tensor);
    const int64_t below = view.stride < 0 ? (view.size - 1) * view.stride : 0;
    size = static_cast<int>(view.size);
    increment = static_cast<int>(view.stride);
    lowest = Element0<T>(tensor) + below;
  }
  int size, increment;
  T* lowest;
};

}  // namespace assay::cblas
