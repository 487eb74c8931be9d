// SPDX-License-Identifier: Apache-2.0
//
// libxsmm's small matrix products as a backend module: kernels that the library writes at run time,
// one per shape. What it would hand on to a BLAS (other scalars than 1 and 0 or 1, large shapes) is
// not its own work and is refused.
#include <libxsmm.h>

#include <string>
#include <string_view>
#include <utility>

#include "engine/backends/call_view.h"

namespace assay::libxsmm {
namespace {

// The library's own threshold: the cube root of m n k up to which it writes a kernel by itself.
constexpr int64_t kLargestProduct = int64_t{64} * 64 * 64;

// Column-major, as the library wants it.
struct Product {
  GemmShape shape;
  const AssayTensor* a;
  const AssayTensor* b;
  const AssayTensor* c;
};

// A row-major c is its transpose in column-major terms: the factors change places.
std::string_view Derive(const AssayCall& call, Product& product) {
  GemmShape& shape = product.shape;
  if (const std::string_view why = DeriveGemm(call, shape); !why.empty()) return why;
  product.a = &call.operands[0];
  product.b = &call.operands[1];
  product.c = &call.operands[2];
  if (!shape.row_major) return {};
  std::swap(product.a, product.b);
  std::swap(shape.lda, shape.ldb);
  std::swap(shape.trans_a, shape.trans_b);
  std::swap(shape.m, shape.n);
  return {};
}

// The kernel of a shape, or null where the library has none. Written at the first request, then
// found again.
template <class T, class Dispatch>
auto KernelOf(Dispatch dispatch, const GemmShape& shape, double beta) {
  const auto lda = static_cast<int>(shape.lda), ldb = static_cast<int>(shape.ldb),
             ldc = static_cast<int>(shape.ldc);
  const T one = 1, scale = static_cast<T>(beta);
  const int flags = (shape.trans_a ? LIBXSMM_GEMM_FLAG_TRANS_A : 0) |
                    (shape.trans_b ? LIBXSMM_GEMM_FLAG_TRANS_B : 0);
  const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  return dispatch(static_cast<int>(shape.m), static_cast<int>(shape.n), static_cast<int>(shape.k),
                  &lda, &ldb, &ldc, &one, &scale, &flags, &prefetch);
}

template <class T, class Kernel>
void Multiply(Kernel kernel, const Product& product) {
  kernel(Element0<const T>(*product.a), Element0<const T>(*product.b), Element0<T>(*product.c));
}

std::string_view Refusal(const AssayCall& call, Product& product) {
  if (call.op != ASSAY_OP_GEMM) return "libxsmm has no such operation";
  for (int i = 0; i < call.operand_count; ++i) {
    if (!SameType(call.operands[i], call.operands[0])) return "operands of one type only";
  }
  const bool wide = IsFloat(call.operands[0], 64);
  if (!wide && !IsFloat(call.operands[0], 32)) return "operands of f64 or of f32 only";
  const double alpha = call.attributes[0], beta = call.attributes[1];
  if (alpha != 1 || (beta != 0 && beta != 1)) return "alpha = 1 and beta = 0 or 1 only";
  if (const std::string_view why = Derive(call, product); !why.empty()) return why;
  const GemmShape& shape = product.shape;
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return "no empty products";
  if (shape.m > kLargestProduct / shape.n / shape.k) return "larger than what libxsmm is for";
  const bool has = wide ? KernelOf<double>(libxsmm_dmmdispatch, shape, beta) != nullptr
                        : KernelOf<float>(libxsmm_smmdispatch, shape, beta) != nullptr;
  return has ? "" : "libxsmm writes no kernel for this shape";
}

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  Product product;
  return Answer(Refusal(*call, product), reason);
}

int32_t Run(void*, const AssayCall* call, AssayText* text) {
  Product product;
  const std::string_view refusal = Refusal(*call, product);
  if (!refusal.empty()) return Answer(refusal, text);
  const double beta = call->attributes[1];
  if (IsFloat(call->operands[0], 64)) {
    Multiply<double>(KernelOf<double>(libxsmm_dmmdispatch, product.shape, beta), product);
  } else {
    Multiply<float>(KernelOf<float>(libxsmm_smmdispatch, product.shape, beta), product);
  }
  return ASSAY_OK;
}

const char* Version(void*) { return LIBXSMM_CONFIG_VERSION; }
const char* Pins(void*) {
  static const std::string pins = std::string("arch=") + libxsmm_get_target_arch();
  return pins.c_str();
}
const char* Declare(void*, const char* key) {
  return std::string_view(key) == "profile" ? "libxsmm" : nullptr;
}
void Close(void*) {}

constexpr AssayBackend kTable = {sizeof(AssayBackend),
                                 ASSAY_ABI_VERSION,
                                 nullptr,
                                 "libxsmm",
                                 Version,
                                 Pins,
                                 Supports,
                                 Run,
                                 Declare,
                                 Close};

}  // namespace
}  // namespace assay::libxsmm

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char*, AssayText*) {
  libxsmm_init();
  return &assay::libxsmm::kTable;
}
