// SPDX-License-Identifier: Apache-2.0
//
// Child processes that never outlive their parent. Knows nothing of cases or backends. Linux only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/result.h"

namespace assay {

// A descriptor of ours that closes itself. Movable, not copyable.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// Memory shared with children through an inherited descriptor: zeroed, unmapped with the object.
class SharedMemory {
 public:
  static Result<SharedMemory> Create(size_t bytes);
  // Maps what the parent handed over as descriptor `fd`.
  static Result<SharedMemory> Attach(int fd, size_t bytes);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept
      : fd_(std::move(other.fd_)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  SharedMemory& operator=(SharedMemory&&) = delete;
  int fd() const { return fd_.get(); }
  void* data() const { return data_; }

 private:
  SharedMemory(UniqueFd fd, void* data, size_t bytes)
      : fd_(std::move(fd)), data_(data), bytes_(bytes) {}
  UniqueFd fd_;
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Both ends close on exec unless handed to a child by number.
struct Pipe {
  UniqueFd read, write;
};
Result<Pipe> MakePipe();

// How a process ended.
struct ChildEnd {
  int exit_code = 0;  // valid iff signal == 0
  int signal = 0;
  std::string Text() const;  // "exit code 3", "signal 11 (SIGSEGV)"
};

// Starts `program` with `arguments` (argument 0 included). `fds` are pairs (ours, number in the
// child); everything else of ours that closes on exec is closed there. The child runs in a process
// group of its own, so that a terminal's Ctrl-C reaches only the parent, with default signal mask,
// and is killed when the calling thread ends, however it ends.
Result<pid_t> SpawnChild(const std::string& program, const std::vector<std::string>& arguments,
                         const std::vector<std::pair<int, int>>& fds);
// The program that is running, as a path that can be executed by a child.
std::string OwnProgram();

// Waits until the child ends.
ChildEnd WaitForChild(pid_t child);
// Its end if it has ended; collects it then.
std::optional<ChildEnd> PollChild(pid_t child);
// SIGKILL to the child's whole group, then waits.
ChildEnd KillChild(pid_t child);

}  // namespace assay
