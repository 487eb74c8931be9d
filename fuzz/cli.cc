// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "contracts/operator.h"
#include "contracts/suggest.h"
#include "fuzz/output.h"

namespace assay {

int Refuse(const Error& error, int exit_code) {
  Print(stderr, "assay: {}\n", error.Text());
  return exit_code;
}

Result<int64_t> ParseDuration(std::string_view where, std::string_view text) {
  const Error wrong{std::string(where), fmt::format("'{}' is no duration", text),
                    "a positive whole number with ms, s, m or h, such as 60s"};
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  const int64_t scale = unit == "ms"  ? 1
                        : unit == "s" ? 1000
                        : unit == "m" ? 60'000
                        : unit == "h" ? 3'600'000
                                      : 0;
  constexpr int64_t kLongest = int64_t{1} << 31;
  if (error != std::errc{} || scale == 0 || number <= 0 || number > kLongest) return wrong;
  return number * scale;
}

Result<std::vector<OpId>> ParseOps(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const OperatorDef& op : Operators()) known.push_back(op.name);
  std::vector<OpId> ops;
  for (const std::string& name : names) {
    const std::optional<OpId> op = ParseOp(name);
    if (!op) {
      return Error{"--op", fmt::format("unknown operator '{}'", name), DidYouMean(name, known)};
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
  static constexpr std::string_view kKnown[] = {"ieee", "blas"};
  return Error{"--assume", fmt::format("unknown default '{}'", assume), DidYouMean(assume, kKnown)};
}

}  // namespace assay
