// SPDX-License-Identifier: Apache-2.0
//
// What each operator of the C table is in XNNPACK. Its operators are made, set up over addresses,
// run once and deleted in each call: weights are packed while an operator is made, so that none can
// be kept for other addresses.
#pragma once

#include <xnnpack.h>

#include <limits>
#include <string_view>

#include "engine/include/assay/backend.h"

namespace assay::xnnpack {

// One operator of the library, deleted at the end. Guards may end a call in its middle: what is
// then not deleted is lost.
class Operator {
 public:
  Operator() = default;
  ~Operator() {
    if (operator_ != nullptr) xnn_delete_operator(operator_);
  }
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  xnn_operator_t* out() { return &operator_; }
  xnn_operator_t get() const { return operator_; }
  xnn_status Run() const { return xnn_run_operator(operator_, /*threadpool=*/nullptr); }

 private:
  xnn_operator_t operator_ = nullptr;
};

// Bounds that clamp nothing.
inline constexpr float kLowest = -std::numeric_limits<float>::infinity();
inline constexpr float kHighest = std::numeric_limits<float>::infinity();

// An operator of the C table: why a call cannot be expressed (empty: it can), and the call itself.
// Run REQUIRES no refusal; what the library refuses on top of it is in its status.
struct Operation {
  std::string_view (*refusal)(const AssayCall& call);
  xnn_status (*run)(const AssayCall& call);
};
// Null if there is none.
const Operation* FindPointwise(uint32_t op);  // functions of elements, conversions, softmax, mean
const Operation* FindProduct(uint32_t op);    // fully connected layers
const Operation* FindWindow(uint32_t op);     // convolution and pooling

}  // namespace assay::xnnpack
