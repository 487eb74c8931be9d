// SPDX-License-Identifier: Apache-2.0
//
// The oracle of attention, per head and query: scores z_j = scale q.k_j + mask_j of the keys j that
// causality lets the query see, p = softmax(z), out = sum p_j v_j, computed as
// sum exp(z_j - m) v_j / sum exp(z_j - m) with m a double near the largest score.
// Quantities as contracts/evidence.h says; abs_sum = sum p_j |v_j|; max_abs_sum is the largest of
// all A_j and of keys * max |v|, which unscaled sums pass through. Internal to oracles/.
#pragma once

#include <cstdint>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

// Operands without NaN and infinities, which are 0 here; buffers kept from case to case.
struct AttentionBuffers {
  std::vector<double> q, k, v, mask, key_magnitude, p, shift;
};

class AttentionOracle {
 public:
  // Double-double numbers, or balls where those are not narrow enough.
  void Measure(const Values& values, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);

 private:
  AttentionBuffers buffers_;
};

}  // namespace assay
