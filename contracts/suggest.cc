// SPDX-License-Identifier: Apache-2.0
//
// Edit distance over three rows of the table, and the wording of the suggestion.
#include "contracts/suggest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace assay {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

using Row = std::array<int, kLongestComparedWord + 1>;

}  // namespace

int EditDistance(std::string_view a, std::string_view b, int limit) {
  if (std::max(a.size(), b.size()) > kLongestComparedWord) return limit;
  const int longer = static_cast<int>(std::max(a.size(), b.size()));
  if (longer - static_cast<int>(std::min(a.size(), b.size())) >= limit) return limit;
  Row rows[3];
  Row *before = &rows[0], *last = &rows[1], *row = &rows[2];
  for (std::size_t j = 0; j <= b.size(); ++j) (*last)[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int nearest = (*row)[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = Lower(a[i - 1]) == Lower(b[j - 1]) ? 0 : 1;
      int distance = std::min(std::min((*last)[j], (*row)[j - 1]) + 1, (*last)[j - 1] + change);
      const bool swapped = i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
                           Lower(a[i - 2]) == Lower(b[j - 1]);
      if (swapped) distance = std::min(distance, (*before)[j - 2] + 1);
      (*row)[j] = distance;
      nearest = std::min(nearest, distance);
    }
    // A later row comes from this one, or by a swap from the one before, which holds no less than
    // limit - 1.
    if (nearest >= limit) return limit;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min((*last)[b.size()], limit);
}

std::string DidYouMean(std::string_view given, std::span<const std::string_view> known) {
  std::string_view nearest;
  int best =
      std::max<int>(1, static_cast<int>(std::min(given.size(), kLongestComparedWord)) / 3) + 1;
  for (const std::string_view word : known) {
    const int distance = EditDistance(given, word, best);
    if (distance < best) {
      best = distance;
      nearest = word;
    }
  }
  if (!nearest.empty()) return "did you mean '" + std::string(nearest) + "'?";
  std::string list;
  const std::size_t shown = std::min(known.size(), kListedWords);
  for (const std::string_view word : known.first(shown)) {
    list += list.empty() ? "use one of: " : ", ";
    list += word;
  }
  if (shown < known.size()) list += " or one of " + std::to_string(known.size() - shown) + " more";
  return list;
}

}  // namespace assay
