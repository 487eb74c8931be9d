// SPDX-License-Identifier: Apache-2.0

#include "engine/module.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <type_traits>

namespace assay {
namespace {

namespace fs = std::filesystem;

// Programs lie in the root of the build folder, tests one folder below it.
fs::path ModuleFolder() {
  if (const char* set = std::getenv("ASSAY_BACKEND_DIR"); set != nullptr && *set != 0) return set;
  std::error_code failed;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  const fs::path beside = folder / "backends";
  return fs::is_directory(beside, failed) ? beside : folder.parent_path() / "backends";
}

}  // namespace

Result<const AssayBackend*> OpenPlugin(const std::string& path, const std::string& options,
                                       const ScopedEnvironment::Settings& settings) {
  Result<SharedObject> library =
      SharedObject::Load(path.find('/') == std::string::npos ? "./" + path : path, settings);
  if (!library.ok()) return library.error();
  auto* open = library.value().Symbol<std::remove_pointer_t<AssayOpenFunction>>(ASSAY_OPEN_SYMBOL);
  if (open == nullptr) {
    return Error{path, "exports no " ASSAY_OPEN_SYMBOL, "see engine/include/assay/backend.h"};
  }
  char buffer[512];
  AssayText text{buffer, sizeof buffer, 0};
  // Some read it here, at their first use.
  const ScopedEnvironment environment(settings);
  const AssayBackend* table = open(options.c_str(), &text);
  if (table != nullptr) return table;
  return Error{path, std::string(buffer, std::min(text.size, sizeof buffer)), ""};
}

Result<const AssayBackend*> OpenModule(const std::string& name, const std::string& options,
                                       const ScopedEnvironment::Settings& settings) {
  const fs::path path = ModuleFolder() / (name + ".so");
  if (access(path.c_str(), R_OK) != 0) {
    return Error{name, "the module is not there: " + path.string(),
                 "build it (its library's headers must be installed), or set ASSAY_BACKEND_DIR"};
  }
  return OpenPlugin(path.string(), options, settings);
}

std::string HostProgram() { return (ModuleFolder().parent_path() / "assay-host").string(); }

}  // namespace assay
