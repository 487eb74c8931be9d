// SPDX-License-Identifier: Apache-2.0
//
// Sorted rows and the largest of them, worked out by hand; where NaN and zeros of both signs stand.
#include "oracles/sort.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/oracles/fixtures.h"

namespace assay::fixtures {
namespace {

using Numbers = std::vector<double>;
using Classes = std::vector<ClassSet>;

struct Sorted : Fixture {
  Sorted(OpId op, NamedDims dims, const Numbers& x, int first_attribute, bool nan_first)
      : Fixture(op, DType::kF32, dims) {
    if (op == OpId::kSort) {
      source.attributes[kSortOrder].choice = first_attribute;
    } else {
      source.attributes[kTopkCount].real = first_attribute;
    }
    source.attributes[kSortNan].choice = nan_first;
    Reset(dims);
    SetReal(0, x);
    Measure();
  }
};

TEST(Sort, OrdersEachRowEitherWay) {
  const Numbers x = {3, 1, 2, 1, -5, 7, 0.5, -5};
  EXPECT_EQ(Sorted(OpId::kSort, {2, 4}, x, 0, false).evidence.hi,
            (Numbers{1, 1, 2, 3, -5, -5, 0.5, 7}));
  EXPECT_EQ(Sorted(OpId::kSort, {2, 4}, x, 1, false).evidence.hi,
            (Numbers{3, 2, 1, 1, 7, 0.5, -5, -5}));
}

TEST(Sort, PutsNanWhereItIsDeclared) {
  const Numbers x = {kNaN, kInf, 2, -kInf};
  for (const int order : {0, 1}) {
    const ClassSet low = order == 0 ? kClassNegInf : kClassPosInf;
    const ClassSet high = order == 0 ? kClassPosInf : kClassNegInf;
    EXPECT_EQ(Sorted(OpId::kSort, {1, 4}, x, order, false).evidence.legal,
              (Classes{low, kClassByValue, high, kClassNan}));
    EXPECT_EQ(Sorted(OpId::kSort, {1, 4}, x, order, true).evidence.legal,
              (Classes{kClassNan, low, kClassByValue, high}));
  }
}

TEST(Sort, TiesZerosOfBothSigns) {
  const Sorted both(OpId::kSort, {1, 3}, {0.0, -1, -0.0}, 0, false);
  EXPECT_EQ(both.evidence.legal, (Classes{kClassByValue, kClassZero, kClassZero}));
  const Sorted one(OpId::kSort, {1, 2}, {-0.0, -0.0}, 0, false);
  EXPECT_EQ(one.evidence.legal, (Classes{kClassNegZero, kClassNegZero}));
}

TEST(Topk, AnswersWithTheLargestOrAllThereAre) {
  EXPECT_EQ(Sorted(OpId::kTopk, {1, 5}, {3, 1, 4, 1, 5}, 3, false).evidence.hi, (Numbers{5, 4, 3}));
  EXPECT_EQ(Sorted(OpId::kTopk, {2, 2}, {1, 2, 4, 3}, 3, false).evidence.hi, (Numbers{2, 1, 4, 3}));
  EXPECT_EQ(Sorted(OpId::kTopk, {1, 3}, {1, kNaN, 4}, 1, true).evidence.legal[0], kClassNan);
  EXPECT_EQ(Sorted(OpId::kTopk, {1, 3}, {1, kNaN, 4}, 1, false).evidence.hi[0], 4);
  EXPECT_EQ(Sorted(OpId::kTopk, {2, 0}, {}, 3, false).evidence.count, 0);
}

TEST(TopkIndices, NameDistinctElementsOfTheRightValue) {
  const Sorted two(OpId::kTopkIndices, {2, 4}, {9, 9, 9, 9, 7, 8, 8, 1}, 3, false);
  EXPECT_TRUE(two.evidence.choice);
  const std::vector<int64_t> before = {3, 0, 1, 2};
  const auto legal = [&](int64_t element, int64_t got) {
    return LegalTopkIndex(two.values, element, got,
                          std::span(before).first(static_cast<size_t>(element)));
  };
  EXPECT_TRUE(legal(0, 2));  // any of equal ones
  EXPECT_TRUE(legal(1, 1));
  EXPECT_FALSE(legal(1, 3));  // named already
  EXPECT_FALSE(legal(0, 4));
  EXPECT_FALSE(legal(0, -1));
  EXPECT_TRUE(legal(3, 1));  // another row begins
  EXPECT_FALSE(legal(3, 0));
  EXPECT_TRUE(legal(4, 1));
  EXPECT_FALSE(legal(4, 2));
}

}  // namespace
}  // namespace assay::fixtures
