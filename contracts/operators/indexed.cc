// SPDX-License-Identifier: Apache-2.0
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr DType kCopied[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBf16,
                             DType::kI32, DType::kI64, DType::kI8};
constexpr AttributeDef kAxis[] = {{"axis", {}, 0, 0, 1}};

constexpr OperandDef Copied(std::string_view name, Role role, Axes axes) {
  return {name, role, ElementKind::kAny, axes};
}
constexpr OperandDef Indices(Axes axes) {
  return {"indices", Role::kInput, ElementKind::kIndex, axes};
}

// rows columns count
constexpr OperandDef kGather[] = {Copied("table", Role::kInput, {0, 1}), Indices({2}),
                                  Copied("out", Role::kOutput, {2, 1})};
constexpr std::string_view kGatherDims[] = {"rows", "columns", "count"};
// rows columns batch count
constexpr OperandDef kEmbedding[] = {Copied("table", Role::kInput, {0, 1}), Indices({2, 3}),
                                     Copied("out", Role::kOutput, {2, 3, 1})};
constexpr std::string_view kEmbeddingDims[] = {"rows", "columns", "batch", "count"};
// rows columns count, then the extents of out: [count, columns] along axis 0, [rows, count] along 1
constexpr OperandDef kSelect[] = {Copied("table", Role::kInput, {0, 1}), Indices({2}),
                                  Copied("out", Role::kOutput, {3, 4})};
// rows columns count: out[indices[i], :] += updates[i, :]
constexpr OperandDef kScatter[] = {In("updates", {2, 1}), Indices({2}), Inout("out", {0, 1})};

void DeriveSelect(const Case& value, NamedDims& all) {
  const bool columns = IntegerAttribute(value, kIndexSelectAxis) == 1;
  const int64_t rows = all[0], width = all[1], count = all[2];
  all.push_back(columns ? rows : count);
  all.push_back(columns ? count : width);
}

constexpr OperatorDef kRows[] = {
    {OpId::kGather, "gather", Family::kGather, {}, kGather, kGatherDims, -1, kCopied},
    {OpId::kEmbedding, "embedding", Family::kGather, {}, kEmbedding, kEmbeddingDims, -1, kCopied},
    {OpId::kIndexSelect, "index_select", Family::kGather, kAxis, kSelect, kGatherDims, -1, kCopied,
     nullptr, DeriveSelect},
    {OpId::kScatterAdd, "scatter_add", Family::kScatter, {}, kScatter, kGatherDims, 2, kFloatTypes},
};

}  // namespace

std::span<const OperatorDef> Indexed() { return kRows; }

}  // namespace assay::operators
