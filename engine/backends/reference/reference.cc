// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/reference/reference.h"

#include <string_view>

#include "engine/backends/call_view.h"
#include "engine/backends/reference/kernels.h"

namespace assay {
namespace {

const char* Version(void*) { return "1"; }
const char* Pins(void*) { return ""; }
const char* Declare(void*, const char* key) {
  return std::string_view(key) == "profile" ? "reference" : nullptr;
}
void Close(void*) {}

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  return Answer(call->op <= ASSAY_OP_COMPLEX_ABS ? "" : "no such operation", reason);
}

std::string_view WhyRaised(uint32_t op) {
  if (op == ASSAY_OP_ARGMAX || op == ASSAY_OP_AMAX) return "nothing to search";
  if (op == ASSAY_OP_INT_DIV || op == ASSAY_OP_INT_REMAINDER) return "no such quotient";
  return "index outside what it chooses from";
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  const int32_t status = reference::Run(*call);
  if (status == ASSAY_RAISED) Say(text, WhyRaised(call->op));
  return status;
}

constexpr AssayBackend kTable = {sizeof(AssayBackend),
                                 ASSAY_ABI_VERSION,
                                 nullptr,
                                 "reference",
                                 Version,
                                 Pins,
                                 Supports,
                                 Run,
                                 Declare,
                                 Close};

}  // namespace

const AssayBackend* OpenReference() { return &kTable; }

}  // namespace assay
