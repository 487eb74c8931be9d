// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/onednn/primitives.h"

#include <bit>

#include "engine/backends/call_view.h"

namespace assay::onednn {
namespace {

constexpr size_t kKept = 512;

Key KeyOf(const AssayCall& call) {
  Key key{};
  size_t at = 0;
  key[at++] = call.op;
  for (int i = 0; i < call.attribute_count; ++i) {
    key[at++] = std::bit_cast<int64_t>(call.attributes[i]);
  }
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    key[at++] = tensor.dtype.code * 256 + tensor.dtype.bits;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      key[at++] = tensor.shape[axis];
      key[at++] = tensor.shape[axis] > 1 ? tensor.strides[axis] : 0;
    }
  }
  return key;
}

dnnl_data_type_t TypeOf(const AssayTensor& tensor) {
  if (IsFloat(tensor, 32)) return dnnl_f32;
  if (IsFloat(tensor, 16)) return dnnl_f16;
  return IsBfloat16(tensor) ? dnnl_bf16 : dnnl_data_type_undef;
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

bool IsEmpty(const AssayTensor& tensor) {
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    if (tensor.shape[axis] == 0) return true;
  }
  return false;
}

dnnl_alg_kind_t AlgorithmOf(const AssayCall& call) {
  switch (call.op) {
    case ASSAY_OP_EXP:
      return dnnl_eltwise_exp;
    case ASSAY_OP_LOG:
      return dnnl_eltwise_log;
    case ASSAY_OP_TANH:
      return dnnl_eltwise_tanh;
    case ASSAY_OP_SQRT:
      return dnnl_eltwise_sqrt;
    default:
      return call.attributes[0] == 0 ? dnnl_eltwise_gelu_erf : dnnl_eltwise_gelu_tanh;
  }
}

}  // namespace

size_t KeyHash::operator()(const Key& key) const {
  uint64_t hash = 0;
  for (const int64_t word : key) {
    hash = (std::rotl(hash, 5) ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u;
  }
  return hash;
}

Primitive::Primitive(const Functions& functions, dnnl_engine_t engine, const AssayCall& call)
    : f_(functions) {
  switch (call.op) {
    case ASSAY_OP_GEMM:
      MakeGemm(engine, call);
      break;
    case ASSAY_OP_SOFTMAX:
      MakeSoftmax(engine, call);
      break;
    default:
      MakeUnary(engine, call);
      break;
  }
}

Primitive::~Primitive() {
  for (const dnnl_exec_arg_t& argument : arguments_) f_.memory_destroy(argument.memory);
  if (primitive_ != nullptr) f_.primitive_destroy(primitive_);
}

// False, with the refusal set, if oneDNN has no descriptor for the operand.
bool Primitive::Describe(const AssayTensor& tensor, bool transposed, dnnl_memory_desc_t& memory) {
  dnnl_dims_t dims{}, strides{};
  const int rank = tensor.ndim;
  // From the inside out, so that an axis that is never stepped along gets a stride that says so.
  int64_t dense = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const int from = transposed ? rank - 1 - axis : axis;
    dims[axis] = tensor.shape[from];
    strides[axis] = tensor.shape[from] > 1 ? tensor.strides[from] : dense;
    if (strides[axis] < 1) {
      refusal_ = "oneDNN's descriptors are for strides of 1 and more";
      return false;
    }
    dense = std::max(dense, strides[axis] * std::max<int64_t>(1, dims[axis]));
  }
  refusal_ = TextOf(f_.memory_desc_init_by_strides(&memory, rank, dims, TypeOf(tensor), strides));
  return refusal_.empty();
}

void Primitive::AddMemory(dnnl_engine_t engine, int argument, const dnnl_memory_desc_t& memory) {
  dnnl_memory_t object = nullptr;
  const dnnl_status_t status = f_.memory_create(&object, &memory, engine, DNNL_MEMORY_NONE);
  if (status != dnnl_success) {
    refusal_ = TextOf(status);
    return;
  }
  arguments_.push_back({argument, object});
}

void Primitive::Create(dnnl_engine_t engine, const_dnnl_op_desc_t op,
                       const_dnnl_primitive_attr_t attributes) {
  dnnl_primitive_desc_t description = nullptr;
  dnnl_status_t status =
      f_.primitive_desc_create(&description, op, attributes, engine, /*hint_forward=*/nullptr);
  if (status == dnnl_success) {
    status = f_.primitive_create(&primitive_, description);
    f_.primitive_desc_destroy(description);
  }
  refusal_ = TextOf(status);
}

