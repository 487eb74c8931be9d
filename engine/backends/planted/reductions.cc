// SPDX-License-Identifier: Apache-2.0
//
// dot and sum with one fault each, and those that are right in an unusual way. A reduction is a
// number of terms and a way to add them; sum's terms are its elements, dot's are products.
#include <array>
#include <cmath>
#include <limits>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/operands.h"

namespace assay::planted {
namespace {

struct SumOperands {
  explicit SumOperands(const AssayCall& call)
      : x(call.operands[0]), out(call.operands[1]), n(x.extent(0)) {}
  View x, out;
  int64_t n;
};

struct DotOperands {
  explicit DotOperands(const AssayCall& call)
      : x(call.operands[0]), y(call.operands[1]), out(call.operands[2]), n(x.extent(0)) {}
  View x, y, out;
  int64_t n;

  // The product in the accumulator: rounded, unless the accumulator holds it exactly.
  template <class Acc>
  Acc Product(int64_t i) const {
    return static_cast<Acc>(x.Get(i)) * static_cast<Acc>(y.Get(i));
  }
  double ExactProduct(int64_t i) const { return x.Get(i) * y.Get(i); }
};

// Adds the terms of which `keep` says yes, in order.
template <class Acc, class Term, class Keep>
Acc SumOfKept(int64_t n, const Term& term, const Keep& keep) {
  Acc sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Acc value = static_cast<Acc>(term(i));
    if (keep(i, value)) sum += value;
  }
  return sum;
}

// A vector body of 8 lanes that drops NaN, and a tail that does not.
auto OutsideBodyOrNumber(int64_t n) {
  return [n](int64_t i, auto value) {
    constexpr int64_t kLanes = 8;
    const bool in_body = i < n / kLanes * kLanes;
    return !(in_body && std::isnan(value));
  };
}

constexpr int64_t kPartialTerms = 64;

}  // namespace

int32_t DotTf32Operands(const AssayCall& call) {
  const DotOperands d(call);
  float sum = 0;
  for (int64_t i = 0; i < d.n; ++i) {
    sum += static_cast<float>(Round(Format::kTf32, d.x.Get(i))) *
           static_cast<float>(Round(Format::kTf32, d.y.Get(i)));
  }
  d.out.Set(0, sum);
  return ASSAY_OK;
}

int32_t DotBf16Partials(const AssayCall& call) {
  const DotOperands d(call);
  d.out.Set(0, NarrowPartialSum<float>(Format::kBf16, kPartialTerms, d.n,
                                       [&d](int64_t i) { return d.Product<float>(i); }));
  return ASSAY_OK;
}

int32_t DotNarrowLanes(const AssayCall& call) {
  const DotOperands d(call);
  constexpr int kLanes = 32;
  d.out.Set(0, NarrowLaneSum(FormatOf(d.x.type()), kLanes, d.n,
                             [&d](int64_t i) { return d.ExactProduct(i); }));
  return ASSAY_OK;
}

int32_t DotF64AsF32(const AssayCall& call) {
  const DotOperands d(call);
  float sum = 0;
  for (int64_t i = 0; i < d.n; ++i) sum += d.Product<float>(i);
  d.out.Set(0, sum);
  return ASSAY_OK;
}

int32_t DotZeroSkip(const AssayCall& call) {
  const DotOperands d(call);
  return WithAccumulator(d.x.type(), [&d](auto zero) {
    using Acc = decltype(zero);
    const auto keep = [&d](int64_t i, Acc) { return d.x.Get(i) != 0; };
    d.out.Set(0, SumOfKept<Acc>(d.n, [&d](int64_t i) { return d.Product<Acc>(i); }, keep));
  });
}

int32_t DotNanLostInBody(const AssayCall& call) {
  const DotOperands d(call);
  return WithAccumulator(d.x.type(), [&d](auto zero) {
    using Acc = decltype(zero);
    d.out.Set(0, SumOfKept<Acc>(
                     d.n, [&d](int64_t i) { return d.Product<Acc>(i); }, OutsideBodyOrNumber(d.n)));
  });
}

