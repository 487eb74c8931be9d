// SPDX-License-Identifier: Apache-2.0
//
// The table of probes: which operators each says something about, and its recipe. What the recipes
// share is in engine/probe_shared.cc.
#include "engine/probe.h"

#include <algorithm>
#include <array>

#include "contracts/invariant.h"
#include "contracts/values.h"
#include "engine/probe_recipes.h"

namespace assay {
namespace {

constexpr std::string_view kNames[] = {
#define ASSAY_PROBE_NAME(id, name, meaning) name,
    ASSAY_PROBES(ASSAY_PROBE_NAME)
#undef ASSAY_PROBE_NAME
};
constexpr size_t kCount = std::size(kNames);

using Families = uint32_t;
template <class... Each>
constexpr Families Of(Each... families) {
  return ((Families{1} << static_cast<unsigned>(families)) | ...);
}
template <class... Each>
constexpr OpSet Ops(Each... ops) {
  return (Bit(ops) | ...);
}

constexpr Families kProducts = Of(Family::kGemm, Family::kDot, Family::kLinear);
constexpr Families kSums = kProducts | Of(Family::kSum);
constexpr Families kAdding = kSums | Of(Family::kConv);
constexpr Families kRows = Of(Family::kSoftmax, Family::kNorm, Family::kAttention);
constexpr Families kTriangles = Of(Family::kTriangular, Family::kSolve);
constexpr Families kPointwise =
    Of(Family::kUnary, Family::kBinary, Family::kCast, Family::kQuantize, Family::kVector);
// Everything that computes with reals, and everything there is.
constexpr Families kReals =
    kAdding | kRows | kPointwise | kTriangles |
    Of(Family::kProduct, Family::kSelect, Family::kSort, Family::kScatter, Family::kPool,
       Family::kGradient, Family::kCollective, Family::kUpdate, Family::kComplex);
constexpr Families kAll = kReals | Of(Family::kGather, Family::kIntGemm, Family::kIntDivision);
constexpr Families kIndexed = Of(Family::kGather, Family::kScatter);
// Where an order of operations can show.
constexpr Families kOrdered = kAdding | kRows |
                              Of(Family::kProduct, Family::kScatter, Family::kPool,
                                 Family::kGradient, Family::kCollective, Family::kIntGemm);

constexpr OpSet kAnyOp = ~OpSet{0};
constexpr OpSet kSquares = Ops(OpId::kNrm2, OpId::kHypot, OpId::kRmsNorm, OpId::kComplexAbs);
constexpr OpSet kSpreads = Ops(OpId::kVariance, OpId::kLayerNorm, OpId::kRmsNorm);
constexpr OpSet kWithScalars =
    Ops(OpId::kGemm, OpId::kGemv, OpId::kBatchedGemm, OpId::kScal, OpId::kAxpy, OpId::kClamp,
        OpId::kAttention, OpId::kGer, OpId::kSyr, OpId::kTrmm, OpId::kTrsm);
constexpr OpSet kMultiplying =
    Ops(OpId::kGemm, OpId::kGemv, OpId::kBatchedGemm, OpId::kDot, OpId::kFusedLinear, OpId::kConv2d,
        OpId::kMul, OpId::kScal, OpId::kAxpy, OpId::kGer, OpId::kSyr, OpId::kTrmv, OpId::kTrmm);
constexpr OpSet kShrinking =
    kMultiplying | Ops(OpId::kDiv, OpId::kProd, OpId::kExp, OpId::kSigmoid, OpId::kCast);
constexpr OpSet kOneDimension = Ops(
    OpId::kDot, OpId::kScal, OpId::kAxpy, OpId::kSum, OpId::kMean, OpId::kAsum, OpId::kCumsum,
    OpId::kProd, OpId::kNrm2, OpId::kVariance, OpId::kMax, OpId::kMin, OpId::kArgmax, OpId::kAmax,
    OpId::kNanMax, OpId::kNanMin, OpId::kNanSum, OpId::kIntDiv, OpId::kIntRemainder);
// Rows of the destination that do not depend on each other.
constexpr OpSet kWithRows =
    Ops(OpId::kGemm, OpId::kGemv, OpId::kBatchedGemm, OpId::kInt8Gemm, OpId::kFusedLinear,
        OpId::kSoftmax, OpId::kLogSoftmax, OpId::kLogSumExp, OpId::kLayerNorm, OpId::kRmsNorm,
        OpId::kBatchNorm, OpId::kAttention, OpId::kConv2d, OpId::kMaxPool, OpId::kAvgPool);

struct Row {
  Families families;
  Case (*make)(probe::Recipe& recipe);
  OpSet ops = kAnyOp;  // of these families only
};
// In the order of the enumeration.
constexpr std::array<Row, kCount> kRowsOfProbes = {{
    {kAdding, probe::SparseRows},
    {kAdding | Of(Family::kUpdate), probe::WideTimesPowerOfTwo},
    {kProducts, probe::UnrepresentableProducts},
    {kAdding | Of(Family::kUpdate), probe::MantissaSweep},
    {kAdding, probe::Swamping},
    {kSums, probe::Saturation},
    {kAdding | kRows | Of(Family::kProduct), probe::EqualRows},
    {kAdding, probe::CancellingPartials},
    {Of(Family::kSoftmax), probe::ShiftedRows},
    {Of(Family::kSoftmax), probe::WideRows},
    {Of(Family::kUnary), probe::FarTails},
    {Of(Family::kUnary, Family::kSoftmax), probe::NearZero},
    {kReals, probe::Subnormals},
    {Of(Family::kUnary), probe::Thresholds},
    {kReals, probe::NanPerLane},
    {kReals, probe::Infinities},
    {kReals, probe::SignedZeros},
    {Of(Family::kGemm, Family::kVector, Family::kUpdate) | kTriangles, probe::ZeroScalars,
     kWithScalars},
    {kAdding, probe::EmptySums},
    {kAll, probe::TwoPrefills},
    {kIndexed, probe::IndexBefore},
    {kIndexed, probe::IndexAfter},
    {kIndexed, probe::IndexFar},
    {kIndexed, probe::IndexNarrowed},
    {kAll, probe::GuardBefore},
    {kAll, probe::GuardAfter},
    {kAll, probe::Gaps},
    {Of(Family::kNorm, Family::kSoftmax), probe::ConstantRows},
    {Of(Family::kNorm), probe::LargeMean, kSpreads},
    {Of(Family::kNorm, Family::kBinary, Family::kComplex), probe::SquaresOverflow, kSquares},
    {Of(Family::kNorm, Family::kBinary, Family::kComplex), probe::SquaresUnderflow, kSquares},
    {Of(Family::kAttention), probe::WideScores},
    {Of(Family::kAttention), probe::MaskedRows},
    {Of(Family::kLinear), probe::CancellingBias},
    {Of(Family::kLinear), probe::LargePreactivation},
    {Of(Family::kGradient), probe::ScaleSweep},
    {Of(Family::kIntGemm, Family::kIntDivision), probe::IntegerExtremes},
    {Of(Family::kQuantize), probe::QuantizeMidpoints, Ops(OpId::kQuantize)},
    {Of(Family::kCast), probe::CastThresholds},
    {Of(Family::kCast), probe::CastNanPayloads},
    {kReals, probe::SubnormalInputs},
    {kReals, probe::SubnormalResults, kShrinking},
    {kReals, probe::SubnormalPartners, kMultiplying},
    {kReals, probe::ThresholdNormal},
    {Of(Family::kScatter), probe::ContendedIndices},
    {kOrdered, probe::ManySchedules},
    {kOrdered, probe::Repeats},
    {kAll, probe::BatchRows, kWithRows},
    {kOrdered, probe::ThreadCounts},
    {Of(Family::kCollective), probe::RankCounts},
    {Of(Family::kCollective), probe::PartialBucket},
    {kAll, probe::ShapeTails},
    {kAll, probe::EmptyDimensions},
    {kAll, probe::WideIndex, ~Ops(OpId::kConv2d, OpId::kMaxPool, OpId::kAvgPool)},
    {kAll, probe::StridedOperands},
    {kAll & ~kPointwise, probe::TransposedOperands, ~kOneDimension},
    {kAll, probe::ZeroStrideInputs, ~Ops(OpId::kScal)},
    {kAll, probe::Misaligned},
    {kReals, probe::NanInScalars, kWithScalars},
    {Of(Family::kIntDivision), probe::UndefinedQuotients},
    {kTriangles, probe::TriangularOperands},
    {Of(Family::kComplex), probe::ComplexOperands},
}};

const Row& RowOf(Probe probe) { return kRowsOfProbes[static_cast<size_t>(probe)]; }

}  // namespace

std::optional<Probe> ParseProbe(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Probe>(found - std::begin(kNames));
}

std::string_view NameOf(Probe probe) { return kNames[static_cast<size_t>(probe)]; }
std::span<const std::string_view> ProbeNames() { return kNames; }

bool Applies(Probe probe, OpId op) {
  const Row& row = RowOf(probe);
  return (row.families & Of(DefOf(op).family)) != 0 && (row.ops & Bit(op)) != 0;
}

Case MakeProbeCase(Probe probe, OpId op, DType type, uint64_t seed) {
  ASSAY_CHECK(Applies(probe, op), "a probe of this operator");
  const uint64_t stream = Mix(static_cast<uint64_t>(probe) * 64 + static_cast<uint64_t>(op));
  probe::Recipe recipe = {op, type, seed, Random(Mix(stream ^ static_cast<uint64_t>(type)) ^ seed)};
  Case value = RowOf(probe).make(recipe);
  RoundScalars(value);
  ASSAY_CHECK(CheckCase(value).ok(), "a probe's case is a case");
  return value;
}

}  // namespace assay
