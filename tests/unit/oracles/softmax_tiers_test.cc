// SPDX-License-Identifier: Apache-2.0
//
// Enclosures of softmax against MPFR, whose exponents are wide enough to need no shift.
// ASSAY_TIER_CASES elements are checked, at every tier.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <vector>

#include "tests/unit/oracles/fixtures.h"

#ifndef ASSAY_TIER_CASES
#define ASSAY_TIER_CASES 20000
#endif

namespace assay::fixtures {
namespace {

// exp(x_i) / sum exp(x_j) of one row.
class MpfrSoftmax {
 public:
  MpfrSoftmax() {
    for (auto& term : terms_) mpfr_init2(term, 400);
    mpfr_inits2(400, sum_, scratch_, nullptr);
  }
  ~MpfrSoftmax() {
    for (auto& term : terms_) mpfr_clear(term);
    mpfr_clears(sum_, scratch_, nullptr);
  }
  MpfrSoftmax(const MpfrSoftmax&) = delete;

  void SetRow(const double* x, int64_t count) {
    mpfr_set_zero(sum_, 1);
    for (int64_t i = 0; i < count; ++i) {
      mpfr_set_d(terms_[i], x[i], MPFR_RNDN);
      mpfr_exp(terms_[i], terms_[i], MPFR_RNDN);
      mpfr_add(sum_, sum_, terms_[i], MPFR_RNDN);
    }
  }
  bool Encloses(int64_t i, double hi, double lo, double radius) {
    mpfr_div(scratch_, terms_[i], sum_, MPFR_RNDN);
    mpfr_sub_d(scratch_, scratch_, hi, MPFR_RNDN);
    mpfr_sub_d(scratch_, scratch_, lo, MPFR_RNDN);
    mpfr_abs(scratch_, scratch_, MPFR_RNDN);
    return mpfr_cmp_d(scratch_, radius) <= 0;
  }

  static constexpr int kMaxRow = 64;

 private:
  mpfr_t terms_[kMaxRow], sum_, scratch_;
};

TEST(SoftmaxTiers, EncloseTheTruthOfGeneratedRows) {
  constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBf16, DType::kF64};
  Random random(1);
  MpfrSoftmax referee;
  int64_t checked = 0;
  for (int round = 0; checked < ASSAY_TIER_CASES; ++round) {
    const int64_t n = random.Between(1, MpfrSoftmax::kMaxRow);
    Fixture softmax(OpId::kSoftmax, kTypes[round % 4], {2, n});
    const double offset = random.Below(2) == 0 ? 0 : random.Scaled(0, 12);
    const int reach = random.Between(0, 11);
    std::vector<double> x;
    for (int64_t i = 0; i < 2 * n; ++i) x.push_back(offset + random.Scaled(-3, reach));
    softmax.SetReal(0, x);
    const Evidence& evidence = round % 13 == 0 ? softmax.MeasureHighest() : softmax.Measure();
    for (int64_t at = 0; at < 2 * n; ++at) {
      if (at % n == 0) referee.SetRow(softmax.values.operands[0].real.data() + at, n);
      ASSERT_TRUE(referee.Encloses(at % n, evidence.hi[at], evidence.lo[at], evidence.radius[at]))
          << "round " << round << ", element " << at;
      ASSERT_LE(evidence.radius[at], 0x1p-44 * evidence.hi[at] + 0x1p-999);
    }
    checked += 2 * n;
  }
}

TEST(SoftmaxTiers, KeepWhatASubtractionInDoubleLoses) {
  // 3 * 2^-46 - 620 is no double; e^-620 is off by more than the radius without the lost part.
  Fixture softmax(OpId::kSoftmax, DType::kF32, {1, 2});
  softmax.SetReal(0, {620, 0x3p-46});
  const Evidence& evidence = softmax.Measure();
  MpfrSoftmax referee;
  referee.SetRow(softmax.values.operands[0].real.data(), 2);
  EXPECT_TRUE(referee.Encloses(1, evidence.hi[1], evidence.lo[1], evidence.radius[1]));
}

}  // namespace
}  // namespace assay::fixtures
