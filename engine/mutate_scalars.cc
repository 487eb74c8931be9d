// SPDX-License-Identifier: Apache-2.0
//
// Everything about a case that is one value: attributes, boundary values mined from the contracts,
// types, the schedule seed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

struct ScalarChoice {
  int weight;
  double value;
};
// Kernels branch on 0 and 1; -1 and 2 are exact, 1.2 and 0.5 are what libraries forget, and the
// rest is where scaling order shows.
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr ScalarChoice kScalars[] = {{12, 0.0}, {20, 1.0},  {4, -0.0},    {10, -1.0}, {10, 2.0},
                                     {10, 1.2}, {8, 0.5},   {2, 1e-30},   {2, 1e30},  {4, kNan},
                                     {2, kInf}, {1, -kInf}, {2, 0x1p-130}};

double DrawScalar(Random& random) {
  if (random.Percent(8)) return static_cast<float>(random.Unit() * 8 - 4);
  return random.PickWeighted(kScalars).value;
}

// Attributes that are not the scalars of a BLAS. Epsilon is added to a variance: from nothing to
// what hides it.
constexpr ScalarChoice kEpsilons[] = {
    {20, 0x1.4f8b58p-17}, {8, 0x1p-20}, {6, 1e-12}, {6, 1e-3}, {6, 0}, {2, 1}, {2, 1e-30}};
// Powers of two change no digit, the others do; a loss scale is meant to be a power of two.
constexpr ScalarChoice kQuantizeScales[] = {{10, 1},     {8, 0.5}, {8, 0.1},     {6, 0x1p-7},
                                            {6, 1. / 3}, {4, 3},   {2, 0x1p-20}, {2, 1000}};
constexpr ScalarChoice kAttentionScales[] = {
    {12, 1}, {10, 0.125}, {8, 0x1.6a09e6p-4}, {6, 0.5}, {3, 16}, {2, 0}, {2, -1}};
constexpr ScalarChoice kLossScales[] = {{10, 1},   {10, 256},   {10, 32768}, {8, 3},
                                        {4, 1000}, {4, 0x1p-8}, {3, 65536}};
constexpr ScalarChoice kBounds[] = {{10, -1},  {10, 0}, {10, 1},   {8, 6},    {6, 0.1},
                                    {4, -0.0}, {3, -6}, {2, kNan}, {2, kInf}, {2, -kInf}};

double DrawReal(const OperatorDef& def, std::string_view name, Random& random) {
  if (name == "epsilon") return random.PickWeighted(kEpsilons).value;
  if (name == "low" || name == "high") return random.PickWeighted(kBounds).value;
  if (name != "scale") return DrawScalar(random);
  if (def.family == Family::kQuantize) return random.PickWeighted(kQuantizeScales).value;
  if (def.family == Family::kGradient) return random.PickWeighted(kLossScales).value;
  return random.PickWeighted(kAttentionScales).value;
}

// Small steps and windows leave the most to compute; the ends are where loops go wrong.
double DrawInteger(const AttributeDef& attribute, Random& random) {
  const int64_t lowest = attribute.lowest, highest = attribute.highest;
  if (random.Percent(10)) return static_cast<double>(random.Percent(50) ? lowest : highest);
  if (random.Percent(25)) return attribute.default_real;
  if (attribute.name == "bucket") {  // one element, a part of a buffer, all of it
    constexpr int64_t kBuckets[] = {1, 2, 3, 4, 7, 8, 16, 64, 100};
    return static_cast<double>(random.Pick(kBuckets));
  }
  return static_cast<double>(random.Between(lowest, std::min<int64_t>(lowest + 3, highest)));
}

// Types the campaign wants as the first operand's, for this operator.
std::span<const DType> TypesFor(const Draft& draft) {
  const MutationSpace& space = draft.space;
  for (size_t i = 0; i < space.ops.size() && i < space.types.size(); ++i) {
    if (space.ops[i] == draft.value.op && !space.types[i].empty()) return space.types[i];
  }
  return InputTypesOf(draft.value.op);
}

