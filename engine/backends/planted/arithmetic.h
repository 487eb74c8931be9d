// SPDX-License-Identifier: Apache-2.0
//
// Pieces that several planted kernels are built from: the choice of the accumulator, trees,
// operands rounded to a narrower format, sums in lanes. Depends on contracts/dtype.h for the
// formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "contracts/dtype.h"
#include "engine/include/assay/backend.h"

namespace assay::planted {

// Calls function(float{}) or function(double{}): what the planted profiles declare for the type.
template <class Function>
int32_t WithAccumulator(DType type, Function function) {
  if (type == DType::kF64) {
    function(double{});
  } else {
    function(float{});
  }
  return ASSAY_OK;
}

// Sum of term(first) .. term(last - 1) by halving.
template <class Acc, class Term>
Acc PairwiseSum(int64_t first, int64_t last, const Term& term) {
  if (last <= first) return 0;
  if (last - first == 1) return static_cast<Acc>(term(first));
  const int64_t middle = first + (last - first) / 2;
  return PairwiseSum<Acc>(first, middle, term) + PairwiseSum<Acc>(middle, last, term);
}

// Sum of term(0) .. term(count - 1) in `lanes` accumulators that each hold `format` only, then a
// tree.
template <class Term>
double NarrowLaneSum(Format format, int lanes, int64_t count, const Term& term) {
  std::vector<double> sums(static_cast<size_t>(lanes), 0.0);
  for (int64_t i = 0; i < count; ++i) {
    double& sum = sums[static_cast<size_t>(i % lanes)];
    sum = Round(format, sum + term(i));
  }
  for (int width = lanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) {
      double& sum = sums[static_cast<size_t>(lane)];
      sum = Round(format, sum + sums[static_cast<size_t>(lane + width)]);
    }
  }
  return sums[0];
}

// Sum in blocks of `block` terms: each finished block that has a successor is stored in `format`.
template <class Acc, class Term>
Acc NarrowPartialSum(Format format, int64_t block, int64_t count, const Term& term) {
  Acc total = 0;
  for (int64_t start = 0; start < count; start += block) {
    Acc partial = 0;
    const int64_t end = std::min(start + block, count);
    for (int64_t i = start; i < end; ++i) partial += static_cast<Acc>(term(i));
    total += end < count ? static_cast<Acc>(Round(format, partial)) : partial;
    if (end < count) total = static_cast<Acc>(Round(format, total));
  }
  return total;
}

}  // namespace assay::planted
