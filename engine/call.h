// SPDX-License-Identifier: Apache-2.0
//
// A case as a backend sees it: the C call, built over placed operands. Points into the case and the
// arena; valid while both stay as they are.
#pragma once

#include <array>
#include <cstdint>

#include "contracts/case.h"
#include "contracts/operator.h"
#include "engine/arena.h"
#include "engine/include/assay/backend.h"

namespace assay {

AssayDataType DataTypeOf(DType type);

class BackendCall {
 public:
  // Shapes, strides, types and attributes; data stays null.
  void Describe(const Case& value, const OperatorDef& op);
  // Points operand `slot` at its memory.
  void Attach(int slot, const Placed& placed);
  // One index of an axis in place of all of them: a view of the same memory.
  void Narrow(int slot, int axis, int64_t index);
  void set_schedule_seed(uint64_t seed) { call_.schedule_seed = seed; }
  void set_run_number(uint32_t number) { call_.run_number = number; }
  void set_threads(uint32_t threads) { call_.threads = threads; }
  void set_attribute(int position, double value) { attributes_[position] = value; }
  const AssayCall* get() const { return &call_; }

 private:
  AssayCall call_{};
  std::array<double, kMaxAttributes> attributes_{};
  std::array<AssayTensor, kMaxOperands> tensors_{};
  std::array<Dims, kMaxOperands> shapes_{};
  std::array<Dims, kMaxOperands> strides_{};
};

}  // namespace assay
