// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/onednn/primitive.h"

#include <algorithm>

#include "engine/backends/call_view.h"
#include "engine/backends/onednn/make.h"

namespace assay::onednn {
namespace {

dnnl_data_type_t TypeOf(const AssayTensor& tensor) {
  constexpr uint8_t kSigned = 0, kUnsigned = 1;
  if (IsFloat(tensor, 32)) return dnnl_f32;
  if (IsFloat(tensor, 16)) return dnnl_f16;
  if (IsBfloat16(tensor)) return dnnl_bf16;
  if (tensor.dtype.code == kUnsigned && tensor.dtype.bits == 8) return dnnl_u8;
  if (tensor.dtype.code != kSigned) return dnnl_data_type_undef;
  if (tensor.dtype.bits == 8) return dnnl_s8;
  return tensor.dtype.bits == 32 ? dnnl_s32 : dnnl_data_type_undef;
}

std::string_view TextOf(dnnl_status_t status) {
  switch (status) {
    case dnnl_success:
      return "";
    case dnnl_unimplemented:
      return "oneDNN has no implementation for this type and layout";
    case dnnl_invalid_arguments:
      return "oneDNN does not take this type and layout";
    default:
      return "oneDNN failed";
  }
}

}  // namespace

bool IsEmpty(const AssayTensor& tensor) {
  return std::find(tensor.shape, tensor.shape + tensor.ndim, 0) != tensor.shape + tensor.ndim;
}

Attributes::Attributes(const Functions& functions) : f_(functions) {
  f_.primitive_attr_create(&attributes_);
  f_.post_ops_create(&post_ops_);
}

Attributes::~Attributes() {
  f_.post_ops_destroy(post_ops_);
  f_.primitive_attr_destroy(attributes_);
}

void Attributes::Scale(float factor) {
  if (factor != 1) f_.primitive_attr_set_output_scales(attributes_, 1, /*mask=*/0, &factor);
}

void Attributes::SourceZeroPoint(int32_t value) {
  if (value == 0) return;
  f_.primitive_attr_set_zero_points(attributes_, DNNL_ARG_SRC, 1, /*mask=*/0, &value);
}

void Attributes::ThenSum(float factor) {
  f_.post_ops_append_sum(post_ops_, factor);
  ++operations_;
}

void Attributes::ThenEltwise(dnnl_alg_kind_t algorithm, float alpha, float beta) {
  f_.post_ops_append_eltwise(post_ops_, /*scale=*/1, algorithm, alpha, beta);
  ++operations_;
}

int Attributes::ThenBinary(dnnl_alg_kind_t algorithm, const dnnl_memory_desc_t& other) {
  f_.post_ops_append_binary(post_ops_, algorithm, &other);
  return operations_++;
}

const_dnnl_primitive_attr_t Attributes::Get() {
  if (operations_ > 0) f_.primitive_attr_set_post_ops(attributes_, post_ops_);
  return attributes_;
}

Primitive::Primitive(const Functions& functions, dnnl_engine_t engine, const AssayCall& call)
    : f_(functions), engine_(engine) {
  Make(call, *this);
}

Primitive::~Primitive() {
  for (const Step& step : steps_) f_.primitive_destroy(step.primitive);
  for (const Object& object : objects_) f_.memory_destroy(object.memory);
}

bool Primitive::Succeeded(dnnl_status_t status) {
  if (refusal_.empty()) refusal_ = TextOf(status);
  return refusal_.empty();
}

bool Primitive::Describe(const AssayTensor& tensor, std::span<const Axis> axes,
                         dnnl_memory_desc_t& memory) {
  dnnl_dims_t dims{}, strides{};
  // From the inside out, so that an axis that is never stepped along gets a stride that says so.
  int64_t dense = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    dims[i] = axes[i].size;
    strides[i] = axes[i].size > 1 ? axes[i].stride : dense;
    if (strides[i] < 1) {
      Refuse("oneDNN's descriptors are for strides of 1 and more");
      return false;
    }
    dense = std::max(dense, strides[i] * std::max<int64_t>(1, dims[i]));
  }
  return Succeeded(f_.memory_desc_init_by_strides(&memory, static_cast<int>(axes.size()), dims,
                                                  TypeOf(tensor), strides));
}

