// SPDX-License-Identifier: Apache-2.0
//
// Steps toward dense row-major operands at the tail of their memory with no demands on alignment,
// and toward one plain type.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "triage/steps.h"

namespace assay {
namespace {

void MakePlain(Tensor& tensor) {
  tensor.strides = RowMajorStrides(tensor.shape);
  tensor.offset = 0;
  tensor.alignment = 0;
  tensor.misalignment = 0;
  tensor.placement = Placement::kTail;
}

// Strides of a dense operand whose axes are in the opposite order.
Dims ColumnMajorStrides(const Dims& shape) {
  Dims strides = shape;
  int64_t stride = 1;
  for (int axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

bool OfferStrides(const Tensor& before, Tensor& tensor, const Case& variant, const Offer& offer) {
  const auto offered = [&](const Dims& strides) {
    tensor.strides = strides;
    return offer(variant);
  };
  const Dims dense = RowMajorStrides(before.shape);
  if (offered(dense)) return true;
  Dims used = before.strides, positive = before.strides;
  for (int axis = 0; axis < used.size(); ++axis) {
    if (before.shape[axis] <= 1) used[axis] = dense[axis];
    positive[axis] = std::abs(positive[axis]);
  }
  if (offered(used) || offered(positive) || offered(ColumnMajorStrides(before.shape))) return true;
  for (int axis = 0; axis < dense.size(); ++axis) {
    const int64_t now = before.strides[axis];
    // Closest to dense first, then steps that halve and at last shorten what is too much.
    const int64_t excess = now - dense[axis];
    for (const int64_t stride :
         {dense[axis], dense[axis] + 1, dense[axis] + 2, -dense[axis], now - excess / 2,
          now - excess / 4, now - excess / 8, now > 0 ? now - 1 : now + 1}) {
      Dims strides = before.strides;
      strides[axis] = stride;
      if (offered(strides)) return true;
    }
  }
  tensor.strides = before.strides;
  return false;
}

bool OfferPlacement(const Tensor& before, Tensor& tensor, const Case& variant, const Offer& offer) {
  const auto offered = [&](auto change) {
    tensor = before;
    change(tensor);
    return offer(variant);
  };
  for (const int64_t offset :
       {int64_t{0}, int64_t{1}, before.offset / 2, before.offset - before.offset / 4,
        before.offset - before.offset / 8, before.offset - 1}) {
    if (offset >= 0 && offered([&](Tensor& t) { t.offset = offset; })) return true;
  }
  if (offered([](Tensor& t) { t.alignment = t.misalignment = 0; })) return true;
  if (offered([](Tensor& t) { t.misalignment = 0; })) return true;
  const int32_t size = SizeOf(before.dtype);
  for (int32_t alignment = size; alignment < before.alignment; alignment *= 2) {
    const auto realign = [&](Tensor& t) {
      t.alignment = alignment;
      t.misalignment %= alignment;
    };
    if (offered(realign)) return true;
  }
  for (const int32_t off :
       {size, before.misalignment / 2 / size * size, before.misalignment - size}) {
    if (off > 0 && offered([&](Tensor& t) { t.misalignment = off; })) return true;
  }
  return offered([](Tensor& t) { t.placement = Placement::kTail; });
}

// ---- Types ----

// A special value keeps its class in the new type, a subnormal stays one.
uint64_t Retyped(DType from, DType to, uint64_t bits) {
  if (IsFloat(from) != IsFloat(to)) return 0;
  if (!IsFloat(from)) return EncodeInteger(to, DecodeInteger(from, bits));
  const double x = Decode(from, bits);
  const double magnitude = std::fabs(x);
  if (magnitude > 0 && magnitude < InfoOf(FormatOf(from)).smallest_normal) {
    return Encode(to, std::copysign(InfoOf(FormatOf(to)).smallest_normal / 2, x));
  }
  return Encode(to, x);
}

void Retype(DType type, Tensor& tensor) {
  for (Override& each : tensor.overrides) each.bits = Retyped(tensor.dtype, type, each.bits);
  tensor.dtype = type;
  const int32_t size = SizeOf(type);
  if (tensor.alignment != 0) tensor.alignment = std::max(tensor.alignment, size);
  tensor.misalignment = tensor.misalignment / size * size;
}

// The wanted type where operand `i` may have it, else its own, else the first it may have.
DType NearestType(const Case& value, const OperatorDef& def, int i, DType wanted) {
  const std::span<const DType> allowed = AllowedTypes(value, def, i);
  const auto may = [&](DType type) {
    return std::find(allowed.begin(), allowed.end(), type) != allowed.end();
  };
  if (may(wanted)) return wanted;
  const DType own = value.operands[i].dtype;
  return may(own) || allowed.empty() ? own : allowed[0];
}

}  // namespace

bool OfferLayouts(const StepSource& source, const Offer& offer) {
  Case variant = source.value();
  for (Tensor& tensor : variant.operands) MakePlain(tensor);
  if (offer(variant)) return true;
  for (int i = 0; i < variant.operands.size(); ++i) {
    variant = source.value();
    const Tensor& before = source.value().operands[i];
    Tensor& tensor = variant.operands[i];
    MakePlain(tensor);
    if (offer(variant)) return true;
    tensor = before;
    if (OfferStrides(before, tensor, variant, offer)) return true;
    if (OfferPlacement(before, tensor, variant, offer)) return true;
  }
  return false;
}

bool OfferTypes(const StepSource& source, const Offer& offer) {
  const OperatorDef& def = source.def();
  const int indices = IndexOperandOf(def);
  const int last = source.value().operands.size() - 1;
  for (const DType type : def.inputs) {
    Case variant = source.value();
    Retype(type, variant.operands[0]);
    for (int i = 1; i <= last; ++i) {
      if (i != indices) Retype(NearestType(variant, def, i, type), variant.operands[i]);
    }
    if (offer(variant)) return true;
  }
  for (int i = 1; i <= last; ++i) {
    for (const DType type : AllowedTypes(source.value(), def, i)) {
      Case variant = source.value();
      Retype(type, variant.operands[i]);
      if (offer(variant)) return true;
    }
  }
  return false;
}

}  // namespace assay
