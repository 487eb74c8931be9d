// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/onednn/primitives.h"

#include <bit>

#include "engine/backends/onednn/make.h"

namespace assay::onednn {
namespace {

constexpr size_t kKept = 512;

Key KeyOf(const AssayCall& call) {
  Key key{};
  size_t at = 0;
  key[at++] = int64_t{call.op} * 2 + (OtherSchedule(call) ? 1 : 0);
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

}  // namespace

size_t KeyHash::operator()(const Key& key) const {
  uint64_t hash = 0;
  for (const int64_t word : key) {
    hash = (std::rotl(hash, 5) ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u;
  }
  return hash;
}

bool Fits(const AssayCall& call) {
  size_t words = 1 + static_cast<size_t>(call.attribute_count);
  for (int i = 0; i < call.operand_count; ++i) {
    words += 1 + 2 * static_cast<size_t>(call.operands[i].ndim);
  }
  return words <= std::tuple_size_v<Key>;
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
