// SPDX-License-Identifier: Apache-2.0
//
// Operators on complex numbers. A number is an axis of extent 2, last, so that a dense operand lies
// in memory as an array of complex numbers does.
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr std::string_view kTransposes[] = {"n", "t", "c"};
constexpr AttributeDef kScalAttributes[] = {{"alpha", {}, 1}, {"alpha_imag", {}, 0}};
constexpr AttributeDef kDotAttributes[] = {{"conjugate", kNoYes}};
constexpr AttributeDef kGemvAttributes[] = {{"alpha", {}, 1},
                                            {"alpha_imag", {}, 0},
                                            {"beta", {}, 0},
                                            {"beta_imag", {}, 0},
                                            {"trans", kTransposes}};

// n, then the two parts.
constexpr OperandDef kScal[] = {Inout("x", {0, 1})};
constexpr OperandDef kDot[] = {In("x", {0, 1}), In("y", {0, 1}), Out("out", {1})};
constexpr OperandDef kAbs[] = {In("x", {0, 1}), Out("out", {0})};
constexpr std::string_view kVectorDims[] = {"n"};
// m k as a is stored, then the two parts and the lengths of x and of y.
constexpr OperandDef kGemv[] = {In("a", {0, 1, 2}), In("x", {3, 2}), Inout("y", {4, 2})};
constexpr std::string_view kGemvDims[] = {"m", "k"};

void DeriveParts(const Case&, NamedDims& all) { all.push_back(2); }
void DeriveGemv(const Case& value, NamedDims& all) {
  const bool transposed = value.attributes[kComplexTrans].choice != 0;
  all.push_back(2);
  all.push_back(all[transposed ? 0 : 1]);
  all.push_back(all[transposed ? 1 : 0]);
}

constexpr OperatorDef kRows[] = {
    {OpId::kComplexScal, "complex_scal", Family::kComplex, kScalAttributes, kScal, kVectorDims, -1,
     kBlasTypes, nullptr, DeriveParts},
    {OpId::kComplexDot, "complex_dot", Family::kComplex, kDotAttributes, kDot, kVectorDims, -1,
     kBlasTypes, nullptr, DeriveParts},
    {OpId::kComplexGemv, "complex_gemv", Family::kComplex, kGemvAttributes, kGemv, kGemvDims, -1,
     kBlasTypes, nullptr, DeriveGemv},
    {OpId::kComplexAbs,
     "complex_abs",
     Family::kComplex,
     {},
     kAbs,
     kVectorDims,
     -1,
     kBlasTypes,
     nullptr,
     DeriveParts},
};

}  // namespace

std::span<const OperatorDef> Complex() { return kRows; }

}  // namespace assay::operators
