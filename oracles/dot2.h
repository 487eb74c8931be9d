// SPDX-License-Identifier: Apache-2.0
//
// The certified fast tier of sums of products: compensated accumulation (Dot2 of Ogita, Rump and
// Oishi, SIAM J. Sci. Comput. 26, 2005) with a running bound on what the compensation itself
// rounded away.
//
// Error analysis, u = 2^-53. Each step forms p = a b and s' = s + p. TwoSum, and TwoProduct where
// products are not exact, return the errors er of both without rounding, so
//     exact dot product = S + sum er_i,   S the final s.
// E = fl(sum er_i) and R = fl(sum |er_i|) are plain sums in which a term passes at most h
// additions:
//     |E - sum er_i| <= gamma(h) sum |er_i|,   sum |er_i| <= R / (1-u)^h,
//     hence |S + E - exact| <= h u R (1 + 8 h u) for h u < 2^-10. (certificate)
// It is 0 when nothing was rounded. Additions are exact in the subnormal range; only the product
// h u R may underflow, therefore 2^-1060 is added when R is not 0, and again after alpha.
//
// alpha, beta: with (x, y) = TwoSum(S, E), ph + pe = alpha x and qh + qe = beta c and sh + se = ph
// + qh exactly, pl = fl(alpha y),
//     rest = fl(fl(pe + qe) + fl(se + pl)) errs by at most 4 u fl(|pe| + |qe| + |se| + |pl|)
// (one rounding for pl, one per inner sum, one for the outer; the sum of magnitudes has slack for
// its own roundings), and the certificate is multiplied by |alpha|. Results are certified only
// where every product stays within [2^-968, 2^1000] or is an exact zero.
//
// Sum of magnitudes: partial sums of at most 1024 terms, then a sum of at most 1024 of those: 2^11
// additions or fewer for 2^20 terms, so it is low by at most 2^-42; multiplied by 1 + 2^-41 it is
// an upper bound, and below 1 + 2^-40 times the exact value.
#pragma once

#include <cstdint>

#include "oracles/enclosure.h"
#include "oracles/lane_scan.h"

namespace assay {

// Columns of a packed panel of the right operand.
inline constexpr int kPanelColumns = 8;

// alpha * sum + beta * c, row-major outputs with `columns` per row.
struct Dot2Problem {
  int64_t rows = 0, columns = 0, length = 0;
  const double* a = nullptr;  // [rows][length]
  // Right operand. Panels: [ceil(columns / 8)][length][8], padded with zeros; else
  // [columns][length]; null: every factor is 1 and the left operand itself is summed.
  const double* b = nullptr;
  bool panels = false;
  bool exact_products = false;  // a b is exact in double (inputs of 24 bits or fewer, or b null)
  double alpha = 1, beta = 0;
  const double* c = nullptr;  // [rows][columns], read iff beta != 0
  // A radius decides if it is at most 2^-20 * unit_out * |t| or at most 2^-63 * (sum of
  // magnitudes): error bounds of any accumulator up to double are at least 2^-53 times that sum.
  double unit_out = 0x1p-53;
};

// Columns of the result; all may not alias.
struct Dot2Result {
  double* hi;
  double* lo;
  double* radius;       // +Inf where this tier cannot answer
  double* abs_sum;      // |alpha| sum |a||b| + |beta||c|, rounded outward as above
  double* product_sum;  // sum |a||b|, rounded outward
};

// Fills every output. REQUIRES length >= 1 and <= 2^20, no FTZ/DAZ, round to nearest. NaN and Inf
// in a row or column leave the other outputs alone. When products are not exact, the caller has
// checked that each product of an output it keeps is 0 or in range, and that no |operand| exceeds
// 2^990.
// `lanes` may be anything up to MachineLanes() and changes no bit of the result.
void RunDot2(const Dot2Problem& problem, const Dot2Result& result, LaneSet lanes = MachineLanes());

}  // namespace assay
