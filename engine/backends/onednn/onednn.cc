// SPDX-License-Identifier: Apache-2.0
//
// oneDNN as a backend module: its primitives, or, with the option "sgemm", dnnl_sgemm and its int8
// siblings alone. Another option is "isa=CAP". Options are separated by commas.
#include <memory>
#include <string>
#include <string_view>

#include "engine/backends/call_view.h"
#include "engine/backends/onednn/functions.h"
#include "engine/backends/onednn/gemm_functions.h"
#include "engine/backends/onednn/primitives.h"

namespace assay::onednn {
namespace {

struct OneDnn {
  AssayBackend table{};
  Library library;
  std::string pins;
  bool sgemm = false;
  dnnl_stream_t stream = nullptr;
  std::unique_ptr<Primitives> primitives;
};

OneDnn& Self(void* self) { return *static_cast<OneDnn*>(self); }

std::string_view RefusalOfPrimitive(OneDnn& self, const AssayCall& call) {
  if (!Fits(call)) return "oneDNN has no such primitive";
  return self.primitives->Get(call).refusal();
}

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  OneDnn& backend = Self(self);
  return Answer(backend.sgemm ? RefusalOfGemm(*call) : RefusalOfPrimitive(backend, *call), reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  OneDnn& backend = Self(self);
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  const std::string_view failure = backend.sgemm
                                       ? RunGemm(backend.library.functions, *call)
                                       : backend.primitives->Get(*call).Run(backend.stream, *call);
  if (failure.empty()) return ASSAY_OK;
  Say(text, failure);
  return ASSAY_FAILED;
}

const char* Version(void* self) { return Self(self).library.version.c_str(); }
const char* Pins(void* self) { return Self(self).pins.c_str(); }
// The instruction sets whose byte products saturate in pairs, by oneDNN's own account.
bool SaturatesPairs(std::string_view isa) { return isa == "avx2" || isa == "avx512_core"; }

const char* Declare(void* self, const char* key) {
  const OneDnn& backend = Self(self);
  if (std::string_view(key) == "profile") {
    return SaturatesPairs(backend.library.isa) ? "onednn_before_vnni" : "onednn";
  }
  return std::string_view(key) == "schedules" && !backend.sgemm ? "ways to one result" : nullptr;
}
// The engine and the stream of the library live as long as the library, which is never unloaded.
void Close(void* self) { delete &Self(self); }

struct Options {
  bool sgemm = false;
  std::string cap;
  std::string unknown;
};

Options ParseOptions(std::string_view text) {
  constexpr std::string_view kIsa = "isa=";
  Options options;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    if (item == "sgemm") {
      options.sgemm = true;
    } else if (item.substr(0, kIsa.size()) == kIsa) {
      options.cap = item.substr(kIsa.size());
    } else {
      options.unknown = item;
    }
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return options;
}

const AssayBackend* Open(std::string_view text, AssayText* error) {
  const Options options = ParseOptions(text);
  if (!options.unknown.empty()) {
    Say(error, "unknown option \"" + options.unknown + "\" (use sgemm or isa=CAP)");
    return nullptr;
  }
  Result<Library> library = Load(options.cap);
  if (!library.ok()) {
    Say(error, library.error().Text());
    return nullptr;
  }
  auto backend = std::make_unique<OneDnn>();
  backend->library = std::move(library).value();
  backend->pins = "isa=" + backend->library.isa;
  backend->sgemm = options.sgemm;
  const Functions& f = backend->library.functions;
  dnnl_engine_t engine = nullptr;
  if (f.engine_create(&engine, dnnl_cpu, 0) != dnnl_success ||
      f.stream_create(&backend->stream, engine, dnnl_stream_default_flags) != dnnl_success) {
    Say(error, "oneDNN cannot make a CPU engine");
    return nullptr;
  }
  backend->primitives = std::make_unique<Primitives>(f, engine);
  backend->table = {
      sizeof(AssayBackend), ASSAY_ABI_VERSION, backend.get(),
      // Two interfaces over other kernels: one cause must not hide behind the other's key.
      options.sgemm ? "onednn_sgemm" : "onednn", Version, Pins, Supports, Run, Declare, Close};
  return &backend.release()->table;
}

}  // namespace
}  // namespace assay::onednn

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char* options, AssayText* error) {
  return assay::onednn::Open(options, error);
}
