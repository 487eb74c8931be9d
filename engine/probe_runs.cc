// SPDX-License-Identifier: Apache-2.0
//
// Recipes for subnormal numbers, and for calls that are compared with each other: repeated, under
// schedules, with other threads, ranks and neighbours. For the latter the data must depend on the
// order of operations, which numbers of one magnitude often do not.
#include <algorithm>
#include <cmath>

#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

const FormatInfo& InfoOfType(const Recipe& recipe) {
  return InfoOf(IsFloat(recipe.type) ? FormatOf(recipe.type) : Format::kF32);
}

// Long where each addend is cheap.
int64_t DrawReduction(Recipe& recipe, int64_t most) {
  const Family family = recipe.family();
  const bool cheap = HasFactors(recipe.op) || family == Family::kSum || family == Family::kScatter;
  return DrawLength(recipe.random, 16, cheap ? most : std::min<int64_t>(most, 512));
}

Case Mixed(Recipe& recipe, int64_t length) {
  Case value = WithLength(recipe, length);
  MixMagnitudes(recipe, value);
  return value;
}

// What a rank-one update is added to would drown it.
void EmptyDestination(const Recipe& recipe, Case& value) {
  if (recipe.family() == Family::kUpdate) value.operands.back().fill = {};
}

}  // namespace

Case SubnormalInputs(Recipe& recipe) {
  Case value = WithLength(recipe, recipe.random.Between(1, 24));
  const FixedVector<int, kMaxOperands> inputs = OrdinaryInputs(value);
  if (inputs.empty()) return value;
  for (const int i : inputs) value.operands[i].fill = {FillKind::kConstant, 0, 1, 0};
  value.operands[recipe.random.Pick(inputs)].fill = {FillKind::kSubnormal, recipe.FillSeed(), 0, 0};
  EmptyDestination(recipe, value);
  return value;
}

Case SubnormalResults(Recipe& recipe) {
  Random& random = recipe.random;
  const FormatInfo& info = InfoOfType(recipe);
  Case value = WithLength(recipe, random.Between(1, 8));
  const double bottom = info.min_exponent;
  const double half = std::floor(bottom / 2);
  if (recipe.op == OpId::kExp || recipe.op == OpId::kSigmoid) {
    // exp of these lies between the smallest subnormal and the smallest normal.
    constexpr double kLn2 = 0.6931471805599453;
    value.operands[0].fill = {FillKind::kUniform, recipe.FillSeed(),
                              (bottom - info.precision + 1) * kLn2, bottom * kLn2};
  } else if (recipe.op == OpId::kCast) {
    const std::span<const DType> targets = OutputTypesOf(recipe.op, recipe.type);
    Tensor& out = value.operands[1];
    out.dtype = targets[recipe.seed % targets.size()];
    if (!IsFloat(out.dtype) || !IsFloat(recipe.type)) return value;
    const FormatInfo& target = InfoOf(FormatOf(out.dtype));
    if (target.min_exponent < info.min_exponent) return value;
    value.operands[0].fill = {FillKind::kExponents, recipe.FillSeed(),
                              std::max<double>(target.min_exponent - target.precision, bottom),
                              static_cast<double>(target.min_exponent)};
  } else if (recipe.op == OpId::kDiv) {
    value.operands[0].fill = {FillKind::kExponents, recipe.FillSeed(), bottom, bottom + 2};
    value.operands[1].fill = {FillKind::kExponents, recipe.FillSeed(), 1, 6};
  } else if (recipe.op == OpId::kProd) {
    const double each = std::floor(bottom / static_cast<double>(value.operands[0].shape[0]));
    value.operands[0].fill = {FillKind::kExponents, recipe.FillSeed(), std::max(each - 1, bottom),
                              each};
  } else {
    for (const int i : OrdinaryInputs(value)) {
      value.operands[i].fill = {FillKind::kExponents, recipe.FillSeed(), half - 3, half};
    }
    const bool scalar = recipe.family() == Family::kVector;
    if (scalar) value.attributes[kGemmAlpha].real = std::ldexp(1, static_cast<int>(half) - 2);
    if (recipe.op == OpId::kAxpy) value.operands[1].fill = {};
    EmptyDestination(recipe, value);
  }
  return value;
}

