// SPDX-License-Identifier: Apache-2.0
//
// Truths of operators of two elements against MPFR in 2,300 bits (sums and products exactly), over
// all types and exponents.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <iterator>
#include <limits>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

constexpr OpId kOps[] = {OpId::kAdd, OpId::kMul,   OpId::kDiv,
                         OpId::kPow, OpId::kHypot, OpId::kRemainder};

class Referee {
 public:
  Referee() { mpfr_inits2(4400, value_, x_, y_, difference_, nullptr); }
  ~Referee() { mpfr_clears(value_, x_, y_, difference_, nullptr); }
  Referee(const Referee&) = delete;

  void Evaluate(OpId op, int style, double x, double y) {
    mpfr_set_d(x_, x, MPFR_RNDN);
    mpfr_set_d(y_, y, MPFR_RNDN);
    switch (op) {
      case OpId::kAdd:
        mpfr_add(value_, x_, y_, MPFR_RNDN);
        return;
      case OpId::kMul:
        mpfr_mul(value_, x_, y_, MPFR_RNDN);
        return;
      case OpId::kDiv:
        mpfr_div(value_, x_, y_, MPFR_RNDN);
        return;
      case OpId::kPow:
        mpfr_prec_round(value_, 300, MPFR_RNDN);
        mpfr_pow(value_, x_, y_, MPFR_RNDN);
        mpfr_prec_round(value_, 4400, MPFR_RNDN);
        return;
      case OpId::kHypot:
        mpfr_hypot(value_, x_, y_, MPFR_RNDN);
        return;
      default:
        break;
    }
    if (style == 1) {
      mpfr_remainder(value_, x_, y_, MPFR_RNDN);
      return;
    }
    mpfr_fmod(value_, x_, y_, MPFR_RNDN);
    if (style == 2 && mpfr_sgn(value_) * mpfr_sgn(y_) < 0) mpfr_add(value_, value_, y_, MPFR_RNDN);
  }

  double Nearest() const { return mpfr_get_d(value_, MPFR_RNDN); }

  bool Encloses(const Evidence& evidence) {
    mpfr_sub_d(difference_, value_, evidence.hi[0], MPFR_RNDN);
    mpfr_sub_d(difference_, difference_, evidence.lo[0], MPFR_RNDN);
    mpfr_abs(difference_, difference_, MPFR_RNDN);
    mpfr_abs(y_, value_, MPFR_RNDN);
    mpfr_mul_2si(y_, y_, -280, MPFR_RNDN);
    mpfr_add_d(y_, y_, evidence.radius[0], MPFR_RNDU);
    return mpfr_cmp(difference_, y_) <= 0;
  }

 private:
  mpfr_t value_, x_, y_, difference_;
};

double Argument(DType type, Random& random) {
  if (random.Below(3) == 0) return Decode(type, random.Bits());
  if (random.Below(3) == 0) return Round(FormatOf(type), random.Between(-40, 40));
  return Round(FormatOf(type), random.Scaled(-6, 6));
}

// The radius a truth may have: nothing for exact operators, else far below every format it serves.
double Allowed(OpId op, DType type, double exact) {
  if (op == OpId::kAdd || op == OpId::kMul || op == OpId::kRemainder) {
    return std::fabs(exact) < 0x1p-960 ? 0x1p-1074 : 0;
  }
  const bool power = op == OpId::kPow;
  const double relative = !power ? 0x1p-96 : type == DType::kF64 ? 0x1p-75 : 0x1p-44;
  return std::fabs(exact) * relative + 0x1p-999;
}

void Check(OpId op, DType type, int style, double x, double y, bool highest) {
  static Referee referee;
  Fixture fixture(op, type, {1});
  if (op == OpId::kRemainder) fixture.source.attributes[kRemainderStyle].choice = style;
  fixture.SetReal(0, {x});
  fixture.SetReal(1, {y});
  const Evidence& evidence = highest ? fixture.MeasureHighest() : fixture.Measure();
  referee.Evaluate(op, style, x, y);
  const double exact = referee.Nearest();
  if (!std::isfinite(x) || !std::isfinite(y)) return;  // a table's business
  if ((evidence.legal[0] & kClassByValue) == 0) {
    ASSERT_TRUE(!std::isfinite(exact) || exact == 0)
        << DefOf(op).name << std::hexfloat << " " << x << " " << y << " gives " << exact;
    return;
  }
  ASSERT_TRUE(referee.Encloses(evidence))
      << DefOf(op).name << " " << style << " " << NameOf(type) << std::hexfloat << " " << x << " "
      << y << ": " << evidence.hi[0] << " + " << evidence.lo[0] << " +- " << evidence.radius[0]
      << ", exact about " << exact;
  ASSERT_LE(evidence.radius[0], Allowed(op, type, exact)) << DefOf(op).name << " " << x << " " << y;
}

TEST(BinaryTruth, EnclosesWhatMpfrComputes) {
  Random random(11);
  for (int round = 0; round < 24000; ++round) {
    const OpId op = kOps[static_cast<size_t>(round) % std::size(kOps)];
    const DType type = static_cast<DType>(random.Below(4));
    const double x = Argument(type, random), y = Argument(type, random);
    // 2^1000 modulo 2^-1000 takes MPFR long.
    if (op == OpId::kRemainder && !(std::fabs(x) < std::fabs(y) * 0x1p300)) continue;
    const int style = random.Below(3);
    Check(op, type, style, x, y, /*highest=*/round % 8 == 0);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(BinaryTruth, HoldsAtTheEndsOfTheRange) {
  const double ends[] = {0x1p-1074, 0x1.8p-1070, 0x1p-1022, 0x1p-500,   0x1.1p-449,
                         0x1p449,   0x1p500,     1e300,     -0x1p-1074, -1e300};
  for (const double x : ends) {
    for (const double y : ends) {
      for (const OpId op : {OpId::kAdd, OpId::kMul, OpId::kDiv, OpId::kHypot}) {
        Check(op, DType::kF64, 0, x, y, false);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(BinaryTruth, KeepsTheSmallPartOfAFlooredRemainder) {
  Fixture fixture(OpId::kRemainder, DType::kF32, {1});
  fixture.source.attributes[kRemainderStyle].choice = 2;
  fixture.SetReal(0, {-0x1p-100});
  fixture.SetReal(1, {1});
  const Evidence& evidence = fixture.Measure();
  EXPECT_EQ(evidence.hi[0], 1);
  EXPECT_EQ(evidence.lo[0], -0x1p-100);
}

TEST(BinaryQuantities, MeasureMagnitudes) {
  Fixture add(OpId::kAdd, DType::kF32, {1});
  add.SetReal(0, {3});
  add.SetReal(1, {-5});
  const Evidence& evidence = add.Measure();
  EXPECT_EQ(QuantityOf(evidence, Quantity::kAbsX, 0), 3);
  EXPECT_NEAR(QuantityOf(evidence, Quantity::kAbsSum, 0), 8, 1e-9);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kMaxAbsA), 3);
  EXPECT_EQ(ScalarOf(evidence, Quantity::kMaxAbsB), 5);
}

}  // namespace
}  // namespace assay::fixtures
