// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "contracts/operator.h"

namespace assay {
namespace {

// Restricted Damerau-Levenshtein: insert, delete, replace, swap of neighbours.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

int Refuse(const Error& error, int exit_code) {
  fmt::print(stderr, "assay: {}\n", error.Text());
  return exit_code;
}

std::string Suggest(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best != nullptr) return fmt::format("did you mean '{}'?", *best);
  return fmt::format("one of {}", fmt::join(known, ", "));
}

Result<int64_t> ParseDuration(std::string_view where, std::string_view text) {
  const Error wrong{std::string(where), fmt::format("'{}' is no duration", text),
                    "a positive whole number with ms, s, m or h, such as 60s"};
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const int64_t scale = unit == "ms" ? 1 : unit == "s" ? 1000 : unit == "m" ? 60'000
                        : unit == "h"                                        ? 3'600'000
                                                                             : 0;
  constexpr int64_t kLongest = int64_t{1} << 31;
  if (error != std::errc{} || scale == 0 || number <= 0 || number > kLongest) return wrong;
  return number * scale;
}

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OperatorDef& op : Operators()) names.emplace_back(op.name);
  return names;
}

Result<std::vector<OpId>> ParseOps(const std::vector<std::string>& names) {
  std::vector<OpId> ops;
  for (const std::string& name : names) {
    const std::optional<OpId> op = ParseOp(name);
    if (!op) {
      return Error{"--op", fmt::format("unknown operator '{}'", name), Suggest(name, OpNames())};
    }
    if (std::find(ops.begin(), ops.end(), *op) == ops.end()) ops.push_back(*op);
  }
  if (ops.empty()) {
    for (const OperatorDef& op : Operators()) ops.push_back(op.id);
  }
  std::sort(ops.begin(), ops.end());
  return ops;
}

Result<std::shared_ptr<const Suite>> OpenSuite(const std::string& directory) {
  if (directory.empty()) return BuiltinSuite();
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) {
    return Error{"--suite", fmt::format("'{}' is no directory", directory),
                 "a directory with contract files (*.kc)"};
  }
  const std::string profiles = directory + "/profiles";
  return LoadSuite(directory, std::filesystem::is_directory(profiles, ignored) ? profiles : "");
}

Status CheckAssume(const std::string& assume) {
  if (assume.empty() || assume == "ieee" || assume == "blas") return {};
  return Error{"--assume", fmt::format("unknown default '{}'", assume),
               Suggest(assume, {"ieee", "blas"})};
}

}  // namespace assay
