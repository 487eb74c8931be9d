// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/functions.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

template <class Format>
typename Format::Real Sum(const View<Format>& x) {
  typename Format::Real sum = 0;
  for (int64_t i = 0; i < x.extent(0); ++i) sum += x.Get(i);
  return sum;
}

template <class Format>
typename Format::Real NanSum(const View<Format>& x) {
  typename Format::Real sum = 0;
  for (int64_t i = 0; i < x.extent(0); ++i) sum += std::isnan(x.Get(i)) ? 0 : x.Get(i);
  return sum;
}

template <class Format>
typename Format::Real AbsSum(const View<Format>& x) {
  typename Format::Real sum = 0;
  for (int64_t i = 0; i < x.extent(0); ++i) sum += std::fabs(x.Get(i));
  return sum;
}

template <class Format>
typename Format::Real Product(const View<Format>& x) {
  typename Format::Real product = 1;
  for (int64_t i = 0; i < x.extent(0); ++i) product *= x.Get(i);
  return product;
}

// Every element scaled by the power of two that brings the largest to [1, 2): exact where it
// matters, and no square over- or underflows on the way.
template <class Format>
typename Format::Real Norm(const View<Format>& x) {
  using Real = typename Format::Real;
  Real largest = 0;
  for (int64_t i = 0; i < x.extent(0); ++i) largest = Maximum(largest, std::fabs(x.Get(i)));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  const int exponent = std::ilogb(largest);
  Real sum = 0;
  for (int64_t i = 0; i < x.extent(0); ++i) {
    const Real scaled = std::scalbn(x.Get(i), -exponent);
    sum += scaled * scaled;
  }
  return std::scalbn(std::sqrt(sum), exponent);
}

// Two passes. Without a degree of freedom 0 / 0.
template <class Format>
typename Format::Real Variance(const View<Format>& x, double correction) {
  using Real = typename Format::Real;
  const int64_t n = x.extent(0);
  const Real mean = Sum(x) / static_cast<Real>(n);
  Real sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Real deviation = x.Get(i) - mean;
    sum += deviation * deviation;
  }
  return sum / static_cast<Real>(std::max<int64_t>(0, n - static_cast<int64_t>(correction)));
}

template <class Format>
typename Format::Real Largest(const View<Format>& x) {
  using Real = typename Format::Real;
  Real largest = -kInfinity<Real>;
  for (int64_t i = 0; i < x.extent(0); ++i) largest = Maximum(largest, x.Get(i));
  return largest;
}

template <class Format>
typename Format::Real Smallest(const View<Format>& x) {
  using Real = typename Format::Real;
  Real smallest = kInfinity<Real>;
  for (int64_t i = 0; i < x.extent(0); ++i) smallest = Minimum(smallest, x.Get(i));
  return smallest;
}

// A NaN only where there is nothing else.
template <class Format>
typename Format::Real OfNumbers(const AssayCall& call, const View<Format>& x) {
  const bool largest = call.op == ASSAY_OP_NAN_MAX;
  if (x.extent(0) == 0) return largest ? Largest(x) : Smallest(x);
  typename Format::Real best = x.Get(0);
  for (int64_t i = 1; i < x.extent(0); ++i) {
    best = largest ? MaximumNumber(best, x.Get(i)) : MinimumNumber(best, x.Get(i));
  }
  return best;
}

template <class Format>
typename Format::Real Reduce(const AssayCall& call, const View<Format>& x) {
  using Real = typename Format::Real;
  switch (call.op) {
    case ASSAY_OP_SUM:
      return Sum(x);
    case ASSAY_OP_MEAN:
      return Sum(x) / static_cast<Real>(x.extent(0));
    case ASSAY_OP_ASUM:
      return AbsSum(x);
    case ASSAY_OP_PROD:
      return Product(x);
    case ASSAY_OP_NRM2:
      return Norm(x);
    case ASSAY_OP_VARIANCE:
      return Variance(x, call.attributes[0]);
    case ASSAY_OP_NAN_SUM:
      return NanSum(x);
    case ASSAY_OP_NAN_MAX:
    case ASSAY_OP_NAN_MIN:
      return OfNumbers(call, x);
    case ASSAY_OP_MAX:
      return Largest(x);
    default:
      return Smallest(x);
  }
}

template <class Format>
int64_t FirstLargest(const View<Format>& x) {
  int64_t best = 0;
  for (int64_t i = 0; i < x.extent(0); ++i) {
    if (std::isnan(x.Get(i))) return i;
    if (x.Get(i) > x.Get(best)) best = i;
  }
  return best;
}

// The loop of reference BLAS: NaN is never above anything, and nothing is above it in first place.
template <class Format>
int64_t FirstLargestMagnitude(const View<Format>& x) {
  int64_t best = 0;
  for (int64_t i = 1; i < x.extent(0); ++i) {
    if (std::fabs(x.Get(i)) > std::fabs(x.Get(best))) best = i;
  }
  return best;
}

}  // namespace

void Reduction(const AssayCall& call) {
  WithFormats(TypeOf(call.operands[0]), TypeOf(call.operands[1]), [&](auto in, auto out) {
    const View<decltype(in)> x(call.operands[0]);
    View<decltype(out)>(call.operands[1]).Put(Reduce(call, x));
  });
}

bool Find(const AssayCall& call) {
  if (call.operands[0].shape[0] == 0) return false;
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]);
    const int64_t place = call.op == ASSAY_OP_ARGMAX ? FirstLargest(x) : FirstLargestMagnitude(x);
    View<Raw<int64_t>>(call.operands[1]).Put(place);
  });
  return true;
}

void Cumsum(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), out(call.operands[1]);
    typename decltype(format)::Real sum = 0;
    for (int64_t i = 0; i < x.extent(0); ++i) {
      sum += x.Get(i);
      out.Put(sum, i);
    }
  });
}

}  // namespace assay::reference
