// SPDX-License-Identifier: Apache-2.0

#include "engine/backends/cblas/cblas.h"

#include <limits>
#include <memory>

#include "engine/backends/call_view.h"
#include "engine/backends/cblas/library.h"

namespace assay {
namespace {

struct CblasBackend {
  AssayBackend table{};
  CblasLibrary library;
};

CblasBackend& Self(void* self) { return *static_cast<CblasBackend*>(self); }

constexpr int kRowMajor = 101, kColMajor = 102, kNoTrans = 111, kTrans = 112;

bool AllOfBits(const AssayCall& call, int bits) {
  for (int i = 0; i < call.operand_count; ++i) {
    if (!IsFloat(call.operands[i], bits)) return false;
  }
  return true;
}

// Increments as BLAS counts them: a negative one walks the vector from its far end, so that the
// pointer passed is the lowest address either way.
std::string_view CheckIncrement(const AssayTensor& tensor, bool negative_defined) {
  const VectorView vector = VectorOf(tensor);
  if (vector.stride == 0) return "BLAS does not define an increment of 0";
  if (vector.stride < 0 && !negative_defined) return "negative increments are not defined here";
  if (vector.stride > INT_MAX || vector.stride < -INT_MAX) return "increment beyond 32 bits";
  return {};
}

template <class T>
const T* LowestOf(const AssayTensor& tensor) {
  const VectorView vector = VectorOf(tensor);
  const int64_t below = vector.stride < 0 ? (vector.size - 1) * vector.stride : 0;
  return Element0<const T>(tensor) + below;
}

// Empty, or why this call cannot be made.
std::string_view Refusal(const CblasFunctions& f, const AssayCall& call) {
  const bool wide = AllOfBits(call, 64);
  if (!wide && !AllOfBits(call, 32)) return "BLAS takes operands of f64 or of f32 only";
  switch (call.op) {
    case ASSAY_OP_GEMM: {
      if (wide && f.dgemm == nullptr) return "the library has no cblas_dgemm";
      GemmShape gemm;
      return DeriveGemm(call, gemm);
    }
    case ASSAY_OP_DOT: {
      if (wide ? f.ddot == nullptr : f.sdot == nullptr) return "the library has no dot";
      const std::string_view x = CheckIncrement(call.operands[0], /*negative_defined=*/true);
      return x.empty() ? CheckIncrement(call.operands[1], /*negative_defined=*/true) : x;
    }
    case ASSAY_OP_SUM:
      if (wide ? f.dsum == nullptr : f.ssum == nullptr) return "the library has no sum";
      return CheckIncrement(call.operands[0], /*negative_defined=*/false);
    default:
      return "BLAS has no such operation";
  }
}

template <class T, class Function>
void RunGemm(Function* gemm_function, const AssayCall& call) {
  GemmShape gemm;
  DeriveGemm(call, gemm);
  gemm_function(gemm.row_major ? kRowMajor : kColMajor, gemm.trans_a ? kTrans : kNoTrans,
                gemm.trans_b ? kTrans : kNoTrans, static_cast<int>(gemm.m),
                static_cast<int>(gemm.n), static_cast<int>(gemm.k),
                static_cast<T>(call.attributes[0]), Element0<const T>(call.operands[0]),
                static_cast<int>(gemm.lda), Element0<const T>(call.operands[1]),
                static_cast<int>(gemm.ldb), static_cast<T>(call.attributes[1]),
                Element0<T>(call.operands[2]), static_cast<int>(gemm.ldc));
}

template <class T, class Function>
void RunDot(Function* dot, const AssayCall& call) {
  const VectorView x = VectorOf(call.operands[0]), y = VectorOf(call.operands[1]);
  *Element0<T>(call.operands[2]) =
      dot(static_cast<int>(x.size), LowestOf<T>(call.operands[0]), static_cast<int>(x.stride),
          LowestOf<T>(call.operands[1]), static_cast<int>(y.stride));
}

template <class T, class Function>
void RunSum(Function* sum, const AssayCall& call) {
  const VectorView x = VectorOf(call.operands[0]);
  *Element0<T>(call.operands[1]) =
      sum(static_cast<int>(x.size), LowestOf<T>(call.operands[0]), static_cast<int>(x.stride));
}

int32_t Supports(void* self, const AssayCall* call, AssayText* reason) {
  return Answer(Refusal(Self(self).library.functions, *call), reason);
}

int32_t Run(void* self, const AssayCall* call, AssayText* text) {
  const CblasFunctions& f = Self(self).library.functions;
  const std::string_view refusal = Refusal(f, *call);
  if (!refusal.empty()) return Answer(refusal, text);
  const bool wide = IsFloat(call->operands[0], 64);
  switch (call->op) {
    case ASSAY_OP_GEMM:
      wide ? RunGemm<double>(f.dgemm, *call) : RunGemm<float>(f.sgemm, *call);
      break;
    case ASSAY_OP_DOT:
      wide ? RunDot<double>(f.ddot, *call) : RunDot<float>(f.sdot, *call);
      break;
    default:
      wide ? RunSum<double>(f.dsum, *call) : RunSum<float>(f.ssum, *call);
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
