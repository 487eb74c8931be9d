// SPDX-License-Identifier: Apache-2.0
//
// Operands as Eigen's maps. An expression over unit strides is what Eigen vectorises; one over
// other strides takes its scalar path. Inside the modules only.
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "engine/backends/call_view.h"

namespace assay::eigen {

using Eigen::Array;
using Eigen::Dynamic;
using Eigen::InnerStride;
using Eigen::Map;
using Eigen::Matrix;
using Eigen::OuterStride;
using Eigen::Unaligned;

template <class T>
using Contiguous =
    std::conditional_t<std::is_const_v<T>, const Array<std::remove_const_t<T>, Dynamic, 1>,
                       Array<T, Dynamic, 1>>;
template <class T>
using Strided = Map<Contiguous<T>, Unaligned, InnerStride<>>;

template <class T>
Strided<T> StridedMap(const AssayTensor& tensor) {
  const VectorView vector = VectorOf(tensor);
  return {Element0<T>(tensor), vector.size, InnerStride<>(vector.stride)};
}
template <class T>
Map<Contiguous<T>> ContiguousMap(const AssayTensor& tensor) {
  return {Element0<T>(tensor), VectorOf(tensor).size};
}

// Calls visit with an input of one dimension, contiguous where it is.
template <class T, class Visit>
void WithInput(const AssayTensor& x, Visit visit) {
  if (VectorOf(x).stride == 1) {
    visit(ContiguousMap<const T>(x));
  } else {
    visit(StridedMap<const T>(x));
  }
}

// Each runs the call if it is one of its operations, and says whether it was. T: a type that the
// rules in eigen.cc take for that operation.
template <class T>
bool RunProduct(const AssayCall& call);  // gemm, gemv: double, float
template <class T>
bool RunReduction(const AssayCall& call);
template <class T>
bool RunElementwise(const AssayCall& call);
void RunCast(const AssayCall& call);

}  // namespace assay::eigen
