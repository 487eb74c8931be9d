// SPDX-License-Identifier: Apache-2.0
//
// What adapters of libraries of scalar and vector functions share: a function of one or two vectors
// applied to operands of any stride, a vector at a time. Header only, since every adapter is
// compiled with the instruction set of its vectors; depends on the C table alone.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "engine/backends/call_view.h"

namespace assay {

// Vector of `kBytes`; of one element: the scalar itself.
template <class T, int kBytes>
struct VectorOfBytes {
  typedef T Type __attribute__((vector_size(kBytes)));
};
template <class T>
struct VectorOfBytes<T, static_cast<int>(sizeof(T))> {
  using Type = T;
};

// out[i] := function(operands[i]...), kLanes elements a call. Elements travel through a vector of
// their own, so that nothing outside the operands is touched; lanes beyond the last element repeat
// it.
template <class T, int kLanes, class Vector>
class ElementwiseLoop {
 public:
  using Unary = Vector (*)(Vector);
  using Binary = Vector (*)(Vector, Vector);

  explicit ElementwiseLoop(const AssayCall& call) : call_(call), size_(call.operands[0].shape[0]) {}

  void Run(Unary function) const {
    for (int64_t first = 0; first < size_; first += kLanes) {
      Put(first, function(Get(0, first)));
    }
  }
  void Run(Binary function) const {
    for (int64_t first = 0; first < size_; first += kLanes) {
      Put(first, function(Get(0, first), Get(1, first)));
    }
  }

 private:
  Vector Get(int operand, int64_t first) const {
    const AssayTensor& tensor = call_.operands[operand];
    const T* element0 = Element0<const T>(tensor);
    const int64_t stride = VectorOf(tensor).stride;
    T lanes[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) {
      lanes[i] = element0[std::min(first + i, size_ - 1) * stride];
    }
    Vector vector;
    std::memcpy(&vector, lanes, sizeof vector);
    return vector;
  }

  void Put(int64_t first, Vector vector) const {
    const AssayTensor& tensor = call_.operands[call_.operand_count - 1];
    T* element0 = Element0<T>(tensor);
    const int64_t stride = VectorOf(tensor).stride;
    T lanes[kLanes];
    std::memcpy(lanes, &vector, sizeof vector);
    for (int64_t i = 0; i < kLanes && first + i < size_; ++i) {
      element0[(first + i) * stride] = lanes[i];
    }
  }

  const AssayCall& call_;
  int64_t size_;
};

// All operands of one type, f64 or f32. An empty text, or why not.
inline std::string_view RefusalOfTypes(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    if (!SameType(call.operands[i], call.operands[0])) return "operands of one type only";
  }
  const bool wide = IsFloat(call.operands[0], 64) || IsFloat(call.operands[0], 32);
  return wide ? "" : "operands of f64 or of f32 only";
}

// A library's functions of one type, by what they compute: of vectors of kBytes, or of single
// elements where kBytes is 0. A function that the library lacks is null or absent.
template <class T, int kBytes>
struct FunctionTable {
  static constexpr int kSize = kBytes != 0 ? kBytes : static_cast<int>(sizeof(T));
  static constexpr int kLanes = kSize / static_cast<int>(sizeof(T));
  using Loop = ElementwiseLoop<T, kLanes, typename VectorOfBytes<T, kSize>::Type>;
  using Unary = typename Loop::Unary;
  using Binary = typename Loop::Binary;

  // The styles of a remainder are functions of their own.
  static uint32_t KeyOf(uint32_t op, int style) { return op | static_cast<uint32_t>(style) << 16; }
  static uint32_t KeyOf(const AssayCall& call) {
    const bool styled = call.op == ASSAY_OP_REMAINDER;
    return KeyOf(call.op, styled ? static_cast<int>(call.attributes[0]) : 0);
  }

  Unary UnaryOf(const AssayCall& call) const {
    const auto found = unary.find(call.op);
    return found == unary.end() ? nullptr : found->second;
  }
  Binary BinaryOf(const AssayCall& call) const {
    const auto found = binary.find(KeyOf(call));
    return found == binary.end() ? nullptr : found->second;
  }
  bool Has(const AssayCall& call) const {
    return UnaryOf(call) != nullptr || BinaryOf(call) != nullptr;
  }
  // REQUIRES Has(call).
  void Run(const AssayCall& call) const {
    const Loop loop(call);
    if (const Unary function = UnaryOf(call)) return loop.Run(function);
    loop.Run(BinaryOf(call));
  }

  std::map<uint32_t, Unary> unary;    // by operation
  std::map<uint32_t, Binary> binary;  // by KeyOf
};

// A library of such functions, as a backend runs it.
template <int kBytes>
struct FunctionLibrary {
  std::string_view Refusal(const AssayCall& call) const {
    if (const std::string_view types = RefusalOfTypes(call); !types.empty()) return types;
    const bool has = IsFloat(call.operands[0], 32) ? of_float.Has(call) : of_double.Has(call);
    return has ? "" : "the library has no such function";
  }
  int32_t Run(const AssayCall& call, AssayText* text) const {
    if (const std::string_view refusal = Refusal(call); !refusal.empty()) {
      return Answer(refusal, text);
    }
    if (IsFloat(call.operands[0], 32)) {
      of_float.Run(call);
    } else {
      of_double.Run(call);
    }
    return ASSAY_OK;
  }

  FunctionTable<float, kBytes> of_float;
  FunctionTable<double, kBytes> of_double;
};

}  // namespace assay