// The same number in another type, where both kinds of type can say it.
uint64_t Converted(DType from, DType to, uint64_t bits) {
  if (IsFloat(from) && IsFloat(to)) return Encode(to, Decode(from, bits));
  if (!IsFloat(from) && !IsFloat(to)) return EncodeInteger(to, DecodeInteger(from, bits));
  const int width = 8 * SizeOf(to);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

Fill PlainFill(DType type, uint64_t seed) {
  if (IsFloat(type)) return {FillKind::kUniform, seed, -1, 1};
  return {FillKind::kIntegers, seed, LimitsOf(type).lowest == 0 ? 0. : -100., 100};
}

// Exponents and magnitudes that the new type does not have would turn a fill into zeros or
// infinities.
void FitFill(Tensor& tensor, Role role) {
  Fill& fill = tensor.fill;
  if (!FillSuits(fill.kind, tensor.dtype, role)) fill = PlainFill(tensor.dtype, fill.seed);
  if (!IsFloat(tensor.dtype)) {
    const IntegerLimits limits = LimitsOf(tensor.dtype);
    const auto fits = [&](double x) {
      return x == std::trunc(x) && std::fabs(x) <= kMaxFillInteger &&
             x >= static_cast<double>(limits.lowest) && x <= static_cast<double>(limits.highest);
    };
    if (!fits(fill.lo) || !fits(fill.hi)) fill = PlainFill(tensor.dtype, fill.seed);
    return;
  }
  const FormatInfo& info = InfoOf(FormatOf(tensor.dtype));
  if (fill.kind == FillKind::kExponents) {
    fill.hi = std::min<double>(fill.hi, info.max_exponent);
    fill.lo = std::min(std::max<double>(fill.lo, info.min_exponent - info.precision), fill.hi);
  }
  const bool large = fill.kind == FillKind::kSwamping
                         ? fill.lo > info.max_exponent
                         : std::fabs(fill.lo) > info.largest || std::fabs(fill.hi) > info.largest;
  if (large) fill = PlainFill(tensor.dtype, fill.seed);
}

void SetBoundary(Draft& draft, const Atom& atom) {
  const double side = static_cast<double>(draft.random.Between(-1, 1));
  for (int i = 0; i < draft.dims.size(); ++i) {
    if (draft.def.dimensions[static_cast<size_t>(i)] != atom.name) continue;
    const double size = std::floor(atom.value) + side;
    if (!(size >= 0 && size <= 8192)) return;
    NamedDims dims = draft.dims;
    dims[i] = static_cast<int64_t>(size);
    for (int j = 0; j < dims.size() && size > 64; ++j) {
      if (j != i) dims[j] = std::min<int64_t>(dims[j], draft.random.Between(1, 5));
    }
    Reshape(draft, dims);
    return;
  }
  for (int i = 0; i < draft.value.attributes.size(); ++i) {
    const AttributeDef& attribute = draft.def.attributes[static_cast<size_t>(i)];
    if (attribute.name != atom.name || attribute.is_label()) continue;
    double& real = draft.value.attributes[i].real;
    if (attribute.is_integer()) {
      real = std::clamp<double>(std::floor(atom.value) + side, attribute.lowest, attribute.highest);
      return Reshape(draft, NamedDims(draft.dims));
    }
    real = side == 0 ? atom.value : std::nextafter(atom.value, side * kInf);
  }
}

}  // namespace

