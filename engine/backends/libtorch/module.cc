// SPDX-License-Identifier: Apache-2.0
//
// libtorch's operators on the CPU as a backend module: the table, and what is common to all calls.
// Loading it loads some hundred libraries, so that it runs in a process of its own.
#include <ATen/Version.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/api/include/torch/version.h>

#include <exception>
#include <string>

#include "engine/backends/libtorch/rules.h"
#include "engine/backends/libtorch/tensors.h"

namespace assay::libtorch {
namespace {

at::ScalarType TypeOf(const AssayDataType& type) {
  constexpr uint8_t kUnsigned = 1, kFloat = 2, kBfloat = 4;
  const bool wide = type.bits == 64;
  switch (type.code) {
    case kFloat:
      return wide ? at::kDouble : type.bits == 32 ? at::kFloat : at::kHalf;
    case kBfloat:
      return at::kBFloat16;
    case kUnsigned:
      return at::kByte;
    default:
      return wide ? at::kLong : type.bits == 32 ? at::kInt : at::kChar;
  }
}

// An error of the library where it checks its input is its answer: of an index, of an extremum of
// nothing. Elsewhere it is a failure.
bool ChecksInput(uint32_t op) {
  switch (op) {
    case ASSAY_OP_GATHER:
    case ASSAY_OP_EMBEDDING:
    case ASSAY_OP_INDEX_SELECT:
    case ASSAY_OP_SCATTER_ADD:
    case ASSAY_OP_MAX:
    case ASSAY_OP_MIN:
    case ASSAY_OP_ARGMAX:
    case ASSAY_OP_AMAX:
      return true;
    default:
      return false;
  }
}

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  return Answer(RefusalOf(*call), reason);
}

int32_t Run(void*, const AssayCall* call, AssayText* text) noexcept {
  if (const int32_t status = Supports(nullptr, call, text); status != ASSAY_OK) return status;
  try {
    const c10::InferenceMode no_gradients;
    const bool known =
        RunPointwise(*call) || RunReduction(*call) || RunProduct(*call) || RunIndexed(*call);
    if (known) return ASSAY_OK;
    Say(text, "an operation that the rules take and no function runs");
    return ASSAY_FAILED;
  } catch (const c10::Error& error) {
    Say(text, error.what_without_backtrace());
    return ChecksInput(call->op) ? ASSAY_RAISED : ASSAY_FAILED;
  } catch (const std::exception& error) {
    Say(text, error.what());
    return ASSAY_FAILED;
  }
}

const char* Version(void*) { return TORCH_VERSION; }

// The line "CPU capability usage: AVX2" of what the library says about itself.
const char* Pins(void*) {
  static const std::string pins = [] {
    constexpr std::string_view kLine = "CPU capability usage: ";
    const std::string config = at::show_config();
    const size_t found = config.find(kLine);
    if (found == std::string::npos) return std::string();
    const size_t begin = found + kLine.size();
    const std::string name = config.substr(begin, config.find('\n', begin) - begin);
    return "isa=" + IsaFromReport(name);
  }();
  return pins.c_str();
}
const char* Declare(void*, const char* key) {
  return std::string_view(key) == "profile" ? "libtorch" : nullptr;
}
void Close(void*) {}

constexpr AssayBackend kTable = {sizeof(AssayBackend),
                                 ASSAY_ABI_VERSION,
                                 nullptr,
                                 "libtorch",
                                 Version,
                                 Pins,
                                 Supports,
                                 Run,
                                 Declare,
                                 Close};

}  // namespace

at::Tensor TensorOf(const AssayTensor& operand) {
  const auto rank = static_cast<size_t>(operand.ndim);
  return at::from_blob(Element0<void>(operand), at::IntArrayRef(operand.shape, rank),
                       at::IntArrayRef(operand.strides, rank), TypeOf(operand.dtype));
}

}  // namespace assay::libtorch

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char*, AssayText*) {
  return &assay::libtorch::kTable;
}
