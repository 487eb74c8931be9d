// SPDX-License-Identifier: Apache-2.0
//
// Eigen's expressions as a backend module. Compiled once per instruction set, each a module of its
// own, since Eigen chooses its kernels at compile time. What an expression does at a call site is
// what is under test. Assertions are off, as in a release build of a user.
#include <string_view>

#include "engine/backends/eigen/maps.h"

namespace assay::eigen {
namespace {

// What an operation takes.
enum class Kind { kUnknown, kProduct, kReduction, kElementwise, kCast };

Kind KindOf(uint32_t op) {
  switch (op) {
    case ASSAY_OP_GEMM:
    case ASSAY_OP_GEMV:
      return Kind::kProduct;
    case ASSAY_OP_DOT:
    case ASSAY_OP_SUM:
    case ASSAY_OP_MEAN:
    case ASSAY_OP_PROD:
    case ASSAY_OP_ASUM:
    case ASSAY_OP_NRM2:
    case ASSAY_OP_VARIANCE:
    case ASSAY_OP_MAX:
    case ASSAY_OP_MIN:
    case ASSAY_OP_ARGMAX:
    case ASSAY_OP_AMAX:
    case ASSAY_OP_SOFTMAX:
      return Kind::kReduction;
    case ASSAY_OP_EXP:
    case ASSAY_OP_LOG:
    case ASSAY_OP_TANH:
    case ASSAY_OP_SQRT:
    case ASSAY_OP_ERF:
    case ASSAY_OP_EXPM1:
    case ASSAY_OP_LOG1P:
    case ASSAY_OP_RSQRT:
    case ASSAY_OP_SIGMOID:
    case ASSAY_OP_RELU:
    case ASSAY_OP_CLAMP:
    case ASSAY_OP_ADD:
    case ASSAY_OP_MUL:
    case ASSAY_OP_DIV:
    case ASSAY_OP_MINIMUM:
    case ASSAY_OP_MAXIMUM:
    case ASSAY_OP_POW:
    case ASSAY_OP_SCAL:
    case ASSAY_OP_AXPY:
    case ASSAY_OP_SIN:
    case ASSAY_OP_COS:
    case ASSAY_OP_TAN:
    case ASSAY_OP_ASIN:
    case ASSAY_OP_ACOS:
    case ASSAY_OP_ATAN:
    case ASSAY_OP_SINH:
    case ASSAY_OP_COSH:
    case ASSAY_OP_ASINH:
    case ASSAY_OP_ACOSH:
    case ASSAY_OP_ATANH:
    case ASSAY_OP_LOG2:
    case ASSAY_OP_LOG10:
    case ASSAY_OP_ERFC:
    case ASSAY_OP_LGAMMA:
    case ASSAY_OP_ABS:
      return Kind::kElementwise;
    case ASSAY_OP_CAST:
      return Kind::kCast;
    default:
      return Kind::kUnknown;
  }
}

bool IsWide(const AssayTensor& tensor) { return IsFloat(tensor, 64) || IsFloat(tensor, 32); }
bool IsNarrow(const AssayTensor& tensor) { return IsFloat(tensor, 16) || IsBfloat16(tensor); }

std::string_view RefusalOfTypes(const AssayCall& call, Kind kind) {
  constexpr uint8_t kUnsigned = 1;
  const bool places = call.op == ASSAY_OP_ARGMAX || call.op == ASSAY_OP_AMAX;
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& operand = call.operands[i];
    if (kind == Kind::kCast) {
      const bool integer = operand.dtype.code <= kUnsigned;
      if (!integer && !IsWide(operand) && !IsNarrow(operand)) return "Eigen has no such type";
    } else if (places && i == 1) {
      continue;
    } else if (!SameType(operand, call.operands[0])) {
      return "operands of one type only";
    }
  }
  if (kind == Kind::kCast || IsWide(call.operands[0])) return {};
  const bool narrow = kind == Kind::kElementwise && IsNarrow(call.operands[0]);
  return narrow ? "" : "operands of f64 or of f32 only";
}

std::string_view RefusalOfStrides(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      if (tensor.shape[axis] > 1 && tensor.strides[axis] < 1) {
        return "Eigen's maps are for strides of 1 and more";
      }
    }
  }
  return {};
}

