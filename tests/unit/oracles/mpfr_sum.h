// SPDX-License-Identifier: Apache-2.0
//
// The referee of the sum tests: MPFR with more bits than any sum of products of doubles times a
// double can have, independent of the oracles' own use of it.
#pragma once

#include <mpfr.h>

#include <cmath>

namespace assay::fixtures {

class MpfrSum {
 public:
  MpfrSum() {
    for (auto* number : {value_, left_, right_, scratch_}) mpfr_init2(number, 7000);
    Clear();
  }
  ~MpfrSum() { mpfr_clears(value_, left_, right_, scratch_, nullptr); }
  MpfrSum(const MpfrSum&) = delete;

  void Clear() { mpfr_set_zero(value_, 1); }
  void AddProduct(double a, double b) {
    mpfr_set_d(left_, a, MPFR_RNDN);
    mpfr_set_d(right_, b, MPFR_RNDN);
    mpfr_mul(left_, left_, right_, MPFR_RNDN);
    mpfr_add(value_, value_, left_, MPFR_RNDN);
  }
  void Multiply(double factor) { mpfr_mul_d(value_, value_, factor, MPFR_RNDN); }
  double Nearest() const { return mpfr_get_d(value_, MPFR_RNDN); }

  // |hi + lo - value| <= radius
  bool Encloses(double hi, double lo, double radius) {
    mpfr_sub_d(scratch_, value_, hi, MPFR_RNDN);
    mpfr_sub_d(scratch_, scratch_, lo, MPFR_RNDN);
    mpfr_abs(scratch_, scratch_, MPFR_RNDN);
    return mpfr_cmp_d(scratch_, radius) <= 0;
  }
  // value <= bound <= value (1 + 2^-40), but for less than one smallest subnormal
  bool BoundedTightly(double bound) {
    if (!(mpfr_cmp_d(value_, bound) <= 0)) return false;
    mpfr_mul_d(scratch_, value_, 1 + 0x1p-40, MPFR_RNDN);
    mpfr_add_d(scratch_, scratch_, 0x1p-1074, MPFR_RNDN);
    return mpfr_cmp_d(scratch_, bound) >= 0;
  }

 private:
  mpfr_t value_, left_, right_, scratch_;
};

}  // namespace assay::fixtures
