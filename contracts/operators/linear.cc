// SPDX-License-Identifier: Apache-2.0
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr AttributeDef kGemmAttributes[] = {
    {"alpha", {}, 1}, {"beta", {}, 0}, {"trans_a", kTranspose}, {"trans_b", kTranspose}};
constexpr AttributeDef kGemvAttributes[] = {
    {"alpha", {}, 1}, {"beta", {}, 0}, {"trans_a", kTranspose}};
constexpr AttributeDef kScalAttributes[] = {{"alpha", {}, 1}};
constexpr std::string_view kActivations[] = {"none", "relu",    "gelu_erf", "gelu_tanh",
                                             "silu", "sigmoid", "tanh"};
constexpr AttributeDef kLinearAttributes[] = {{"activation", kActivations}};
constexpr std::string_view kStores[] = {"f16", "bf16"};
constexpr AttributeDef kGradientAttributes[] = {{"scale", {}, 1}, {"store", kStores}};

constexpr OperandDef Transposable(std::string_view name, Axes axes, int attribute) {
  return {name, Role::kInput, ElementKind::kReal, axes, {}, attribute};
}

// m n k
constexpr OperandDef kGemm[] = {Transposable("a", {0, 2}, kGemmTransA),
                                Transposable("b", {2, 1}, kGemmTransB), Inout("c", {0, 1})};
constexpr std::string_view kGemmDims[] = {"m", "n", "k"};
// batch m n k
constexpr OperandDef kBatchedGemm[] = {Transposable("a", {0, 1, 3}, kGemmTransA),
                                       Transposable("b", {0, 3, 2}, kGemmTransB),
                                       Inout("c", {0, 1, 2})};
constexpr std::string_view kBatchedDims[] = {"batch", "m", "n", "k"};
// m k
constexpr OperandDef kGemv[] = {Transposable("a", {0, 1}, kGemmTransA), In("x", {1}),
                                Inout("y", {0})};
constexpr std::string_view kGemvDims[] = {"m", "k"};
constexpr OperandDef kInt8Gemm[] = {In("a", {0, 2}), In("b", {2, 1}, kI8Only),
                                    Out("c", {0, 1}, kI32Only)};
constexpr OperandDef kDot[] = {In("x", {0}), In("y", {0}), Out("out", {})};
constexpr OperandDef kScal[] = {Inout("x", {0})};
constexpr OperandDef kAxpy[] = {In("x", {0}), Inout("y", {0})};
constexpr std::string_view kVectorDims[] = {"n"};
// m n k: out = activation(x w + bias) + residual
constexpr OperandDef kLinear[] = {In("x", {0, 2}), In("w", {2, 1}), In("bias", {1}),
                                  In("residual", {0, 1}), Out("out", {0, 1})};
// m n k: out = [sum_m store(scale dy) x, sum_m store(scale dy)] / scale, the gradients of a linear
// layer's weights and, in the last column, of its bias.
constexpr OperandDef kGradient[] = {In("dy", {0, 1}), In("x", {0, 2}), Out("out", {1, 3})};

void DeriveGradient(const Case&, NamedDims& all) { all.push_back(all[2] + 1); }

constexpr OperatorDef kRows[] = {
    {OpId::kGemm, "gemm", Family::kGemm, kGemmAttributes, kGemm, kGemmDims, 2, kFloatTypes,
     SameOrAccumulator},
    {OpId::kGemv, "gemv", Family::kGemm, kGemvAttributes, kGemv, kGemvDims, 1, kFloatTypes,
     SameOrAccumulator},
    {OpId::kBatchedGemm, "batched_gemm", Family::kGemm, kGemmAttributes, kBatchedGemm, kBatchedDims,
     3, kFloatTypes, SameOrAccumulator},
    {OpId::kInt8Gemm, "int8_gemm", Family::kIntGemm, {}, kInt8Gemm, kGemmDims, 2, kByteTypes},
    {OpId::kDot, "dot", Family::kDot, {}, kDot, kVectorDims, 0, kFloatTypes, SameOrAccumulator},
    {OpId::kScal, "scal", Family::kVector, kScalAttributes, kScal, kVectorDims, -1, kFloatTypes},
    {OpId::kAxpy, "axpy", Family::kVector, kScalAttributes, kAxpy, kVectorDims, -1, kFloatTypes},
    {OpId::kFusedLinear, "fused_linear", Family::kLinear, kLinearAttributes, kLinear, kGemmDims, 2,
     kFloatTypes},
    {OpId::kScaledGradient, "scaled_gradient", Family::kGradient, kGradientAttributes, kGradient,
     kGemmDims, 0, kF32Only, nullptr, DeriveGradient},
};

}  // namespace

std::span<const OperatorDef> Linear() { return kRows; }

}  // namespace assay::operators