Case SubnormalPartners(Recipe& recipe) {
  Random& random = recipe.random;
  const FormatInfo& info = InfoOfType(recipe);
  Case value = WithLength(recipe, random.Between(1, 16));
  // From a subnormal result to a product well inside the normal range.
  const auto exponent =
      static_cast<int>(random.Between(1, std::min<int64_t>(2 * info.precision, info.max_exponent)));
  const double lift = std::ldexp(1, exponent);
  if (recipe.family() == Family::kVector) {
    value.attributes[kGemmAlpha].real = lift;
    value.operands[0].fill = {FillKind::kSubnormal, recipe.FillSeed(), 0, 0};
    if (recipe.op == OpId::kAxpy) value.operands[1].fill = {};
    return value;
  }
  SetFactors(recipe, value, {FillKind::kSubnormal, recipe.FillSeed(), 0, 0},
             {FillKind::kConstant, 0, lift, 0});
  EmptyDestination(recipe, value);
  return value;
}

Case ThresholdNormal(Recipe& recipe) {
  const FormatInfo& info = InfoOfType(recipe);
  Case value = WithLength(recipe, recipe.random.Between(1, 24));
  const double bottom = info.min_exponent;
  SetFactors(recipe, value, {FillKind::kExponents, recipe.FillSeed(), bottom - 1, bottom},
             {FillKind::kConstant, 0, 1, 0});
  EmptyDestination(recipe, value);
  return value;
}

Case ContendedIndices(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = Mixed(recipe, DrawLength(random, 4, 256));
  Tensor& indices = value.operands[IndexOperandOf(DefOf(recipe.op))];
  const auto last = static_cast<double>(std::min<int64_t>(value.operands[2].shape[0], 2) - 1);
  indices.fill = {FillKind::kIndices, recipe.FillSeed(), 0, random.Percent(50) ? 0 : last};
  return value;
}

Case ManySchedules(Recipe& recipe) {
  Case value = Mixed(recipe, DrawReduction(recipe, 2048));
  value.schedule_seed = recipe.random.Below(1 << 16);
  return value;
}

Case Repeats(Recipe& recipe) {
  Case value = Mixed(recipe, DrawReduction(recipe, 2048));
  constexpr int32_t kRepeats[] = {2, 4, 8, 16};
  value.repeats = kRepeats[recipe.seed % std::size(kRepeats)];
  return value;
}

Case BatchRows(Recipe& recipe) {
  Random& random = recipe.random;
  NamedDims dims = DimsWithLength(recipe, DrawLength(random, 4, 128));
  const OperatorDef& def = DefOf(recipe.op);
  for (int i = 0; i < dims.size(); ++i) {
    const std::string_view name = def.dimensions[static_cast<size_t>(i)];
    const bool rows = name == "m" || name == "rows" || name == "batch" || name == "queries";
    if (rows) dims[i] = random.Between(2, 9);
  }
  Case value = MakeCase(recipe.op, recipe.type, dims);
  MixMagnitudes(recipe, value);
  return value;
}

Case ThreadCounts(Recipe& recipe) { return Mixed(recipe, DrawReduction(recipe, 8192)); }

Case RankCounts(Recipe& recipe) {
  constexpr int64_t kRanks[] = {2, 4, 8, 16, 32, 3};
  const int64_t ranks = kRanks[recipe.seed % std::size(kRanks)];
  Case value = MakeCase(recipe.op, recipe.type, {ranks, recipe.random.Between(1, 40)});
  MixMagnitudes(recipe, value);
  const auto& attributes = DefOf(recipe.op).attributes;
  if (attributes[kCollectiveReduction].is_label() && recipe.random.Percent(40)) {
    const auto labels = attributes[kCollectiveReduction].labels.size();
    value.attributes[kCollectiveReduction].choice =
        static_cast<int32_t>(recipe.random.Below(labels));
  }
  return value;
}

Case PartialBucket(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr int64_t kBuckets[] = {2, 4, 16, 64};
  const int64_t bucket = kBuckets[recipe.seed % std::size(kBuckets)];
  const int64_t whole = random.Between(0, 3);
  const int64_t n = bucket * whole + random.Between(1, bucket - 1);
  Case value = MakeCase(recipe.op, recipe.type, {random.Between(2, 8), n});
  const int attribute = recipe.op == OpId::kAllGather ? 0 : kCollectiveBucket;
  value.attributes[attribute].real = static_cast<double>(bucket);
  MixMagnitudes(recipe, value);
  return value;
}

}  // namespace assay::probe
