// SPDX-License-Identifier: Apache-2.0
//
// As libtorch 1.13 has it: an operation and type that is missing here answers "not implemented for"
// there, or does not exist.
#include "engine/backends/libtorch/rules.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/backends/call_view.h"

namespace assay::libtorch {
namespace {

using Types = uint8_t;
constexpr Types kF64 = 1, kF32 = 2, kF16 = 4, kBf16 = 8, kInteger = 16, kOther = 32;
constexpr Types kWide = kF64 | kF32, kNoHalf = kWide | kBf16, kFloats = kNoHalf | kF16;

constexpr uint32_t kTakeFloats[] = {
    ASSAY_OP_SCAL,     ASSAY_OP_AXPY, ASSAY_OP_SUM,       ASSAY_OP_MEAN,       ASSAY_OP_ASUM,
    ASSAY_OP_NRM2,     ASSAY_OP_MAX,  ASSAY_OP_MIN,       ASSAY_OP_ARGMAX,     ASSAY_OP_AMAX,
    ASSAY_OP_VARIANCE, ASSAY_OP_ADD,  ASSAY_OP_MUL,       ASSAY_OP_DIV,        ASSAY_OP_MINIMUM,
    ASSAY_OP_MAXIMUM,  ASSAY_OP_POW,  ASSAY_OP_REMAINDER, ASSAY_OP_SCATTER_ADD};
constexpr uint32_t kTakeNoHalf[] = {
    ASSAY_OP_GEMM,       ASSAY_OP_GEMV,       ASSAY_OP_BATCHED_GEMM, ASSAY_OP_DOT,
    ASSAY_OP_CUMSUM,     ASSAY_OP_SOFTMAX,    ASSAY_OP_LOG_SOFTMAX,  ASSAY_OP_LOG_SUM_EXP,
    ASSAY_OP_LAYER_NORM, ASSAY_OP_BATCH_NORM, ASSAY_OP_EXP,          ASSAY_OP_LOG,
    ASSAY_OP_TANH,       ASSAY_OP_SQRT,       ASSAY_OP_ERF,          ASSAY_OP_GELU,
    ASSAY_OP_EXPM1,      ASSAY_OP_LOG1P,      ASSAY_OP_RSQRT,        ASSAY_OP_SIGMOID,
    ASSAY_OP_SILU,       ASSAY_OP_RELU,       ASSAY_OP_CLAMP,        ASSAY_OP_HYPOT,
    ASSAY_OP_CONV2D,     ASSAY_OP_MAX_POOL,   ASSAY_OP_AVG_POOL,     ASSAY_OP_SIN,
    ASSAY_OP_COS,        ASSAY_OP_TAN,        ASSAY_OP_ASIN,         ASSAY_OP_ACOS,
    ASSAY_OP_ATAN,       ASSAY_OP_SINH,       ASSAY_OP_COSH,         ASSAY_OP_ASINH,
    ASSAY_OP_ACOSH,      ASSAY_OP_ATANH,      ASSAY_OP_EXP2,         ASSAY_OP_LOG2,
    ASSAY_OP_LOG10,      ASSAY_OP_ERFC,       ASSAY_OP_LGAMMA,       ASSAY_OP_ABS};
// The first two are composed: a 16-bit intermediate would be ours, not a kernel's.
constexpr uint32_t kTakeWide[] = {ASSAY_OP_FUSED_LINEAR, ASSAY_OP_ATTENTION, ASSAY_OP_PROD,
                                  ASSAY_OP_J0, ASSAY_OP_MISH};
constexpr uint32_t kTakeAll[] = {ASSAY_OP_CAST,   ASSAY_OP_QUANTIZE,  ASSAY_OP_DEQUANTIZE,
                                 ASSAY_OP_GATHER, ASSAY_OP_EMBEDDING, ASSAY_OP_INDEX_SELECT};

constexpr size_t kOps = 256;
constexpr std::array<Types, kOps> TakenTypes() {
  std::array<Types, kOps> types{};
  for (const uint32_t op : kTakeFloats) types[op] = kFloats;
  for (const uint32_t op : kTakeNoHalf) types[op] = kNoHalf;
  for (const uint32_t op : kTakeWide) types[op] = kWide;
  for (const uint32_t op : kTakeAll) types[op] = kFloats | kInteger;
  return types;
}
constexpr std::array<Types, kOps> kTaken = TakenTypes();

Types TypeOf(const AssayTensor& tensor) {
  constexpr uint8_t kUnsigned = 1;
  if (IsFloat(tensor, 64)) return kF64;
  if (IsFloat(tensor, 32)) return kF32;
  if (IsFloat(tensor, 16)) return kF16;
  if (IsBfloat16(tensor)) return kBf16;
  return tensor.dtype.code <= kUnsigned ? kInteger : kOther;
}

bool ConvertsTypes(uint32_t op) {
  return op == ASSAY_OP_CAST || op == ASSAY_OP_QUANTIZE || op == ASSAY_OP_DEQUANTIZE;
}

// Whether operand i has a type of its own by its place: indices, and places of an extremum.
bool HoldsIndices(uint32_t op, int i) {
  switch (op) {
    case ASSAY_OP_GATHER:
    case ASSAY_OP_EMBEDDING:
    case ASSAY_OP_INDEX_SELECT:
    case ASSAY_OP_SCATTER_ADD:
    case ASSAY_OP_ARGMAX:
    case ASSAY_OP_AMAX:
      return i == 1;
    default:
      return false;
  }
}

// Whether operand i may be f32 whatever the others are.
bool MayBeAccumulator(const AssayCall& call, int i) {
  const bool sums = call.op == ASSAY_OP_SUM || call.op == ASSAY_OP_MEAN || call.op == ASSAY_OP_ASUM;
  return sums && i + 1 == call.operand_count && TypeOf(call.operands[i]) == kF32;
}

std::string_view RefusalOfTypes(const AssayCall& call) {
  const Types taken = call.op < kOps ? kTaken[call.op] : 0;
  if (taken == 0) return "libtorch 1.13 has no such operation";
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    if (HoldsIndices(call.op, i)) {
      const bool wide_only = call.op == ASSAY_OP_GATHER || call.op == ASSAY_OP_SCATTER_ADD;
      if (wide_only && tensor.dtype.bits != 64) return "indices of i64 only";
      continue;
    }
    if ((TypeOf(tensor) & taken) == 0) return "libtorch 1.13 has no such type here";
    const bool same = SameType(tensor, call.operands[0]);
    if (!same && !ConvertsTypes(call.op) && !MayBeAccumulator(call, i)) {
      return "operands of one type only";
    }
  }
  return {};
}

std::string_view RefusalOfStrides(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      if (tensor.strides[axis] < 0) return "a tensor of libtorch has no negative strides";
    }
  }
  return {};
}

