// SPDX-License-Identifier: Apache-2.0
//
// Maxima, minima, their places and windows: answers worked out by hand and from IEEE 754-2019 9.6.
#include "oracles/select.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

ClassSet SetOf(OpId op, const std::vector<double>& x) {
  Fixture fixture(op, DType::kF32, {static_cast<int64_t>(x.size())});
  fixture.SetReal(0, x);
  return fixture.Measure().legal[0];
}

TEST(Extrema, AreElements) {
  Fixture max(OpId::kMax, DType::kF16, {4});
  max.SetReal(0, {-3, 7, -8, 2});
  EXPECT_EQ(max.Measure().hi[0], 7);
  EXPECT_EQ(max.evidence.radius[0], 0);
  EXPECT_EQ(max.evidence.legal[0], kClassByValue);
  Fixture min(OpId::kMin, DType::kF16, {4});
  min.SetReal(0, {-3, 7, -8, 2});
  EXPECT_EQ(min.Measure().hi[0], -8);
}

TEST(Extrema, FollowTheTableOfSpecialValues) {
  EXPECT_EQ(SetOf(OpId::kMax, {1, kNaN, kInf}), kClassNan);
  EXPECT_EQ(SetOf(OpId::kMin, {-kInf, 2, kNaN}), kClassNan);
  EXPECT_EQ(SetOf(OpId::kMax, {-kInf, -kInf}), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kMax, {-kInf, 3}), kClassByValue);
  EXPECT_EQ(SetOf(OpId::kMax, {1, kInf}), kClassPosInf);
  EXPECT_EQ(SetOf(OpId::kMax, {-1, 0.0, -0.0}), kClassZero);
  EXPECT_EQ(SetOf(OpId::kMax, {-1, -0.0}), kClassNegZero);
  EXPECT_EQ(SetOf(OpId::kMin, {0.0, 1}), kClassPosZero);
  EXPECT_EQ(SetOf(OpId::kMax, {}), kClassNegInf);
  EXPECT_EQ(SetOf(OpId::kMin, {}), kClassPosInf);
}

TEST(Places, AreLeftToTheChoice) {
  for (const OpId op : {OpId::kArgmax, OpId::kAmax}) {
    Fixture fixture(op, DType::kF32, {4});
    fixture.SetReal(0, {1, -5, 3, 3});
    const Evidence& evidence = fixture.Measure();
    EXPECT_TRUE(evidence.choice);
    EXPECT_EQ(evidence.legal[0] & kClassByValue, 0);
    const int64_t right = op == OpId::kArgmax ? 2 : 1;
    for (int64_t got = -1; got < 5; ++got) {
      EXPECT_EQ(LegalChoiceOf(fixture.values, 0, got, std::nullopt), got == right) << got;
    }
  }
  Fixture max(OpId::kMax, DType::kF32, {1});
  EXPECT_FALSE(max.Measure().choice);
}

TEST(Places, DependOnADeclarationWhereANanIs) {
  // [1, NaN, 3, 2]: the loop of reference BLAS ends at 2, NumPy gives 1, nobody 0 or 3.
  Fixture amax(OpId::kAmax, DType::kF32, {4});
  amax.SetReal(0, {1, kNaN, 3, 2});
  const auto legal = [&](int64_t got, std::optional<NanPlace> place) {
    return LegalChoiceOf(amax.values, 0, got, place);
  };
  EXPECT_TRUE(legal(1, std::nullopt));
  EXPECT_TRUE(legal(2, std::nullopt));
  EXPECT_FALSE(legal(0, std::nullopt));
  EXPECT_FALSE(legal(3, std::nullopt));
  EXPECT_TRUE(legal(1, NanPlace::kFirstNan));
  EXPECT_FALSE(legal(2, NanPlace::kFirstNan));
  EXPECT_TRUE(legal(2, NanPlace::kReference));
  EXPECT_FALSE(legal(1, NanPlace::kReference));
}

TEST(Places, MayBeThatOfAnyNanOrPassThemOverWhereNothingIsDeclared) {
  Fixture argmax(OpId::kArgmax, DType::kF32, {4});
  argmax.SetReal(0, {kNaN, 3, 5, kNaN});
  for (const int64_t got : {0, 2, 3}) {
    EXPECT_TRUE(LegalChoiceOf(argmax.values, 0, got, std::nullopt)) << got;
  }
  for (const int64_t got : {-1, 1, 4}) {
    EXPECT_FALSE(LegalChoiceOf(argmax.values, 0, got, std::nullopt)) << got;
  }
  EXPECT_FALSE(LegalChoiceOf(argmax.values, 0, 3, NanPlace::kFirstNan));
}

struct Pool : Fixture {
  Pool(int64_t height, int64_t width, double window, double stride, double padding)
      : Fixture(OpId::kMaxPool, DType::kF32, {1, 2, 0, 0}) {
    source.attributes[kPoolWindow].real = window;
    source.attributes[kPoolStride].real = stride;
    source.attributes[kPoolPadding].real = padding;
    Reset({1, 2, height, width});
  }
};

TEST(MaxPool, TakesTheMaximumOfEveryWindow) {
  Pool pool(2, 4, 2, 2, 0);
  pool.SetReal(0, {1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8});
  EXPECT_EQ(pool.Measure().hi, (std::vector<double>{6, 8, -1, -3}));
}

TEST(MaxPool, NeverLetsPaddingWin) {
  Pool pool(1, 2, 2, 1, 1);
  pool.SetReal(0, {-5, -3, -kInf, -kInf});
  // Each of two rows of windows sees the one row of data.
  const Evidence& evidence = pool.Measure();
  EXPECT_EQ(std::vector<double>(evidence.hi.begin(), evidence.hi.begin() + 6),
            (std::vector<double>{-5, -3, -3, -5, -3, -3}));
  for (size_t i = 6; i < 12; ++i) EXPECT_EQ(evidence.legal[i], kClassNegInf);
}

TEST(MaxPool, PropagatesNanWithinItsWindowOnly) {
  Pool pool(1, 3, 1, 1, 0);
  pool.SetReal(0, {1, kNaN, 3, 0.0, -0.0, kInf});
  EXPECT_EQ(pool.Measure().legal,
            (std::vector<ClassSet>{kClassByValue, kClassNan, kClassByValue, kClassPosZero,
                                   kClassNegZero, kClassPosInf}));
  EXPECT_TRUE(pool.evidence.special);
}

}  // namespace
}  // namespace assay::fixtures
