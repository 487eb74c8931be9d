// SPDX-License-Identifier: Apache-2.0
//
// The one sequence for everything durable: temporary, write, fsync, rename, fsync the folder above.

#include "triage/durable.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace assay {
namespace {

constexpr std::string_view kTemporaryPrefix = ".tmp-";
constexpr int kTemporaryAttempts = 1000;

DurableStepHook step_hook = nullptr;

void Step() {
  if (step_hook != nullptr) step_hook();
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string_view RemedyOf(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free space on that file system, or name a directory on another one";
    case EROFS:
      return "that file system is read-only; name a directory that can be written";
    case EACCES:
    case EPERM:
      return "check the permissions of the path and of the directories above it";
    case ENOTDIR:
      return "a part of the path is a file where a directory is needed";
    case EISDIR:
      return "it is a directory; name a file";
    case ENOENT:
      return "check that the path is spelt right and still exists";
    case ENAMETOOLONG:
      return "use a shorter path";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "";
  }
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status WriteAll(int fd, const std::string& path, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(path, "cannot be written", errno);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// Some file systems have no fsync for directories and say EINVAL: their renames need none.
Status Sync(int fd, const std::string& path) {
  Step();
  if (fsync(fd) == 0 || errno == EINVAL) return {};
  return SystemError(path, "cannot be flushed to disk", errno);
}

Status SyncDirectory(const std::string& path) {
  const Fd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok()) return SystemError(path, "cannot be opened", errno);
  return Sync(fd.get(), path);
}

std::string TemporaryIn(const std::string& directory) {
  static std::atomic<uint64_t> counter{0};
  return fmt::format("{}/{}{}-{}", directory, kTemporaryPrefix, getpid(), counter++);
}

struct Temporary {
  std::string path;
  Fd fd;
};

// A new file or folder under a temporary name, locked. It may vanish between making and locking
// (a process that cleans up takes it for a dead one's), hence the look at the link count.
Result<Temporary> MakeTemporary(const std::string& directory, bool folder) {
  int reason = EEXIST;
  for (int attempt = 0; attempt < kTemporaryAttempts; ++attempt) {
    std::string path = TemporaryIn(directory);
    Step();
    const int flags = folder ? O_RDONLY | O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL;
    if (folder && mkdir(path.c_str(), 0755) != 0) {
      reason = errno;
      if (reason == EEXIST) continue;
      break;
    }
    Fd fd(open(path.c_str(), flags | O_CLOEXEC, 0644));
    reason = errno;
    if (!fd.ok() && (reason == EEXIST || (folder && reason == ENOENT))) continue;
    if (!fd.ok()) break;
    struct stat info;
    if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && fstat(fd.get(), &info) == 0 &&
        info.st_nlink > 0) {
      return Temporary{std::move(path), std::move(fd)};
    }
  }
  return SystemError(directory, "takes no new file", reason);
}

// Empties and removes a folder of plain files. What is gone already is fine.
Status EraseFolder(const std::string& path) {
  DIR* stream = opendir(path.c_str());
  if (stream == nullptr) {
    if (errno == ENOENT) return {};
    return SystemError(path, "cannot be opened", errno);
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(stream)) names.emplace_back(entry->d_name);
  closedir(stream);
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    Step();
    unlink((path + "/" + name).c_str());
  }
  Step();
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
  return SystemError(path, "cannot be removed", errno);
}

Status WriteInto(const std::string& folder, const NamedContent& file) {
  const std::string path = folder + "/" + std::string(file.name);
  Step();
  const Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.ok()) return SystemError(path, "cannot be created", errno);
  if (Status written = WriteAll(fd.get(), path, file.content); !written.ok()) return written;
  return Sync(fd.get(), path);
}

Status FillFolder(const Temporary& folder, const std::vector<NamedContent>& files) {
  for (const NamedContent& file : files) {
    if (Status written = WriteInto(folder.path, file); !written.ok()) return written;
  }
  return Sync(folder.fd.get(), folder.path);
}

}  // namespace

Error SystemError(const std::string& path, std::string_view doing, int error_number) {
  return Error{path, fmt::format("{}: {}", doing, std::strerror(error_number)),
               std::string(RemedyOf(error_number))};
}

void SetDurableStepHook(DurableStepHook hook) { step_hook = hook; }

// A rename would put a file in the place of a device or a pipe and leave that lost.
Status CheckReplaceable(const std::string& path) {
  struct stat info;
  // What is not there, or cannot be looked at, is for the writing itself to say. So is a directory,
  // which no rename replaces.
  if (stat(path.c_str(), &info) != 0) return {};
  if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return {};
  return Error{path, "exists and is no regular file", "name a file that is new or may be replaced"};
}

