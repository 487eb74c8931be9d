// SPDX-License-Identifier: Apache-2.0
//
// Recipes for operators that a model is made of: norms, attention, fused layers, gradients under
// loss scaling, quantization and casts. Each is the data on which a known shortcut goes wrong.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/mutate_steps.h"
#include "engine/probe_recipes.h"

namespace assay::probe {
namespace {

Fill Constant(double value) { return {FillKind::kConstant, 0, value, 0}; }

// The first operand holds numbers of the exponents; a second factor does, too.
Case WithExponents(Recipe& recipe, double lo, double hi) {
  Case value = WithLength(recipe, recipe.random.Between(1, 24));
  value.operands[0].fill = {FillKind::kExponents, recipe.FillSeed(), lo, hi};
  if (recipe.family() == Family::kBinary) {
    value.operands[1].fill = {FillKind::kExponents, recipe.FillSeed(), lo, hi};
  }
  return value;
}

const FormatInfo& InfoOfType(const Recipe& recipe) { return InfoOf(FormatOf(recipe.type)); }

void Hide(Tensor& mask, int64_t query, int64_t key) {
  const uint64_t bits = Encode(mask.dtype, -std::numeric_limits<double>::infinity());
  SetElement(mask, {static_cast<int32_t>(query), static_cast<int32_t>(key)}, bits);
}

}  // namespace

Case ConstantRows(Recipe& recipe) {
  constexpr double kValues[] = {1, 1000, 0.1, -30000, 3, 0};
  Case value = WithLength(recipe, DrawLength(recipe.random, 2, 512));
  value.operands[0].fill = Constant(kValues[recipe.seed % std::size(kValues)]);
  return value;
}

Case LargeMean(Recipe& recipe) {
  constexpr double kMeans[] = {10, 100, 1000, 10000, 30000, -1000};
  constexpr double kSpreads[] = {1, 0.1, 10};
  Case value = WithLength(recipe, DrawLength(recipe.random, 4, 512));
  value.operands[0].fill = {FillKind::kOffset, recipe.FillSeed(),
                            kMeans[recipe.seed % std::size(kMeans)], recipe.random.Pick(kSpreads)};
  return value;
}

Case SquaresOverflow(Recipe& recipe) {
  // Squares lie beyond the range, while the root of the sum of 24 of them lies inside.
  const double half = std::floor((InfoOfType(recipe).max_exponent + 1) / 2.0);
  return WithExponents(recipe, half, half + 4);
}

Case SquaresUnderflow(Recipe& recipe) {
  const FormatInfo& info = InfoOfType(recipe);
  const double half = std::floor((info.min_exponent - info.precision) / 2.0);
  const double lowest = std::max<double>(half - 6, info.min_exponent);
  return WithExponents(recipe, lowest, std::max(half, lowest));
}

Case WideScores(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kDeviations[] = {4, 10, 16, 30};
  Case value = WithLength(recipe, DrawLength(random, 2, 64));
  const double deviation = kDeviations[recipe.seed % std::size(kDeviations)];
  for (int i = 0; i < 2; ++i) {
    value.operands[i].fill = {FillKind::kNormal, recipe.FillSeed(), 0, deviation};
  }
  // All keys alike but far from zero: only the shift tells the answer from Inf / Inf.
  if (random.Percent(25)) {
    value.operands[0].fill = Constant(deviation);
    value.operands[1].fill = {FillKind::kOffset, recipe.FillSeed(), deviation, 0.5};
  }
  return value;
}

Case MaskedRows(Recipe& recipe) {
  Random& random = recipe.random;
  const int64_t keys = random.Between(1, 8);
  Case value = WithLength(recipe, keys);
  Tensor& mask = value.operands[3];
  value.attributes[kAttentionCausal].choice = random.Percent(30);
  switch (recipe.seed % 4) {
    case 0:  // places
      for (int64_t i = 0; i < std::min<int64_t>(keys, 4); ++i) {
        Hide(mask, random.Between(0, mask.shape[0] - 1), random.Between(0, keys - 1));
      }
      break;
    case 1: {  // a whole row
      const int64_t query = random.Between(0, mask.shape[0] - 1);
      for (int64_t key = 0; key < keys; ++key) Hide(mask, query, key);
      break;
    }
    case 2:  // large negative, in every place or in some
      mask.fill = Constant(-10000);
      if (random.Percent(50)) mask.fill = {FillKind::kUniform, recipe.FillSeed(), -20000, 0};
      break;
    default:  // more queries than keys: causal leaves the first without any
      value = MakeCase(recipe.op, recipe.type,
                       {random.Between(1, 2), keys + random.Between(1, 3), keys, 2});
      value.attributes[kAttentionCausal].choice = 1;
  }
  return value;
}

Case CancellingBias(Recipe& recipe) {
  Random& random = recipe.random;
  const int64_t k = random.Between(1, 64);
  constexpr double kFactors[] = {1, 0.75, -1.5};
  const double factor = random.Pick(kFactors);
  Case value = WithLength(recipe, k);
  // Row sums are k * factor, exactly; x differs from it in one element, which is what remains.
  value.operands[0].fill = Constant(factor);
  value.operands[1].fill = Constant(1);
  value.operands[2].fill = Constant(-factor * static_cast<double>(k));
  value.operands[3].fill = random.Percent(50) ? Fill{} : Constant(0.125);
  const double last = factor * (1 + 0x1p-7);
  SetElement(value.operands[0], random.Between(0, k - 1), Encode(recipe.type, last));
  const auto labels = DefOf(recipe.op).attributes[kLinearActivation].labels.size();
  value.attributes[kLinearActivation].choice = static_cast<int32_t>(recipe.seed % labels);
  return value;
}

Case LargePreactivation(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kBiases[] = {5, -5, 20, -20, 100, -100, 1000, -1000};
  Case value = WithLength(recipe, random.Between(1, 16));
  value.operands[0].fill = {FillKind::kIntegers, recipe.FillSeed(), -2, 2};
  value.operands[1].fill = {FillKind::kIntegers, recipe.FillSeed(), -2, 2};
  const auto labels = DefOf(recipe.op).attributes[kLinearActivation].labels.size();
  value.attributes[kLinearActivation].choice = static_cast<int32_t>(recipe.seed % labels);
  value.operands[2].fill = Constant(kBiases[recipe.seed / labels % std::size(kBiases)]);
  value.operands[3].fill = random.Percent(50) ? Fill{} : Constant(1);
  return value;
}

Case ScaleSweep(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kScales[] = {1, 256, 32768, 3};
  Case value = WithLength(recipe, random.Between(1, 24));
  value.attributes[kGradientScale].real = kScales[recipe.seed % std::size(kScales)];
  value.attributes[kGradientStore].choice = static_cast<int32_t>(recipe.seed / 4 % 2);
  const Fill gradients[] = {{FillKind::kExponents, recipe.FillSeed(), -30, -14},  // vanish in f16
                            {FillKind::kExponents, recipe.FillSeed(), -16, -8},
                            {FillKind::kExponents, recipe.FillSeed(), -2, 12},  // overflow scaled
                            {FillKind::kNormal, recipe.FillSeed(), 0, 1}};
  value.operands[0].fill = gradients[recipe.seed / 8 % std::size(gradients)];
  value.operands[1].fill = {FillKind::kNormal, recipe.FillSeed(), 0, 1};
  return value;
}

Case IntegerExtremes(Recipe& recipe) {
  if (recipe.family() == Family::kIntDivision) return DivisionExtremes(recipe);
  Random& random = recipe.random;
  // From 1041 products of 127 * 127 on, and one that is odd, a sum in f32 is no longer exact.
  constexpr int64_t kLengths[] = {3, 64, 1100, 2049, 4096};
  Case value = WithLength(recipe, kLengths[recipe.seed % std::size(kLengths)]);
  for (int i = 0; i < 2; ++i) {
    Tensor& tensor = value.operands[i];
    const IntegerLimits limits = LimitsOf(tensor.dtype);
    const auto lowest = static_cast<double>(limits.lowest);
    const auto highest = static_cast<double>(limits.highest);
    const Fill fills[] = {{FillKind::kIntegers, recipe.FillSeed(), lowest, highest},
                          {FillKind::kIntegers, recipe.FillSeed(), highest - 2, highest},
                          {FillKind::kIntegers, recipe.FillSeed(), lowest, lowest + 2}};
    tensor.fill = random.Pick(fills);
  }
  return value;
}

Case QuantizeMidpoints(Recipe& recipe) {
  Random& random = recipe.random;
  constexpr double kScales[] = {1, 0.5, 0.125, 0x1.99999ap-4, 3};
  Case value = WithLength(recipe, random.Between(1, 24));
  const std::span<const DType> bytes = OutputTypesOf(recipe.op, recipe.type);
  Tensor& x = value.operands[0];
  Tensor& out = value.operands[1];
  out.dtype = bytes[recipe.seed % bytes.size()];
  const double scale = kScales[recipe.seed % std::size(kScales)];
  const IntegerLimits limits = LimitsOf(out.dtype);
  const int64_t zero_point = random.Percent(50) ? 0 : random.Between(0, 20);
  value.attributes[kQuantizeScale].real = scale;
  value.attributes[kQuantizeZeroPoint].real = static_cast<double>(zero_point);
  x.fill = {FillKind::kUniform, recipe.FillSeed(), -130 * scale, 260 * scale};
  for (int64_t i = 0; i < std::min<int64_t>(x.shape[0], kMaxOverrides); ++i) {
    // Halves of small numbers, and where the ends of the type round and saturate.
    const int64_t ends[] = {limits.lowest - zero_point, limits.highest - zero_point};
    const int64_t whole = random.Percent(70) ? random.Between(-9, 9) : random.Pick(ends);
    const double half = random.Percent(80) ? 0.5 : -0.5;
    SetElement(x, i, Encode(x.dtype, (static_cast<double>(whole) + half) * scale));
  }
  return value;
}

Case CastThresholds(Recipe& recipe) {
  Case value = WithLength(recipe, recipe.random.Between(1, 40));
  const std::span<const DType> targets = OutputTypesOf(recipe.op, recipe.type);
  Tensor& out = value.operands[1];
  out.dtype = targets[recipe.seed % targets.size()];
  value.attributes[kCastOverflow].choice = static_cast<int32_t>(recipe.seed / targets.size() % 2);
  value.operands[0].fill = DrawConversionRange(recipe.type, out.dtype, recipe.random);
  return value;
}

Case CastNanPayloads(Recipe& recipe) {
  Random& random = recipe.random;
  Case value = WithLength(recipe, random.Between(2, 20));
  const std::span<const DType> targets = OutputTypesOf(recipe.op, recipe.type);
  value.operands[1].dtype = targets[recipe.seed % targets.size()];
  value.attributes[kCastOverflow].choice = static_cast<int32_t>(recipe.seed / targets.size() % 2);
  Tensor& x = value.operands[0];
  if (!IsFloat(x.dtype)) return value;
  // Only the lowest or all bits of the payload: cut off, or carried away by rounding up.
  const int bits = 8 * SizeOf(x.dtype);
  const uint64_t sign = uint64_t{1} << (bits - 1), all = sign - 1;
  const double infinity = std::numeric_limits<double>::infinity();
  const uint64_t lowest = x.dtype == DType::kF8e4m3 ? all : Encode(x.dtype, infinity) | 1;
  const uint64_t specials[] = {lowest,
                               all,
                               lowest | sign,
                               all | sign,
                               Encode(x.dtype, infinity),
                               Encode(x.dtype, -infinity)};
  for (int i = 0; i < 2; ++i) {
    SetElement(x, random.Between(0, x.shape[0] - 1), random.Pick(specials));
  }
  return value;
}

}  // namespace assay::probe
