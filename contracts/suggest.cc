// SPDX-License-Identifier: Apache-2.0
//
// Edit distance over three rows of the table, and the wording of the suggestion.
#include "contracts/suggest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A hostile line may hold a word of any length; nothing that long is a near miss.
constexpr std::size_t kLongestWord = 64;

}  // namespace

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = Lower(a[i - 1]) == Lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
                           Lower(a[i - 2]) == Lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string DidYouMean(std::string_view given, std::span<const std::string_view> known) {
  std::string_view nearest;
  int best = std::max<int>(1, static_cast<int>(std::min(given.size(), kLongestWord)) / 3) + 1;
  for (const std::string_view word : known) {
    if (given.size() > kLongestWord) break;
    const int distance = EditDistance(given, word);
    if (distance < best) {
      best = distance;
      nearest = word;
    }
  }
  if (!nearest.empty()) return "did you mean '" + std::string(nearest) + "'?";
  std::string list;
  for (const std::string_view word : known) {
    list += list.empty() ? "use one of: " : ", ";
    list += word;
  }
  return list;
}

}  // namespace assay
