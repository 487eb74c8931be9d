// SPDX-License-Identifier: Apache-2.0
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr std::string_view kReductions[] = {"sum", "mean", "max", "min"};
constexpr AttributeDef kReduceAttributes[] = {{"reduction", kReductions},
                                              {"bucket", {}, 64, 1, 4096}};
constexpr AttributeDef kGatherAttributes[] = {{"bucket", {}, 64, 1, 4096}};

// ranks n: what each rank holds before, and after.
constexpr OperandDef kAllReduce[] = {In("buffers", {0, 1}), Out("out", {0, 1})};
constexpr std::string_view kDims[] = {"ranks", "n"};
// buffers[rank, part, :]; rank r ends with part r of the reduction.
constexpr OperandDef kReduceScatter[] = {In("buffers", {0, 2, 1}), Out("out", {0, 1})};
// out[rank, from, :]: every rank ends with every rank's buffer.
constexpr OperandDef kAllGather[] = {In("buffers", {0, 1}), Out("out", {0, 2, 1})};

void RanksAgain(const Case&, NamedDims& all) { all.push_back(all[0]); }

constexpr OperatorDef kRows[] = {
    {OpId::kAllReduce, "all_reduce", Family::kCollective, kReduceAttributes, kAllReduce, kDims, 0,
     kFloatTypes},
    {OpId::kReduceScatter, "reduce_scatter", Family::kCollective, kReduceAttributes, kReduceScatter,
     kDims, 0, kFloatTypes, nullptr, RanksAgain},
    {OpId::kAllGather, "all_gather", Family::kCollective, kGatherAttributes, kAllGather, kDims, -1,
     kFloatTypes, nullptr, RanksAgain},
};

}  // namespace

std::span<const OperatorDef> Collectives() { return kRows; }

}  // namespace assay::operators
