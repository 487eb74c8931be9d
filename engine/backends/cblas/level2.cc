// SPDX-License-Identifier: Apache-2.0
//
// Matrices and vectors: gemv.
#include "engine/backends/cblas/operation.h"

namespace assay::cblas {
namespace {

// A matrix operand as it is stored: `order` and leading dimension, or nothing where no axis has
// stride 1. Row-major where both would do.
struct Stored {
  int order = kRowMajor;
  std::optional<int64_t> leading;
  int rows = 0, columns = 0;

  explicit Stored(const AssayTensor& matrix)
      : leading(LeadingDimension(matrix, 1)),
        rows(static_cast<int>(matrix.shape[0])),
        columns(static_cast<int>(matrix.shape[1])) {
    if (leading.has_value()) return;
    order = kColMajor;
    leading = LeadingDimension(matrix, 0);
  }
};

// Reference BLAS returns at once where a dimension is 0, whatever beta is; the text has the product
// of no columns as zeros. Which of the two holds is written nowhere.
template <class T>
std::string_view CheckGemv(const CblasOf<T>& f, const AssayCall& call) {
  if (f.gemv == nullptr) return "the library has no such function";
  if (call.operands[1].shape[0] == 0) return "BLAS does not say what a gemv without columns does";
  if (!Stored(call.operands[0]).leading.has_value()) {
    return "a has no axis of stride 1 with a leading dimension beside it";
  }
  const std::string_view x = CheckIncrement(call.operands[1], /*negative_defined=*/true);
  return x.empty() ? CheckIncrement(call.operands[2], /*negative_defined=*/true) : x;
}

template <class T>
void Gemv(const CblasOf<T>& f, const AssayCall& call) {
  const Stored a(call.operands[0]);
  const Vector<T> x(call.operands[1]), y(call.operands[2]);
  f.gemv(a.order, call.attributes[2] != 0 ? kTrans : kNoTrans, a.rows, a.columns,
         static_cast<T>(call.attributes[0]), Element0<T>(call.operands[0]),
         static_cast<int>(*a.leading), x.lowest, x.increment, static_cast<T>(call.attributes[1]),
         y.lowest, y.increment);
}

template <class T>
constexpr Operation<T> kLevel2[] = {
    {ASSAY_OP_GEMV, CheckGemv<T>, Gemv<T>},
};

}  // namespace

template <class T>
std::span<const Operation<T>> Level2() {
  return kLevel2<T>;
}
template std::span<const Operation<float>> Level2<float>();
template std::span<const Operation<double>> Level2<double>();

}  // namespace assay::cblas
