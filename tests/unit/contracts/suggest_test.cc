// SPDX-License-Identifier: Apache-2.0
//
// Edit distances that can be counted by hand, and the wording of suggestions.
#include "contracts/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
  EXPECT_EQ(EditDistance("", "", 9), 0);
  EXPECT_EQ(EditDistance("abc", "", 9), 3);
  EXPECT_EQ(EditDistance("", "ab", 9), 2);
  EXPECT_EQ(EditDistance("gemm", "gem", 9), 1);
  EXPECT_EQ(EditDistance("gemm", "gemv", 9), 1);
  EXPECT_EQ(EditDistance("alhpa", "alpha", 9), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting", 9), 3);
  EXPECT_EQ(EditDistance("GEMM", "gemm", 9), 0);
}

TEST(EditDistance, StopsAtTheLimit) {
  EXPECT_EQ(EditDistance("kitten", "sitting", 4), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting", 3), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting", 2), 2);
  EXPECT_EQ(EditDistance("ab", "abcdef", 3), 3);
  EXPECT_EQ(EditDistance("ab", "ba", 1), 1);
  EXPECT_EQ(EditDistance("xxxxab", "yyyyba", 9), 5);
  const std::string longest(kLongestComparedWord, 'g');
  EXPECT_EQ(EditDistance(longest, longest, 9), 0);
  EXPECT_EQ(EditDistance(longest + "g", longest, 9), 9);
}

TEST(DidYouMean, NamesTheNearestWordOrAllOfThem) {
  constexpr std::string_view kWords[] = {"gemm", "dot", "softmax"};
  EXPECT_EQ(DidYouMean("gmm", kWords), "did you mean 'gemm'?");
  EXPECT_EQ(DidYouMean("sofmtax", kWords), "did you mean 'softmax'?");
  EXPECT_EQ(DidYouMean("convolution", kWords), "use one of: gemm, dot, softmax");
  EXPECT_EQ(DidYouMean(std::string(100000, 'g'), kWords), "use one of: gemm, dot, softmax");
  EXPECT_EQ(DidYouMean("x", {}), "");
}

TEST(DidYouMean, CutsALongList) {
  const std::vector<std::string_view> words(kListedWords + 2, "word");
  EXPECT_TRUE(DidYouMean("zzzzzz", words).ends_with("word, word or one of 2 more"));
  EXPECT_TRUE(DidYouMean("zzzzzz", std::span(words).first(kListedWords)).ends_with("word, word"));
}

}  // namespace
}  // namespace assay
