// SPDX-License-Identifier: Apache-2.0
//
// One output of a linear operator written out: its factors in storage order and what is done with
// their sum. What emulations of narrower models start from; the oracles themselves work on blocks
// (sums_pack.h). Internal to oracles/.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "contracts/values.h"
#include "oracles/number/activation_ball.h"

namespace assay {

// activation((alpha sum a b + beta c) / divisor) + residual
struct LinearTerms {
  std::vector<double> a, b;  // b empty: all ones
  double alpha = 1, beta = 0, c = 0, divisor = 1;
  Activation activation = Activation::kNone;
  double residual = 0;
  DType input = DType::kF32, output = DType::kF32;

  // Empty, with the capacity it had.
  void Reset() {
    LinearTerms fresh;
    fresh.a.swap(a);
    fresh.b.swap(b);
    fresh.a.clear();
    fresh.b.clear();
    *this = std::move(fresh);
  }
  size_t length() const { return a.size(); }
  double B(size_t k) const { return b.empty() ? 1 : b[k]; }
  void Add(double x) { a.push_back(x); }
  void Add(double x, double y) {
    a.push_back(x);
    b.push_back(y);
  }
};

// False where the operator is not linear, or not one of real numbers. Terms that alpha = 0 keeps
// from being read are left out; an index outside adds nothing; a maximum or minimum over ranks, or
// a copy, is a sum of one.
bool GatherTerms(const Values& values, int64_t index, LinearTerms& terms);

}  // namespace assay
