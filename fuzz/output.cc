// SPDX-License-Identifier: Apache-2.0
#include "fuzz/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fuzz/cli.h"

namespace assay {
namespace {

int output_error = 0;
bool output_closed = false;

}  // namespace

void OpenStandardStreams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (fd == STDOUT_FILENO) output_closed = true;
    // The lowest free descriptor is `fd`, since those below it are open by now.
    (void)open("/dev/null", O_RDWR);
  }
}

void Write(std::FILE* stream, std::string_view text) noexcept {
  if (text.empty()) return;
  if (stream == stdout && output_closed) output_error = EBADF;
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (!written && stream == stdout && output_error == 0) output_error = errno;
}

int Finish(int exit_code) {
  if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno;
  if (output_error == 0 && std::ferror(stdout) != 0) output_error = EIO;
  if (output_error == 0) return exit_code;
  return Refuse(
      {"standard output", std::string("cannot be written: ") + std::strerror(output_error),
       "free space there, or direct it elsewhere"},
      kExitEnvironment);
}

}  // namespace assay