// The zero point must be a value of the quantized type.
bool ZeroPointFits(const AssayTensor& quantized, double zero_point) {
  const bool is_signed = quantized.dtype.code == 0;
  return is_signed ? zero_point >= -128 && zero_point <= 127 : zero_point >= 0 && zero_point <= 255;
}

bool IsEmpty(const AssayTensor& tensor) {
  return std::find(tensor.shape, tensor.shape + tensor.ndim, 0) != tensor.shape + tensor.ndim;
}
bool AnyEmpty(const AssayCall& call) {
  return std::any_of(call.operands, call.operands + call.operand_count, IsEmpty);
}

std::string_view RefusalOfScalars(const AssayCall& call) {
  const int scalars = call.op == ASSAY_OP_SCAL || call.op == ASSAY_OP_AXPY ? 1 : 2;
  for (int i = 0; i < scalars; ++i) {
    if (!HoldsScalar(call.operands[0], call.attributes[i])) {
      return "a scalar that the type of the tensor does not hold is rounded to it";
    }
  }
  // The documentation lets beta = 0 ignore c; of alpha it says nothing.
  const bool says_nothing = call.op != ASSAY_OP_SCAL && call.attributes[0] == 0;
  return says_nothing ? "of alpha = 0 libtorch says nothing" : "";
}

std::string_view RefusalOfValues(const AssayCall& call) {
  const AssayTensor& out = call.operands[call.operand_count - 1];
  switch (call.op) {
    case ASSAY_OP_SCAL:
    case ASSAY_OP_AXPY:
    case ASSAY_OP_GEMM:
    case ASSAY_OP_GEMV:
    case ASSAY_OP_BATCHED_GEMM:
      return RefusalOfScalars(call);
    case ASSAY_OP_CAST:
      return SaturatesIntegers(call) ? "conversions between integers wrap" : "";
    case ASSAY_OP_REMAINDER:
      return call.attributes[0] == 1 ? "libtorch has no IEEE remainder" : "";
    case ASSAY_OP_QUANTIZE:
      return ZeroPointFits(out, call.attributes[1]) ? "" : "zero point out of range";
    case ASSAY_OP_DEQUANTIZE:
      return ZeroPointFits(call.operands[0], call.attributes[1]) ? "" : "zero point out of range";
    case ASSAY_OP_BATCH_NORM:
    case ASSAY_OP_CONV2D:
    case ASSAY_OP_MAX_POOL:
    case ASSAY_OP_AVG_POOL:
      return AnyEmpty(call) ? "libtorch wants at least one element here" : "";
    // Where nothing is copied, indices are not looked at.
    case ASSAY_OP_GATHER:
    case ASSAY_OP_EMBEDDING:
    case ASSAY_OP_INDEX_SELECT:
    case ASSAY_OP_SCATTER_ADD:
      return IsEmpty(out) ? "nothing is chosen" : "";
    default:
      return {};
  }
}

}  // namespace

std::string_view RefusalOf(const AssayCall& call) {
  if (const std::string_view types = RefusalOfTypes(call); !types.empty()) return types;
  if (const std::string_view strides = RefusalOfStrides(call); !strides.empty()) return strides;
  return RefusalOfValues(call);
}

std::string IsaFromReport(std::string_view reported) {
  if (reported == "NO AVX") return "default";
  std::string isa(reported);
  for (char& c : isa) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return isa;
}

}  // namespace assay::libtorch
