// SPDX-License-Identifier: Apache-2.0
//
// oneDNN primitives for calls of the C table, kept by what they depend on: creating one costs 7 to
// 70 microseconds, more than running it. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/backends/onednn/functions.h"
#include "engine/include/assay/backend.h"

namespace assay::onednn {

// Everything a primitive depends on: operation, scalars, types, shapes, strides. Never addresses.
using Key = std::array<int64_t, 22>;
struct KeyHash {
  size_t operator()(const Key& key) const;
};

// A primitive with its memory objects, or why there is none.
class Primitive {
 public:
  Primitive(const Functions& functions, dnnl_engine_t engine, const AssayCall& call);
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  std::string_view refusal() const { return refusal_; }
  // Empty, or what failed. REQUIRES no refusal, and a call with the key that this was made for.
  std::string_view Run(dnnl_stream_t stream, const AssayCall& call);

 private:
  void MakeGemm(dnnl_engine_t engine, const AssayCall& call);
  void MakeSoftmax(dnnl_engine_t engine, const AssayCall& call);
  void MakeUnary(dnnl_engine_t engine, const AssayCall& call);
  void Create(dnnl_engine_t engine, const_dnnl_op_desc_t op,
              const_dnnl_primitive_attr_t attributes);
  bool Describe(const AssayTensor& tensor, bool transposed, dnnl_memory_desc_t& memory);
  void AddMemory(dnnl_engine_t engine, int argument, const dnnl_memory_desc_t& memory);

  const Functions& f_;
  dnnl_primitive_t primitive_ = nullptr;
  std::vector<dnnl_exec_arg_t> arguments_;  // in the order of the call's operands
  std::string_view refusal_;
};

class Primitives {
 public:
  Primitives(const Functions& functions, dnnl_engine_t engine)
      : functions_(functions), engine_(engine) {}
  // Made if there is none. Holds a bounded number; the oldest goes first, so that what is kept
  // depends on the calls alone. Valid until the next Get.
  Primitive& Get(const AssayCall& call);

 private:
  const Functions& functions_;
  dnnl_engine_t engine_;
  std::unordered_map<Key, std::unique_ptr<Primitive>, KeyHash> primitives_;
  std::vector<Key> order_;  // ring
  size_t next_ = 0;
};

}  // namespace assay::onednn
