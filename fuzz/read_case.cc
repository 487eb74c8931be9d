// SPDX-License-Identifier: Apache-2.0
#include "fuzz/read_case.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "contracts/operator.h"
#include "engine/codec.h"
#include "triage/corpus_export.h"
#include "triage/durable.h"

namespace assay {
namespace {

constexpr int64_t kMaxLineBytes = 1 << 16;

// A raw input has bytes that no line has.
bool LooksRaw(const std::string& text) {
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x20 ? (byte != '\n' && byte != '\r' && byte != '\t') : code >= 0x7f) return true;
  }
  return false;
}

Error At(const std::string& where, const Error& error) {
  return {error.where.empty() ? where : where + ", " + error.where, error.what, error.remedy};
}

Result<CaseLine> ParseChecked(const std::string& where, std::string_view text) {
  Result<CaseLine> line = ParseCase(text);
  if (!line.ok()) return At(where, line.error());
  return line;
}

// A file holds one case; blank lines and lines of '#' beside it are for the reader.
Result<CaseLine> OnlyCaseOf(const std::string& path, const std::string& text) {
  Result<std::vector<CorpusLine>> lines = ParseCorpus(path, text);
  if (!lines.ok()) return lines.error();
  if (lines.value().size() != 1) {
    return Error{path, fmt::format("holds {} cases", lines.value().size()),
                 "a file with one case line"};
  }
  return std::move(lines.value().front().line);
}

// No case line begins or ends like this: an operator's name comes first.
bool LooksLikePath(std::string_view text) {
  if (text.starts_with('/') || text.starts_with("./") || text.starts_with("../")) return true;
  if (text.find_first_of(" \t\n") != text.npos) return false;
  return text.find('/') != text.npos || text.ends_with(".case") || text.ends_with(".txt") ||
         text.ends_with(".bin") || text.ends_with(".json");
}

}  // namespace

Result<CaseLine> ReadCase(const std::string& argument) {
  std::error_code ignored;
  // A line is longer than a file name may be, so asking whether it is one cannot go wrong.
  if (!std::filesystem::exists(argument, ignored)) {
    Result<CaseLine> line = ParseChecked("case line", argument);
    if (line.ok() || !LooksLikePath(argument)) return line;
    return Error{argument, "there is no such file", "a file that exists, or a case line"};
  }
  Result<std::string> text = ReadFile(argument, kMaxLineBytes);
  if (!text.ok()) return text.error();
  CaseLine line;
  NamedDims dims;
  const auto* data = reinterpret_cast<const uint8_t*>(text.value().data());
  const Reject reject = Decode({data, text.value().size()}, line.value, dims);
  if (reject == Reject::kNone) return line;
  if (LooksRaw(text.value())) {
    return Error{argument,
                 fmt::format("neither a case line nor a fuzzer input: {}", NameOf(reject)),
                 "a file with one case line, or an input as in corpus/"};
  }
  return OnlyCaseOf(argument, text.value());
}

void AddCaseOptions(CLI::App& command, CaseOptions& options) {
  command.add_option("case", options.input, "A case line, or a file with one or a fuzzer input")
      ->required();
  command.add_option("--backend", options.backends, "Instead of the line's own backends")
      ->type_name("BACKEND");
  command.add_option("--suite", options.suite, "Directory of contracts (the built-in ones)")
      ->type_name("DIR");
  command.add_option("--assume", options.assume, "Policies where none is declared: ieee or blas");
  command.add_option("--hang-limit", options.hang_limit, "A call that takes longer hangs")
      ->capture_default_str();
}

Result<CaseRequest> CheckCaseOptions(const CaseOptions& options) {
  Result<CaseLine> line = ReadCase(options.input);
  if (!line.ok()) return line.error();
  const Result<int64_t> limit = ParseDuration("--hang-limit", options.hang_limit);
  if (!limit.ok()) return limit.error();
  if (const Status assume = CheckAssume(options.assume); !assume.ok()) return assume.error();
  const std::vector<std::string>& specs =
      options.backends.empty() ? line.value().backends : options.backends;
  return CaseRequest{line.value(), {specs, options.suite, options.assume, limit.value()}};
}

}  // namespace assay
