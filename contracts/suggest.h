// SPDX-License-Identifier: Apache-2.0
//
// Remedies for a misspelt word: the nearest word there is, or the list of them. Used by everything
// that reads text written by people; depends on nothing else of ours.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// A hostile file may hold a word of any length; nothing that is longer is a near miss.
inline constexpr std::size_t kLongestComparedWord = 64;

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours,
// compared without regard to ASCII case. Anything from `limit` on is `limit`, and found early; so
// is the distance of a word longer than kLongestComparedWord. Allocates nothing: one bad file asks
// for thousands of distances.
int EditDistance(std::string_view a, std::string_view b, int limit);

// Longer lists are cut: nobody reads a screen of names.
inline constexpr std::size_t kListedWords = 40;

// "did you mean 'gemm'?" when a known word is near enough to `given` (at most a third of its
// length, at least 1; the first of the nearest wins), else "use one of: dot, gemm, ...", cut after
// kListedWords. Empty without words.
std::string DidYouMean(std::string_view given, std::span<const std::string_view> known);

}  // namespace assay
