// SPDX-License-Identifier: Apache-2.0
//
// Builder for one call over guarded operands, for tests of backends: values are given as doubles in
// row-major order, whatever the strides. Operands hold what the test says and nothing is generated.
#pragma once

#include <string>
#include <vector>

#include "contracts/case.h"
#include "contracts/operator.h"
#include "engine/arena.h"
#include "engine/call.h"
#include "engine/guarded_call.h"

namespace assay {

inline OperandValues ValuesOf(const Tensor& tensor, const std::vector<double>& real) {
  OperandValues values;
  values.dtype = tensor.dtype;
  values.shape = tensor.shape;
  values.count = ElementCount(tensor.shape);
  for (const double each : real) {
    values.bits.push_back(IsFloat(tensor.dtype)
                              ? Encode(tensor.dtype, each)
                              : EncodeInteger(tensor.dtype, static_cast<int64_t>(each)));
  }
  return values;
}

class PlacedCall {
 public:
  PlacedCall(OpId op, DType type, const NamedDims& dims) : value_(MakeCase(op, type, dims)) {}

  Tensor& operand(int i) { return value_.operands[i]; }
  PlacedCall& Attribute(int i, double real) {
    value_.attributes[i].real = real;
    return *this;
  }
  PlacedCall& Choice(int i, int choice) {
    value_.attributes[i].choice = choice;
    return *this;
  }
  PlacedCall& ScheduleSeed(uint64_t seed) {
    value_.schedule_seed = seed;
    return *this;
  }
  // Stored shape and strides of one operand.
  PlacedCall& Layout(int i, const Dims& shape, const Dims& strides) {
    value_.operands[i].shape = shape;
    value_.operands[i].strides = strides;
    return *this;
  }
  // Readable bytes between the operands placed from now on and their guards.
  void SetSlack(int64_t bytes) { slack_bytes_ = bytes; }
  PlacedCall& Place(int i, const std::vector<double>& real) {
    call_.Describe(value_, DefOf(value_.op));
    arena_.Place(i, value_.operands[i], ValuesOf(value_.operands[i], real), slack_bytes_);
    return *this;
  }

  // The same with the bits themselves, for integers that are no double.
  PlacedCall& PlaceBits(int i, const OperandValues& values) {
    call_.Describe(value_, DefOf(value_.op));
    arena_.Place(i, value_.operands[i], values, slack_bytes_);
    return *this;
  }

  bool Supports(const AssayBackend* table, std::string* reason = nullptr) {
    call_.Describe(value_, DefOf(value_.op));
    char buffer[200];
    AssayText text{buffer, sizeof buffer, 0};
    const bool supported = table->supports(table->self, call_.get(), &text) == ASSAY_OK;
    if (reason != nullptr) reason->assign(buffer, supported ? 0 : text.size);
    return supported;
  }

  // Status of the call, ASSAY_OK included; what it did to its surroundings is in result(), what it
  // said in text().
  int32_t Run(const AssayBackend* table) {
    call_.Describe(value_, DefOf(value_.op));
    for (int i = 0; i < value_.operands.size(); ++i) call_.Attach(i, arena_.At(i));
    InstallFaultHandlers();
    struct Invocation {
      const AssayBackend* table;
      const AssayCall* call;
      AssayText text;
      int32_t status;
    } invocation{table, call_.get(), {said_, sizeof said_, 0}, ASSAY_FAILED};
    result_ = GuardedCall(
        [](void* pointer) {
          auto* in = static_cast<Invocation*>(pointer);
          in->status = in->table->run(in->table->self, in->call, &in->text);
        },
        &invocation, arena_);
    text_.assign(said_, invocation.text.size);
    return invocation.status;
  }

  std::vector<double> Output() const {
    const int last = value_.operands.size() - 1;
    const Tensor& tensor = value_.operands[last];
    std::vector<uint64_t> bits(static_cast<size_t>(ElementCount(tensor.shape)));
    arena_.Load(last, bits);
    std::vector<double> real;
    for (const uint64_t each : bits) {
      real.push_back(IsFloat(tensor.dtype)
                         ? Decode(tensor.dtype, each)
                         : static_cast<double>(DecodeInteger(tensor.dtype, each)));
    }
    return real;
  }

  const CallResult& result() const { return result_; }
  const std::string& text() const { return text_; }
  const Arena& arena() const { return arena_; }

 private:
  Case value_;
  Arena arena_;
  BackendCall call_;
  CallResult result_;
  int64_t slack_bytes_ = 0;
  char said_[200];
  std::string text_;
};

}  // namespace assay