int32_t DotLanes(const AssayCall& call) {
  const DotOperands d(call);
  return WithAccumulator(d.x.type(), [&d](auto zero) {
    using Acc = decltype(zero);
    std::array<Acc, 8> lanes{};
    for (int64_t i = 0; i < d.n; ++i) {
      Acc& lane = lanes[static_cast<size_t>(i) % lanes.size()];
      lane = std::fma(static_cast<Acc>(d.x.Get(i)), static_cast<Acc>(d.y.Get(i)), lane);
    }
    d.out.Set(0, PairwiseSum<Acc>(0, static_cast<int64_t>(lanes.size()),
                                  [&](int64_t i) { return lanes[static_cast<size_t>(i)]; }));
  });
}

int32_t DotPairwise(const AssayCall& call) {
  const DotOperands d(call);
  return WithAccumulator(d.x.type(), [&d](auto zero) {
    using Acc = decltype(zero);
    d.out.Set(0, PairwiseSum<Acc>(0, d.n, [&d](int64_t i) { return d.Product<Acc>(i); }));
  });
}

int32_t SumTf32Operands(const AssayCall& call) {
  const SumOperands s(call);
  float sum = 0;
  for (int64_t i = 0; i < s.n; ++i) sum += static_cast<float>(Round(Format::kTf32, s.x.Get(i)));
  s.out.Set(0, sum);
  return ASSAY_OK;
}

int32_t SumBf16Partials(const AssayCall& call) {
  const SumOperands s(call);
  s.out.Set(0, NarrowPartialSum<float>(Format::kBf16, kPartialTerms, s.n,
                                       [&s](int64_t i) { return s.x.Get(i); }));
  return ASSAY_OK;
}

int32_t SumNarrowLanes(const AssayCall& call) {
  const SumOperands s(call);
  constexpr int kLanes = 32;
  s.out.Set(
      0, NarrowLaneSum(FormatOf(s.x.type()), kLanes, s.n, [&s](int64_t i) { return s.x.Get(i); }));
  return ASSAY_OK;
}

int32_t SumF64AsF32(const AssayCall& call) {
  const SumOperands s(call);
  float sum = 0;
  for (int64_t i = 0; i < s.n; ++i) sum += static_cast<float>(s.x.Get(i));
  s.out.Set(0, sum);
  return ASSAY_OK;
}

int32_t SumNanLostInBody(const AssayCall& call) {
  const SumOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    s.out.Set(0, SumOfKept<decltype(zero)>(
                     s.n, [&s](int64_t i) { return s.x.Get(i); }, OutsideBodyOrNumber(s.n)));
  });
}

int32_t SumInfSaturates(const AssayCall& call) {
  const SumOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    using Acc = decltype(zero);
    Acc sum = 0;
    for (int64_t i = 0; i < s.n; ++i) sum += static_cast<Acc>(s.x.Get(i));
    const double largest = InfoOf(FormatOf(s.out.type())).largest;
    s.out.Set(0, std::isinf(sum) ? std::copysign(largest, static_cast<double>(sum)) : sum);
  });
}

int32_t SumPairwise(const AssayCall& call) {
  const SumOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    s.out.Set(0, PairwiseSum<decltype(zero)>(0, s.n, [&s](int64_t i) { return s.x.Get(i); }));
  });
}

int32_t SumCompensated(const AssayCall& call) {
  const SumOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    using Acc = decltype(zero);
    Acc sum = 0, lost = 0;
    for (int64_t i = 0; i < s.n; ++i) {
      const Acc value = static_cast<Acc>(s.x.Get(i));
      const Acc next = sum + value;
      lost += std::fabs(sum) >= std::fabs(value) ? (sum - next) + value : (value - next) + sum;
      sum = next;
    }
    // What an infinite sum has lost is Inf - Inf.
    s.out.Set(0, std::isfinite(sum) ? sum + lost : sum);
  });
}

int32_t SumNegativeZero(const AssayCall& call) {
  const SumOperands s(call);
  return WithAccumulator(s.x.type(), [&s](auto zero) {
    using Acc = decltype(zero);
    Acc sum = s.n > 0 ? -Acc(0) : Acc(0);  // -0 + -0 stays -0; an empty sum is +0
    for (int64_t i = 0; i < s.n; ++i) sum += static_cast<Acc>(s.x.Get(i));
    s.out.Set(0, sum);
  });
}

}  // namespace assay::planted
