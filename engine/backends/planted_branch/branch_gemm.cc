// SPDX-License-Identifier: Apache-2.0
//
// An instrumented gemm that is right except behind a chain of branches: one wrong column of b when
// the residues of the extents, the leading dimensions and the transposes all fit. Drawn at random
// they fit less than once in a million times; one at a time each is likely, so that a fuzzer that
// sees the branches reaches the fault step by step. A module of its own, since the instrumentation
// is per file: the engine must not be instrumented.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/include/assay/backend.h"

#define ASSAY_EXPORT __attribute__((visibility("default")))

// The instrumentation announces its counters to whoever provides these: libFuzzer in a fuzzing host
// that exports its symbols. Weak, so that its definitions win and a host without it can load the
// module too.
extern "C" {
ASSAY_EXPORT __attribute__((weak)) void __sanitizer_cov_8bit_counters_init(uint8_t*, uint8_t*) {}
ASSAY_EXPORT __attribute__((weak)) void __sanitizer_cov_pcs_init(const uintptr_t*,
                                                                 const uintptr_t*) {}
}

namespace {

struct Matrix {
  Matrix(const AssayTensor& tensor, bool transposed)
      : data(reinterpret_cast<float*>(static_cast<std::byte*>(tensor.data) + tensor.byte_offset)),
        leading(tensor.strides[0]),
        row_stride(tensor.strides[transposed ? 1 : 0]),
        column_stride(tensor.strides[transposed ? 0 : 1]) {}
  float& At(int64_t i, int64_t j) const { return data[i * row_stride + j * column_stride]; }

  float* data;
  int64_t leading, row_stride, column_stride;
};

// Every condition is a branch of its own, so that each one passed is new coverage.
bool TakesTheWrongColumn(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b,
                         bool transposed_a, bool transposed_b) {
  if (transposed_a) {
    if (!transposed_b) {
      if (m % 16 == 11) {
        if (n % 16 == 5) {
          if (k % 16 == 13) {
            if (a.leading % 4 == 2) {
              if (b.leading % 8 == 1) return true;
            }
          }
        }
      }
    }
  }
  return false;
}

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  constexpr char kReason[] = "gemm of f32 only";
  constexpr uint8_t kIeeeFloat = 2;
  bool supported = call->op == ASSAY_OP_GEMM;
  for (int i = 0; i < call->operand_count; ++i) {
    const AssayDataType type = call->operands[i].dtype;
    supported = supported && type.code == kIeeeFloat && type.bits == 32;
  }
  if (supported) return ASSAY_OK;
  if (reason != nullptr) {
    reason->size = sizeof(kReason) - 1 < reason->capacity ? sizeof(kReason) - 1 : reason->capacity;
    if (reason->size > 0) std::memcpy(reason->data, kReason, reason->size);
  }
  return ASSAY_UNSUPPORTED;
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  const bool transposed_a = call->attributes[2] != 0, transposed_b = call->attributes[3] != 0;
  const auto alpha = static_cast<float>(call->attributes[0]);
  const auto beta = static_cast<float>(call->attributes[1]);
  const Matrix a(call->operands[0], transposed_a), b(call->operands[1], transposed_b);
  const Matrix c(call->operands[2], false);
  const int64_t m = call->operands[2].shape[0], n = call->operands[2].shape[1];
  const int64_t k = call->operands[0].shape[transposed_a ? 0 : 1];
  const bool has_product = alpha != 0 && k > 0;
  if (!has_product && beta == 1) return ASSAY_OK;
  const int64_t wrong = TakesTheWrongColumn(m, n, k, a, b, transposed_a, transposed_b) ? n - 1 : -1;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      const int64_t column = j == wrong ? 0 : j;
      for (int64_t p = 0; has_product && p < k; ++p) sum += a.At(i, p) * b.At(p, column);
      const float product = has_product ? alpha * sum : 0;
      c.At(i, j) = beta == 0 ? product : product + beta * c.At(i, j);
    }
  }
  return ASSAY_OK;
}

const char* Version(void*) { return "1"; }
const char* Pins(void*) { return ""; }
const char* Declare(void*, const char* key) {
  return std::strcmp(key, "profile") == 0 ? "planted" : nullptr;
}
void Close(void*) {}

constexpr AssayBackend kTable = {sizeof(AssayBackend),
                                 ASSAY_ABI_VERSION,
                                 nullptr,
                                 "planted_branch",
                                 &Version,
                                 &Pins,
                                 &Supports,
                                 &Run,
                                 &Declare,
                                 &Close};

}  // namespace

ASSAY_EXPORT const AssayBackend* assay_backend_open(const char*, AssayText*) { return &kTable; }
