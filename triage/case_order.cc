// SPDX-License-Identifier: Apache-2.0
//
// The order that minimizing descends in, written once: a case as a list of natural numbers,
// compared lexicographically. What is never simplified must not be in it, and what a step
// simplifies must be.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "contracts/operator.h"
#include "triage/minimize.h"
#include "triage/steps.h"

namespace assay {
namespace {

enum Component {
  kTerms = 0,
  kDimensionSum,
  kLayoutClass,
  kStrideSum,
  kOffsets,
  kPlacement,
  kAttributes,
  kTypes,
  kFills,
  kOverrides,
  kValues,
  kPositions,
  kFillParameters,
  kSeeds,
  kComponents,
};
using Cost = std::array<uint64_t, kComponents>;

void AddDimensions(const Case& value, Cost& cost) {
  const Result<NamedDims> dims = DefOf(value.op).dims(value);
  ASSAY_CHECK(dims.ok(), "only checked cases are ordered");
  cost[kTerms] = 1;
  for (int64_t extent : dims.value()) {
    cost[kTerms] *= static_cast<uint64_t>(extent);
    cost[kDimensionSum] += static_cast<uint64_t>(extent);
  }
}

// 0 plain, then only in strides that are not used, padded, turned, negative, zero.
uint64_t LayoutClass(const Tensor& tensor) {
  if (HasPlainStrides(tensor)) return 0;
  if (IsContiguous(tensor)) return 1;
  bool zero = false, negative = false, turned = false;
  for (int axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.shape[axis] <= 1) continue;
    zero = zero || tensor.strides[axis] == 0;
    negative = negative || tensor.strides[axis] < 0;
    turned = turned || (axis > 0 && tensor.shape[axis - 1] > 1 &&
                        std::abs(tensor.strides[axis]) > std::abs(tensor.strides[axis - 1]));
  }
  return zero ? 5 : negative ? 4 : turned ? 3 : 2;
}

void AddLayout(const Tensor& tensor, Cost& cost) {
  cost[kLayoutClass] += LayoutClass(tensor);
  if (!HasPlainStrides(tensor)) {
    for (int64_t stride : tensor.strides) {
      cost[kStrideSum] += static_cast<uint64_t>(std::abs(stride));
    }
  }
  cost[kOffsets] += static_cast<uint64_t>(tensor.offset);
  cost[kPlacement] += static_cast<uint64_t>(tensor.alignment) * 2 +
                      static_cast<uint64_t>(tensor.misalignment) +
                      (tensor.placement == Placement::kTail ? 0 : 1);
}

void AddAttributes(const Case& value, const OperatorDef& def, Cost& cost) {
  for (int i = 0; i < value.attributes.size(); ++i) {
    const Attribute& attribute = value.attributes[i];
    const AttributeDef& meaning = def.attributes[static_cast<size_t>(i)];
    if (!meaning.labels.empty()) {
      cost[kAttributes] += static_cast<uint64_t>(attribute.choice);
      continue;
    }
    const bool plain = attribute.real == 0 || attribute.real == 1;
    const bool same_sign = std::signbit(attribute.real) == std::signbit(meaning.default_real);
    if (attribute.real == meaning.default_real && same_sign) continue;
    cost[kAttributes] += plain ? 1 : 2;
    cost[kValues] += ValueCost(DType::kF64, std::bit_cast<uint64_t>(attribute.real));
  }
}

uint64_t TypeRank(DType type) {
  switch (type) {
    case DType::kF32:
    case DType::kI64:
      return 0;
    case DType::kF64:
    case DType::kI32:
      return 1;
    case DType::kF16:
    case DType::kI8:
      return 2;
    case DType::kBf16:
    case DType::kU8:
      return 3;
    case DType::kF8e4m3:
    case DType::kF8e5m2:
      return 4;
  }
  return 4;
}

uint64_t FillRank(const Fill& fill) {
  switch (fill.kind) {
    case FillKind::kZero:
      return 0;
    case FillKind::kConstant:
      return 1;
    case FillKind::kIntegers:
    case FillKind::kIndices:
    case FillKind::kDistinct:
    case FillKind::kPowersOfTwo:
      return 2;
    default:
      return 3;
  }
}

uint64_t ParameterCost(double parameter) {
  return ValueCost(DType::kF64, std::bit_cast<uint64_t>(parameter));
}

void AddFill(const Tensor& tensor, int operand, Cost& cost) {
  const Fill& fill = tensor.fill;
  const bool random = FillRank(fill) >= 2;
  if (random && fill.seed != DefaultSeed(operand)) ++cost[kSeeds];
  if (random || fill.kind == FillKind::kConstant) {
    (random ? cost[kFillParameters] : cost[kValues]) += ParameterCost(fill.lo);
  }
  if (random) cost[kFillParameters] += ParameterCost(fill.hi);
  // What a fill does not read must not stay behind it.
  if (!random && fill.seed != 0) ++cost[kSeeds];
  if (!random && fill.hi != 0) ++cost[kSeeds];
  if (fill.kind == FillKind::kZero && fill.lo != 0) ++cost[kSeeds];
}

void AddOverrides(const Tensor& tensor, Cost& cost) {
  cost[kOverrides] += static_cast<uint64_t>(tensor.overrides.size());
  for (const Override& each : tensor.overrides) {
    cost[kValues] += ValueCost(tensor.dtype, each.bits);
    for (int32_t coordinate : each.index) cost[kPositions] += static_cast<uint64_t>(coordinate);
  }
}

constexpr uint64_t kMixedTypes = 16;  // more than TypeRank gives any type

Cost CostOf(const Case& value) {
  const OperatorDef& def = DefOf(value.op);
  Cost cost{};
  AddDimensions(value, cost);
  AddAttributes(value, def, cost);
  for (int i = 0; i < value.operands.size(); ++i) {
    const Tensor& tensor = value.operands[i];
    AddLayout(tensor, cost);
    cost[kTypes] += TypeRank(tensor.dtype);
    // Plain for an index only; elsewhere behind 32 bits.
    if (tensor.dtype == DType::kI64 && i != IndexOperandOf(def)) cost[kTypes] += 2;
    if (def.operands[static_cast<size_t>(i)].role == Role::kOutput) {
      if (tensor.fill.seed != DefaultSeed(i)) ++cost[kSeeds];
      continue;
    }
    cost[kFills] += FillRank(tensor.fill);
    AddFill(tensor, i, cost);
    AddOverrides(tensor, cost);
  }
  // One type throughout is plainer than a plainer destination.
  if (value.operands.back().dtype != value.operands[0].dtype) cost[kTypes] += kMixedTypes;
  cost[kSeeds] += std::min<uint64_t>(value.schedule_seed, 1u << 20);
  cost[kSeeds] += static_cast<uint64_t>(value.repeats);
  return cost;
}

constexpr uint64_t kFiniteTier = uint64_t{1} << 44;
constexpr uint64_t kSpecialTier = uint64_t{1} << 50;
constexpr uint64_t kLargestPlain = uint64_t{1} << 40;

uint64_t IntegerCost(uint64_t magnitude, bool negative) {
  const uint64_t sign = negative ? 1 : 0;
  if (magnitude <= kLargestPlain) return 2 * magnitude + sign;
  const int width = std::bit_width(magnitude), zeros = std::countr_zero(magnitude);
  return kFiniteTier + (static_cast<uint64_t>(width - zeros) << 13) +
         2 * static_cast<uint64_t>(width) + sign;
}

uint64_t RealCost(double x) {
  const uint64_t sign = std::signbit(x) ? 1 : 0;
  const double magnitude = std::fabs(x);
  if (magnitude == 0) return sign == 0 ? 0 : kSpecialTier;
  if (std::isinf(x)) return kSpecialTier + 1 + sign;
  if (magnitude <= static_cast<double>(kLargestPlain) && magnitude == std::trunc(magnitude)) {
    return 2 * static_cast<uint64_t>(magnitude) + sign;
  }
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // in [1/2, 1)
  const auto digits = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const auto significant = static_cast<uint64_t>(53 - std::countr_zero(digits));
  return kFiniteTier + (significant << 13) + 2 * static_cast<uint64_t>(std::abs(exponent)) + sign;
}

}  // namespace

uint64_t DefaultSeed(int operand) { return static_cast<uint64_t>(operand) + 1; }

bool HasPlainStrides(const Tensor& tensor) {
  return tensor.strides == RowMajorStrides(tensor.shape);
}

uint64_t ValueCost(DType type, uint64_t bits) {
  if (!IsFloat(type)) {
    const int64_t x = DecodeInteger(type, bits);
    const auto pattern = static_cast<uint64_t>(x);
    return IntegerCost(x < 0 ? 0 - pattern : pattern, x < 0);
  }
  const double x = Decode(type, bits);
  if (!std::isnan(x)) return RealCost(x);
  const bool canonical = bits == Encode(type, std::numeric_limits<double>::quiet_NaN());
  return kSpecialTier + (canonical ? 3 : 4);
}

bool SimplerThan(const Case& a, const Case& b) { return CostOf(a) < CostOf(b); }

}  // namespace assay
