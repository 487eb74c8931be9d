// SPDX-License-Identifier: Apache-2.0
#include "oracles/number/exact_sum.h"

#include <mpfr.h>

#include <cmath>

#include "contracts/invariant.h"

namespace assay {
namespace {

// From 2^-3222, a product of three subnormals, to 2^3093, 2^21 products of three large doubles.
constexpr mpfr_prec_t kExactBits = 6528;

void CheckExact(int ternary) { ASSAY_CHECK(ternary == 0, "an exact operation was rounded"); }

}  // namespace

struct ExactSum::Impl {
  mpfr_t value, left, right;
};

ExactSum::ExactSum() : impl_(std::make_unique<Impl>()) {
  mpfr_init2(impl_->value, kExactBits);
  mpfr_init2(impl_->left, 53);
  mpfr_init2(impl_->right, 53);
  Clear();
}

ExactSum::~ExactSum() { mpfr_clears(impl_->value, impl_->left, impl_->right, nullptr); }

void ExactSum::Clear() { mpfr_set_zero(impl_->value, 1); }

void ExactSum::Add(double x) { CheckExact(mpfr_add_d(impl_->value, impl_->value, x, MPFR_RNDN)); }

void ExactSum::AddProduct(double a, double b) {
  CheckExact(mpfr_set_d(impl_->left, a, MPFR_RNDN));
  CheckExact(mpfr_set_d(impl_->right, b, MPFR_RNDN));
  CheckExact(mpfr_fma(impl_->value, impl_->left, impl_->right, impl_->value, MPFR_RNDN));
}

void ExactSum::Multiply(double factor) {
  CheckExact(mpfr_mul_d(impl_->value, impl_->value, factor, MPFR_RNDN));
}

double ExactSum::RoundUp() { return mpfr_get_d(impl_->value, MPFR_RNDU); }

Enclosure ExactSum::Peek() {
  Enclosure result;
  result.hi = mpfr_get_d(impl_->value, MPFR_RNDN);
  if (std::isfinite(result.hi)) {
    Add(-result.hi);
    result.lo = mpfr_get_d(impl_->value, MPFR_RNDN);
    Add(-result.lo);
    result.radius = std::fabs(mpfr_get_d(impl_->value, MPFR_RNDA));
    Add(result.lo);
    Add(result.hi);
  }
  if (result.hi == 0) result.hi = 0;  // +0
  return result;
}

Enclosure ExactSum::Take() {
  const Enclosure result = Peek();
  Clear();
  return result;
}

}  // namespace assay