void ChangeAttribute(Draft& draft) {
  const int count = draft.value.attributes.size();
  if (count == 0) return;
  const int i = static_cast<int>(draft.random.Below(static_cast<uint64_t>(count)));
  const AttributeDef& attribute = draft.def.attributes[static_cast<size_t>(i)];
  Attribute& given = draft.value.attributes[i];
  if (attribute.is_real()) {
    given.real = DrawReal(draft.def, attribute.name, draft.random);
    return SettleAttributes(draft);
  }
  const bool covered = IndicesCoverAll(draft);
  if (attribute.is_integer()) {
    given.real = DrawInteger(attribute, draft.random);
    // Drawn padding wants a window that reaches beyond it; a drawn window cuts the padding.
    const bool pads = draft.def.family == Family::kPool && i == kPoolPadding;
    double& window = draft.value.attributes[kPoolWindow].real;
    if (pads) window = std::max(window, 2 * given.real);
  } else {
    given.choice = static_cast<int32_t>(draft.random.Below(attribute.labels.size()));
  }
  SettleAttributes(draft);
  // A transpose changes how a matrix is stored, a stride how large the output is.
  Reshape(draft, NamedDims(draft.dims));
  if (covered) CoverAllIndices(draft);
}

void SettleAttributes(Draft& draft) {
  FixedVector<Attribute, kMaxAttributes>& attributes = draft.value.attributes;
  if (draft.value.op == OpId::kClamp && attributes[kClampLow].real > attributes[kClampHigh].real) {
    std::swap(attributes[kClampLow].real, attributes[kClampHigh].real);
  }
  if (draft.def.family == Family::kQuantize) {
    const int byte = IsFloat(draft.value.operands[0].dtype) ? 1 : 0;
    const IntegerLimits limits = LimitsOf(draft.value.operands[byte].dtype);
    double& zero_point = attributes[kQuantizeZeroPoint].real;
    zero_point = std::clamp(zero_point, static_cast<double>(limits.lowest),
                            static_cast<double>(limits.highest));
  }
  if (draft.def.family == Family::kPool) {
    const double half = std::floor(attributes[kPoolWindow].real / 2);
    attributes[kPoolPadding].real = std::min(attributes[kPoolPadding].real, half);
  }
}

void ChangeToAtom(Draft& draft) {
  uint64_t fitting = 0;
  for (const Atom& atom : draft.space.atoms) fitting += atom.op == draft.value.op ? 1 : 0;
  if (fitting == 0) return;
  uint64_t wanted = draft.random.Below(fitting);
  for (const Atom& atom : draft.space.atoms) {
    if (atom.op == draft.value.op && wanted-- == 0) return SetBoundary(draft, atom);
  }
}

void ChangeTypes(Draft& draft) {
  const OpId op = draft.value.op;
  const std::span<const DType> types = TypesFor(draft);
  // The most used type has the most kernels.
  const DType input = draft.random.Percent(30) ? types[0] : draft.random.Pick(types);
  if (OutputTypesOf(op, input).empty()) return;  // a type this operator does not take
  for (int i = 0; i < draft.operand_count(); ++i) {
    const DType type = i == 0 ? input : draft.random.Pick(AllowedTypes(draft.value, draft.def, i));
    Retype(draft.value.operands[i], draft.operand(i).role, type);
  }
  SettleAttributes(draft);
}

void ChangeSchedule(Draft& draft) {
  draft.value.schedule_seed = draft.random.Below(1 << 16);
  if (!draft.random.Percent(10)) return;
  constexpr int32_t kRepeats[] = {0, 0, 2, 3, 8};
  draft.value.repeats = draft.random.Pick(kRepeats);
}

void Retype(Tensor& tensor, Role role, DType type) {
  if (tensor.dtype == type) return;
  for (Override& each : tensor.overrides) each.bits = Converted(tensor.dtype, type, each.bits);
  tensor.dtype = type;
  FitFill(tensor, role);
  const int32_t size = SizeOf(type);
  if (tensor.alignment != 0) tensor.alignment = std::max(tensor.alignment, size);
  if (tensor.misalignment % size != 0 || tensor.misalignment >= tensor.alignment) {
    tensor.misalignment = 0;
  }
}

}  // namespace assay
