// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/cblas/cblas.h"

#include <memory>

#include "engine/backends/call_view.h"
#include "engine/backends/cblas/library.h"
#include "engine/backends/cblas/operation.h"

namespace assay {
namespace {

struct CblasBackend {
  AssayBackend table{};
  CblasLibrary library;
};

CblasBackend& Self(void* self) { return *static_cast<CblasBackend*>(self); }

// An integer destination is a place.
bool InputsAreOfBits(const AssayCall& call, int bits) {
  for (int i = 0; i < call.operand_count; ++i) {
    const bool place = i + 1 == call.operand_count && call.operands[i].dtype.code == 0;
    if (!place && !IsFloat(call.operands[i], bits)) return false;
  }
  return true;
}

template <class T>
const cblas::Operation<T>* FindOperation(uint32_t op) {
  for (const auto level : {cblas::Level1<T>(), cblas::Level2<T>(), cblas::Level3<T>(),
                           cblas::ComplexOperations<T>()}) {
    for (const cblas::Operation<T>& each : level) {
      if (each.op == op) return &each;
    }
  }
  return nullptr;
}

template <class T>
int32_t SupportsIn(const CblasFunctions& f, const AssayCall& call, AssayText* reason) {
  const cblas::Operation<T>* operation = FindOperation<T>(call.op);
  if (operation == nullptr) return Answer("BLAS has no such operation", reason);
  return Answer(operation->refusal(f.Of<T>(), call), reason);
}

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  const CblasFunctions& f = Self(self).library.functions;
  if (InputsAreOfBits(*call, 64)) return SupportsIn<double>(f, *call, reason);
  if (InputsAreOfBits(*call, 32)) return SupportsIn<float>(f, *call, reason);
  return Answer("BLAS takes operands of f64 or of f32 only", reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  const int32_t status = Supports(self, call, text);
  if (status != ASSAY_OK) return status;
  const CblasFunctions& f = Self(self).library.functions;
  if (IsFloat(call->operands[0], 64)) {
    FindOperation<double>(call->op)->run(f.d, *call);
  } else {
    FindOperation<float>(call->op)->run(f.s, *call);
  }
  return ASSAY_OK;
}

const char* Version(void* self) { return Self(self).library.version.c_str(); }
const char* Pins(void* self) { return Self(self).library.pins.c_str(); }
const char* Declare(void* self, const char* key) {
  return std::string_view(key) == "profile" ? Self(self).library.family.c_str() : nullptr;
}
void Close(void* self) { delete &Self(self); }

}  // namespace

Result<const AssayBackend*> OpenCblas(const CblasRequest& request) {
  Result<CblasLibrary> library = LoadCblas(request);
  if (!library.ok()) return library.error();
  auto* backend = new CblasBackend{{}, std::move(library).value()};
  backend->table = {sizeof(AssayBackend),
                    ASSAY_ABI_VERSION,
                    backend,
                    backend->library.family.c_str(),
                    Version,
                    Pins,
                    Supports,
                    Run,
                    Declare,
                    Close};
  return &backend->table;
}

}  // namespace assay
