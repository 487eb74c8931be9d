// SPDX-License-Identifier: Apache-2.0
//
// glibc's mathematical functions as a backend module: libm's, called element by element, or, where
// ASSAY_LIBMVEC_BYTES gives a vector's size, libmvec's of that size. Looked up by name at run time,
// so that an older library has fewer operators and nothing else.
#include <gnu/libc-version.h>

#include <map>
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

// Functions of one type: of a vector of kBytes, or of one element.
template <class T>
struct Functions {
  static constexpr int kSize = kIsVector ? kBytes : static_cast<int>(sizeof(T));
  static constexpr int kLanes = kSize / static_cast<int>(sizeof(T));
  using Vector = typename VectorOfBytes<T, kSize>::Type;
  using Loop = ElementwiseLoop<T, kLanes, Vector>;

  std::map<uint32_t, typename Loop::Unary> unary;
  std::map<uint32_t, typename Loop::Binary> binary;
  typename Loop::Binary remainders[2] = {};

  // "sinf"; "_ZGVdN8v_sinf": the x86-64 vector ABI's letter for the instruction set, without a
  // mask, lanes, a v for each parameter.
  static std::string Symbol(std::string_view name, std::string_view parameters) {
    std::string symbol;
    if (kIsVector) {
      symbol = kBytes == 16 ? "_ZGVbN" : kBytes == 32 ? "_ZGVdN" : "_ZGVeN";
      symbol += std::to_string(kLanes) + std::string(parameters) + "_";
    }
    symbol += name;
    return std::is_same_v<T, float> ? symbol + "f" : symbol;
  }

  void Resolve(const SharedObject& library) {
    using UnaryType = std::remove_pointer_t<typename Loop::Unary>;
    using BinaryType = std::remove_pointer_t<typename Loop::Binary>;
    for (const Row& row : kUnary) {
      unary[row.op] = library.Symbol<UnaryType>(Symbol(row.name, "v").c_str());
    }
    for (const Row& row : kBinary) {
      binary[row.op] = library.Symbol<BinaryType>(Symbol(row.name, "vv").c_str());
    }
    for (int style = 0; style < 2; ++style) {
      remainders[style] = library.Symbol<BinaryType>(Symbol(kRemainders[style], "vv").c_str());
    }
  }

  typename Loop::Unary UnaryOf(const AssayCall& call) const {
    const auto found = unary.find(call.op);
    return found == unary.end() ? nullptr : found->second;
  }
  typename Loop::Binary BinaryOf(const AssayCall& call) const {
    if (call.op == ASSAY_OP_REMAINDER) {
      const int style = static_cast<int>(call.attributes[0]);
      return style < 2 ? remainders[style] : nullptr;
    }
    const auto found = binary.find(call.op);
    return found == binary.end() ? nullptr : found->second;
  }
  bool Has(const AssayCall& call) const {
    return UnaryOf(call) != nullptr || BinaryOf(call) != nullptr;
  }
  void Run(const AssayCall& call) const {
    const Loop loop(call);
    if (const auto function = UnaryOf(call)) return loop.Run(function);
    loop.Run(BinaryOf(call));
  }
};

struct Libm {
  AssayBackend table{};
  Functions<float> of_float;
  Functions<double> of_double;
};
Libm& Self(void* self) { return *static_cast<Libm*>(self); }

std::string_view Refusal(const Libm& self, const AssayCall& call) {
  const std::string_view types = RefusalOfTypes(call);
  if (!types.empty()) return types;
  const bool has =
      IsFloat(call.operands[0], 32) ? self.of_float.Has(call) : self.of_double.Has(call);
  return has ? "" : "the library has no such function";
}

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  return Answer(Refusal(Self(self), *call), reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) noexcept {
  const std::string_view refusal = Refusal(Self(self), *call);
  if (!refusal.empty()) return Answer(refusal, text);
  if (IsFloat(call->operands[0], 32)) {
    Self(self).of_float.Run(*call);
  } else {
    Self(self).of_double.Run(*call);
  }
  return ASSAY_OK;
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
  self->of_float.Resolve(library.value());
  self->of_double.Resolve(library.value());
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
