// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/onednn/gemm_functions.h"

#include <utility>

#include "engine/backends/call_view.h"

namespace assay::onednn {
namespace {

bool IsUnsigned(const AssayTensor& tensor) { return tensor.dtype.code == 1; }

// int8_gemm as a gemm without scalars and flags.
std::string_view DeriveProduct(const AssayCall& call, GemmShape& gemm) {
  if (call.op == ASSAY_OP_GEMM) return DeriveGemm(call, gemm);
  constexpr double kPlain[] = {1, 0, 0, 0};
  AssayCall product = call;
  product.attributes = kPlain;
  product.attribute_count = 4;
  return DeriveGemm(product, gemm);
}

// The functions are row-major: a column-major c is computed as its transpose, factors in turn.
void Turn(GemmShape& g, const AssayTensor*& a, const AssayTensor*& b) {
  std::swap(a, b);
  std::swap(g.lda, g.ldb);
  std::swap(g.trans_a, g.trans_b);
  std::swap(g.m, g.n);
}

char Flag(bool transposed) { return transposed ? 'T' : 'N'; }

}  // namespace

std::string_view RefusalOfGemm(const AssayCall& call) {
  if (call.op != ASSAY_OP_GEMM && call.op != ASSAY_OP_INT8_GEMM) {
    return "the functions outside the primitives are products of matrices";
  }
  GemmShape gemm;
  const std::string_view refusal = DeriveProduct(call, gemm);
  if (!refusal.empty()) return refusal;
  if (call.op == ASSAY_OP_INT8_GEMM) {
    // The second factor is signed, and a column-major c makes a the second factor.
    const bool turned = !gemm.row_major && IsUnsigned(call.operands[0]);
    return turned ? "the second factor of dnnl_gemm_u8s8s32 is signed" : "";
  }
  for (int i = 0; i < call.operand_count; ++i) {
    if (!IsFloat(call.operands[i], 32)) return "dnnl_sgemm takes f32 operands only";
  }
  return {};
}

std::string_view RunGemm(const Functions& f, const AssayCall& call) {
  GemmShape g;
  DeriveProduct(call, g);
  const AssayTensor* a = &call.operands[0];
  const AssayTensor* b = &call.operands[1];
  const AssayTensor& c = call.operands[2];
  if (!g.row_major) Turn(g, a, b);
  const char trans_a = Flag(g.trans_a), trans_b = Flag(g.trans_b);
  dnnl_status_t status = dnnl_success;
  constexpr int32_t kNoOffset = 0;
  if (call.op == ASSAY_OP_GEMM) {
    status = f.sgemm(trans_a, trans_b, g.m, g.n, g.k, static_cast<float>(call.attributes[0]),
                     Element0<const float>(*a), g.lda, Element0<const float>(*b), g.ldb,
                     static_cast<float>(call.attributes[1]), Element0<float>(c), g.ldc);
  } else if (IsUnsigned(*a)) {
    status = f.gemm_u8s8s32(trans_a, trans_b, 'F', g.m, g.n, g.k, /*alpha=*/1,
                            Element0<const uint8_t>(*a), g.lda, 0, Element0<const int8_t>(*b),
                            g.ldb, 0, /*beta=*/0, Element0<int32_t>(c), g.ldc, &kNoOffset);
  } else {
    status = f.gemm_s8s8s32(trans_a, trans_b, 'F', g.m, g.n, g.k, /*alpha=*/1,
                            Element0<const int8_t>(*a), g.lda, 0, Element0<const int8_t>(*b), g.ldb,
                            0, /*beta=*/0, Element0<int32_t>(c), g.ldc, &kNoOffset);
  }
  return status == dnnl_success ? "" : "the function returned an error";
}

}  // namespace assay::onednn
