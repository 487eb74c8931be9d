// SPDX-License-Identifier: Apache-2.0
//
// Vectors: dot, nrm2, asum, sum, iamax, scal, axpy.
#include "engine/backends/cblas/operation.h"

namespace assay::cblas {
namespace {

// Of operations on one vector.
std::string_view CheckOne(bool there, const AssayCall& call) {
  if (!there) return kNoFunction;
  return CheckIncrement(call.operands[0], /*negative_defined=*/false);
}

// Of operations on two.
std::string_view CheckTwo(bool there, const AssayCall& call) {
  if (!there) return kNoFunction;
  const std::string_view x = CheckIncrement(call.operands[0], /*negative_defined=*/true);
  return x.empty() ? CheckIncrement(call.operands[1], /*negative_defined=*/true) : x;
}

template <class T>
void Store(T value, const AssayTensor& out) {
  *Element0<T>(out) = value;
}

template <class T>
void Reduce(typename CblasOf<T>::Reduce* reduce, const AssayCall& call) {
  const Vector<T> x(call.operands[0]);
  Store<T>(reduce(x.size, x.lowest, x.increment), call.operands[1]);
}

// Of no elements the Fortran interface answers 0, its "none", and the C interface the same 0, which
// is a place.
std::string_view CheckFind(bool there, const AssayCall& call) {
  if (call.operands[0].shape[0] == 0) return "BLAS has no place in a vector without elements";
  return CheckOne(there, call);
}

template <class T>
constexpr Operation<T> kLevel1[] = {
    {ASSAY_OP_DOT, [](const CblasOf<T>& f, const AssayCall& c) { return CheckTwo(f.dot, c); },
     [](const CblasOf<T>& f, const AssayCall& c) {
       const Vector<T> x(c.operands[0]), y(c.operands[1]);
       Store<T>(f.dot(x.size, x.lowest, x.increment, y.lowest, y.increment), c.operands[2]);
     }},
    {ASSAY_OP_SUM, [](const CblasOf<T>& f, const AssayCall& c) { return CheckOne(f.sum, c); },
     [](const CblasOf<T>& f, const AssayCall& c) { Reduce<T>(f.sum, c); }},
    {ASSAY_OP_NRM2, [](const CblasOf<T>& f, const AssayCall& c) { return CheckOne(f.nrm2, c); },
     [](const CblasOf<T>& f, const AssayCall& c) { Reduce<T>(f.nrm2, c); }},
    {ASSAY_OP_ASUM, [](const CblasOf<T>& f, const AssayCall& c) { return CheckOne(f.asum, c); },
     [](const CblasOf<T>& f, const AssayCall& c) { Reduce<T>(f.asum, c); }},
    {ASSAY_OP_AMAX, [](const CblasOf<T>& f, const AssayCall& c) { return CheckFind(f.iamax, c); },
     [](const CblasOf<T>& f, const AssayCall& c) {
       const Vector<T> x(c.operands[0]);
       Store<int64_t>(static_cast<int64_t>(f.iamax(x.size, x.lowest, x.increment)), c.operands[1]);
     }},
    {ASSAY_OP_SCAL, [](const CblasOf<T>& f, const AssayCall& c) { return CheckOne(f.scal, c); },
     [](const CblasOf<T>& f, const AssayCall& c) {
       const Vector<T> x(c.operands[0]);
       f.scal(x.size, static_cast<T>(c.attributes[0]), x.lowest, x.increment);
     }},
    {ASSAY_OP_AXPY, [](const CblasOf<T>& f, const AssayCall& c) { return CheckTwo(f.axpy, c); },
     [](const CblasOf<T>& f, const AssayCall& c) {
       const Vector<T> x(c.operands[0]), y(c.operands[1]);
       f.axpy(x.size, static_cast<T>(c.attributes[0]), x.lowest, x.increment, y.lowest,
              y.increment);
     }},
};

}  // namespace

template <class T>
std::span<const Operation<T>> Level1() {
  return kLevel1<T>;
}
template std::span<const Operation<float>> Level1<float>();
template std::span<const Operation<double>> Level1<double>();

}  // namespace assay::cblas
