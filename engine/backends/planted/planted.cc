// SPDX-License-Identifier: Apache-2.0
//
// The C table in front of one planted kernel.
#include "engine/backends/planted/planted.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "contracts/suggest.h"
#include "engine/backends/planted/operands.h"
#include "engine/backends/planted/table.h"

namespace assay {
namespace {

struct PlantedBackend {
  AssayBackend table;
  const PlantedKernel* kernel;
};

const PlantedKernel& KernelOf(void* self) { return *static_cast<PlantedBackend*>(self)->kernel; }

int32_t Refuse(AssayText* text, std::string_view reason) {
  if (text != nullptr) {
    text->size = std::min(reason.size(), text->capacity);
    if (text->size > 0) std::memcpy(text->data, reason.data(), text->size);
  }
  return ASSAY_UNSUPPORTED;
}

const char* Version(void*) { return "1"; }
const char* Pins(void*) { return ""; }

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  const PlantedKernel& kernel = KernelOf(self);
  if ((kernel.ops >> call->op & 1) == 0) return Refuse(reason, "another operator's kernel");
  const auto type = static_cast<unsigned>(planted::TypeOf(call->operands[0]));
  if ((kernel.types >> type & 1) == 0) return Refuse(reason, "the fault is one of other types");
  return ASSAY_OK;
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  if (const int32_t status = Supports(self, call, text); status != ASSAY_OK) return status;
  return KernelOf(self).run(*call);
}

const char* Declare(void* self, const char* key) {
  if (std::strcmp(key, "schedules") == 0) return "by seed";
  if (std::strcmp(key, "threads") == 0) return "as told";
  return std::strcmp(key, "profile") == 0 ? KernelOf(self).profile.data() : nullptr;
}

void Close(void* self) { delete static_cast<PlantedBackend*>(self); }

}  // namespace

const AssayBackend* OpenPlanted(std::string_view kernel, std::string& error) {
  const PlantedKernel* found = FindPlanted(kernel);
  if (found == nullptr) {
    std::vector<std::string_view> names;
    for (const PlantedKernel& row : PlantedTable()) names.push_back(row.name);
    error =
        "there is no planted kernel '" + std::string(kernel) + "'; " + DidYouMean(kernel, names);
    return nullptr;
  }
  auto backend = std::make_unique<PlantedBackend>();
  backend->kernel = found;
  backend->table = {.struct_size = sizeof(AssayBackend),
                    .abi_version = ASSAY_ABI_VERSION,
                    .self = backend.get(),
                    .family = "planted",
                    .version = &Version,
                    .pins = &Pins,
                    .supports = &Supports,
                    .run = &Run,
                    .declare = &Declare,
                    .close = &Close};
  return &backend.release()->table;
}

std::vector<std::string> PlantedKernels() {
  std::vector<std::string> names;
  for (const PlantedKernel& kernel : PlantedTable()) names.emplace_back(kernel.name);
  return names;
}

}  // namespace assay
