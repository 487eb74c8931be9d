// SPDX-License-Identifier: Apache-2.0
//
// Everything about a case that is one value: attributes, boundary values mined from the contracts,
// types, the schedule seed.
#include <algorithm>
#include <cmath>
#include <limits>

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
constexpr ScalarChoice kScalars[] = {{20, 0.0}, {20, 1.0},  {6, -0.0},    {10, -1.0}, {10, 2.0},
                                     {10, 1.2}, {8, 0.5},   {2, 1e-30},   {2, 1e30},  {4, kNan},
                                     {2, kInf}, {1, -kInf}, {2, 0x1p-130}};

double DrawScalar(Random& random) {
  if (random.Percent(8)) return static_cast<float>(random.Unit() * 8 - 4);
  return random.PickWeighted(kScalars).value;
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
  if (type == DType::kU8) return {FillKind::kIntegers, seed, 0, 200};
  if (!IsFloat(type)) return {FillKind::kIntegers, seed, -100, 100};
  return {FillKind::kUniform, seed, -1, 1};
}

// Exponents and magnitudes that the new type does not have would turn a fill into zeros or
// infinities.
void FitFill(Tensor& tensor, Role role) {
  Fill& fill = tensor.fill;
  if (!FillSuits(fill.kind, tensor.dtype, role)) fill = PlainFill(tensor.dtype, fill.seed);
  if (!IsFloat(tensor.dtype)) {
    const IntegerLimits limits = LimitsOf(tensor.dtype);
    const bool reset = std::min(fill.lo, fill.hi) < static_cast<double>(limits.lowest) ||
                       std::max(fill.lo, fill.hi) > static_cast<double>(limits.highest);
    if (reset || fill.lo != std::trunc(fill.lo)) fill = PlainFill(tensor.dtype, fill.seed);
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
    if (attribute.name != atom.name || !attribute.labels.empty()) continue;
    draft.value.attributes[i].real =
        side == 0 ? atom.value : std::nextafter(atom.value, side * kInf);
  }
}

}  // namespace

void ChangeAttribute(Draft& draft) {
  const int count = draft.value.attributes.size();
  if (count == 0) return;
  const int i = static_cast<int>(draft.random.Below(static_cast<uint64_t>(count)));
  const AttributeDef& attribute = draft.def.attributes[static_cast<size_t>(i)];
  if (attribute.labels.empty()) {
    draft.value.attributes[i].real = DrawScalar(draft.random);
    return;
  }
  draft.value.attributes[i].choice =
      static_cast<int32_t>(draft.random.Below(attribute.labels.size()));
  Reshape(draft, NamedDims(draft.dims));  // a transpose changes how a matrix is stored
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
  const std::span<const DType> outputs = OutputTypesOf(op, input);
  if (outputs.empty()) return;  // the campaign asks for a type this operator does not take
  const DType output = draft.random.Pick(outputs);
  const DType index = draft.random.Percent(50) ? DType::kI32 : DType::kI64;
  for (int i = 0; i < draft.operand_count(); ++i) {
    const OperandDef& operand = draft.operand(i);
    const bool is_index = operand.kind == ElementKind::kIndex;
    const DType type = is_index ? index : operand.role == Role::kInput ? input : output;
    Retype(draft.value.operands[i], operand.role, type);
  }
}

void ChangeSchedule(Draft& draft) { draft.value.schedule_seed = draft.random.Below(1 << 16); }

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
