// SPDX-License-Identifier: Apache-2.0
//
// Text of diagnostics and the search for what the author meant.
#include "contracts/language/diagnostic.h"

#include <algorithm>
#include <utility>

#include "contracts/suggest.h"

namespace assay {
namespace {

constexpr int kShownWhole = 120;  // bytes of a line that is shown as it is
constexpr int kShownBefore = 60;  // of a longer one, before and after the caret
constexpr int kShownAfter = 60;
constexpr size_t kMostNamesJoined = 24;  // of a longer list only the beginning is shown
constexpr size_t kNamesOfMany = 12;

// What is shown of a line: never a control byte, since the text may be any file at all.
std::string Printable(std::string_view line) {
  std::string shown(line);
  for (char& c : shown) {
    if (c != '\t' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) c = '?';
  }
  return shown;
}

std::string_view LineOf(std::string_view text, int line) {
  size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::string Diagnostic::Text() const {
  std::string text = file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                     (warning ? ": warning: " : ": error: ") + message;
  const bool whole = static_cast<int>(source.size()) <= kShownWhole;
  const int begin = whole ? 0 : std::max(0, at.column - 1 - kShownBefore);
  const int end = whole ? kShownWhole : at.column - 1 + kShownAfter;
  const std::string_view all = source;
  const std::string_view shown =
      all.substr(std::min<size_t>(begin, all.size()),
                 std::max(0, std::min<int>(end, static_cast<int>(all.size())) - begin));
  std::string number = std::to_string(at.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  text += "\n" + number + " | " + Printable(shown) + "\n" + std::string(number.size(), ' ') + " | ";
  for (int i = begin; i < at.column - 1; ++i) {
    const size_t k = static_cast<size_t>(i - begin);
    text += k < shown.size() && shown[k] == '\t' ? '\t' : ' ';
  }
  const int room = std::max(1, static_cast<int>(shown.size()) - (at.column - 1 - begin));
  text += "^" + std::string(std::max(0, std::min(at.length, room) - 1), '~');
  if (expected.empty() && suggestion.empty()) return text;
  text += "\n  ";
  if (!expected.empty()) text += "expected " + expected;
  if (!suggestion.empty()) {
    text += (expected.empty() ? "did you mean '" : "; did you mean '") + suggestion + "'?";
  }
  return text;
}

void DiagnosticSink::Report(Span at, std::string message, std::string expected,
                            std::string suggestion) {
  if (full()) return;
  found_.push_back({file_, at, std::move(message), std::move(expected), std::move(suggestion),
                    std::string(LineOf(text_, at.line)), false});
}

void DiagnosticSink::Warn(Span at, std::string message, std::string expected,
                          std::string suggestion) {
  if (full()) return;
  Report(at, std::move(message), std::move(expected), std::move(suggestion));
  found_.back().warning = true;
}

std::string NearestName(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > kLongestComparedWord) return "";
  int best = 1 + std::max<int>(1, static_cast<int>(name.size()) / 3);
  std::string nearest;
  for (std::string_view candidate : candidates) {
    const int distance = EditDistance(name, candidate, best);
    if (distance < best && distance < static_cast<int>(candidate.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string JoinNames(std::span<const std::string_view> names) {
  std::string text;
  const size_t shown = names.size() > kMostNamesJoined ? kNamesOfMany : names.size();
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  if (shown < names.size()) text += " or one of " + std::to_string(names.size() - shown) + " more";
  return text;
}

}  // namespace assay
