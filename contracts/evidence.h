// SPDX-License-Identifier: Apache-2.0
//
// What the oracles measured about a case, independent of any backend: per output element an
// enclosure of the truth, the set of legal special classes and the magnitudes that error bounds are
// made of. Columns are indexed by the dense row-major position of the output element.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "contracts/dtype.h"
#include "contracts/profile.h"

namespace assay {

// The measured quantities a contract may name. `rate` says whether one number serves the whole case
// or each element has its own. X(identifier, language name, rate, meaning)
#define ASSAY_QUANTITIES(X)                                                                     \
  X(kAbsSum, "abs_sum", kElement, "S: the expression with every product and sum made absolute") \
  X(kNonZeros, "nnz", kElement, "products (addends) that are not exactly zero")                 \
  X(kOperandSum, "operand_sum", kElement, "max(sum|a|, sum|b|) over the element's products")    \
  X(kAbsX, "abs_x", kElement, "|x|, the element's own input")                                   \
  X(kShift, "shift", kElement, "softmax: |x_i - max x|")                                        \
  X(kMeanShift, "mean_shift", kElement, "softmax: sum p_j |x_j - max x| of the row")            \
  X(kCondition, "condition", kElement, "gelu: |x| phi(x) / Phi(x)")                             \
  X(kLength, "length", kCase, "number of addends of the reduction: K, n")                       \
  X(kAlpha, "alpha", kCase, "alpha of gemm, 1 elsewhere")                                       \
  X(kBeta, "beta", kCase, "beta of gemm, 0 elsewhere")                                          \
  X(kMaxAbsA, "max_abs_a", kCase, "largest finite |element| of the first input")                \
  X(kMaxAbsB, "max_abs_b", kCase, "largest finite |element| of the second input, 0 if none")    \
  X(kMaxAbsC, "max_abs_c", kCase, "largest finite |element| of c, 0 if none")                   \
  X(kMaxAbsSum, "max_abs_sum", kCase,                                                           \
    "largest abs_sum of the case; sum|a||b| part only is "                                      \
    "max_abs_product_sum")                                                                      \
  X(kMaxAbsProductSum, "max_abs_product_sum", kCase, "largest sum|a||b| without alpha")         \
  X(kExtent, "extent", kCase, "rows of a gather's table")                                       \
  X(kOutsideCount, "outside_count", kCase, "indices outside [0, extent)")

enum class Rate : uint8_t { kCase, kElement };
enum class Quantity : uint8_t {
#define ASSAY_QUANTITY_ENUM(id, name, rate, meaning) id,
  ASSAY_QUANTITIES(ASSAY_QUANTITY_ENUM)
#undef ASSAY_QUANTITY_ENUM
};
#define ASSAY_QUANTITY_COUNT(id, name, rate, meaning) +1
inline constexpr int kQuantityCount = 0 ASSAY_QUANTITIES(ASSAY_QUANTITY_COUNT);
#undef ASSAY_QUANTITY_COUNT

// How the truth was decided; counted and shown. kDot2, kExact and kBall prove their radius. kLibm,
// double precision of the C library for inputs of at most 24 bits, has a radius that was validated
// against kBall and is not proven: no violation found with it counts before kBall has confirmed it.
enum class Tier : uint8_t { kDot2 = 0, kLibm, kExact, kBall, kTable };

// Truth of element i lies in hi[i] + lo[i] +- radius[i] (|lo| <= ulp(hi)/2), in real arithmetic on
// the inputs as stored, before any rounding. Where legal[i] lacks kClassByValue the truth is not a
// real number and only the class counts; hi then holds a representative (NaN, Inf or a zero).
struct Evidence {
  // Differs from one measurement to the next of one oracle, so that bounds computed from this
  // evidence can be kept for the next backend. 0: made by hand, nothing is kept.
  uint64_t measurement = 0;
  int64_t count = 0;
  std::vector<double> hi, lo, radius;
  std::vector<ClassSet> legal;
  std::array<std::vector<double>, kQuantityCount> element;  // empty where not measured
  std::array<double, kQuantityCount> scalar{};              // NaN where not measured
  // Any NaN, Inf among inputs or scalars; a zero alpha or an empty sum: where the table of special
  // answers says more than arithmetic does.
  bool special = false;
  Tier tier = Tier::kDot2;  // the highest tier any element needed
};

}  // namespace assay
