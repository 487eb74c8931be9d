// SPDX-License-Identifier: Apache-2.0
//
// One call of the C table as a chain of oneDNN primitives over memory objects. What an operator
// comes to is said by the Make functions (make.h), which describe, bind and add; the chain then
// runs over the addresses of any call with the same key. Not thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "engine/backends/onednn/functions.h"
#include "engine/include/assay/backend.h"

namespace assay::onednn {

// One axis of a memory descriptor; the stride, in elements, of fewer than two is never used.
struct Axis {
  int64_t size = 1;
  int64_t stride = 1;
};
inline Axis AxisOf(const AssayTensor& tensor, int axis) {
  return {tensor.shape[axis], tensor.strides[axis]};
}
bool IsEmpty(const AssayTensor& tensor);

// Scales, zero points and operations behind a primitive's own. Owns what it wraps.
class Attributes {
 public:
  explicit Attributes(const Functions& functions);
  ~Attributes();
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void Scale(float factor);
  void SourceZeroPoint(int32_t value);
  // What the result is added to with this factor: the old content of the destination.
  void ThenSum(float factor);
  void ThenEltwise(dnnl_alg_kind_t algorithm, float alpha, float beta);
  // Position among the operations: what DNNL_ARG_ATTR_MULTIPLE_POST_OP wants to know.
  int ThenBinary(dnnl_alg_kind_t algorithm, const dnnl_memory_desc_t& other);
  // Valid as long as this is.
  const_dnnl_primitive_attr_t Get();

 private:
  const Functions& f_;
  dnnl_primitive_attr_t attributes_ = nullptr;
  dnnl_post_ops_t post_ops_ = nullptr;
  int operations_ = 0;
};

class Primitive {
 public:
  // For Make functions; `at` is the index that Bind or Own gave.
  struct Argument {
    int name;  // DNNL_ARG_
    int at;
  };

  Primitive(const Functions& functions, dnnl_engine_t engine, const AssayCall& call);
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  // Why there is no such primitive, or empty.
  std::string_view refusal() const { return refusal_; }
  // Empty, or what failed. REQUIRES no refusal, and a call with the key that this was made for.
  std::string_view Run(dnnl_stream_t stream, const AssayCall& call);

  const Functions& functions() const { return f_; }
  void Refuse(std::string_view reason) { refusal_ = reason; }
  // Each returns whether all is well so far; if not, refusal() says why.
  bool Succeeded(dnnl_status_t status);
  bool Describe(const AssayTensor& tensor, std::span<const Axis> axes, dnnl_memory_desc_t& memory);
  bool Describe(const AssayTensor& tensor, std::initializer_list<Axis> axes,
                dnnl_memory_desc_t& memory) {
    return Describe(tensor, std::span<const Axis>(axes.begin(), axes.size()), memory);
  }
  // All axes in their order.
  bool Describe(const AssayTensor& tensor, dnnl_memory_desc_t& memory);
  // A memory object over operand `operand` of whichever call runs, or over memory of its own.
  int Bind(const dnnl_memory_desc_t& memory, int operand);
  int Own(const dnnl_memory_desc_t& memory);
  // A description to ask for layouts; null, with a refusal, if there is none.
  dnnl_primitive_desc_t Plan(const_dnnl_op_desc_t op, const_dnnl_primitive_attr_t attributes);
  void Add(const_dnnl_op_desc_t op, const_dnnl_primitive_attr_t attributes,
           std::initializer_list<Argument> arguments);
  // Takes over the description.
  void AddPlanned(dnnl_primitive_desc_t plan, std::initializer_list<Argument> arguments);
  void AddReorder(const dnnl_memory_desc_t& from_memory, int from,
                  const dnnl_memory_desc_t& to_memory, int to,
                  const_dnnl_primitive_attr_t attributes);

 private:
  static constexpr int kOwn = -1;
  struct Object {
    dnnl_memory_t memory;
    int operand;  // whose address it takes, or kOwn
  };
  struct Step {
    dnnl_primitive_t primitive;
    std::vector<dnnl_exec_arg_t> arguments;
  };

  int AddObject(const dnnl_memory_desc_t& memory, int operand);

  const Functions& f_;
  dnnl_engine_t engine_;
  std::vector<Object> objects_;
  std::vector<Step> steps_;
  std::string_view refusal_;
};

}  // namespace assay::onednn
