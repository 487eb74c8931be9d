// SPDX-License-Identifier: Apache-2.0
//
// Clocks are read to stop a child that makes no progress; they decide nothing else.
#include "engine/isolate.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kOverallLimit = std::chrono::seconds(60);
constexpr int kTickMs = 50;
constexpr size_t kLogBytes = 4096;

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

// Appends what can be read. False at the end of the stream.
bool ReadSome(int fd, std::string& to) {
  char chunk[4096];
  ssize_t got;
  do {
    got = read(fd, chunk, sizeof chunk);
  } while (got < 0 && errno == EINTR);
  if (got > 0) to.append(chunk, static_cast<size_t>(got));
  return got > 0;
}

std::optional<std::string> TakeLine(std::string& buffer) {
  const size_t end = buffer.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = buffer.substr(0, end);
  buffer.erase(0, end + 1);
  return line;
}

}  // namespace

struct IsolatedRunner::Impl {
  std::vector<std::string> arguments;
  Clock::duration limit{};
  std::optional<SharedMemory> memory;
  pid_t child = -1;
  UniqueFd request, reply, errors;
  std::string buffer, log;

  IsolatePage& page() { return *static_cast<IsolatePage*>(memory->data()); }

  Status Start() {
    Result<SharedMemory> made = SharedMemory::Create(sizeof(IsolatePage));
    if (!made.ok()) return made.error();
    memory.reset();
    memory.emplace(std::move(made).value());
    page().backend = -1;
    Result<Pipe> to = MakePipe(), from = MakePipe(), err = MakePipe();
    for (const Result<Pipe>* pipe : {&to, &from, &err}) {
      if (!pipe->ok()) return pipe->error();
    }
    const Result<pid_t> started = SpawnChild(OwnProgram(), arguments,
                                             {{memory->fd(), kIsolatePageFd},
                                              {to.value().read.get(), kIsolateRequestFd},
                                              {from.value().write.get(), kIsolateReplyFd},
                                              {err.value().write.get(), STDOUT_FILENO},
                                              {err.value().write.get(), STDERR_FILENO}});
    if (!started.ok()) return started.error();
    child = started.value();
    request = std::move(to.value().write);
    reply = std::move(from.value().read);
    errors = std::move(err.value().read);
    buffer.clear();
    log.clear();
    return {};
  }

  // A child that is dying already keeps the end it had: the kill only meets one that lives on with
  // its descriptors closed.
  ChildEnd Stop() {
    const ChildEnd end = KillChild(child);
    child = -1;
    request.reset();
    reply.reset();
    DrainLog();
    errors.reset();
    return end;
  }

  // What the child prints must be read, or it blocks on a full pipe.
  void DrainLog() {
    pollfd ready{errors.get(), POLLIN, 0};
    while (errors.get() >= 0 && poll(&ready, 1, 0) > 0 && ReadSome(errors.get(), log)) {
    }
    if (log.size() > kLogBytes) log.erase(0, log.size() - kLogBytes);
  }

  IsolateReply Died() {
    const int backend = page().backend;
    return {IsolateReply::Kind::kCrashed, Stop().Text(), backend};
  }

  IsolateReply StopLate(std::string why) {
    const int backend = page().backend;
    Stop();
    return {IsolateReply::Kind::kTimedOut, std::move(why), backend};
  }

  IsolateReply Wait() {
    const Clock::time_point start = Clock::now();
    Clock::time_point progress = start;
    uint64_t seen = page().beat;
    for (;;) {
      if (std::optional<std::string> line = TakeLine(buffer)) {
        return {IsolateReply::Kind::kReplied, std::move(*line), -1};
      }
      pollfd ready[2] = {{reply.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}};
      poll(ready, 2, kTickMs);
      if ((ready[1].revents & POLLIN) != 0) DrainLog();
      if (ready[0].revents != 0 && !ReadSome(reply.get(), buffer)) return Died();
      const Clock::time_point now = Clock::now();
      if (const uint64_t beat = page().beat; beat != seen || page().backend < 0) {
        seen = beat;
        progress = now;
      }
      if (now - progress > limit) return StopLate("a call did not end");
      if (now - start > kOverallLimit) return StopLate("no answer within 60 s");
    }
  }
};

IsolatedRunner::IsolatedRunner(std::vector<std::string> arguments, int64_t limit_ms)
    : impl_(std::make_unique<Impl>()) {
  impl_->arguments = std::move(arguments);
  impl_->limit = std::chrono::milliseconds(limit_ms);
  signal(SIGPIPE, SIG_IGN);  // A child that dies before it reads shows as a failed write.
}

IsolatedRunner::~IsolatedRunner() { Restart(); }

Result<IsolateReply> IsolatedRunner::Ask(std::string_view line) {
  if (impl_->child < 0) {
    if (const Status started = impl_->Start(); !started.ok()) return started.error();
  }
  if (!WriteAll(impl_->request.get(), std::string(line) + "\n")) return impl_->Died();
  return impl_->Wait();
}

void IsolatedRunner::Restart() {
  if (impl_->child >= 0) impl_->Stop();
}

const std::string& IsolatedRunner::log() const { return impl_->log; }

Result<IsolateServer> IsolateServer::Attach() {
  Result<SharedMemory> memory = SharedMemory::Attach(kIsolatePageFd, sizeof(IsolatePage));
  if (!memory.ok()) return memory.error();
  for (int fd : {kIsolateRequestFd, kIsolateReplyFd}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return IsolateServer(std::move(memory).value());
}

bool IsolateServer::NextRequest(std::string& line) {
  for (;;) {
    if (std::optional<std::string> next = TakeLine(buffer_)) {
      line = std::move(*next);
      return true;
    }
    if (!ReadSome(kIsolateRequestFd, buffer_)) return false;
  }
}

void IsolateServer::Reply(std::string_view line) {
  WriteAll(kIsolateReplyFd, std::string(line) + "\n");
}

}  // namespace assay
