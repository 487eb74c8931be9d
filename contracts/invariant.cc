// SPDX-License-Identifier: Apache-2.0
//
// How a broken invariant ends the process. Must not allocate or depend on anything of ours.
#include "contracts/invariant.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>

namespace assay {
namespace {

iovec Piece(const char* text) { return {const_cast<char*>(text), std::strlen(text)}; }

}  // namespace

void InvariantBroken(const char* file, int line, const char* condition,
                     const char* message) noexcept {
  std::array<char, 16> number{};  // The rest stays zero, so the text is terminated.
  std::to_chars(number.data(), number.data() + number.size() - 1, line);
  // One writev, so that lines of several workers on one terminal do not interleave.
  const std::array<iovec, 8> pieces = {
      Piece(file),      Piece(":"),  Piece(number.data()), Piece(": invariant broken: "),
      Piece(condition), Piece(": "), Piece(message),       Piece("\n")};
  if (::writev(STDERR_FILENO, pieces.data(), static_cast<int>(pieces.size())) < 0) {
    // stderr is gone; the exit code still tells.
  }
  ::_exit(kInvariantExitCode);
}

}  // namespace assay
