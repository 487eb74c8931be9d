// SPDX-License-Identifier: Apache-2.0
//
// Matrices: gemm, trmm, trsm.
#include "engine/backends/cblas/operation.h"

namespace assay::cblas {
namespace {

template <class T>
std::string_view CheckGemm(const CblasOf<T>& f, const AssayCall& call) {
  if (f.gemm == nullptr) return kNoFunction;
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

// The matrices are passed in the order of b. Labels: side, uplo, trans, diag behind alpha.
std::string_view CheckTriangular(bool there, const AssayCall& call) {
  if (!there) return kNoFunction;
  const Stored b(call.operands[1]);
  if (!b.leading.has_value()) return kNotStored;
  const StoredTriangle a(call.operands[0], b.order, call.attributes + 2);
  return a.leading.has_value() ? std::string_view() : kNotStored;
}

template <class T>
void Triangular(typename CblasOf<T>::TriangularMatrix* function, const AssayCall& call) {
  const Stored b(call.operands[1]);
  const StoredTriangle a(call.operands[0], b.order, call.attributes + 2);
  function(b.order, call.attributes[1] == 0 ? kLeft : kRight, a.uplo, a.trans, a.diag, b.rows,
           b.columns, static_cast<T>(call.attributes[0]), Element0<T>(call.operands[0]),
           static_cast<int>(*a.leading), Element0<T>(call.operands[1]),
           static_cast<int>(*b.leading));
}

template <class T>
constexpr Operation<T> kLevel3[] = {
    {ASSAY_OP_GEMM, CheckGemm<T>, Gemm<T>},
    {ASSAY_OP_TRMM,
     [](const CblasOf<T>& f, const AssayCall& c) { return CheckTriangular(f.trmm, c); },
     [](const CblasOf<T>& f, const AssayCall& c) { Triangular<T>(f.trmm, c); }},
    {ASSAY_OP_TRSM,
     [](const CblasOf<T>& f, const AssayCall& c) { return CheckTriangular(f.trsm, c); },
     [](const CblasOf<T>& f, const AssayCall& c) { Triangular<T>(f.trsm, c); }},
};

}  // namespace

template <class T>
std::span<const Operation<T>> Level3() {
  return kLevel3<T>;
}
template std::span<const Operation<float>> Level3<float>();
template std::span<const Operation<double>> Level3<double>();

}  // namespace assay::cblas
