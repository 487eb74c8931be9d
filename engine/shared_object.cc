// SPDX-License-Identifier: Apache-2.0

#include "engine/shared_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

namespace assay {
namespace {

constexpr const char* kLibraryFolders[] = {"/usr/lib/x86_64-linux-gnu/", "/usr/lib64/", "/usr/lib/",
                                           "/usr/local/lib/"};

Error SystemError(const std::string& path, const char* doing) {
  return {path, std::string(doing) + ": " + std::strerror(errno), "check the file and its rights"};
}

// A memory file with the content of `path`. Stays open: its number is part of the name under which
// the loader knows the copy, and must not be used again.
Result<int> CopyToMemory(const std::string& path) {
  const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return SystemError(path, "cannot be opened");
  struct stat status = {};
  const int to = memfd_create("assay-library", MFD_CLOEXEC);
  bool copied = to >= 0 && fstat(from, &status) == 0;
  off_t done = 0;
  while (copied && done < status.st_size) {
    copied = sendfile(to, from, &done, static_cast<size_t>(status.st_size - done)) > 0;
  }
  close(from);
  if (copied) return to;
  Error error = SystemError(path, "cannot be copied to memory");
  if (to >= 0) close(to);
  return error;
}

std::string KeyOf(const std::string& path, const ScopedEnvironment::Settings& settings) {
  std::string key = path;
  for (const auto& [name, value] : settings) key += "\n" + name + "=" + value;
  return key;
}

Result<void*> Open(const std::string& path, const ScopedEnvironment::Settings& settings) {
  std::string name = path;
  if (!settings.empty()) {
    Result<int> copy = CopyToMemory(path);
    if (!copy.ok()) return copy.error();
    name = "/proc/self/fd/" + std::to_string(copy.value());
  }
  const ScopedEnvironment environment(settings);
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* message = dlerror();
  return Error{path,
               "cannot be loaded as a library: " + std::string(message == nullptr ? "" : message),
               "give the full path of a shared library for this machine"};
}

}  // namespace

ScopedEnvironment::ScopedEnvironment(const Settings& settings) {
  for (const auto& [name, value] : settings) {
    const char* before = std::getenv(name.c_str());
    previous_.push_back({name, before == nullptr ? "" : before, before != nullptr});
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }
}

ScopedEnvironment::~ScopedEnvironment() {
  for (const Previous& each : previous_) {
    if (each.was_set) {
      setenv(each.name.c_str(), each.value.c_str(), /*overwrite=*/1);
    } else {
      unsetenv(each.name.c_str());
    }
  }
}

Result<SharedObject> SharedObject::Load(const std::string& path,
                                        const ScopedEnvironment::Settings& settings) {
  static std::map<std::string, void*> loaded;
  const std::string key = KeyOf(path, settings);
  const auto found = loaded.find(key);
  if (found != loaded.end()) return SharedObject(path, found->second);
  // A plain name would go through the search path, to a library that nobody chose.
  if (path.find('/') == std::string::npos) {
    return Error{path, "is not a path", "give the full path of the library"};
  }
  Result<void*> handle = Open(path, settings);
  if (!handle.ok()) return handle.error();
  loaded[key] = handle.value();
  return SharedObject(path, handle.value());
}

void* SharedObject::Find(const char* name) const { return dlsym(handle_, name); }

std::string FindLibrary(const std::vector<std::string_view>& names) {
  for (const char* folder : kLibraryFolders) {
    for (const std::string_view name : names) {
      const std::string path = folder + std::string(name);
      if (access(path.c_str(), R_OK) == 0) return path;
    }
  }
  return {};
}

}  // namespace assay
