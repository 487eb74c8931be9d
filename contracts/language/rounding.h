// SPDX-License-Identifier: Apache-2.0
//
// rounds() and underflow() of the contract language: how many roundings a term of a sum may pass on
// its way to the answer, and what may be lost below the normal range, operator by operator.
// Sources: Higham, 2nd ed., 3.1; Hauser, ACM TOPLAS 18 (1996): additions are exact in gradual
// underflow.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "contracts/evidence.h"
#include "contracts/language/program.h"
#include "contracts/values.h"

namespace assay {

// A signed power of two: a factor that rounds nothing above the subnormal range.
inline bool IsPowerOfTwo(double value) {
  int exponent = 0;
  return std::fabs(std::frexp(value, &exponent)) == 0.5;
}

// m u / (1 - m u); infinite from m u = 1 on.
inline double Gamma(double m, double u) {
  const double mu = m * u;
  return mu < 1 ? mu / (1 - mu) : std::numeric_limits<double>::infinity();
}

// The operator's place in the table of rounding counts, from its evidence. REQUIRES evidence of the
// bound operator, and values of its case.
//   sum, asum, cumsum, scatter_add, collectives   non-zeros - 1
//   ... divided by n: mean, and their mean        two more, for 1/n and the product by it; none for
//                                                 a power of two
//   avg_pool                                      non-zeros + 1, the same
//   dot, gemm, conv2d                             non-zeros, one less where products are exact;
//                                                 general alpha, beta: one each
//   fused_linear                                  as dot, the bias an addend like any product
//   scal, axpy                                    a general alpha one, axpy's addition one
//   scaled_gradient                               as dot; two more unless the scale is a power of
//                                                 two
//   maximum, minimum, copies, int8_gemm           none
class RoundingRule {
 public:
  RoundingRule(const Program& program, const Evidence& evidence, const Values& values);
  double At(double nnz) const {
    const double products = std::min(nnz * per_product_, largest_product_roundings_);
    return nnz > 0 ? products + added_ : when_empty_;
  }
  // Share of the measured non-zeros that reaches the answer: none of gemm's where alpha is 0.
  double counted_share() const { return counted_share_; }

 private:
  void OfProducts(const Program& program, const Evidence& evidence);

  double added_ = 0;       // to the number of non-zero products
  double when_empty_ = 0;  // where there is none
  double per_product_ = 1;
  double largest_product_roundings_;  // block units: one per block of the whole length
  double counted_share_ = 1;
};

class UnderflowRule {
 public:
  UnderflowRule(const Program& program, const Evidence& evidence, const Values& values);
  bool needs_operand_sum() const { return !sum_ && (folded_ || per_partner_ > 0); }
  double At(double nnz, double operand_sum, double rounds) const {
    if (sum_) return unit_ * (nnz * per_product_ + extra_) + inputs_;
    const double folded = folded_ && nnz > 0 ? operand_sum : 0;
    const double term = unit_ * (nnz * per_product_ + folded + extra_) * (1 + Gamma(rounds, u_));
    return (per_partner_ > 0 ? term + per_partner_ * operand_sum : term) + inputs_;
  }

 private:
  void OfScaled(const Program& program, const Evidence& evidence);
  void OfVectors(const Program& program, const Evidence& evidence, bool adds);
  // What a flushed element of c, beta or alpha is multiplied by: each loses at most lambda itself.
  double FlushedPartners(const Program& program, const Evidence& evidence, double beta) const;

  double u_;                // of the accumulator
  double unit_ = 0;         // what one operation may lose
  double alpha_ = 1;        // factor of every product
  double extra_ = 0;        // operations beside the products
  double per_product_ = 1;  // operations per product
  double per_partner_ = 0;  // lost with a flushed factor, per unit of what it is multiplied by
  double inputs_ = 0;       // lost with inputs that are flushed, whatever the number of products
  bool sum_ = false, folded_ = false;
};

}  // namespace assay
