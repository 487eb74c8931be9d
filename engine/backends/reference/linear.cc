// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// In and Out calculate in the same type: an f32 result of 16-bit operands, or one type throughout.
template <class In, class Out>
void GemmLoops(const AssayCall& call) {
  using Real = typename Out::Real;
  const View<In> a(call.operands[0], call.attributes[2] != 0);
  const View<In> b(call.operands[1], call.attributes[3] != 0);
  const View<Out> c(call.operands[2]);
  const Real alpha = static_cast<Real>(call.attributes[0]);
  const Real beta = static_cast<Real>(call.attributes[1]);
  const int64_t k = a.extent(1);
  const bool product = alpha != 0 && k > 0;
  if (!product && beta == 1) return;
  for (int64_t i = 0; i < c.extent(0); ++i) {
    for (int64_t j = 0; j < c.extent(1); ++j) {
      Real result = 0;
      if (product) {
        for (int64_t p = 0; p < k; ++p) result += a.Get(i, p) * b.Get(p, j);
        result *= alpha;
      }
      if (beta != 0) result = product ? result + beta * c.Get(i, j) : beta * c.Get(i, j);
      c.Set(i, j, result);
    }
  }
}

}  // namespace

void Gemm(const AssayCall& call) {
  const DType in = TypeOf(call.operands[0]);
  if (in == DType::kF64) return GemmLoops<F64, F64>(call);
  if (in == DType::kF32) return GemmLoops<F32, F32>(call);
  const bool wide = TypeOf(call.operands[2]) == DType::kF32;
  if (in == DType::kF16) return wide ? GemmLoops<F16, F32>(call) : GemmLoops<F16, F16>(call);
  return wide ? GemmLoops<Bf16, F32>(call) : GemmLoops<Bf16, Bf16>(call);
}

// The output may be wider than the inputs, never of another family of types.
void Dot(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto in) {
    const View<decltype(in)> x(call.operands[0]), y(call.operands[1]);
    typename decltype(in)::Real sum = 0;
    for (int64_t i = 0; i < x.extent(0); ++i) sum += x.Get(i) * y.Get(i);
    WithFormat(TypeOf(call.operands[2]), [&](auto out) {
      using Out = decltype(out);
      View<Out>(call.operands[2]).Set(0, 0, static_cast<typename Out::Real>(sum));
    });
  });
}

void Sum(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto in) {
    const View<decltype(in)> x(call.operands[0]);
    typename decltype(in)::Real sum = 0;
    for (int64_t i = 0; i < x.extent(0); ++i) sum += x.Get(i);
    WithFormat(TypeOf(call.operands[1]), [&](auto out) {
      using Out = decltype(out);
      View<Out>(call.operands[1]).Set(0, 0, static_cast<typename Out::Real>(sum));
    });
  });
}

}  // namespace assay::reference
