// SPDX-License-Identifier: Apache-2.0
//
// The C table over the launcher: reads the operands of a gemm into the kernel's arguments and
// launches the grid with the call's schedule seed.
#include "engine/backends/simt/simt.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "engine/backends/simt/kernels/gemm_tiled.h"
#include "engine/backends/simt/runtime.h"

namespace assay {
namespace {

constexpr uint8_t kIeeeFloat = 2;

struct SimtBackend {
  AssayBackend table;
  simt::Launcher launcher;
};

void Write(AssayText* text, std::string_view message) {
  if (text == nullptr) return;
  text->size = std::min(message.size(), text->capacity);
  if (text->size > 0) std::memcpy(text->data, message.data(), text->size);
}

bool Transposed(const AssayCall& call, int attribute) { return call.attributes[attribute] != 0; }

// `transposed` reads the stored matrix with its two axes exchanged.
template <class T>
simt::Matrix<T> MatrixOf(const AssayTensor& tensor, bool transposed) {
  auto* base = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const int64_t row = tensor.strides[transposed ? 1 : 0];
  const int64_t column = tensor.strides[transposed ? 0 : 1];
  return {reinterpret_cast<T*>(base), row, column};
}

template <class T>
void Kernel(const void* argument) {
  simt::GemmTiled<T, simt::kGemmTile>(*static_cast<const simt::GemmArguments<T>*>(argument));
}

template <class T>
std::string Gemm(simt::Launcher& launcher, const AssayCall& call) {
  const bool transposed_a = Transposed(call, 2), transposed_b = Transposed(call, 3);
  const AssayTensor &a = call.operands[0], &b = call.operands[1], &c = call.operands[2];
  simt::GemmArguments<T> arguments;
  arguments.m = static_cast<int>(c.shape[0]);
  arguments.n = static_cast<int>(c.shape[1]);
  arguments.k = static_cast<int>(a.shape[transposed_a ? 0 : 1]);
  arguments.alpha = static_cast<T>(call.attributes[0]);
  arguments.beta = static_cast<T>(call.attributes[1]);
  arguments.a = MatrixOf<const T>(a, transposed_a);
  arguments.b = MatrixOf<const T>(b, transposed_b);
  arguments.c = MatrixOf<T>(c, false);
  if (arguments.m == 0 || arguments.n == 0) return {};
  // c := 0 a b + 1 c stores nothing, so that a signalling NaN in c stays what it is.
  if ((arguments.alpha == 0 || arguments.k == 0) && arguments.beta == 1) return {};
  constexpr unsigned kTile = simt::kGemmTile;
  const simt::Dim3 grid = {(static_cast<unsigned>(arguments.n) + kTile - 1) / kTile,
                           (static_cast<unsigned>(arguments.m) + kTile - 1) / kTile, 1};
  return launcher.Launch(grid, {kTile, kTile, 1}, call.schedule_seed, &Kernel<T>, &arguments);
}

const char* Version(void*) { return "1"; }
const char* Pins(void*) { return ""; }

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  if (call->op != ASSAY_OP_GEMM) {
    Write(reason, "gemm only");
    return ASSAY_UNSUPPORTED;
  }
  const AssayDataType type = call->operands[0].dtype;
  const bool real = type.code == kIeeeFloat && (type.bits == 32 || type.bits == 64);
  if (!real || call->operands[2].dtype.bits != type.bits) {
    Write(reason, "f32 and f64 only, one type for all operands");
    return ASSAY_UNSUPPORTED;
  }
  for (int i = 0; i < call->operand_count; ++i) {
    for (int axis = 0; axis < call->operands[i].ndim; ++axis) {
      if (call->operands[i].shape[axis] > std::numeric_limits<int>::max() / 2) {
        Write(reason, "extents are 32-bit integers");
        return ASSAY_UNSUPPORTED;
      }
    }
  }
  return ASSAY_OK;
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  simt::Launcher& launcher = static_cast<SimtBackend*>(self)->launcher;
  const std::string problem = call->operands[0].dtype.bits == 32 ? Gemm<float>(launcher, *call)
                                                                 : Gemm<double>(launcher, *call);
  Write(text, problem);
  return problem.empty() ? ASSAY_OK : ASSAY_FAILED;
}

const char* Declare(void*, const char* key) {
  if (std::strcmp(key, "schedules") == 0) return "by seed";
  return std::strcmp(key, "profile") == 0 ? "simt" : nullptr;
}

void Close(void* self) { delete static_cast<SimtBackend*>(self); }

}  // namespace

const AssayBackend* OpenSimt() {
  auto backend = std::make_unique<SimtBackend>();
  backend->table = {.struct_size = sizeof(AssayBackend),
                    .abi_version = ASSAY_ABI_VERSION,
                    .self = backend.get(),
                    .family = "simt",
                    .version = &Version,
                    .pins = &Pins,
                    .supports = &Supports,
                    .run = &Run,
                    .declare = &Declare,
                    .close = &Close};
  return &backend.release()->table;
}

}  // namespace assay