// alpha is the scale of the product, beta that of a sum with what c holds. A matmul has no sum when
// beta is 0, and then does not read c.
void Primitive::MakeGemm(dnnl_engine_t engine, const AssayCall& call) {
  if (call.attributes[0] == 0) {
    refusal_ = "a matmul scaled by 0 still reads a and b";
    return;
  }
  // With AVX-512, version 2.6.3 divides by zero while it creates such a primitive: SIGFPE, before
  // any call that could be guarded.
  if (IsEmpty(call.operands[0]) || IsEmpty(call.operands[1])) {
    refusal_ = "creating a matmul of an empty matrix ends the process in oneDNN 2.6";
    return;
  }
  dnnl_memory_desc_t a, b, c;
  if (!Describe(call.operands[0], call.attributes[2] != 0, a) ||
      !Describe(call.operands[1], call.attributes[3] != 0, b) ||
      !Describe(call.operands[2], false, c)) {
    return;
  }
  dnnl_matmul_desc_t op;
  refusal_ = TextOf(f_.matmul_desc_init(&op, &a, &b, /*bias_desc=*/nullptr, &c));
  if (!refusal_.empty()) return;
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_post_ops_t post_ops = nullptr;
  f_.primitive_attr_create(&attributes);
  f_.post_ops_create(&post_ops);
  const auto alpha = static_cast<float>(call.attributes[0]);
  if (alpha != 1) f_.primitive_attr_set_output_scales(attributes, 1, /*mask=*/0, &alpha);
  const auto beta = static_cast<float>(call.attributes[1]);
  if (beta != 0) {
    f_.post_ops_append_sum(post_ops, beta);
    f_.primitive_attr_set_post_ops(attributes, post_ops);
  }
  Create(engine, &op, attributes);
  f_.post_ops_destroy(post_ops);
  f_.primitive_attr_destroy(attributes);
  if (!refusal_.empty()) return;
  AddMemory(engine, DNNL_ARG_SRC, a);
  AddMemory(engine, DNNL_ARG_WEIGHTS, b);
  AddMemory(engine, DNNL_ARG_DST, c);
}

void Primitive::MakeSoftmax(dnnl_engine_t engine, const AssayCall& call) {
  dnnl_memory_desc_t x, out;
  if (!Describe(call.operands[0], false, x) || !Describe(call.operands[1], false, out)) return;
  dnnl_softmax_v2_desc_t op;
  refusal_ = TextOf(f_.softmax_v2_forward_desc_init(&op, dnnl_forward_inference,
                                                    dnnl_softmax_accurate, &x, &out, /*axis=*/1));
  if (refusal_.empty()) Create(engine, &op, nullptr);
  if (!refusal_.empty()) return;
  AddMemory(engine, DNNL_ARG_SRC, x);
  AddMemory(engine, DNNL_ARG_DST, out);
}

void Primitive::MakeUnary(dnnl_engine_t engine, const AssayCall& call) {
  dnnl_memory_desc_t x, out;
  if (!Describe(call.operands[0], false, x) || !Describe(call.operands[1], false, out)) return;
  const VectorView from = VectorOf(call.operands[0]), to = VectorOf(call.operands[1]);
  if (from.stride != to.stride) {
    refusal_ = "an eltwise primitive has one layout for input and output";
    return;
  }
  dnnl_eltwise_desc_t op;
  refusal_ = TextOf(f_.eltwise_forward_desc_init(&op, dnnl_forward_inference, AlgorithmOf(call), &x,
                                                 /*alpha=*/0, /*beta=*/0));
  if (refusal_.empty()) Create(engine, &op, nullptr);
  if (!refusal_.empty()) return;
  AddMemory(engine, DNNL_ARG_SRC, x);
  AddMemory(engine, DNNL_ARG_DST, out);
}

std::string_view Primitive::Run(dnnl_stream_t stream, const AssayCall& call) {
  dnnl_status_t status = dnnl_success;
  for (size_t i = 0; i < arguments_.size() && status == dnnl_success; ++i) {
    status = f_.memory_set_data_handle(arguments_[i].memory, Element0<void>(call.operands[i]));
  }
  if (status == dnnl_success) {
    status = f_.primitive_execute(primitive_, stream, static_cast<int>(arguments_.size()),
                                  arguments_.data());
  }
  if (status == dnnl_success) status = f_.stream_wait(stream);
  return TextOf(status);
}

Primitive& Primitives::Get(const AssayCall& call) {
  const Key key = KeyOf(call);
  const auto found = primitives_.find(key);
  if (found != primitives_.end()) return *found->second;
  if (order_.size() < kKept) {
    order_.push_back(key);
  } else {
    primitives_.erase(order_[next_]);
    order_[next_] = key;
    next_ = (next_ + 1) % kKept;
  }
  auto primitive = std::make_unique<Primitive>(functions_, engine_, call);
  return *primitives_.emplace(key, std::move(primitive)).first->second;
}

}  // namespace assay::onednn
