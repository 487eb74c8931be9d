// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of shapes and strides against enumeration of all index tuples.
#include "contracts/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace assay {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Offsets of all elements, by counting through the index tuples.
std::vector<int64_t> AllOffsets(const Dims& shape, const Dims& strides) {
  std::vector<int64_t> offsets = {0};
  for (int axis = 0; axis < shape.size(); ++axis) {
    std::vector<int64_t> longer;
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < shape[axis]; ++i) longer.push_back(offset + i * strides[axis]);
    }
    offsets = longer;
  }
  return offsets;
}

bool SharesAnAddress(const Dims& shape, const Dims& strides) {
  const std::vector<int64_t> offsets = AllOffsets(shape, strides);
  return std::set<int64_t>(offsets.begin(), offsets.end()).size() != offsets.size();
}

TEST(ElementCount, MultipliesAndKnowsScalarsAndEmptiness) {
  EXPECT_EQ(ElementCount({}), 1);
  EXPECT_EQ(ElementCount({3, 4, 5}), 60);
  EXPECT_EQ(ElementCount({3, 0, 5}), 0);
}

TEST(ElementCount, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(ElementCount({int64_t{1} << 40, int64_t{1} << 40}), kMax);
  EXPECT_EQ(ElementCount({int64_t{1} << 40, int64_t{1} << 40, 0}), 0);
  EXPECT_EQ(ElementCount({kMax, 1}), kMax);
}

TEST(RowMajorStrides, CountFromTheLastAxis) {
  EXPECT_EQ(RowMajorStrides({2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(RowMajorStrides({}), Dims{});
  EXPECT_EQ(RowMajorStrides({2, 0, 4}), (Dims{4, 4, 1}));
}

Tensor WithStrides(const Dims& shape, const Dims& strides) {
  Tensor tensor;
  tensor.shape = shape;
  tensor.strides = strides;
  return tensor;
}

TEST(IsContiguous, LooksOnlyAtAxesThatMove) {
  EXPECT_TRUE(IsContiguous(WithStrides({2, 3}, {3, 1})));
  EXPECT_TRUE(IsContiguous(WithStrides({1, 3}, {99, 1})));
  EXPECT_TRUE(IsContiguous(WithStrides({}, {})));
  EXPECT_TRUE(IsContiguous(WithStrides({0, 3}, {7, 7})));
  EXPECT_FALSE(IsContiguous(WithStrides({2, 3}, {4, 1})));
  EXPECT_FALSE(IsContiguous(WithStrides({2, 3}, {1, 2})));
  EXPECT_FALSE(IsContiguous(WithStrides({3}, {-1})));
  EXPECT_FALSE(IsContiguous(WithStrides({3}, {0})));
}

TEST(ExtentOf, SaturatesInsteadOfOverflowing) {
  const Extent extent = ExtentOf({kMax, kMax, kMax}, {kMax, -kMax, kMax});
  EXPECT_LT(extent.lowest, -(int64_t{1} << 60));
  EXPECT_GT(extent.highest, int64_t{1} << 60);
  EXPECT_GT(extent.size(), 0);
}

TEST(ExtentOf, IsEmptyForAnEmptyTensor) {
  EXPECT_EQ(ExtentOf({2, 0}, {5, 5}).size(), 0);
  EXPECT_EQ(ExtentOf({2, 0}, {5, 5}).highest, -1);
}

TEST(ExtentOf, AgreesWithEnumeration) {
  std::mt19937 random(3);
  const auto draw = [&](int low, int high) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(high - low + 1)) + low;
  };
  for (int n = 0; n < 20000; ++n) {
    Dims shape, strides;
    for (int64_t rank = draw(0, kMaxRank); rank > 0; --rank) {
      shape.push_back(draw(1, 4));
      strides.push_back(draw(-9, 9));
    }
    const std::vector<int64_t> offsets = AllOffsets(shape, strides);
    const Extent extent = ExtentOf(shape, strides);
    ASSERT_EQ(extent.lowest, *std::min_element(offsets.begin(), offsets.end()));
    ASSERT_EQ(extent.highest, *std::max_element(offsets.begin(), offsets.end()));
  }
}

TEST(Overlaps, IsExactUpToRankTwo) {
  for (int64_t rows = 0; rows <= 5; ++rows) {
    for (int64_t columns = 1; columns <= 5; ++columns) {
      for (int64_t row_stride = -7; row_stride <= 7; ++row_stride) {
        for (int64_t stride = -7; stride <= 7; ++stride) {
          const Dims shape = {rows, columns};
          const Dims strides = {row_stride, stride};
          ASSERT_EQ(Overlaps(shape, strides), SharesAnAddress(shape, strides))
              << rows << "x" << columns << " strides " << row_stride << " " << stride;
        }
      }
    }
  }
}

TEST(Overlaps, IsNeverMissedAtHigherRanks) {
  std::mt19937 random(5);
  for (int n = 0; n < 20000; ++n) {
    Dims shape, strides;
    for (int axis = 0; axis < kMaxRank; ++axis) {
      shape.push_back(1 + random() % 3);
      strides.push_back(static_cast<int64_t>(random() % 41) - 20);
    }
    if (SharesAnAddress(shape, strides)) {
      ASSERT_TRUE(Overlaps(shape, strides));
    }
  }
}

TEST(Overlaps, SeesThatDensePaddedAndPermutedLayoutsDoNot) {
  EXPECT_FALSE(Overlaps({2, 3, 4, 5}, RowMajorStrides({2, 3, 4, 5})));
  EXPECT_FALSE(Overlaps({2, 3, 4}, {100, -30, 7}));
  EXPECT_FALSE(Overlaps({4, 3, 2}, {1, 4, -12}));
  EXPECT_FALSE(Overlaps({}, {}));
  EXPECT_FALSE(Overlaps({1, 5}, {0, 1}));
  EXPECT_FALSE(Overlaps({3, 0}, {0, 0}));
  EXPECT_FALSE(Overlaps({2, 2}, {kMax, std::numeric_limits<int64_t>::min()}));
}

}  // namespace
}  // namespace assay
