// SPDX-License-Identifier: Apache-2.0
#include "engine/backends/planted/exchanged.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

constexpr uint8_t kFloatCode = 2;

std::byte* Element0(const AssayTensor& tensor) {
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

// Elements from (0,...,0) to the end of the span, upward or downward.
int64_t Reach(const AssayTensor& tensor, bool upward) {
  int64_t reach = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    const int64_t stride = tensor.shape[axis] > 1 ? tensor.strides[axis] : 0;
    if ((stride > 0) == upward) reach += (tensor.shape[axis] - 1) * stride;
  }
  return reach;
}

}  // namespace

int64_t CountOf(const AssayTensor& tensor) {
  int64_t count = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis) count *= tensor.shape[axis];
  return count;
}

std::byte* PastEnd(const AssayTensor& tensor) {
  return Element0(tensor) + (Reach(tensor, true) + 1) * SizeOf(TypeOf(tensor));
}

std::byte* BeforeStart(const AssayTensor& tensor) {
  return Element0(tensor) + Reach(tensor, false) * SizeOf(TypeOf(tensor)) - 1;
}

uint64_t Place::Bits() const {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(SizeOf(type)));
  return bits;
}

void Place::SetBits(uint64_t bits) const {
  std::memcpy(at, &bits, static_cast<size_t>(SizeOf(type)));
}

const OperatorDef& DefOf(const AssayCall& call) { return assay::DefOf(static_cast<OpId>(call.op)); }

bool IsRead(const AssayCall& call, int operand) {
  const OperandDef& def = DefOf(call).operands[static_cast<size_t>(operand)];
  return def.role != Role::kOutput && def.kind != ElementKind::kIndex;
}

bool IsReal(const AssayCall& call, int operand) {
  return IsRead(call, operand) && IsFloat(TypeOf(call.operands[operand]));
}

const AssayTensor& Destination(const AssayCall& call) {
  return call.operands[call.operand_count - 1];
}

ExchangedCall::ExchangedCall(const AssayCall& call) : original_(&call), call_(call) {
  for (size_t i = 0; i < static_cast<size_t>(call.operand_count); ++i) {
    tensors_[i] = call.operands[i];
    std::copy_n(call.operands[i].shape, call.operands[i].ndim, shapes_[i].begin());
    std::copy_n(call.operands[i].strides, call.operands[i].ndim, strides_[i].begin());
    tensors_[i].shape = shapes_[i].data();
    tensors_[i].strides = strides_[i].data();
  }
  call_.operands = tensors_.data();
}

void ExchangedCall::Allocate(int i, DType type) {
  const auto slot = static_cast<size_t>(i);
  AssayTensor& tensor = tensors_[slot];
  const int64_t count = CountOf(tensor);
  memory_[slot].resize(static_cast<size_t>(count * SizeOf(type)));
  tensor.data = memory_[slot].data();
  tensor.byte_offset = 0;
  int64_t stride = 1;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    strides_[slot][static_cast<size_t>(axis)] = stride;
    stride *= tensor.shape[axis];
  }
}

AssayTensor& ExchangedCall::Copy(int i) {
  const AssayTensor& from = original_->operands[i];
  const DType type = TypeOf(from);
  Allocate(i, type);
  const auto size = static_cast<size_t>(SizeOf(type));
  std::byte* to = memory_[static_cast<size_t>(i)].data();
  ForEachPlace(from, [&](const Place& place) {
    std::memcpy(to + static_cast<size_t>(place.position) * size, place.at, size);
  });
  return operand(i);
}

AssayTensor& ExchangedCall::Convert(int i, DType type) {
  Allocate(i, type);
  operand(i).dtype = {kFloatCode, static_cast<uint8_t>(8 * SizeOf(type)), 1};
  const auto size = static_cast<size_t>(SizeOf(type));
  std::byte* to = memory_[static_cast<size_t>(i)].data();
  ForEachPlace(original_->operands[i], [&](const Place& place) {
    const uint64_t bits = Encode(type, place.Real());
    std::memcpy(to + static_cast<size_t>(place.position) * size, &bits, size);
  });
  return operand(i);
}

int32_t ExchangedCall::Run() {
  const int32_t status = reference::Run(call_);
  const int last = call_.operand_count - 1;
  const std::vector<std::byte>& memory = memory_[static_cast<size_t>(last)];
  if (status != ASSAY_OK || memory.empty()) return status;
  const DType type = TypeOf(operand(last));
  const auto size = static_cast<size_t>(SizeOf(type));
  ForEachPlace(original_->operands[last], [&](const Place& place) {
    uint64_t bits = 0;
    std::memcpy(&bits, memory.data() + static_cast<size_t>(place.position) * size, size);
    if (type == place.type) return place.SetBits(bits);
    place.SetBits(Encode(place.type, Decode(type, bits)));
  });
  return status;
}

}  // namespace assay::planted
