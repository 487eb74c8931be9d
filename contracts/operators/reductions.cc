// SPDX-License-Identifier: Apache-2.0
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr AttributeDef kVarianceAttributes[] = {{"correction", {}, 0, 0, 1}};

// n
constexpr OperandDef kReduce[] = {In("x", {0}), Out("out", {})};
constexpr OperandDef kFind[] = {In("x", {0}), Out("out", {}, kI64Only)};
constexpr OperandDef kScan[] = {In("x", {0}), Out("out", {0})};
constexpr std::string_view kDims[] = {"n"};

constexpr OperatorDef kRows[] = {
    {OpId::kSum, "sum", Family::kSum, {}, kReduce, kDims, 0, kFloatTypes, SameOrAccumulator},
    {OpId::kMean, "mean", Family::kSum, {}, kReduce, kDims, 0, kFloatTypes, SameOrAccumulator},
    {OpId::kAsum, "asum", Family::kSum, {}, kReduce, kDims, 0, kFloatTypes, SameOrAccumulator},
    {OpId::kCumsum, "cumsum", Family::kSum, {}, kScan, kDims, 0, kFloatTypes},
    {OpId::kNanSum, "nan_sum", Family::kSum, {}, kReduce, kDims, 0, kFloatTypes, SameOrAccumulator},
    {OpId::kProd, "prod", Family::kProduct, {}, kReduce, kDims, 0, kFloatTypes},
    {OpId::kNrm2, "nrm2", Family::kNorm, {}, kReduce, kDims, 0, kFloatTypes},
    {OpId::kVariance, "variance", Family::kNorm, kVarianceAttributes, kReduce, kDims, 0,
     kFloatTypes},
    {OpId::kMax, "max", Family::kSelect, {}, kReduce, kDims, 0, kFloatTypes},
    {OpId::kMin, "min", Family::kSelect, {}, kReduce, kDims, 0, kFloatTypes},
    {OpId::kNanMax, "nan_max", Family::kSelect, {}, kReduce, kDims, 0, kFloatTypes},
    {OpId::kNanMin, "nan_min", Family::kSelect, {}, kReduce, kDims, 0, kFloatTypes},
    {OpId::kArgmax, "argmax", Family::kSelect, {}, kFind, kDims, 0, kFloatTypes},
    // BLAS i?amax, counted from 0: the place of the largest magnitude.
    {OpId::kAmax, "amax", Family::kSelect, {}, kFind, kDims, 0, kFloatTypes},
};

}  // namespace

std::span<const OperatorDef> Reductions() { return kRows; }

}  // namespace assay::operators
