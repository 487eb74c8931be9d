// SPDX-License-Identifier: Apache-2.0
//
// The oracle of sums of products: gemm, gemv, batched_gemm, dot, sum, mean, asum, scal, axpy,
// conv2d, avg_pool, scatter_add, scaled_gradient, the adding collectives and the pre-activation of
// fused_linear. Truth, magnitudes and legal classes of every output. Internal to oracles/.
#pragma once

#include <cstdint>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/long_accumulator.h"
#include "oracles/number/exact_sum.h"
#include "oracles/sums_pack.h"
#include "oracles/sums_view.h"

namespace assay {

// Buffers are kept from case to case; not thread-safe.
class SumsOracle {
 public:
  // Fast tier, then the exact accumulator for the outputs it could not certify.
  void Measure(const Values& values, Evidence& evidence);
  // Every sum by MPFR, in a precision in which nothing rounds.
  void MeasureHighest(const Values& values, Evidence& evidence);

 private:
  void MeasureWith(const Values& values, bool highest, Evidence& evidence);
  template <class Accumulator>
  void Complete(const SumsView& view, Accumulator& exact, bool all, Evidence& evidence);
  void ApplySpecials(const SumsView& view, Evidence& evidence);
  void RunFastTier(const SumsView& view, Evidence& evidence);
  void RejectInexactProducts(const SumsView& view, Evidence& evidence);
  void CountNonZeros(const SumsView& view, Evidence& evidence);
  void SumOperands(const SumsView& view, Evidence& evidence);

  SumsPacker packer_;
  std::vector<double> least_a_, least_b_, sum_a_, sum_b_, product_sum_;
  std::vector<uint8_t> special_b_;
  std::vector<uint64_t> mask_a_, mask_b_;
  double max_abs_sum_ = 0, max_product_sum_ = 0;  // over the blocks measured so far
  LongAccumulator long_accumulator_;
  ExactSum exact_sum_;
};

}  // namespace assay
