// SPDX-License-Identifier: Apache-2.0
//
// A process of its own for calls that may kill or block it: one line goes in, one line comes back,
// and what happened when none comes is said. Which process, and what the lines mean, is the
// caller's business. Used where a finding is confirmed, minimized or replayed, never in the hot
// loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/result.h"
#include "engine/child_process.h"

namespace assay {

// What the child shows of itself, in memory shared with the parent as descriptor kIsolatePageFd.
struct IsolatePage {
  std::atomic<uint64_t> beat;    // grows whenever `backend` changes
  std::atomic<int32_t> backend;  // index of the backend that runs, -1: none
};
inline constexpr int kIsolatePageFd = 3;
inline constexpr int kIsolateRequestFd = 4;  // lines to the child
inline constexpr int kIsolateReplyFd = 5;    // lines from the child

struct IsolateReply {
  enum class Kind : uint8_t { kReplied, kCrashed, kTimedOut };
  Kind kind = Kind::kReplied;
  std::string text;  // the line; otherwise how the child ended
  int backend = -1;  // that ran when the child died or was stopped
};

// One thread at a time. The child is started by the first Ask, and again by the one after its
// death.
class IsolatedRunner {
 public:
  // `arguments` are those of this very program. A backend that runs longer than `limit_ms` is
  // stopped; so is a child that does anything else for longer than 60 s.
  IsolatedRunner(std::vector<std::string> arguments, int64_t limit_ms);
  ~IsolatedRunner();
  IsolatedRunner(const IsolatedRunner&) = delete;
  IsolatedRunner& operator=(const IsolatedRunner&) = delete;

  // An Error when the child cannot be started or ends before its first line asks for anything.
  // `line` has no newline.
  Result<IsolateReply> Ask(std::string_view line);
  // Ends the child, so that the next Ask is answered by a fresh one.
  void Restart();
  // The child's stderr, at most the last few kilobytes since it was started.
  const std::string& log() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The child's side. Serve loops over the requests until the parent closes them.
class IsolateServer {
 public:
  static Result<IsolateServer> Attach();
  IsolatePage& page() { return *static_cast<IsolatePage*>(memory_.data()); }
  // False at the end.
  bool NextRequest(std::string& line);
  void Reply(std::string_view line);

 private:
  explicit IsolateServer(SharedMemory memory) : memory_(std::move(memory)) {}
  SharedMemory memory_;
  std::string buffer_;
};

}  // namespace assay
