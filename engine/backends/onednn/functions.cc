// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/onednn/functions.h"

#include <algorithm>
#include <cctype>

#include "engine/shared_object.h"

namespace assay::onednn {
namespace {

struct Isa {
  dnnl_cpu_isa_t value;
  std::string_view name;
};
constexpr Isa kIsas[] = {
    {dnnl_cpu_isa_sse41, "sse41"},
    {dnnl_cpu_isa_avx, "avx"},
    {dnnl_cpu_isa_avx2, "avx2"},
    {dnnl_cpu_isa_avx2_vnni, "avx2_vnni"},
    {dnnl_cpu_isa_avx512_core, "avx512_core"},
    {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
    {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
    {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"},
};

std::string NameOf(dnnl_cpu_isa_t value) {
  for (const Isa& isa : kIsas) {
    if (isa.value == value) return std::string(isa.name);
  }
  return "number " + std::to_string(static_cast<int>(value));
}

std::string AllNames() {
  std::string names;
  for (const Isa& isa : kIsas) {
    if (!names.empty()) names += ", ";
    names += isa.name;
  }
  return names;
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

Result<Functions> Resolve(const SharedObject& library) {
  Functions functions;
#define ASSAY_DNNL_RESOLVE(name)                                                                 \
  functions.name = library.Symbol<std::remove_pointer_t<decltype(&dnnl_##name)>>("dnnl_" #name); \
  if (functions.name == nullptr) {                                                               \
    return Error{library.path(), "exports no dnnl_" #name, "install oneDNN 2.6"};                \
  }
  ASSAY_DNNL_FUNCTIONS(ASSAY_DNNL_RESOLVE)
#undef ASSAY_DNNL_RESOLVE
  return functions;
}

}  // namespace

Result<Library> Load(std::string_view cap) {
  const std::string path = FindLibrary({"libdnnl.so.2"});
  if (path.empty()) return Error{"libdnnl.so.2", "is not installed", "install libdnnl2"};
  ScopedEnvironment::Settings settings;
  if (!cap.empty()) {
    const bool known = std::any_of(std::begin(kIsas), std::end(kIsas),
                                   [&](const Isa& isa) { return isa.name == cap; });
    if (!known) {
      return Error{"isa=" + std::string(cap), "is no instruction set of oneDNN",
                   "use one of " + AllNames()};
    }
    settings = {{"DNNL_MAX_CPU_ISA", UpperCase(cap)}};
  }
  Result<SharedObject> object = SharedObject::Load(path, settings);
  if (!object.ok()) return object.error();
  Result<Functions> functions = Resolve(object.value());
  if (!functions.ok()) return functions.error();
  // The variable is read at the first question about the instruction set, not at loading.
  const ScopedEnvironment environment(settings);
  Library library{functions.value(), "", NameOf(functions.value().get_effective_cpu_isa())};
  if (!cap.empty() && library.isa != cap) {
    return Error{"isa=" + std::string(cap), "is not reached: oneDNN runs " + library.isa,
                 "use that, or a smaller one"};
  }
  const dnnl_version_t& version = *library.functions.version();
  library.version = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                    std::to_string(version.patch);
  return library;
}

}  // namespace assay::onednn
