// SPDX-License-Identifier: Apache-2.0
//
// What the commands say, on standard output and standard error. Nothing here throws: a write that
// fails is remembered, and Finish turns it into an exit code. Knows nothing of the commands.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

// Opens /dev/null in place of each closed one of the descriptors 0 to 2, which a file opened later
// would otherwise take over. Call before anything is opened.
void OpenStandardStreams();

// Writes all of `text`. The first failure on standard output is kept for Finish; a failure on
// standard error has nowhere to be told.
void Write(std::FILE* stream, std::string_view text) noexcept;

template <class... Args>
void Print(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  Write(stream, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  Write(stdout, fmt::format(format, std::forward<Args>(args)...));
}

// Flushes standard output. `exit_code` if all of it was written, else 4 after a line with the
// reason: a result that nobody got is no result.
int Finish(int exit_code);

}  // namespace assay
