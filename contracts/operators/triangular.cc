// SPDX-License-Identifier: Apache-2.0
//
// Rank-one updates, and products with and solves of a triangular matrix, as BLAS has them.
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr std::string_view kUplo[] = {"upper", "lower"};
constexpr std::string_view kDiagonal[] = {"nonunit", "unit"};
constexpr std::string_view kSides[] = {"left", "right"};
constexpr AttributeDef kGerAttributes[] = {{"alpha", {}, 1}};
constexpr AttributeDef kSyrAttributes[] = {{"alpha", {}, 1}, {"uplo", kUplo}};
constexpr AttributeDef kVectorAttributes[] = {
    {"uplo", kUplo}, {"trans", kTranspose}, {"diag", kDiagonal}};
constexpr AttributeDef kMatrixAttributes[] = {{"alpha", {}, 1},
                                              {"side", kSides},
                                              {"uplo", kUplo},
                                              {"trans", kTranspose},
                                              {"diag", kDiagonal}};

// m n
constexpr OperandDef kGer[] = {In("x", {0}), In("y", {1}), Inout("a", {0, 1})};
constexpr std::string_view kMatrixDims[] = {"m", "n"};
constexpr OperandDef kSyr[] = {In("x", {0}), Inout("a", {0, 0})};
constexpr OperandDef kVector[] = {In("a", {0, 0}), Inout("x", {0})};
constexpr std::string_view kOrder[] = {"n"};
// m n, then the order of a: m on the left of b, n on its right.
constexpr OperandDef kMatrix[] = {In("a", {2, 2}), Inout("b", {0, 1})};

void DeriveOrder(const Case& value, NamedDims& all) {
  all.push_back(TriangleOf(value).right ? all[1] : all[0]);
}

constexpr OperatorDef kRows[] = {
    {OpId::kGer, "ger", Family::kUpdate, kGerAttributes, kGer, kMatrixDims, -1, kBlasTypes},
    {OpId::kSyr, "syr", Family::kUpdate, kSyrAttributes, kSyr, kOrder, -1, kBlasTypes},
    {OpId::kTrmv, "trmv", Family::kTriangular, kVectorAttributes, kVector, kOrder, -1, kBlasTypes},
    {OpId::kTrsv, "trsv", Family::kSolve, kVectorAttributes, kVector, kOrder, -1, kBlasTypes},
    {OpId::kTrmm, "trmm", Family::kTriangular, kMatrixAttributes, kMatrix, kMatrixDims, -1,
     kBlasTypes, nullptr, DeriveOrder},
    {OpId::kTrsm, "trsm", Family::kSolve, kMatrixAttributes, kMatrix, kMatrixDims, -1, kBlasTypes,
     nullptr, DeriveOrder},
};

}  // namespace

std::span<const OperatorDef> Triangular() { return kRows; }

}  // namespace assay::operators
