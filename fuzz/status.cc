// SPDX-License-Identifier: Apache-2.0
#include "fuzz/status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/output.h"

namespace assay {
namespace {

constexpr int64_t kTerminalIntervalMs = 500;
constexpr int64_t kLogIntervalMs = 10'000;

std::string Grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

bool IsTerminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

std::string FormatProgress(const Progress& progress) {
  const int64_t rate =
      progress.elapsed_ms < 1 ? 0 : progress.cases_now * 1000 / progress.elapsed_ms;
  return fmt::format(
      "[{:4d} s] {}: {} cases, {}/s, {} violations seen, {} findings, {} to confirm, corpus {}, "
      "{} restarts, {} MB",
      progress.elapsed_ms / 1000, progress.doing, Grouped(progress.cases), Grouped(rate),
      Grouped(progress.violations), progress.findings, progress.pending, progress.corpus,
      progress.restarts, progress.rss_bytes >> 20);
}

StatusLine::StatusLine() : terminal_(IsTerminal()) {}

void StatusLine::Show(const Progress& progress, bool now) {
  const int64_t interval = terminal_ ? kTerminalIntervalMs : kLogIntervalMs;
  if (!now && last_ms_ >= 0 && progress.elapsed_ms - last_ms_ < interval) return;
  last_ms_ = progress.elapsed_ms;
  if (terminal_) {
    Print(stderr, "\r{}\x1b[K", FormatProgress(progress));
    dirty_ = true;
  } else {
    Print(stderr, "{}\n", FormatProgress(progress));
  }
  std::fflush(stderr);
}

void StatusLine::Say(const std::string& line) {
  Finish();
  Print(stderr, "{}\n", line);
}

void StatusLine::Finish() {
  if (dirty_) Print(stderr, "\n");
  dirty_ = false;
}

}  // namespace assay
