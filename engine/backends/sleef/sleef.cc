// SPDX-License-Identifier: Apache-2.0
//
// SLEEF as a backend module: its functions of one element, or, where ASSAY_SLEEF_BYTES gives a
// vector's size, those of that size and instruction set. The option "accuracy=u35" takes the
// functions with an error bound of 3.5 ulp in place of the most accurate ones.
#include <string>
#include <type_traits>

#include "engine/backends/elementwise.h"
#include "engine/shared_object.h"

#ifndef ASSAY_SLEEF_BYTES
#define ASSAY_SLEEF_BYTES 0
#endif

namespace assay {
namespace {

constexpr int kBytes = ASSAY_SLEEF_BYTES;
constexpr bool kIsVector = kBytes != 0;

// `fine` and `coarse` end a function's name; empty: there is none.
struct Row {
  uint32_t op;
  std::string_view name, fine, coarse;
};
constexpr Row kUnary[] = {
    {ASSAY_OP_EXP, "exp", "u10", ""},       {ASSAY_OP_LOG, "log", "u10", "u35"},
    {ASSAY_OP_TANH, "tanh", "u10", "u35"},  {ASSAY_OP_SQRT, "sqrt", "u05", "u35"},
    {ASSAY_OP_ERF, "erf", "u10", ""},       {ASSAY_OP_EXPM1, "expm1", "u10", ""},
    {ASSAY_OP_LOG1P, "log1p", "u10", ""},   {ASSAY_OP_SIN, "sin", "u10", "u35"},
    {ASSAY_OP_COS, "cos", "u10", "u35"},    {ASSAY_OP_TAN, "tan", "u10", "u35"},
    {ASSAY_OP_ASIN, "asin", "u10", "u35"},  {ASSAY_OP_ACOS, "acos", "u10", "u35"},
    {ASSAY_OP_ATAN, "atan", "u10", "u35"},  {ASSAY_OP_SINH, "sinh", "u10", "u35"},
    {ASSAY_OP_COSH, "cosh", "u10", "u35"},  {ASSAY_OP_ASINH, "asinh", "u10", ""},
    {ASSAY_OP_ACOSH, "acosh", "u10", ""},   {ASSAY_OP_ATANH, "atanh", "u10", ""},
    {ASSAY_OP_EXP2, "exp2", "u10", "u35"},  {ASSAY_OP_EXP10, "exp10", "u10", "u35"},
    {ASSAY_OP_LOG2, "log2", "u10", "u35"},  {ASSAY_OP_LOG10, "log10", "u10", ""},
    {ASSAY_OP_CBRT, "cbrt", "u10", "u35"},  {ASSAY_OP_ERFC, "erfc", "u15", ""},
    {ASSAY_OP_TGAMMA, "tgamma", "u10", ""}, {ASSAY_OP_LGAMMA, "lgamma", "u10", ""},
};
constexpr Row kBinary[] = {{ASSAY_OP_POW, "pow", "u10", ""},
                           {ASSAY_OP_HYPOT, "hypot", "u05", "u35"}};

// "Sleef_sinf_u10"; "Sleef_sinf8_u10avx2", "Sleef_sind4_u10avx2"
template <class T>
std::string Symbol(std::string_view name, std::string_view accuracy) {
  std::string symbol = "Sleef_" + std::string(name);
  if constexpr (std::is_same_v<T, float>) symbol += "f";
  if (!kIsVector) return symbol + "_" + std::string(accuracy);
  if constexpr (std::is_same_v<T, double>) symbol += "d";
  symbol += std::to_string(FunctionTable<T, kBytes>::kLanes) + "_" + std::string(accuracy);
  return symbol + (kBytes == 16 ? "sse2" : kBytes == 32 ? "avx2" : "avx512f");
}

template <class T>
void Resolve(const SharedObject& library, bool coarse, FunctionTable<T, kBytes>& table) {
  const auto find = [&](const Row& row, auto& functions) {
    using Pointer = typename std::remove_reference_t<decltype(functions)>::mapped_type;
    const std::string_view accuracy = coarse ? row.coarse : row.fine;
    if (accuracy.empty()) return;
    functions[row.op] =
        library.Symbol<std::remove_pointer_t<Pointer>>(Symbol<T>(row.name, accuracy).c_str());
  };
  for (const Row& row : kUnary) find(row, table.unary);
  for (const Row& row : kBinary) find(row, table.binary);
}

struct Sleef {
  AssayBackend table{};
  FunctionLibrary<kBytes> functions;
  std::string pins;
  bool coarse = false;
};
Sleef& Self(void* self) { return *static_cast<Sleef*>(self); }

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  return Answer(Self(self).functions.Refusal(*call), reason);
}
int32_t Run(void* self, const AssayCall* call, AssayText* text) noexcept {
  return Self(self).functions.Run(*call, text);
}

// The library reports no version; the header's is the one it was built against.
const char* Version(void*) { return ASSAY_SLEEF_VERSION; }
const char* Pins(void* self) { return Self(self).pins.c_str(); }
const char* Declare(void* self, const char* key) {
  if (std::string_view(key) != "profile") return nullptr;
  return Self(self).coarse ? "sleef_u35" : "sleef";
}
void Close(void* self) { delete &Self(self); }

const AssayBackend* Open(std::string_view options, AssayText* error) {
  const bool coarse = options == "accuracy=u35";
  if (!coarse && !options.empty() && options != "accuracy=u10") {
    Say(error, "accuracy is u10 or u35");
    return nullptr;
  }
  const std::string path = FindLibrary({"libsleef.so.3"});
  if (path.empty()) {
    Say(error, "libsleef.so.3 is not installed: install libsleef3");
    return nullptr;
  }
  Result<SharedObject> library = SharedObject::Load(path);
  if (!library.ok()) {
    Say(error, library.error().Text());
    return nullptr;
  }
  auto* self = new Sleef;
  self->coarse = coarse;
  self->pins = kBytes == 0    ? "isa=scalar"
               : kBytes == 16 ? "isa=sse2"
               : kBytes == 32 ? "isa=avx2"
                              : "isa=avx512";
  if (coarse) self->pins += ",accuracy=u35";
  Resolve(library.value(), coarse, self->functions.of_float);
  Resolve(library.value(), coarse, self->functions.of_double);
  self->table = {sizeof(AssayBackend),
                 ASSAY_ABI_VERSION,
                 self,
                 "sleef",
                 Version,
                 Pins,
                 Supports,
                 Run,
                 Declare,
                 Close};
  return &self->table;
}

}  // namespace
}  // namespace assay

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char* options, AssayText* error) {
  return assay::Open(options, error);
}
