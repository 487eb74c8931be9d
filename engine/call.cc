// SPDX-License-Identifier: Apache-2.0

#include "engine/call.h"

namespace assay {

namespace {

// DLPack's codes; those of the 8-bit floats since its version 1.1.
uint8_t TypeCode(DType type) {
  constexpr uint8_t kSigned = 0, kUnsigned = 1, kFloat = 2, kBfloat = 4, kE4m3fn = 10, kE5m2 = 12;
  switch (type) {
    case DType::kU8:
      return kUnsigned;
    case DType::kBf16:
      return kBfloat;
    case DType::kF8e4m3:
      return kE4m3fn;
    case DType::kF8e5m2:
      return kE5m2;
    default:
      return IsFloat(type) ? kFloat : kSigned;
  }
}

}  // namespace

AssayDataType DataTypeOf(DType type) {
  return {TypeCode(type), static_cast<uint8_t>(SizeOf(type) * 8), 1};
}

void BackendCall::Describe(const Case& value, const OperatorDef& op) {
  for (int i = 0; i < value.attributes.size(); ++i) {
    attributes_[i] = op.attributes[static_cast<size_t>(i)].is_label() ? value.attributes[i].choice
                                                                      : ScalarAttribute(value, i);
  }
  for (int i = 0; i < value.operands.size(); ++i) {
    const Tensor& tensor = value.operands[i];
    shapes_[i] = tensor.shape;
    strides_[i] = tensor.strides;
    tensors_[i] = {nullptr,
                   {1, 0},
                   tensor.shape.size(),
                   DataTypeOf(tensor.dtype),
                   shapes_[i].begin(),
                   strides_[i].begin(),
                   0};
  }
  call_ = {sizeof(AssayCall),
           static_cast<uint32_t>(value.op),
           attributes_.data(),
           value.attributes.size(),
           value.operands.size(),
           tensors_.data(),
           value.schedule_seed,
           0,
           0};
}

void BackendCall::Attach(int slot, const Placed& placed) {
  tensors_[slot].data = placed.allocation;
  tensors_[slot].byte_offset = static_cast<uint64_t>(placed.element0 - placed.allocation);
}

void BackendCall::Narrow(int slot, int axis, int64_t index) {
  AssayTensor& tensor = tensors_[slot];
  const int64_t bytes = index * strides_[slot][axis] * (tensor.dtype.bits / 8);
  tensor.byte_offset += static_cast<uint64_t>(bytes);  // wraps where the stride is negative
  shapes_[slot][axis] = 1;
}

}  // namespace assay
