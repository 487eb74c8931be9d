// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr AttributeDef kEpsilon[] = {{"epsilon", {}, 0x1.4f8b58p-17}};  // 1e-5 in f32
constexpr AttributeDef kAttentionAttributes[] = {{"scale", {}, 1}, {"causal", kNoYes}};

constexpr std::string_view kOrders[] = {"ascending", "descending"};
constexpr std::string_view kNanPlaces[] = {"last", "first"};
constexpr AttributeDef kSortAttributes[] = {{"order", kOrders}, {"nan", kNanPlaces}};
constexpr AttributeDef kTopkAttributes[] = {{"k", {}, 4, 1, 64}, {"nan", kNanPlaces}};

// rows n
constexpr OperandDef kMap[] = {In("x", {0, 1}), Out("out", {0, 1})};
constexpr OperandDef kReduce[] = {In("x", {0, 1}), Out("out", {0})};
constexpr OperandDef kLayerNorm[] = {In("x", {0, 1}), In("gain", {1}), In("bias", {1}),
                                     Out("out", {0, 1})};
constexpr OperandDef kRmsNorm[] = {In("x", {0, 1}), In("gain", {1}), Out("out", {0, 1})};
// rows channels: running statistics, one per channel
constexpr OperandDef kBatchNorm[] = {In("x", {0, 1}), In("mean", {1}), In("variance", {1}),
                                     In("gain", {1}), In("bias", {1}), Out("out", {0, 1})};
constexpr std::string_view kRowDims[] = {"rows", "n"};
constexpr std::string_view kChannelDims[] = {"rows", "channels"};
// heads queries keys head: out = softmax(scale q k^T + mask) v, per head; causal: query i sees keys
// j <= i + keys - queries.
constexpr OperandDef kAttention[] = {In("q", {0, 1, 3}), In("k", {0, 2, 3}), In("v", {0, 2, 3}),
                                     In("mask", {1, 2}), Out("out", {0, 1, 3})};
constexpr std::string_view kAttentionDims[] = {"heads", "queries", "keys", "head"};

// rows n, then how many of a row are answered
constexpr OperandDef kTopk[] = {In("x", {0, 1}), Out("out", {0, 2})};
constexpr OperandDef kTopkIndices[] = {In("x", {0, 1}), Out("out", {0, 2}, kI64Only)};

void DeriveTopk(const Case& value, NamedDims& all) {
  all.push_back(std::min(all[1], IntegerAttribute(value, kTopkCount)));
}

constexpr OperatorDef kRows[] = {
    {OpId::kSoftmax, "softmax", Family::kSoftmax, {}, kMap, kRowDims, 1, kFloatTypes},
    {OpId::kLogSoftmax, "log_softmax", Family::kSoftmax, {}, kMap, kRowDims, 1, kFloatTypes},
    {OpId::kLogSumExp, "log_sum_exp", Family::kSoftmax, {}, kReduce, kRowDims, 1, kFloatTypes},
    {OpId::kLayerNorm, "layer_norm", Family::kNorm, kEpsilon, kLayerNorm, kRowDims, 1, kFloatTypes},
    {OpId::kRmsNorm, "rms_norm", Family::kNorm, kEpsilon, kRmsNorm, kRowDims, 1, kFloatTypes},
    {OpId::kBatchNorm, "batch_norm", Family::kNorm, kEpsilon, kBatchNorm, kChannelDims, -1,
     kFloatTypes},
    {OpId::kAttention, "attention", Family::kAttention, kAttentionAttributes, kAttention,
     kAttentionDims, 2, kFloatTypes},
    {OpId::kSort, "sort", Family::kSort, kSortAttributes, kMap, kRowDims, 1, kFloatTypes},
    {OpId::kTopk, "topk", Family::kSort, kTopkAttributes, kTopk, kRowDims, 1, kFloatTypes, nullptr,
     DeriveTopk},
    {OpId::kTopkIndices, "topk_indices", Family::kSort, kTopkAttributes, kTopkIndices, kRowDims, 1,
     kFloatTypes, nullptr, DeriveTopk},
};

}  // namespace

std::span<const OperatorDef> Rows() { return kRows; }

}  // namespace assay::operators