bool Primitive::Describe(const AssayTensor& tensor, dnnl_memory_desc_t& memory) {
  Axis axes[DNNL_MAX_NDIMS];
  for (int i = 0; i < tensor.ndim; ++i) axes[i] = AxisOf(tensor, i);
  return Describe(tensor, std::span<const Axis>(axes, static_cast<size_t>(tensor.ndim)), memory);
}

int Primitive::AddObject(const dnnl_memory_desc_t& memory, int operand) {
  dnnl_memory_t object = nullptr;
  void* data = operand == kOwn ? DNNL_MEMORY_ALLOCATE : DNNL_MEMORY_NONE;
  if (!Succeeded(f_.memory_create(&object, &memory, engine_, data))) return 0;
  objects_.push_back({object, operand});
  return static_cast<int>(objects_.size()) - 1;
}

int Primitive::Bind(const dnnl_memory_desc_t& memory, int operand) {
  return AddObject(memory, operand);
}

int Primitive::Own(const dnnl_memory_desc_t& memory) { return AddObject(memory, kOwn); }

dnnl_primitive_desc_t Primitive::Plan(const_dnnl_op_desc_t op,
                                      const_dnnl_primitive_attr_t attributes) {
  if (!refusal_.empty()) return nullptr;
  dnnl_primitive_desc_t plan = nullptr;
  const bool made =
      Succeeded(f_.primitive_desc_create(&plan, op, attributes, engine_, /*hint_forward=*/nullptr));
  return made ? plan : nullptr;
}

void Primitive::AddPlanned(dnnl_primitive_desc_t plan, std::initializer_list<Argument> arguments) {
  if (plan == nullptr) return;
  dnnl_primitive_t primitive = nullptr;
  if (refusal_.empty() && Succeeded(f_.primitive_create(&primitive, plan))) {
    Step step{primitive, {}};
    for (const Argument& each : arguments) {
      step.arguments.push_back({each.name, objects_[static_cast<size_t>(each.at)].memory});
    }
    steps_.push_back(std::move(step));
  }
  f_.primitive_desc_destroy(plan);
}

void Primitive::Add(const_dnnl_op_desc_t op, const_dnnl_primitive_attr_t attributes,
                    std::initializer_list<Argument> arguments) {
  AddPlanned(Plan(op, attributes), arguments);
}

void Primitive::AddReorder(const dnnl_memory_desc_t& from_memory, int from,
                           const dnnl_memory_desc_t& to_memory, int to,
                           const_dnnl_primitive_attr_t attributes) {
  if (!refusal_.empty()) return;
  dnnl_primitive_desc_t plan = nullptr;
  if (!Succeeded(f_.reorder_primitive_desc_create(&plan, &from_memory, engine_, &to_memory, engine_,
                                                  attributes))) {
    return;
  }
  AddPlanned(plan, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

std::string_view Primitive::Run(dnnl_stream_t stream, const AssayCall& call) {
  dnnl_status_t status = dnnl_success;
  for (size_t i = 0; i < objects_.size() && status == dnnl_success; ++i) {
    if (objects_[i].operand == kOwn) continue;
    status = f_.memory_set_data_handle(objects_[i].memory,
                                       Element0<void>(call.operands[objects_[i].operand]));
  }
  for (size_t i = 0; i < steps_.size() && status == dnnl_success; ++i) {
    status = f_.primitive_execute(steps_[i].primitive, stream,
                                  static_cast<int>(steps_[i].arguments.size()),
                                  steps_[i].arguments.data());
  }
  if (status == dnnl_success) status = f_.stream_wait(stream);
  return TextOf(status);
}

}  // namespace assay::onednn
