// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/cblas/library.h"

#include <stdlib.h>

#include <cctype>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/backends/cblas/targets.h"
#include "engine/shared_object.h"

namespace assay {
namespace {

std::string WordAfter(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return "unknown";
  const std::string_view rest = text.substr(at + word.size());
  return std::string(rest.substr(0, rest.find(' ')));
}

// The digits and dots at the end of the file's real name, for libraries that cannot be asked:
// "libblas.so.3.11.0" is 3.11.0.
std::string VersionInFileName(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  const std::string_view name = real != nullptr ? std::string_view(real.get()) : path;
  size_t begin = name.size();
  while (begin > 0 && (std::isdigit(static_cast<unsigned char>(name[begin - 1])) != 0 ||
                       name[begin - 1] == '.')) {
    --begin;
  }
  while (begin < name.size() && name[begin] == '.') ++begin;
  return begin == name.size() ? "unknown" : std::string(name.substr(begin)) + " (file name)";
}

// BLIS numbers its configurations anew with every version; names stay.
std::optional<int> BlisArchNumber(const SharedObject& library, std::string_view name) {
  // The enumeration ends with "generic"; reading the table behind it is not defined.
  constexpr int kLimit = 64;
  auto* name_of = library.Symbol<const char*(int)>("bli_arch_string");
  if (name_of == nullptr) return std::nullopt;
  for (int id = 0; id < kLimit; ++id) {
    const char* each = name_of(id);
    if (each == nullptr) return std::nullopt;
    if (name == each || name == std::to_string(id)) return id;
    if (std::strcmp(each, "generic") == 0) return std::nullopt;
  }
  return std::nullopt;
}

Error NotThere(const std::string& path, std::string_view what, std::string_view asked,
               const std::string& got) {
  return {path, "runs " + got + " kernels, not the " + std::string(asked) + " asked for",
          "leave out #" + std::string(what) + "=, or name one that this library has"};
}

// The library under the settings that the request needs. BLIS reads its variable when it is first
// initialised, not when it is loaded, so that happens here too.
Result<SharedObject> LoadWithTarget(const CblasRequest& request) {
  if (!request.core.empty()) {
    if (Status status = CheckTarget("OpenBLAS", request.core); !status.ok()) return status.error();
    return SharedObject::Load(request.path, {{"OPENBLAS_CORETYPE", request.core}});
  }
  Result<SharedObject> plain = SharedObject::Load(request.path);
  if (request.arch.empty() || !plain.ok()) return plain;
  const std::optional<int> id = BlisArchNumber(plain.value(), request.arch);
  if (!id.has_value()) {
    return Error{request.path, "has no BLIS configuration \"" + request.arch + "\"",
                 "use one of its own, such as haswell or generic"};
  }
  const std::string name = plain.value().Symbol<const char*(int)>("bli_arch_string")(*id);
  if (Status status = CheckTarget("BLIS", name); !status.ok()) return status.error();
  const ScopedEnvironment::Settings settings = {{"BLIS_ARCH_TYPE", std::to_string(*id)}};
  Result<SharedObject> copy = SharedObject::Load(request.path, settings);
  if (!copy.ok()) return copy;
  const ScopedEnvironment environment(settings);
  if (auto* init = copy.value().Symbol<void()>("bli_init")) init();
  return copy;
}

Status DescribeOpenBlas(const SharedObject& library, const CblasRequest& request,
                        CblasLibrary& found) {
  found.version = WordAfter(library.Symbol<char*()>("openblas_get_config")(), "OpenBLAS ");
  auto* corename = library.Symbol<char*()>("openblas_get_corename");
  const std::string core = corename != nullptr ? corename() : "unknown";
  found.pins = "core=" + core;
  if (!request.core.empty() && core != request.core) {
    return NotThere(request.path, "core", request.core, core);
  }
  // The threaded builds start their threads whatever the environment said before they were loaded.
  auto* parallel = library.Symbol<int()>("openblas_get_parallel");
  auto* set_threads = library.Symbol<void(int)>("openblas_set_num_threads");
  if (parallel != nullptr && parallel() != 0 && set_threads != nullptr) {
    set_threads(1);
    found.pins += ",threads=1";
  }
  return {};
}

Status DescribeBlis(const SharedObject& library, const CblasRequest& request, CblasLibrary& found) {
  found.version = library.Symbol<const char*()>("bli_info_get_version_str")();
  auto* query = library.Symbol<int()>("bli_arch_query_id");
  auto* name_of = library.Symbol<const char*(int)>("bli_arch_string");
  if (query == nullptr || name_of == nullptr) return {};
  const int id = query();
  const std::string arch = name_of(id);
  found.pins = "arch=" + arch;
  if (!request.arch.empty() && request.arch != arch && request.arch != std::to_string(id)) {
    return NotThere(request.path, "arch", request.arch, arch);
  }
  return {};
}

Status Describe(const SharedObject& library, const CblasRequest& request, CblasLibrary& found) {
  const auto has = [&](const char* name) { return library.Symbol<void>(name) != nullptr; };
  if (has("openblas_get_config")) {
    found.family = "openblas";
    return DescribeOpenBlas(library, request, found);
  }
  if (!request.core.empty()) {
    return Error{request.path, "is not OpenBLAS, so it has no core types", "leave out #core="};
  }
  if (has("bli_info_get_version_str")) {
    found.family = "blis";
    return DescribeBlis(library, request, found);
  }
  found.family = !request.family.empty() ? request.family : has("ATL_dgemm") ? "atlas" : "cblas";
  found.version = VersionInFileName(request.path);
  return {};
}

// `real` and `complex`: the letters of the types, s and c or d and z.
template <class T>
void FindFunctions(const SharedObject& library, const std::string& real, const std::string& complex,
                   CblasOf<T>& f) {
  const auto find = [&]<class Function>(Function*& function, const std::string& name) {
    function = library.Symbol<Function>(("cblas_" + name).c_str());
  };
  find(f.iamax, "i" + real + "amax");
  find(f.dot, real + "dot");
  find(f.nrm2, real + "nrm2");
  find(f.asum, real + "asum");
  find(f.sum, real + "sum");
  find(f.scal, real + "scal");
  find(f.axpy, real + "axpy");
  find(f.gemv, real + "gemv");
  find(f.gemm, real + "gemm");
  find(f.ger, real + "ger");
  find(f.syr, real + "syr");
  find(f.trmv, real + "trmv");
  find(f.trsv, real + "trsv");
  find(f.trmm, real + "trmm");
  find(f.trsm, real + "trsm");
  find(f.complex_scal, complex + "scal");
  find(f.complex_dot, complex + "dotu_sub");
  find(f.complex_dot_conjugated, complex + "dotc_sub");
  find(f.complex_gemv, complex + "gemv");
}

}  // namespace

Result<CblasLibrary> LoadCblas(const CblasRequest& request) {
  Result<SharedObject> loaded = LoadWithTarget(request);
  if (!loaded.ok()) return loaded.error();
  const SharedObject& library = loaded.value();
  CblasLibrary found;
  FindFunctions(library, "s", "c", found.functions.s);
  FindFunctions(library, "d", "z", found.functions.d);
  if (found.functions.s.gemm == nullptr) {
    return Error{request.path, "is a library, but exports no cblas_sgemm",
                 "give a library with the C interface to BLAS"};
  }
  if (Status status = Describe(library, request, found); !status.ok()) return status.error();
  return found;
}

}  // namespace assay
