// SPDX-License-Identifier: Apache-2.0
//
// Remedies for a misspelt word: the nearest word there is, or the list of them. Used by everything
// that reads text written by people; depends on nothing else of ours.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours,
// compared without regard to ASCII case.
int EditDistance(std::string_view a, std::string_view b);

// "did you mean 'gemm'?" when a known word is near enough to `given` (at most a third of its
// length, at least 1; the first of the nearest wins), else "use one of: dot, gemm, ...". Empty
// without words.
std::string DidYouMean(std::string_view given, std::span<const std::string_view> known);

}  // namespace assay
