// SPDX-License-Identifier: Apache-2.0
//
// oneDNN primitives for calls of the C table, kept by what they depend on: creating one costs 7 to
// 70 microseconds, more than running it, and a convolution's milliseconds. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/backends/onednn/functions.h"
#include "engine/backends/onednn/primitive.h"
#include "engine/include/assay/backend.h"

namespace assay::onednn {

// Everything a primitive depends on: operation, schedule, scalars, types, shapes, strides. Never
// addresses.
using Key = std::array<int64_t, 36>;
struct KeyHash {
  size_t operator()(const Key& key) const;
};

class Primitives {
 public:
  Primitives(const Functions& functions, dnnl_engine_t engine)
      : functions_(functions), engine_(engine) {}
  // Made if there is none. Holds a bounded number; the oldest goes first, so that what is kept
  // depends on the calls alone. Valid until the next Get. REQUIRES a call that Fits.
  Primitive& Get(const AssayCall& call);

 private:
  const Functions& functions_;
  dnnl_engine_t engine_;
  std::unordered_map<Key, std::unique_ptr<Primitive>, KeyHash> primitives_;
  std::vector<Key> order_;  // ring
  size_t next_ = 0;
};

// Whether a key can hold the call; calls of other operators than Make knows may be larger.
bool Fits(const AssayCall& call);

}  // namespace assay::onednn