bool HasLeadingDimension(const AssayTensor& matrix) {
  return LeadingDimension(matrix, 0).has_value() || LeadingDimension(matrix, 1).has_value();
}

std::string_view RefusalOfValues(const AssayCall& call) {
  switch (call.op) {
    case ASSAY_OP_GEMM:
    case ASSAY_OP_GEMV: {
      if (call.attributes[0] == 0) return "in a product expression alpha = 0 still reads a and b";
      GemmShape gemm;
      if (call.op == ASSAY_OP_GEMM) return DeriveGemm(call, gemm);
      return HasLeadingDimension(call.operands[0]) ? "" : "a has no axis of stride 1";
    }
    case ASSAY_OP_SCAL:
    case ASSAY_OP_AXPY:
      if (!HoldsScalar(call.operands[0], call.attributes[0])) return "a scalar that is rounded";
      return call.op == ASSAY_OP_AXPY && call.attributes[0] == 0 ? "alpha = 0 still reads x" : "";
    case ASSAY_OP_CAST:
      return SaturatesIntegers(call) ? "conversions between integers wrap" : "";
    case ASSAY_OP_MEAN:
    case ASSAY_OP_MAX:
    case ASSAY_OP_MIN:
    case ASSAY_OP_ARGMAX:
    case ASSAY_OP_AMAX:
    case ASSAY_OP_VARIANCE:
      return call.operands[0].shape[0] == 0 ? "Eigen asserts that there is an element" : "";
    default:
      return {};
  }
}

std::string_view Refusal(const AssayCall& call) {
  const Kind kind = KindOf(call.op);
  if (kind == Kind::kUnknown) return "Eigen has no such operation";
  if (const std::string_view types = RefusalOfTypes(call, kind); !types.empty()) return types;
  if (const std::string_view strides = RefusalOfStrides(call); !strides.empty()) return strides;
  return RefusalOfValues(call);
}

int32_t Supports(void*, const AssayCall* call, AssayText* reason) {
  return Answer(Refusal(*call), reason);
}

template <class T>
void RunWide(const AssayCall& call, Kind kind) {
  if (kind == Kind::kProduct) {
    RunProduct<T>(call);
  } else if (kind == Kind::kReduction) {
    RunReduction<T>(call);
  } else {
    RunElementwise<T>(call);
  }
}

int32_t Run(void*, const AssayCall* call, AssayText* text) noexcept {
  const std::string_view refusal = Refusal(*call);
  if (!refusal.empty()) return Answer(refusal, text);
  const AssayTensor& first = call->operands[0];
  const Kind kind = KindOf(call->op);
  if (kind == Kind::kCast) {
    RunCast(*call);
  } else if (IsFloat(first, 64)) {
    RunWide<double>(*call, kind);
  } else if (IsFloat(first, 32)) {
    RunWide<float>(*call, kind);
  } else if (IsBfloat16(first)) {
    RunElementwise<Eigen::bfloat16>(*call);
  } else {
    RunElementwise<Eigen::half>(*call);
  }
  return ASSAY_OK;
}

constexpr const char* kPins =
#if defined(EIGEN_VECTORIZE_AVX512)
    "isa=avx512";
#elif defined(EIGEN_VECTORIZE_AVX2)
    "isa=avx2";
#else
    "isa=sse2";
#endif

#define ASSAY_TEXT_OF(x) #x
#define ASSAY_TEXT(x) ASSAY_TEXT_OF(x)
const char* Version(void*) {
  return ASSAY_TEXT(EIGEN_WORLD_VERSION) "." ASSAY_TEXT(EIGEN_MAJOR_VERSION) "." ASSAY_TEXT(
      EIGEN_MINOR_VERSION);
}
const char* Pins(void*) { return kPins; }
const char* Declare(void*, const char* key) {
  return std::string_view(key) == "profile" ? "eigen" : nullptr;
}
void Close(void*) {}

constexpr AssayBackend kTable = {sizeof(AssayBackend),
                                 ASSAY_ABI_VERSION,
                                 nullptr,
                                 "eigen",
                                 Version,
                                 Pins,
                                 Supports,
                                 Run,
                                 Declare,
                                 Close};

}  // namespace
}  // namespace assay::eigen

extern "C" __attribute__((visibility("default"))) const AssayBackend* assay_backend_open(
    const char*, AssayText*) {
  return &assay::eigen::kTable;
}
