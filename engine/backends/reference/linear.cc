// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/functions.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// The product of row i and column j, summed in order.
template <class In>
typename In::Real RowTimesColumn(const View<In>& a, const View<In>& b, int64_t batch, int64_t i,
                                 int64_t j) {
  typename In::Real sum = 0;
  for (int64_t p = 0; p < a.extent(2); ++p) sum += a.Get(batch, i, p) * b.Get(batch, p, j);
  return sum;
}

// Views as (batch, row, column).
template <class In, class Out>
void GemmLoops(const View<In>& a, const View<In>& b, const View<Out>& c, typename Out::Real alpha,
               typename Out::Real beta) {
  using Real = typename Out::Real;
  const bool product = alpha != 0 && a.extent(2) > 0;
  if (!product && beta == 1) return;
  for (int64_t batch = 0; batch < c.extent(0); ++batch) {
    for (int64_t i = 0; i < c.extent(1); ++i) {
      for (int64_t j = 0; j < c.extent(2); ++j) {
        Real result = product ? RowTimesColumn(a, b, batch, i, j) * alpha : Real{0};
        if (beta != 0) {
          const Real old = beta * c.Get(batch, i, j);
          result = product ? result + old : old;
        }
        c.Put(result, batch, i, j);
      }
    }
  }
}

// Unsigned sums wrap where signed ones must not.
template <class Byte>
void ByteLoops(const AssayCall& call) {
  const View<Byte> a(call.operands[0]);
  const View<Raw<int8_t>> b(call.operands[1]);
  const View<Raw<uint32_t>> c(call.operands[2]);
  for (int64_t i = 0; i < c.extent(0); ++i) {
    for (int64_t j = 0; j < c.extent(1); ++j) {
      uint32_t sum = 0;
      for (int64_t p = 0; p < a.extent(1); ++p) {
        sum += static_cast<uint32_t>(int32_t{a.Get(i, p)} * int32_t{b.Get(p, j)});
      }
      c.Put(sum, i, j);
    }
  }
}

template <class Real>
Real Activate(double activation, Real x) {
  switch (static_cast<int>(activation)) {
    case 0:
      return x;
    case 1:
      return Relu(x);
    case 2:
      return GeluErf(x);
    case 3:
      return GeluTanh(x);
    case 4:
      return Silu(x);
    case 5:
      return Sigmoid(x);
    default:
      return std::tanh(x);
  }
}

// sum_m s[m, j] x[m, p], or sum_m s[m, j] where p is one past the columns of x.
template <class Stored>
float GradientSum(const View<F32>& dy, const View<F32>& x, double scale, int64_t j, int64_t p) {
  float sum = 0;
  for (int64_t m = 0; m < dy.extent(0); ++m) {
    const float stored = Stored::Load(Stored::Store(scale * double{dy.Get(m, j)}));
    sum += p < x.extent(1) ? stored * x.Get(m, p) : stored;
  }
  return sum;
}

// The product of two f32 numbers is exact in f64, so that storing it is its only rounding.
template <DType kType>
struct StoredGradient {
  static uint64_t Store(double exact) { return Encode(kType, exact); }
  static float Load(uint64_t bits) { return static_cast<float>(Decode(kType, bits)); }
};

template <class Stored>
void GradientLoops(const AssayCall& call) {
  const View<F32> dy(call.operands[0]), x(call.operands[1]), out(call.operands[2]);
  const float scale = static_cast<float>(call.attributes[0]);
  for (int64_t j = 0; j < out.extent(0); ++j) {
    for (int64_t p = 0; p < out.extent(1); ++p) {
      out.Put(GradientSum<Stored>(dy, x, scale, j, p) / scale, j, p);
    }
  }
}

}  // namespace

void Gemm(const AssayCall& call) {
  const bool vector = call.op == ASSAY_OP_GEMV;
  const bool trans_a = call.attributes[2] != 0, trans_b = !vector && call.attributes[3] != 0;
  WithFormats(TypeOf(call.operands[0]), TypeOf(call.operands[2]), [&](auto in, auto out) {
    using In = View<decltype(in)>;
    using Out = View<decltype(out)>;
    using Real = typename Out::Real;
    GemmLoops(In::Matrix(call.operands[0], trans_a), In::Matrix(call.operands[1], trans_b),
              Out::Matrix(call.operands[2]), static_cast<Real>(call.attributes[0]),
              static_cast<Real>(call.attributes[1]));
  });
}

void Int8Gemm(const AssayCall& call) {
  if (TypeOf(call.operands[0]) == DType::kU8) return ByteLoops<Raw<uint8_t>>(call);
  ByteLoops<Raw<int8_t>>(call);
}

void Dot(const AssayCall& call) {
  WithFormats(TypeOf(call.operands[0]), TypeOf(call.operands[2]), [&](auto in, auto out) {
    const View<decltype(in)> x(call.operands[0]), y(call.operands[1]);
    typename decltype(in)::Real sum = 0;
    for (int64_t i = 0; i < x.extent(0); ++i) sum += x.Get(i) * y.Get(i);
    View<decltype(out)>(call.operands[2]).Put(sum);
  });
}

void Scal(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Real = typename decltype(format)::Real;
    const View<decltype(format)> x(call.operands[0]);
    const Real alpha = static_cast<Real>(call.attributes[0]);
    for (int64_t i = 0; i < x.extent(0); ++i) x.Put(alpha * x.Get(i), i);
  });
}

void Axpy(const AssayCall& call) {
  if (call.attributes[0] == 0) return;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Real = typename decltype(format)::Real;
    const View<decltype(format)> x(call.operands[0]), y(call.operands[1]);
    const Real alpha = static_cast<Real>(call.attributes[0]);
    for (int64_t i = 0; i < x.extent(0); ++i) y.Put(alpha * x.Get(i) + y.Get(i), i);
  });
}

void FusedLinear(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Operand = View<decltype(format)>;
    const Operand x = Operand::Matrix(call.operands[0]), w = Operand::Matrix(call.operands[1]);
    const Operand bias(call.operands[2]), residual(call.operands[3]), out(call.operands[4]);
    for (int64_t i = 0; i < out.extent(0); ++i) {
      for (int64_t j = 0; j < out.extent(1); ++j) {
        const auto z = RowTimesColumn(x, w, 0, i, j) + bias.Get(j);
        out.Put(Activate(call.attributes[0], z) + residual.Get(i, j), i, j);
      }
    }
  });
}

void ScaledGradient(const AssayCall& call) {
  if (call.attributes[1] == 0) return GradientLoops<StoredGradient<DType::kF16>>(call);
  GradientLoops<StoredGradient<DType::kBf16>>(call);
}

}  // namespace assay::reference
