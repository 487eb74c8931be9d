// SPDX-License-Identifier: Apache-2.0
//
// Complex operators with one fault each, and those that are right in an unusual way.
#include <cmath>
#include <complex>
#include <vector>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"

namespace assay::planted {
namespace {

template <class Acc>
struct Number {
  Acc re = 0, im = 0;
};

template <class Acc>
std::vector<Number<Acc>> ReadNumbers(const AssayTensor& tensor) {
  const std::vector<double> parts = ReadDense(tensor);
  std::vector<Number<Acc>> numbers;
  for (size_t i = 0; i + 1 < parts.size(); i += 2) {
    numbers.push_back({static_cast<Acc>(parts[i]), static_cast<Acc>(parts[i + 1])});
  }
  return numbers;
}

template <class Acc>
void WriteNumbers(const AssayTensor& tensor, const std::vector<Number<Acc>>& numbers) {
  std::vector<double> parts;
  for (const Number<Acc>& number : numbers) {
    parts.push_back(static_cast<double>(number.re));
    parts.push_back(static_cast<double>(number.im));
  }
  WriteDense(tensor, parts);
}

template <class Acc>
Number<Acc> Product(const Number<Acc>& a, const Number<Acc>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class Acc>
Number<Acc> Fused(const Number<Acc>& a, const Number<Acc>& b) {
  return {std::fma(a.re, b.re, -(a.im * b.im)), std::fma(a.re, b.im, a.im * b.re)};
}

// Three multiplications (Gauss): right in the norm of the number and not in each part.
template <class Acc>
Number<Acc> ThreeProducts(const Number<Acc>& a, const Number<Acc>& b) {
  const Acc first = b.re * (a.re + a.im), second = a.re * (b.im - b.re),
            third = a.im * (b.re + b.im);
  return {first - third, first + second};
}

template <class Multiply>
int32_t Scale(const AssayCall& call, const Multiply& multiply) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    using Acc = decltype(zero);
    const Number<Acc> alpha = {static_cast<Acc>(call.attributes[0]),
                               static_cast<Acc>(call.attributes[1])};
    auto x = ReadNumbers<Acc>(call.operands[0]);
    for (Number<Acc>& number : x) number = multiply(alpha, number);
    WriteNumbers(call.operands[0], x);
  });
}

template <class Multiply>
int32_t Dot(const AssayCall& call, bool conjugates, bool backwards, const Multiply& multiply) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    using Acc = decltype(zero);
    const auto x = ReadNumbers<Acc>(call.operands[0]), y = ReadNumbers<Acc>(call.operands[1]);
    Number<Acc> sum;
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t at = backwards ? x.size() - 1 - i : i;
      const Number<Acc> term =
          multiply(Number<Acc>{x[at].re, conjugates ? -x[at].im : x[at].im}, y[at]);
      sum = {sum.re + term.re, sum.im + term.im};
    }
    WriteNumbers<Acc>(call.operands[2], {sum});
  });
}

// `turns`: 0 n, 1 t, 2 c.
template <class Multiply>
int32_t MatrixVector(const AssayCall& call, int turns, const Multiply& multiply) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    using Acc = decltype(zero);
    const auto scalar = [&](int i) {
      return Number<Acc>{static_cast<Acc>(call.attributes[i]),
                         static_cast<Acc>(call.attributes[i + 1])};
    };
    const Number<Acc> alpha = scalar(0), beta = scalar(2);
    const auto a = ReadNumbers<Acc>(call.operands[0]), x = ReadNumbers<Acc>(call.operands[1]);
    auto y = ReadNumbers<Acc>(call.operands[2]);
    const auto columns = static_cast<size_t>(call.operands[0].shape[1]);
    const bool reads = (alpha.re != 0 || alpha.im != 0) && !x.empty();
    for (size_t i = 0; i < y.size(); ++i) {
      Number<Acc> sum;
      for (size_t k = 0; reads && k < x.size(); ++k) {
        Number<Acc> element = a[turns == 0 ? i * columns + k : k * columns + i];
        if (turns == 2) element.im = -element.im;
        const Number<Acc> term = multiply(element, x[k]);
        sum = {sum.re + term.re, sum.im + term.im};
      }
      if (reads) sum = multiply(alpha, sum);
      const bool adds = beta.re != 0 || beta.im != 0;
      const Number<Acc> old = beta.re == 1 && beta.im == 0 ? y[i] : multiply(beta, y[i]);
      y[i] = adds ? Number<Acc>{sum.re + old.re, sum.im + old.im} : sum;
    }
    WriteNumbers(call.operands[2], y);
  });
}

