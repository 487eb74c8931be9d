// SPDX-License-Identifier: Apache-2.0
//
// Libraries under test, loaded at run time by file so that none is linked and none sees another's
// symbols. Loaded once per process and never unloaded: libraries that keep thread keys or exit
// handlers do not survive it. Used by the engine and, compiled into them, by modules. Not
// thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/result.h"

namespace assay {

// Sets variables of the environment, and puts back what was there.
class ScopedEnvironment {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;
  explicit ScopedEnvironment(const Settings& settings);
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  struct Previous {
    std::string name, value;
    bool was_set;
  };
  std::vector<Previous> previous_;
};

class SharedObject {
 public:
  // With `settings`, loads a private copy that reads them as its environment while it initialises:
  // one library file under several settings is as many libraries. The copy is a memory file, opened
  // under a path of its own, since the loader returns the first handle for a file it knows.
  // Errors: what the loader says, with the path as place.
  static Result<SharedObject> Load(const std::string& path,
                                   const ScopedEnvironment::Settings& settings = {});

  // Null if the library has no such symbol.
  template <class Function>
  Function* Symbol(const char* name) const {
    return reinterpret_cast<Function*>(Find(name));
  }
  const std::string& path() const { return path_; }

 private:
  SharedObject(std::string path, void* handle) : path_(std::move(path)), handle_(handle) {}
  void* Find(const char* name) const;

  std::string path_;
  void* handle_;
};

// The first of `names` that exists under a directory where Debian, Fedora or a local installation
// puts libraries; empty if none does.
std::string FindLibrary(const std::vector<std::string_view>& names);

}  // namespace assay
