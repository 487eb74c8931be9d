// SPDX-License-Identifier: Apache-2.0
//
// softmax with one fault each, and two that are right in an unusual way. Each is a maximum to
// subtract, an exponential, and a way to add.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

struct SoftmaxOperands {
  explicit SoftmaxOperands(const AssayCall& call)
      : x(call.operands[0]), out(call.operands[1]), rows(x.extent(0)), n(x.extent(1)) {}
  View x, out;
  int64_t rows, n;
};

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();

// The maximum as x86's MAXPS and most SIMD units have it: the second operand when they do not
// compare, so that a NaN in x is passed over.
template <class Acc>
Acc NativeMaximum(const SoftmaxOperands& s, int64_t row) {
  Acc maximum = -kInfinity<Acc>;
  for (int64_t j = 0; j < s.n; ++j) {
    const Acc x = static_cast<Acc>(s.x.Get(row, j));
    maximum = x > maximum ? x : maximum;
  }
  return maximum;
}

// out := e / sum(e), e = exponential(x): three passes.
template <class Acc, class Exponential>
void StoreRow(const SoftmaxOperands& s, int64_t row, const Exponential& exponential) {
  Acc sum = 0;
  for (int64_t j = 0; j < s.n; ++j) sum += exponential(static_cast<Acc>(s.x.Get(row, j)));
  for (int64_t j = 0; j < s.n; ++j) {
    s.out.Set(row, j, exponential(static_cast<Acc>(s.x.Get(row, j))) / sum);
  }
}

// Three passes over every row with exponential(x, maximum).
template <class Exponential>
int32_t ThreePasses(const AssayCall& call, const Exponential& exponential) {
  const SoftmaxOperands s(call);
  return WithAccumulator(s.x.type(), [&](auto zero) {
    using Acc = decltype(zero);
    for (int64_t row = 0; row < s.rows; ++row) {
      const Acc maximum = NativeMaximum<Acc>(s, row);
      StoreRow<Acc>(s, row, [&](Acc x) { return static_cast<Acc>(exponential(x, maximum)); });
    }
  });
}

}  // namespace

int32_t SoftmaxNoShift(const AssayCall& call) {
  return ThreePasses(call, [](auto x, auto) { return std::exp(x); });
}

int32_t SoftmaxF16Exponentials(const AssayCall& call) {
  return ThreePasses(
      call, [](auto x, auto maximum) { return Round(Format::kF16, std::exp(x - maximum)); });
}

int32_t SoftmaxUnshiftedLogSum(const AssayCall& call) {
  const SoftmaxOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    using Acc = decltype(zero);
    for (int64_t row = 0; row < s.rows; ++row) {
      const Acc maximum = NativeMaximum<Acc>(s, row);
      Acc sum = 0;
      for (int64_t j = 0; j < s.n; ++j) {
        sum += std::exp(static_cast<Acc>(s.x.Get(row, j)) - maximum);
      }
      const Acc log_sum = maximum + std::log(sum);
      for (int64_t j = 0; j < s.n; ++j) {
        s.out.Set(row, j, std::exp(static_cast<Acc>(s.x.Get(row, j)) - log_sum));
      }
    }
  });
}

int32_t SoftmaxClampedExponent(const AssayCall& call) {
  return ThreePasses(call, [](auto x, auto maximum) {
    constexpr double kLowest = -103;
    const auto shifted = x - maximum;
    return std::exp(shifted > decltype(shifted)(kLowest) ? shifted : decltype(shifted)(kLowest));
  });
}

int32_t SoftmaxMaskedRowZero(const AssayCall& call) {
  const SoftmaxOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    using Acc = decltype(zero);
    for (int64_t row = 0; row < s.rows; ++row) {
      const Acc maximum = NativeMaximum<Acc>(s, row);
      const bool masked = maximum == -kInfinity<Acc>;  // also when the rest is NaN
      if (masked) {
        for (int64_t j = 0; j < s.n; ++j) s.out.Set(row, j, 0);
      } else {
        StoreRow<Acc>(s, row, [maximum](Acc x) { return std::exp(x - maximum); });
      }
    }
  });
}

int32_t SoftmaxExp2(const AssayCall& call) {
  return ThreePasses(call, [](auto x, auto maximum) {
    using Acc = decltype(x);
    constexpr double kLog2E = 0x1.71547652b82fep+0;
    return std::exp2((x - maximum) * static_cast<Acc>(kLog2E));
  });
}

int32_t SoftmaxOnline(const AssayCall& call) {
  const SoftmaxOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    using Acc = decltype(zero);
    constexpr int64_t kTiles = 8;
    const int64_t width = (s.n + kTiles - 1) / kTiles;
    for (int64_t row = 0; row < s.rows; ++row) {
      Acc maximum = -kInfinity<Acc>, sum = 0;
      for (int64_t start = 0; start < s.n; start += width) {
        const int64_t end = std::min(start + width, s.n);
        const Acc before = maximum;
        for (int64_t j = start; j < end; ++j) {
          const Acc x = static_cast<Acc>(s.x.Get(row, j));
          if (x > maximum) maximum = x;
        }
        // Nothing to rescale in a row of -Inf so far, where the difference would be NaN.
        if (sum != 0) sum *= std::exp(before - maximum);
        for (int64_t j = start; j < end; ++j) {
          const Acc x = static_cast<Acc>(s.x.Get(row, j));
          if (x != -kInfinity<Acc>) sum += std::exp(x - maximum);
        }
      }
      for (int64_t j = 0; j < s.n; ++j) {
        s.out.Set(row, j, std::exp(static_cast<Acc>(s.x.Get(row, j)) - maximum) / sum);
      }
    }
  });
}

}  // namespace assay::planted
