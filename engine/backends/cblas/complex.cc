// SPDX-License-Identifier: Apache-2.0
//
// Complex vectors and matrices: operands whose last axis holds the two parts, which lie in memory
// as complex numbers do. Increments and leading dimensions count numbers.
#include "engine/backends/cblas/operation.h"

namespace assay::cblas {
namespace {

constexpr int kConjTrans = 113;

// The operand as one of complex numbers, or why it is none.
struct Numbers {
  explicit Numbers(const AssayTensor& tensor) {
    const int parts = tensor.ndim - 1;
    if (tensor.strides[parts] != 1) {
      refusal = "the parts of a complex number must lie beside each other";
      return;
    }
    for (int axis = 0; axis < parts; ++axis) {
      shape[axis] = tensor.shape[axis];
      strides[axis] = tensor.strides[axis] / 2;
      if (shape[axis] > 1 && tensor.strides[axis] % 2 != 0) {
        refusal = "complex numbers must lie whole numbers apart";
      }
    }
    view = tensor;
    view.ndim = parts;
    view.shape = shape;
    view.strides = strides;
  }
  Numbers(const Numbers&) = delete;

  std::string_view refusal;
  AssayTensor view{};  // strides in numbers; the data are parts
  int64_t shape[2] = {1, 1}, strides[2] = {0, 0};
};

template <class T>
struct NumberVector {
  explicit NumberVector(const Numbers& numbers) {
    const VectorView vector = VectorOf(numbers.view);
    const int64_t below = vector.stride < 0 ? (vector.size - 1) * vector.stride : 0;
    size = static_cast<int>(vector.size);
    increment = static_cast<int>(vector.stride);
    lowest = Element0<T>(numbers.view) + 2 * below;
  }
  int size, increment;
  T* lowest;
};

std::string_view CheckVector(const AssayTensor& tensor, bool negative_defined) {
  const Numbers numbers(tensor);
  if (!numbers.refusal.empty()) return numbers.refusal;
  return CheckIncrement(numbers.view, negative_defined);
}

template <class T>
std::string_view CheckScal(const CblasOf<T>& f, const AssayCall& call) {
  if (f.complex_scal == nullptr) return kNoFunction;
  return CheckVector(call.operands[0], /*negative_defined=*/false);
}

template <class T>
void Scal(const CblasOf<T>& f, const AssayCall& call) {
  const Numbers numbers(call.operands[0]);
  const NumberVector<T> x(numbers);
  const T alpha[] = {static_cast<T>(call.attributes[0]), static_cast<T>(call.attributes[1])};
  f.complex_scal(x.size, alpha, x.lowest, x.increment);
}

template <class T>
std::string_view CheckDot(const CblasOf<T>& f, const AssayCall& call) {
  if (f.complex_dot == nullptr || f.complex_dot_conjugated == nullptr) return kNoFunction;
  if (call.operands[2].strides[0] != 1) return "the parts of the result must lie beside each other";
  const std::string_view x = CheckVector(call.operands[0], /*negative_defined=*/true);
  return x.empty() ? CheckVector(call.operands[1], /*negative_defined=*/true) : x;
}

template <class T>
void Dot(const CblasOf<T>& f, const AssayCall& call) {
  const Numbers x_numbers(call.operands[0]), y_numbers(call.operands[1]);
  const NumberVector<T> x(x_numbers), y(y_numbers);
  auto* dot = call.attributes[0] == 0 ? f.complex_dot : f.complex_dot_conjugated;
  dot(x.size, x.lowest, x.increment, y.lowest, y.increment, Element0<T>(call.operands[2]));
}

template <class T>
std::string_view CheckGemv(const CblasOf<T>& f, const AssayCall& call) {
  if (f.complex_gemv == nullptr) return kNoFunction;
  if (call.operands[1].shape[0] == 0) return kNoColumns;
  const Numbers a(call.operands[0]);
  if (!a.refusal.empty()) return a.refusal;
  const Stored stored(a.view);
  if (!stored.leading.has_value()) return kNotStored;
  const std::string_view x = CheckVector(call.operands[1], /*negative_defined=*/true);
  return x.empty() ? CheckVector(call.operands[2], /*negative_defined=*/true) : x;
}

template <class T>
void Gemv(const CblasOf<T>& f, const AssayCall& call) {
  constexpr int kWays[] = {kNoTrans, kTrans, kConjTrans};
  const Numbers a_numbers(call.operands[0]), x_numbers(call.operands[1]),
      y_numbers(call.operands[2]);
  const Stored a(a_numbers.view);
  const NumberVector<T> x(x_numbers), y(y_numbers);
  const T alpha[] = {static_cast<T>(call.attributes[0]), static_cast<T>(call.attributes[1])};
  const T beta[] = {static_cast<T>(call.attributes[2]), static_cast<T>(call.attributes[3])};
  f.complex_gemv(a.order, kWays[static_cast<int>(call.attributes[4])], a.rows, a.columns, alpha,
                 Element0<T>(call.operands[0]), static_cast<int>(*a.leading), x.lowest, x.increment,
                 beta, y.lowest, y.increment);
}

template <class T>
constexpr Operation<T> kComplex[] = {
    {ASSAY_OP_COMPLEX_SCAL, CheckScal<T>, Scal<T>},
    {ASSAY_OP_COMPLEX_DOT, CheckDot<T>, Dot<T>},
    {ASSAY_OP_COMPLEX_GEMV, CheckGemv<T>, Gemv<T>},
};

}  // namespace

template <class T>
std::span<const Operation<T>> ComplexOperations() {
  return kComplex<T>;
}
template std::span<const Operation<float>> ComplexOperations<float>();
template std::span<const Operation<double>> ComplexOperations<double>();

}  // namespace assay::cblas
