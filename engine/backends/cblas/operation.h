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
constexpr int kUpper = 121, kLower = 122;
constexpr int kNonUnit = 131, kUnit = 132;
constexpr int kLeft = 141, kRight = 142;

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
template <class T>
std::span<const Operation<T>> ComplexOperations();  // complex.cc

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

constexpr std::string_view kNoFunction = "the library has no such function";
// Reference BLAS returns at once where a dimension is 0, whatever beta is; the text has the product
// of no columns as zeros. Which of the two holds is written nowhere.
constexpr std::string_view kNoColumns = "BLAS does not say what a gemv without columns does";
constexpr std::string_view kNotStored =
    "the matrix has no axis of stride 1 with a leading dimension beside it";

// A matrix operand as it is stored: `order` and leading dimension, or nothing where no axis has
// stride 1. Row-major where both would do.
struct Stored {
  explicit Stored(const AssayTensor& matrix)
      : leading(LeadingDimension(matrix, 1)),
        rows(static_cast<int>(matrix.shape[0])),
        columns(static_cast<int>(matrix.shape[1])) {
    if (leading.has_value()) return;
    order = kColMajor;
    leading = LeadingDimension(matrix, 0);
  }
  int order = kRowMajor;
  std::optional<int64_t> leading;
  int rows = 0, columns = 0;
};

// The triangle of a matrix that is passed in a given order: stored in the other one, it is its own
// transpose.
struct StoredTriangle {
  // `labels`: uplo, trans, diag.
  StoredTriangle(const AssayTensor& matrix, int order, const double* labels)
      : uplo(labels[0] == 0 ? kUpper : kLower),
        trans(labels[1] == 0 ? kNoTrans : kTrans),
        diag(labels[2] == 0 ? kNonUnit : kUnit),
        leading(LeadingDimension(matrix, order == kRowMajor ? 1 : 0)) {
    if (leading.has_value()) return;
    uplo = uplo == kUpper ? kLower : kUpper;
    trans = trans == kTrans ? kNoTrans : kTrans;
    leading = LeadingDimension(matrix, order == kRowMajor ? 0 : 1);
  }
  int uplo, trans, diag;
  std::optional<int64_t> leading;
};

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