Status WriteDurably(const std::string& path, std::string_view content) {
  if (Status fit = CheckReplaceable(path); !fit.ok()) return fit;
  const std::string directory = ParentOf(path);
  Result<Temporary> temporary = MakeTemporary(directory, false);
  if (!temporary.ok()) return std::move(temporary).error();
  const Temporary& file = temporary.value();
  Status status = WriteAll(file.fd.get(), path, content);
  if (status.ok()) status = Sync(file.fd.get(), path);
  if (status.ok()) {
    Step();
    if (rename(file.path.c_str(), path.c_str()) == 0) return SyncDirectory(directory);
    status = SystemError(path, "cannot be replaced", errno);
  }
  unlink(file.path.c_str());
  return status;
}

Result<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return SystemError(path, "cannot be opened", errno);
  std::string content;
  char buffer[1 << 16];
  while (static_cast<int64_t>(content.size()) <= max_bytes) {
    const ssize_t got = read(fd.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(path, "cannot be read", errno);
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
  }
  return Error{path, fmt::format("holds more than {} bytes", max_bytes),
               "name the right file; none of ours grows that large"};
}

Result<bool> WriteFolderDurably(const std::string& path, const std::vector<NamedContent>& files) {
  ASSAY_CHECK(!files.empty(), "rename() would replace an empty folder");
  const std::string directory = ParentOf(path);
  Result<Temporary> temporary = MakeTemporary(directory, true);
  if (!temporary.ok()) return std::move(temporary).error();
  const Temporary& folder = temporary.value();
  Status status = FillFolder(folder, files);
  int reason = 0;
  if (status.ok()) {
    Step();
    if (rename(folder.path.c_str(), path.c_str()) != 0) reason = errno;
  }
  if (!status.ok() || reason != 0) (void)EraseFolder(folder.path);
  if (!status.ok()) return std::move(status).error();
  // rename() refuses to replace a folder that is not empty, and a complete folder never is.
  const bool there = reason == EEXIST || reason == ENOTEMPTY;
  if (reason != 0 && !there) return SystemError(path, "cannot be created", reason);
  if (Status synced = SyncDirectory(directory); !synced.ok()) return std::move(synced).error();
  return !there;
}

Status RemoveFolderDurably(const std::string& path) {
  const std::string directory = ParentOf(path);
  const std::string hidden = TemporaryIn(directory);
  Step();
  if (rename(path.c_str(), hidden.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return SystemError(path, "cannot be removed", errno);
  }
  if (Status synced = SyncDirectory(directory); !synced.ok()) return synced;
  return EraseFolder(hidden);
}

Status RemoveStaleTemporaries(const std::string& directory) {
  DIR* stream = opendir(directory.c_str());
  if (stream == nullptr) return SystemError(directory, "cannot be opened", errno);
  std::vector<std::string> stale;
  while (const dirent* entry = readdir(stream)) {
    if (std::string_view(entry->d_name).starts_with(kTemporaryPrefix)) {
      stale.push_back(directory + "/" + entry->d_name);
    }
  }
  closedir(stream);
  for (const std::string& path : stale) {
    const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.ok() || flock(fd.get(), LOCK_EX | LOCK_NB) != 0) continue;
    Step();
    if (unlink(path.c_str()) == 0) continue;
    if (errno != EISDIR && errno != EPERM) return SystemError(path, "cannot be removed", errno);
    if (Status erased = EraseFolder(path); !erased.ok()) return erased;
  }
  return {};
}

Result<std::vector<std::string>> ListFolders(const std::string& directory) {
  DIR* stream = opendir(directory.c_str());
  if (stream == nullptr) return SystemError(directory, "cannot be opened", errno);
  std::vector<std::string> names;
  while (const dirent* entry = readdir(stream)) {
    struct stat info;
    const std::string name = entry->d_name;
    if (name.starts_with('.')) continue;
    if (fstatat(dirfd(stream), entry->d_name, &info, 0) != 0 || !S_ISDIR(info.st_mode)) continue;
    names.push_back(name);
  }
  closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

Status MakeDirectory(const std::string& path) {
  Step();
  if (mkdir(path.c_str(), 0755) == 0) return SyncDirectory(ParentOf(path));
  struct stat info;
  const int reason = errno;
  if (reason == EEXIST && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  return SystemError(path, "cannot be made a directory", reason == EEXIST ? ENOTDIR : reason);
}

Result<DirectoryLock> DirectoryLock::Take(const std::string& directory) {
  Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok()) return SystemError(directory, "cannot be opened", errno);
  while (flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return SystemError(directory, "cannot be locked", errno);
  }
  return DirectoryLock(fd.Release());
}

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace assay
