// SPDX-License-Identifier: Apache-2.0
//
// Matrices: gemm.
#include "engine/backends/cblas/operation.h"

namespace assay::cblas {
namespace {

template <class T>
std::string_view CheckGemm(const CblasOf<T>& f, const AssayCall& call) {
  if (f.gemm == nullptr) return "the library has no such function";
  GemmShape gemm;
  return DeriveGemm(call, gemm);
}

template <class T>
void Gemm(const CblasOf<T>& f, const AssayCall& call) {
  GemmShape gemm;
  DeriveGemm(call, gemm);
  f.gemm(gemm.row_major ? kRowMajor : kColMajor, gemm.trans_a ? kTrans : kNoTrans,
         gemm.trans_b ? kTrans : kNoTrans, static_cast<int>(gemm.m), static_cast<int>(gemm.n),
         static_cast<int>(gemm.k), static_cast<T>(call.attributes[0]),
         Element0<const T>(call.operands[0]), static_cast<int>(gemm.lda),
         Element0<const T>(call.operands[1]), static_cast<int>(gemm.ldb),
         static_cast<T>(call.attributes[1]), Element0<T>(call.operands[2]),
         static_cast<int>(gemm.ldc));
}

template <class T>
constexpr Operation<T> kLevel3[] = {
    {ASSAY_OP_GEMM, CheckGemm<T>, Gemm<T>},
};

}  // namespace

template <class T>
std::span<const Operation<T>> Level3() {
  return kLevel3<T>;
}
template std::span<const Operation<float>> Level3<float>();
template std::span<const Operation<double>> Level3<double>();

}  // namespace assay::cblas
