// SPDX-License-Identifier: Apache-2.0
//
// Between fork and exec only async-signal-safe calls are made, and the parent must not run threads.
#include "engine/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace assay {
namespace {

// Descriptors are first moved above this, so that no target number overwrites a source.
constexpr int kFirstFreeFd = 100;
constexpr int kExecFailed = 127;

Error FromErrno(std::string where) { return {std::move(where), strerror(errno), ""}; }

[[noreturn]] void RunChild(const char* program, char* const* arguments,
                           const std::vector<std::pair<int, int>>& fds, pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(kExecFailed);
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);  // What is ignored stays ignored across exec.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int moved[16];
  size_t count = 0;
  for (const auto& [ours, _] : fds) {
    moved[count] = fcntl(ours, F_DUPFD_CLOEXEC, kFirstFreeFd);
    if (moved[count++] < 0) _exit(kExecFailed);
  }
  for (size_t i = 0; i < count; ++i) {
    if (dup2(moved[i], fds[i].second) < 0) _exit(kExecFailed);
  }
  execv(program, arguments);
  _exit(kExecFailed);
}

ChildEnd EndOf(int status) {
  ChildEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

Result<SharedMemory> SharedMemory::Create(size_t bytes) {
  UniqueFd fd(memfd_create("assay", MFD_CLOEXEC));
  if (fd.get() < 0 || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return FromErrno("shared memory");
  }
  return Attach(fd.release(), bytes);
}

Result<SharedMemory> SharedMemory::Attach(int raw_fd, size_t bytes) {
  UniqueFd fd(raw_fd);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return FromErrno("shared memory");
  if (info.st_size != static_cast<off_t>(bytes)) {
    return Error{"shared memory", "not the size this program expects", ""};
  }
  fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return FromErrno("shared memory");
  return SharedMemory(std::move(fd), data, bytes);
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return FromErrno("pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::string ChildEnd::Text() const {
  if (signal == 0) return fmt::format("exit code {}", exit_code);
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal)
                         : fmt::format("signal {} (SIG{})", signal, name);
}

Result<pid_t> SpawnChild(const std::string& program, const std::vector<std::string>& arguments,
                         const std::vector<std::pair<int, int>>& fds) {
  ASSAY_CHECK(fds.size() <= 16, "more descriptors for a child than it has room for");
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return FromErrno("starting a process");
  if (child == 0) RunChild(program.c_str(), pointers.data(), fds, parent);
  setpgid(child, child);  // Whoever comes first: a kill of the group must not miss the child.
  return child;
}

std::string OwnProgram() { return "/proc/self/exe"; }

ChildEnd WaitForChild(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    ASSAY_CHECK(errno == EINTR, "waiting for a process that is no child");
  }
  return EndOf(status);
}

std::optional<ChildEnd> PollChild(pid_t child) {
  int status = 0;
  const pid_t ended = waitpid(child, &status, WNOHANG);
  if (ended != child) return std::nullopt;
  return EndOf(status);
}

ChildEnd KillChild(pid_t child) {
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  return WaitForChild(child);
}

}  // namespace assay
