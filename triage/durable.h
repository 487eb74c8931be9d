// SPDX-License-Identifier: Apache-2.0
//
// Files and folders that are complete whenever they have their name: written under a temporary
// name, fsynced, renamed, and the folder above fsynced. Knows nothing of campaigns.
//
// A temporary is locked (flock) by whoever writes it, so that cleaning up can tell what a dead
// process left from what a live one is writing, on this machine or on another that shares the
// directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/result.h"

namespace assay {

// Temporary name, write, fsync, rename, fsync of the directory. Replaces what has the name. Errors:
// where = path, remedy by the system's reason (disk full, read-only, a part of the path is a file);
// so too if `path` is no regular file, such as a device, which a rename would lose.
Status WriteDurably(const std::string& path, std::string_view content);

// The check that WriteDurably begins with, for those who write several files or none.
Status CheckReplaceable(const std::string& path);

// At most max_bytes; a longer file is an Error, whatever it is (a device that never ends too).
Result<std::string> ReadFile(const std::string& path, int64_t max_bytes);

struct NamedContent {
  std::string_view name;
  std::string_view content;
};

// A folder of files under its final name, or nothing. False: a folder of that name is there
// already, and it is durable too when this returns.
Result<bool> WriteFolderDurably(const std::string& path, const std::vector<NamedContent>& files);
// Gives the folder a temporary name at once, then empties it: readers see all of it or nothing. A
// folder that is not there is fine.
Status RemoveFolderDurably(const std::string& path);
// Removes the temporaries that dead processes left directly inside `directory`.
Status RemoveStaleTemporaries(const std::string& directory);

// Names of the sub-directories without hidden ones (temporaries are hidden), sorted.
Result<std::vector<std::string>> ListFolders(const std::string& directory);
Status MakeDirectory(const std::string& path);  // Fine when it is there already.

// Excludes other holders of the same directory, in any process, until it goes out of scope.
class DirectoryLock {
 public:
  static Result<DirectoryLock> Take(const std::string& directory);
  DirectoryLock(DirectoryLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int fd) : fd_(fd) {}
  int fd_;
};

// The Error for the system's reason `error_number` at `path`.
Error SystemError(const std::string& path, std::string_view doing, int error_number);

// Called before every step that changes the file system, so that a test can die at each of them.
// Null: nothing is called. Not for threads that run.
using DurableStepHook = void (*)();
void SetDurableStepHook(DurableStepHook hook);

}  // namespace assay
