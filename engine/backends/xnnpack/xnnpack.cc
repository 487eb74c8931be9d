// SPDX-License-Identifier: Apache-2.0
//
// XNNPACK as a backend module: its operators of f32 (f16 and bytes for conversions), without a
// thread pool. The library takes no options: it chooses its kernels by the CPU.
#include <string_view>

#include "engine/backends/call_view.h"
#include "engine/backends/xnnpack/operation.h"

namespace assay::xnnpack {
namespace {

const Operation* Find(uint32_t op) {
  if (const Operation* found = FindPointwise(op); found != nullptr) return found;
  if (const Operation* found = FindProduct(op); found != nullptr) return found;
  return FindWindow(op);
}

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  const Operation* operation = Find(call->op);
  return Answer(operation == nullptr ? "XNNPACK has no such operator" : operation->refusal(*call),
                reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  switch (Find(call->op)->run(*call)) {
    case xnn_status_success:
      return ASSAY_OK;
    case xnn_status_invalid_parameter:
    case xnn_status_unsupported_parameter:
      return Answer("XNNPACK does not take these parameters", text);
    case xnn_status_unsupported_hardware:
      return Answer("XNNPACK has no such operator on this CPU", text);
    default:
      Say(text, "XNNPACK returned an error");
      return ASSAY_FAILED;
  }
}

// The library reports none; this is the version of its binary interface.
const char* Version(void*) { return "soname 0"; }
const char* Pins(void*) { return ""; }
const char* Declare(void*, const char* key) {
  return std::string_view(key) == "profile" ? "xnnpack" : nullptr;
}
void Close(void*) {}

constexpr AssayBackend kTable = {sizeof(AssayBackend),
                                 ASSAY_ABI_VERSION,
                                 nullptr,
                                 "xnnpack",
                                 Version,
                                 Pins,
                                 Supports,
                                 Run,
                                 Declare,
                                 Close};

}  // namespace
}  // namespace assay::xnnpack

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char* options, AssayText* error) {
  if (*options != 0) {
    assay::Say(error, "XNNPACK takes no options");
    return nullptr;
  }
  if (xnn_initialize(/*allocator=*/nullptr) != xnn_status_success) {
    assay::Say(error, "XNNPACK does not initialize on this CPU");
    return nullptr;
  }
  return &assay::xnnpack::kTable;
}
