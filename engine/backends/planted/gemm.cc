// SPDX-License-Identifier: Apache-2.0
//
// gemm with one fault each, and the gemms that are right in an unusual way.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

// c := alpha sum(i, j) + beta c with the rules of BLAS: nothing of a and b is read when alpha is 0
// or k is 0, nothing of c when beta is 0, and c keeps its bits when it is multiplied by 1 alone.
template <class Acc, class Sum>
void StoreGemm(const GemmOperands& g, const Sum& sum) {
  const bool has_product = g.alpha != 0 && g.k > 0;
  if (!has_product && g.beta == 1) return;
  for (int64_t i = 0; i < g.m; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      Acc value = has_product ? static_cast<Acc>(g.alpha) * static_cast<Acc>(sum(i, j)) : Acc(0);
      if (g.beta != 0) value += static_cast<Acc>(g.beta) * static_cast<Acc>(g.c.Get(i, j));
      g.c.Set(i, j, value);
    }
  }
}

// The plain sum of products, in order.
template <class Acc>
Acc PlainSum(const GemmOperands& g, int64_t i, int64_t j) {
  Acc sum = 0;
  for (int64_t p = 0; p < g.k; ++p) {
    sum += static_cast<Acc>(g.a.Get(i, p)) * static_cast<Acc>(g.b.Get(p, j));
  }
  return sum;
}

template <class Acc>
void StorePlainGemm(const GemmOperands& g) {
  StoreGemm<Acc>(g, [&g](int64_t i, int64_t j) { return PlainSum<Acc>(g, i, j); });
}

int32_t RoundedOperands(const AssayCall& call, Format format) {
  const GemmOperands g(call);
  return WithAccumulator(g.a.type(), [&g, format](auto zero) {
    using Acc = decltype(zero);
    StoreGemm<Acc>(g, [&g, format](int64_t i, int64_t j) {
      Acc sum = 0;
      for (int64_t p = 0; p < g.k; ++p) {
        sum += static_cast<Acc>(Round(format, g.a.Get(i, p))) *
               static_cast<Acc>(Round(format, g.b.Get(p, j)));
      }
      return sum;
    });
  });
}

// Products of which `keep` says no are left out of the sum.
template <class Keep>
int32_t SelectedProducts(const AssayCall& call, const Keep& keep) {
  const GemmOperands g(call);
  return WithAccumulator(g.a.type(), [&g, &keep](auto zero) {
    using Acc = decltype(zero);
    StoreGemm<Acc>(g, [&g, &keep](int64_t i, int64_t j) {
      Acc sum = 0;
      for (int64_t p = 0; p < g.k; ++p) {
        const Acc a = static_cast<Acc>(g.a.Get(i, p)), b = static_cast<Acc>(g.b.Get(p, j));
        if (keep(p, g.k, a, b)) sum += a * b;
      }
      return sum;
    });
  });
}

// Touches memory in a way that the compiler may not leave out.
void ReadByte(const View& view, int64_t i, int64_t j) {
  const volatile unsigned char* byte =
      static_cast<const volatile unsigned char*>(view.Address(i, j));
  static_cast<void>(*byte);
}

// Sum of terms that are aligned to the largest and cut to 24 bits, cut again: exact in double
// otherwise.
template <size_t kCount>
double AlignedSum(const std::array<double, kCount>& terms) {
  double largest = 0, plain = 0;
  for (const double term : terms) {
    plain += term;
    largest = std::max(largest, std::fabs(term));
  }
  if (!std::isfinite(plain) || largest == 0) return plain;
  constexpr int kFractionBits = 23;
  const double unit = std::ldexp(1, std::max(std::ilogb(largest) - kFractionBits, -149));
  double sum = 0;
  for (const double term : terms) sum += std::trunc(term / unit) * unit;
  return Truncate(Format::kF32, sum);
}

// Kernels with unrolled rows are for matrices whose rows lie close together.
bool RowsAreClose(const View& view) {
  constexpr int64_t kFarthestElements = 256;
  return view.stride(0) > 0 && view.stride(0) <= kFarthestElements && view.stride(1) >= 0 &&
         view.stride(1) <= kFarthestElements;
}

}  // namespace

int32_t GemmTf32Operands(const AssayCall& call) { return RoundedOperands(call, Format::kTf32); }
int32_t GemmHf32Operands(const AssayCall& call) { return RoundedOperands(call, Format::kHf32); }

int32_t GemmF64AsF32(const AssayCall& call) {
  StorePlainGemm<float>(GemmOperands(call));
  return ASSAY_OK;
}

int32_t GemmNarrowLanes(const AssayCall& call) {
  const GemmOperands g(call);
  const Format format = FormatOf(g.a.type());
  StoreGemm<float>(g, [&g, format](int64_t i, int64_t j) {
    constexpr int64_t kNarrowFrom = 128;
    constexpr int kLanes = 32;
    if (g.k < kNarrowFrom) return PlainSum<float>(g, i, j);
    const double sum = NarrowLaneSum(format, kLanes, g.k,
                                     [&](int64_t p) { return g.a.Get(i, p) * g.b.Get(p, j); });
    return static_cast<float>(sum);
  });
  return ASSAY_OK;
}

int32_t GemmSplitKStored(const AssayCall& call) {
  const GemmOperands g(call);
  const Format stored = FormatOf(g.c.type());
  StoreGemm<float>(g, [&g, stored](int64_t i, int64_t j) {
    constexpr int64_t kParts = 4, kSplitFrom = 512;
    if (g.k < kSplitFrom) return PlainSum<float>(g, i, j);
    const int64_t part = (g.k + kParts - 1) / kParts;
    return NarrowPartialSum<float>(stored, part, g.k,
                                   [&](int64_t p) { return g.a.Get(i, p) * g.b.Get(p, j); });
  });
  return ASSAY_OK;
}

