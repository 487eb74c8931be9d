// SPDX-License-Identifier: Apache-2.0
//
// The oracle of prod: truth and legal classes. abs_sum is |truth|; max_abs_sum the largest
// magnitude any partial product can reach, the product of all elements above one; subnormal_count
// is not 0 where a partial product can be subnormal in the accumulator. Internal to oracles/.
#pragma once

#include <cstdint>
#include <span>

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

// Every order is legal, so finite elements whose partial products may leave the accumulator's range
// widen the set: an infinity, a zero, or NaN where the two can meet.
ClassSet ProductClasses(std::span<const double> x, Format accumulator);

class ProductOracle {
 public:
  // Double-double mantissas with the exponent beside them: right to 2^-80 for every type.
  void Measure(const Values& values, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);
};

}  // namespace assay
