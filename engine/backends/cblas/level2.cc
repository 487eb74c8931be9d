// SPDX-License-Identifier: Apache-2.0
//
// Matrices and vectors: gemv, ger, syr, trmv, trsv.
#include "engine/backends/cblas/operation.h"

namespace assay::cblas {
namespace {

template <class T>
std::string_view CheckGemv(const CblasOf<T>& f, const AssayCall& call) {
  if (f.gemv == nullptr) return kNoFunction;
  if (call.operands[1].shape[0] == 0) return kNoColumns;
  if (!Stored(call.operands[0]).leading.has_value()) {
    return kNotStored;
  }
  const std::string_view x = CheckIncrement(call.operands[1], /*negative_defined=*/true);
  return x.empty() ? CheckIncrement(call.operands[2], /*negative_defined=*/true) : x;
}

template <class T>
void Gemv(const CblasOf<T>& f, const AssayCall& call) {
  const Stored a(call.operands[0]);
  const Vector<T> x(call.operands[1]), y(call.operands[2]);
  f.gemv(a.order, call.attributes[2] != 0 ? kTrans : kNoTrans, a.rows, a.columns,
         static_cast<T>(call.attributes[0]), Element0<T>(call.operands[0]),
         static_cast<int>(*a.leading), x.lowest, x.increment, static_cast<T>(call.attributes[1]),
         y.lowest, y.increment);
}

// Of x, y (where there is one) and the matrix behind them.
std::string_view CheckUpdate(bool there, const AssayCall& call) {
  if (!there) return kNoFunction;
  const int vectors = call.operand_count - 1;
  if (!Stored(call.operands[vectors]).leading.has_value()) return kNotStored;
  for (int i = 0; i < vectors; ++i) {
    const std::string_view bad = CheckIncrement(call.operands[i], /*negative_defined=*/true);
    if (!bad.empty()) return bad;
  }
  return {};
}

template <class T>
void Ger(const CblasOf<T>& f, const AssayCall& call) {
  const Vector<T> x(call.operands[0]), y(call.operands[1]);
  const Stored a(call.operands[2]);
  f.ger(a.order, a.rows, a.columns, static_cast<T>(call.attributes[0]), x.lowest, x.increment,
        y.lowest, y.increment, Element0<T>(call.operands[2]), static_cast<int>(*a.leading));
}

template <class T>
void Syr(const CblasOf<T>& f, const AssayCall& call) {
  const Vector<T> x(call.operands[0]);
  const Stored a(call.operands[1]);
  f.syr(a.order, call.attributes[1] == 0 ? kUpper : kLower, a.rows,
        static_cast<T>(call.attributes[0]), x.lowest, x.increment, Element0<T>(call.operands[1]),
        static_cast<int>(*a.leading));
}

std::string_view CheckTriangular(bool there, const AssayCall& call) {
  if (!there) return kNoFunction;
  if (!Stored(call.operands[0]).leading.has_value()) return kNotStored;
  return CheckIncrement(call.operands[1], /*negative_defined=*/true);
}

template <class T>
void Triangular(typename CblasOf<T>::TriangularVector* function, const AssayCall& call) {
  const Stored a(call.operands[0]);
  const StoredTriangle triangle(call.operands[0], a.order, call.attributes);
  const Vector<T> x(call.operands[1]);
  function(a.order, triangle.uplo, triangle.trans, triangle.diag, a.rows,
           Element0<T>(call.operands[0]), static_cast<int>(*triangle.leading), x.lowest,
           x.increment);
}

template <class T>
constexpr Operation<T> kLevel2[] = {
    {ASSAY_OP_GEMV, CheckGemv<T>, Gemv<T>},
    {ASSAY_OP_GER, [](const CblasOf<T>& f, const AssayCall& c) { return CheckUpdate(f.ger, c); },
     Ger<T>},
    {ASSAY_OP_SYR, [](const CblasOf<T>& f, const AssayCall& c) { return CheckUpdate(f.syr, c); },
     Syr<T>},
    {ASSAY_OP_TRMV,
     [](const CblasOf<T>& f, const AssayCall& c) { return CheckTriangular(f.trmv, c); },
     [](const CblasOf<T>& f, const AssayCall& c) { Triangular<T>(f.trmv, c); }},
    {ASSAY_OP_TRSV,
     [](const CblasOf<T>& f, const AssayCall& c) { return CheckTriangular(f.trsv, c); },
     [](const CblasOf<T>& f, const AssayCall& c) { Triangular<T>(f.trsv, c); }},
};

}  // namespace

template <class T>
std::span<const Operation<T>> Level2() {
  return kLevel2<T>;
}
template std::span<const Operation<float>> Level2<float>();
template std::span<const Operation<double>> Level2<double>();

}  // namespace assay::cblas
