// SPDX-License-Identifier: Apache-2.0
//
// glibc's mathematical functions as a backend module: libm's, called element by element, or, where
// ASSAY_LIBMVEC_BYTES gives a vector's size, libmvec's of that size. Looked up by name at run time,
// so that an older library has fewer operators and nothing else.
#include <gnu/libc-version.h>

#include <string>
#include <type_traits>

#include "engine/backends/elementwise.h"
#include "engine/shared_object.h"

#ifndef ASSAY_LIBMVEC_BYTES
#define ASSAY_LIBMVEC_BYTES 0
#endif

namespace assay {
namespace {

constexpr int kBytes = ASSAY_LIBMVEC_BYTES;
constexpr bool kIsVector = kBytes != 0;

struct Row {
  uint32_t op;
  std::string_view name;  // of the f64 function; f32: with an f behind it
};
constexpr Row kUnary[] = {
    {ASSAY_OP_EXP, "exp"},       {ASSAY_OP_LOG, "log"},       {ASSAY_OP_TANH, "tanh"},
    {ASSAY_OP_SQRT, "sqrt"},     {ASSAY_OP_ERF, "erf"},       {ASSAY_OP_EXPM1, "expm1"},
    {ASSAY_OP_LOG1P, "log1p"},   {ASSAY_OP_SIN, "sin"},       {ASSAY_OP_COS, "cos"},
    {ASSAY_OP_TAN, "tan"},       {ASSAY_OP_ASIN, "asin"},     {ASSAY_OP_ACOS, "acos"},
    {ASSAY_OP_ATAN, "atan"},     {ASSAY_OP_SINH, "sinh"},     {ASSAY_OP_COSH, "cosh"},
    {ASSAY_OP_ASINH, "asinh"},   {ASSAY_OP_ACOSH, "acosh"},   {ASSAY_OP_ATANH, "atanh"},
    {ASSAY_OP_EXP2, "exp2"},     {ASSAY_OP_EXP10, "exp10"},   {ASSAY_OP_LOG2, "log2"},
    {ASSAY_OP_LOG10, "log10"},   {ASSAY_OP_CBRT, "cbrt"},     {ASSAY_OP_ERFC, "erfc"},
    {ASSAY_OP_TGAMMA, "tgamma"}, {ASSAY_OP_LGAMMA, "lgamma"}, {ASSAY_OP_J0, "j0"},
    {ASSAY_OP_ABS, "fabs"},
};
constexpr Row kBinary[] = {{ASSAY_OP_POW, "pow"}, {ASSAY_OP_HYPOT, "hypot"}};
constexpr std::string_view kRemainders[] = {"fmod", "remainder"};  // by style; no floored one

// "sinf"; "_ZGVdN8v_sinf": the x86-64 vector ABI's letter for the instruction set, without a mask,
// lanes, a v for each parameter.
template <class T>
std::string Symbol(std::string_view name, std::string_view parameters) {
  std::string symbol;
  if (kIsVector) {
    symbol = kBytes == 16 ? "_ZGVbN" : kBytes == 32 ? "_ZGVdN" : "_ZGVeN";
    symbol += std::to_string(FunctionTable<T, kBytes>::kLanes) + std::string(parameters) + "_";
  }
  symbol += name;
  return std::is_same_v<T, float> ? symbol + "f" : symbol;
}

template <class T>
void Resolve(const SharedObject& library, FunctionTable<T, kBytes>& table) {
  using UnaryType = std::remove_pointer_t<typename FunctionTable<T, kBytes>::Unary>;
  using BinaryType = std::remove_pointer_t<typename FunctionTable<T, kBytes>::Binary>;
  for (const Row& row : kUnary) {
    table.unary[row.op] = library.Symbol<UnaryType>(Symbol<T>(row.name, "v").c_str());
  }
  for (const Row& row : kBinary) {
    table.binary[row.op] = library.Symbol<BinaryType>(Symbol<T>(row.name, "vv").c_str());
  }
  for (int style = 0; style < 2; ++style) {
    table.binary[table.KeyOf(ASSAY_OP_REMAINDER, style)] =
        library.Symbol<BinaryType>(Symbol<T>(kRemainders[style], "vv").c_str());
  }
}

struct Libm {
  AssayBackend table{};
  FunctionLibrary<kBytes> functions;
};
Libm& Self(void* self) { return *static_cast<Libm*>(self); }

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  return Answer(Self(self).functions.Refusal(*call), reason);
}
int32_t Run(void* self, const AssayCall* call, AssayText* text) noexcept {
  return Self(self).functions.Run(*call, text);
}

const char* Version(void*) { return gnu_get_libc_version(); }
const char* Pins(void*) {
  return kBytes == 0 ? "" : kBytes == 16 ? "isa=sse2" : kBytes == 32 ? "isa=avx2" : "isa=avx512";
}
const char* Declare(void*, const char* key) {
  if (std::string_view(key) != "profile") return nullptr;
  return kIsVector ? "libmvec" : "libm";
}
void Close(void* self) { delete &Self(self); }

const AssayBackend* Open(AssayText* error) {
  const std::string_view name = kIsVector ? "libmvec.so.1" : "libm.so.6";
  const std::string path = FindLibrary({name});
  if (path.empty()) {
    Say(error, std::string(name) + " is not installed");
    return nullptr;
  }
  Result<SharedObject> library = SharedObject::Load(path);
  if (!library.ok()) {
    Say(error, library.error().Text());
    return nullptr;
  }
  auto* self = new Libm;
  Resolve(library.value(), self->functions.of_float);
  Resolve(library.value(), self->functions.of_double);
  self->table = {sizeof(AssayBackend),
                 ASSAY_ABI_VERSION,
                 self,
                 kIsVector ? "libmvec" : "libm",
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
    const char*, AssayText* error) {
  return assay::Open(error);
}
