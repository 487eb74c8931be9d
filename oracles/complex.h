// SPDX-License-Identifier: Apache-2.0
//
// The oracle of complex operators, whose last axis holds real and imaginary parts: complex_scal,
// complex_dot, complex_gemv, complex_abs. Internal to oracles/.
//
// Each part of an answer is a real sum of products of its own. The conventional product of complex
// numbers rounds a product and an addition; a sum of nnz of them passes a part of an answer through
// at most 2 nnz - 1 more additions, alpha adds a product and an addition, beta an addition: 2 nnz +
// 3 in all, against the sum of the magnitudes of the part's own terms (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., sections 3.1 and 3.6).
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/number/ball_value.h"

namespace assay {

// One complex answer: sum a b, or alpha (sum a b) + beta c.
struct ComplexTerms {
  std::vector<std::complex<double>> a, b;
  bool scaled = false;  // alpha and beta are there, be they 1 and 0
  bool a_is_scalar = false;
  std::complex<double> alpha = 1, beta = 0, c = 0;

  void Reset() {
    a.clear();
    b.clear();
    scaled = a_is_scalar = false;
    alpha = 1;
    beta = c = 0;
  }
};
// The terms of complex answer `index`, parts of the destination counted in pairs. REQUIRES any of
// the operators but complex_abs.
void GatherComplexTerms(const Values& values, int64_t index, ComplexTerms& terms);

// Buffers are kept from case to case; not thread-safe.
class ComplexOracle {
 public:
  void Measure(const Values& values, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);

 private:
  void MeasureFrom(const Values& values, int bits, Evidence& evidence);
  void MeasureAnswer(int64_t index, Evidence& evidence);
  void NoteFiniteParts();
  void MeasureAbs(const Values& values, Evidence& evidence);

  ComplexTerms terms_;
  std::vector<double> left_, right_;
  double max_abs_sum_ = 0, max_product_ = 0;
};

}  // namespace assay