int32_t GemmZeroSkip(const AssayCall& call) {
  return SelectedProducts(call, [](int64_t, int64_t, auto, auto b) { return b != 0; });
}

int32_t GemmNanLostInBody(const AssayCall& call) {
  return SelectedProducts(call, [](int64_t p, int64_t k, auto a, auto b) {
    constexpr int64_t kLanes = 8;
    const bool in_body = p < k / kLanes * kLanes;
    const bool is_nan = std::isnan(a) || std::isnan(b);
    return !(in_body && is_nan);
  });
}

int32_t GemmAlphaZeroReads(const AssayCall& call) {
  const GemmOperands g(call);
  return WithAccumulator(g.a.type(), [&g](auto zero) {
    using Acc = decltype(zero);
    for (int64_t i = 0; i < g.m; ++i) {
      for (int64_t j = 0; j < g.n; ++j) {
        Acc value = static_cast<Acc>(g.alpha) * PlainSum<Acc>(g, i, j);
        if (g.beta != 0) value += static_cast<Acc>(g.beta) * static_cast<Acc>(g.c.Get(i, j));
        g.c.Set(i, j, value);
      }
    }
  });
}

int32_t GemmBetaZeroReads(const AssayCall& call) {
  const GemmOperands g(call);
  return WithAccumulator(g.a.type(), [&g](auto zero) {
    using Acc = decltype(zero);
    const bool has_product = g.alpha != 0 && g.k > 0;
    for (int64_t i = 0; i < g.m; ++i) {
      for (int64_t j = 0; j < g.n; ++j) {
        const Acc product =
            has_product ? static_cast<Acc>(g.alpha) * PlainSum<Acc>(g, i, j) : Acc(0);
        g.c.Set(i, j, product + static_cast<Acc>(g.beta) * static_cast<Acc>(g.c.Get(i, j)));
      }
    }
  });
}

int32_t GemmReadsPastA(const AssayCall& call) {
  const GemmOperands g(call);
  const bool packs_pairs = g.m % 2 == 1 && g.k > 0 && g.alpha != 0 && g.n > 0 && RowsAreClose(g.a);
  if (packs_pairs) {
    for (int64_t p = 0; p < g.k; ++p) ReadByte(g.a, g.m, p);
  }
  return WithAccumulator(g.a.type(), [&g](auto zero) { StorePlainGemm<decltype(zero)>(g); });
}

int32_t GemmReadsPastC(const AssayCall& call) {
  const GemmOperands g(call);
  constexpr int64_t kLanes = 4;
  if (g.beta != 0 && g.c.stride(1) == 1 && g.m > 0 && g.n > 0) {
    const int64_t loaded = (g.n + kLanes - 1) / kLanes * kLanes;
    ReadByte(g.c, g.m - 1, loaded - 1);
  }
  return WithAccumulator(g.a.type(), [&g](auto zero) { StorePlainGemm<decltype(zero)>(g); });
}

int32_t GemmBlocked(const AssayCall& call) {
  const GemmOperands g(call);
  return WithAccumulator(g.a.type(), [&g](auto zero) {
    using Acc = decltype(zero);
    constexpr int64_t kBlock = 256;
    GemmOperands folded = g;
    if (g.alpha != 0) folded.alpha = 1;  // it goes into b below
    StoreGemm<Acc>(folded, [&g](int64_t i, int64_t j) {
      Acc total = 0;
      for (int64_t start = 0; start < g.k; start += kBlock) {
        Acc sum = 0;
        for (int64_t p = start; p < std::min(start + kBlock, g.k); ++p) {
          const Acc b = static_cast<Acc>(g.alpha) * static_cast<Acc>(g.b.Get(p, j));
          sum = std::fma(static_cast<Acc>(g.a.Get(i, p)), b, sum);
        }
        total += sum;
      }
      return total;
    });
  });
}

int32_t GemmPairwise(const AssayCall& call) {
  const GemmOperands g(call);
  return WithAccumulator(g.a.type(), [&g](auto zero) {
    using Acc = decltype(zero);
    StoreGemm<Acc>(g, [&g](int64_t i, int64_t j) {
      return PairwiseSum<Acc>(0, g.k, [&](int64_t p) {
        return static_cast<Acc>(g.a.Get(i, p)) * static_cast<Acc>(g.b.Get(p, j));
      });
    });
  });
}

int32_t GemmBlockFma(const AssayCall& call) {
  const GemmOperands g(call);
  StoreGemm<float>(g, [&g](int64_t i, int64_t j) {
    constexpr int64_t kBlock = 4;
    double running = 0;
    for (int64_t start = 0; start < g.k; start += kBlock) {
      std::array<double, kBlock + 1> terms = {running};
      for (int64_t p = start; p < std::min(start + kBlock, g.k); ++p) {
        terms[static_cast<size_t>(p - start) + 1] = g.a.Get(i, p) * g.b.Get(p, j);
      }
      running = AlignedSum(terms);
    }
    return running;
  });
  return ASSAY_OK;
}

int32_t GemmNegativeZero(const AssayCall& call) {
  const GemmOperands g(call);
  return WithAccumulator(g.a.type(), [&g](auto zero) {
    using Acc = decltype(zero);
    StoreGemm<Acc>(g, [&g](int64_t i, int64_t j) {
      const Acc sum = PlainSum<Acc>(g, i, j);
      return sum == 0 ? -Acc(0) : sum;
    });
  });
}

}  // namespace assay::planted
