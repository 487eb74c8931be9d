// SPDX-License-Identifier: Apache-2.0
//
// The rows of the operator table by group, in any order within a group, and the lists of types and
// labels that several groups share. Private to contracts/operator.cc and this folder.
#pragma once

#include <span>

#include "contracts/operator.h"

namespace assay::operators {

std::span<const OperatorDef> Linear();      // products of matrices and vectors
std::span<const OperatorDef> Reductions();  // one number of many: sums, norms, extrema
std::span<const OperatorDef> Rows();        // softmax, normalization, attention
std::span<const OperatorDef> Pointwise();   // functions of one or two elements, casts
std::span<const OperatorDef> Indexed();     // gather and scatter
std::span<const OperatorDef> Windows();     // convolution and pooling
std::span<const OperatorDef> Collectives();
std::span<const OperatorDef> Complex();     // the last axis holds real and imaginary parts
std::span<const OperatorDef> Triangular();  // rank-one updates, triangular products and solves

inline constexpr DType kFloatTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBf16};
inline constexpr DType kUpTo32Types[] = {DType::kF32, DType::kF16, DType::kBf16};
inline constexpr DType kBlasTypes[] = {DType::kF32, DType::kF64};
inline constexpr DType kF32Only[] = {DType::kF32};
inline constexpr DType kI32Only[] = {DType::kI32};
inline constexpr DType kI64Only[] = {DType::kI64};
inline constexpr DType kI8Only[] = {DType::kI8};
inline constexpr DType kByteTypes[] = {DType::kI8, DType::kU8};

// A reduction of a narrow type may deliver its wide accumulator.
std::span<const DType> SameOrAccumulator(DType input);

inline constexpr std::string_view kTranspose[] = {"n", "t"};
inline constexpr std::string_view kNoYes[] = {"no", "yes"};

constexpr OperandDef In(std::string_view name, Axes axes, std::span<const DType> types = {}) {
  return {name, Role::kInput, ElementKind::kReal, axes, types};
}
constexpr OperandDef Out(std::string_view name, Axes axes, std::span<const DType> types = {}) {
  return {name, Role::kOutput, ElementKind::kReal, axes, types};
}
constexpr OperandDef Inout(std::string_view name, Axes axes) {
  return {name, Role::kInout, ElementKind::kReal, axes};
}

}  // namespace assay::operators
