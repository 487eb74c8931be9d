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
  return Answer(call->op <= ASSAY_OP_GATHER ? "" : "no such operation", reason);
}

int32_t Run(void*, const AssayCall* call, AssayText* text) {
  switch (call->op) {
    case ASSAY_OP_GEMM:
      reference::Gemm(*call);
      return ASSAY_OK;
    case ASSAY_OP_DOT:
      reference::Dot(*call);
      return ASSAY_OK;
    case ASSAY_OP_SUM:
      reference::Sum(*call);
      return ASSAY_OK;
    case ASSAY_OP_SOFTMAX:
      reference::Softmax(*call);
      return ASSAY_OK;
    case ASSAY_OP_GATHER:
      if (reference::Gather(*call)) return ASSAY_OK;
      Say(text, "index outside the table");
      return ASSAY_RAISED;
    default:
      if (call->op > ASSAY_OP_GATHER) return Answer("no such operation", text);
      reference::Unary(*call);
      return ASSAY_OK;
  }
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