template <class Multiply>
int32_t Any(const AssayCall& call, const Multiply& multiply) {
  switch (call.op) {
    case ASSAY_OP_COMPLEX_SCAL:
      return Scale(call, multiply);
    case ASSAY_OP_COMPLEX_DOT:
      return Dot(call, call.attributes[0] != 0, /*backwards=*/false, multiply);
    default:
      return MatrixVector(call, static_cast<int>(call.attributes[4]), multiply);
  }
}

}  // namespace

int32_t ComplexRealSkipped(const AssayCall& call) {
  return Scale(call, [](const auto& alpha, const auto& x) {
    using Value = std::decay_t<decltype(x)>;
    if (alpha.re == 0) return Value{-(alpha.im * x.im), alpha.im * x.re};
    if (alpha.im == 0) return Value{alpha.re * x.re, alpha.re * x.im};
    return Product(alpha, x);
  });
}

int32_t ComplexZeroClears(const AssayCall& call) {
  return Scale(call, [](const auto& alpha, const auto& x) {
    using Value = std::decay_t<decltype(x)>;
    return alpha.re == 0 && alpha.im == 0 ? Value{} : Product(alpha, x);
  });
}

int32_t ComplexThreeProducts(const AssayCall& call) {
  return Any(call, [](const auto& a, const auto& b) { return ThreeProducts(a, b); });
}

int32_t ComplexConjugateIgnored(const AssayCall& call) {
  const auto plain = [](const auto& a, const auto& b) { return Product(a, b); };
  if (call.op == ASSAY_OP_COMPLEX_DOT) return Dot(call, false, false, plain);
  const int turns = static_cast<int>(call.attributes[4]);
  return MatrixVector(call, turns == 2 ? 1 : turns, plain);
}

int32_t ComplexFused(const AssayCall& call) {
  return Any(call, [](const auto& a, const auto& b) { return Fused(a, b); });
}

int32_t ComplexRecovered(const AssayCall& call) {
  return Any(call, [](const auto& a, const auto& b) {
    using Value = std::decay_t<decltype(b)>;
    using Acc = decltype(b.re);
    // The compiler's own product recovers infinities as C23, Annex G has it.
    const std::complex<std::decay_t<Acc>> product =
        std::complex<std::decay_t<Acc>>(a.re, a.im) * std::complex<std::decay_t<Acc>>(b.re, b.im);
    return Value{product.real(), product.imag()};
  });
}

int32_t ComplexAbsOfSquares(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    using Acc = decltype(zero);
    std::vector<double> sizes;
    for (const auto& z : ReadNumbers<Acc>(call.operands[0])) {
      sizes.push_back(static_cast<double>(std::sqrt(z.re * z.re + z.im * z.im)));
    }
    WriteDense(call.operands[1], sizes);
  });
}

int32_t ComplexAbsScaledDown(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    using Acc = decltype(zero);
    constexpr Acc kLarge = static_cast<Acc>(0x1p60), kScale = static_cast<Acc>(0x1p-100);
    std::vector<double> sizes;
    for (const auto& z : ReadNumbers<Acc>(call.operands[0])) {
      if (std::isinf(z.re) || std::isinf(z.im)) {
        sizes.push_back(static_cast<double>(std::fabs(std::isinf(z.re) ? z.re : z.im)));
        continue;
      }
      const bool large = std::fabs(z.re) > kLarge || std::fabs(z.im) > kLarge;
      const Acc scale = large ? kScale : Acc{1};
      const Acc re = z.re * scale, im = z.im * scale;
      sizes.push_back(static_cast<double>(std::sqrt(re * re + im * im) / scale));
    }
    WriteDense(call.operands[1], sizes);
  });
}

}  // namespace assay::planted
