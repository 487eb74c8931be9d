// SPDX-License-Identifier: Apache-2.0
//
// cast, quantize, dequantize and int8_gemm with one fault each.
#include <algorithm>
#include <cmath>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/reference/reference.h"

namespace assay::planted {
namespace {

int32_t Reference(const AssayCall& call) {
  AssayText text = {nullptr, 0, 0};
  return OpenReference()->run(nullptr, &call, &text);
}

bool ToNarrowFloat(const AssayCall& call) {
  const DType to = TypeOf(call.operands[1]);
  return to == DType::kF16 || to == DType::kBf16;
}

struct Quantization {
  bool reciprocal_bf16 = false;  // multiplies by 1 / scale kept in bf16
  bool reciprocal = false;       // multiplies by 1 / scale
  bool wrap = false;             // keeps the low bits instead of clamping
};

int32_t RunQuantization(const AssayCall& call, const Quantization& form) {
  const DType type = TypeOf(call.operands[1]);
  const float scale = static_cast<float>(call.attributes[0]);
  const double zero = call.attributes[1];
  const bool is_unsigned = call.operands[1].dtype.code == 1;
  const double lowest = is_unsigned ? 0 : -128, highest = is_unsigned ? 255 : 127;
  std::vector<double> out;
  for (const double each : ReadDense(call.operands[0])) {
    const float x = static_cast<float>(each);
    const float reciprocal = static_cast<float>(Round(Format::kBf16, 1 / scale));
    float ratio = x / scale;
    if (form.reciprocal) ratio = x * (1 / scale);
    if (form.reciprocal_bf16) ratio = x * reciprocal;
    const double rounded = std::nearbyint(ratio);
    double q = std::isnan(rounded) ? zero : rounded + zero;
    if (form.wrap && std::fabs(q) < 0x1p31) {
      q = static_cast<double>(DecodeInteger(type, EncodeInteger(type, static_cast<int64_t>(q))));
    }
    out.push_back(std::clamp(q, lowest, highest));
  }
  WriteDense(call.operands[1], out);
  return ASSAY_OK;
}

// What adds the products of int8_gemm.
template <class Add>
int32_t IntegerGemm(const AssayCall& call, const Add& add, double lowest = -128) {
  std::vector<double> a = ReadDense(call.operands[0]), b = ReadDense(call.operands[1]);
  for (double& each : a) each = std::max(each, lowest);
  for (double& each : b) each = std::max(each, lowest);
  const int64_t m = call.operands[2].shape[0], n = call.operands[2].shape[1];
  const int64_t k = call.operands[0].shape[1];
  std::vector<double> out;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      out.push_back(add(k, [&](int64_t p) {
        return a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(p * n + j)];
      }));
    }
  }
  WriteDense(call.operands[2], out);
  return ASSAY_OK;
}

}  // namespace

// Drops the low bits; a NaN whose payload lies in them becomes an infinity.
int32_t CastTruncates(const AssayCall& call) {
  if (!ToNarrowFloat(call)) return Reference(call);
  const Format format = FormatOf(TypeOf(call.operands[1]));
  std::vector<double> out = ReadDense(call.operands[0]);
  for (double& each : out) each = std::isfinite(each) ? Truncate(format, each) : each;
  WriteDense(call.operands[1], out);
  return ASSAY_OK;
}

// Rounds twice where the source is wider than f32.
int32_t CastThroughF32(const AssayCall& call) {
  if (!IsFloat(TypeOf(call.operands[1]))) return Reference(call);
  std::vector<double> out = ReadDense(call.operands[0]);
  for (double& each : out) each = static_cast<float>(each);
  WriteDense(call.operands[1], out);
  return ASSAY_OK;
}

// Adds half a unit to the bits and shifts, as many hand-written bf16 conversions do: a NaN with all
// payload bits set carries into the sign.
int32_t CastAddAndShift(const AssayCall& call) {
  if (TypeOf(call.operands[0]) != DType::kF32 || TypeOf(call.operands[1]) != DType::kBf16) {
    return Reference(call);
  }
  std::vector<uint64_t> bits;
  ForEachElement(call.operands[0], [&](const std::byte* at) {
    uint32_t word = 0;
    std::memcpy(&word, at, sizeof word);
    bits.push_back((word + 0x7fffu + (word >> 16 & 1)) >> 16);
  });
  size_t next = 0;
  ForEachElement(call.operands[1], [&](std::byte* at) {
    const auto half = static_cast<uint16_t>(bits[next++]);
    std::memcpy(at, &half, sizeof half);
  });
  return ASSAY_OK;
}

int32_t QuantizeBf16Reciprocal(const AssayCall& call) {
  if (call.op != ASSAY_OP_QUANTIZE) return Reference(call);
  return RunQuantization(call, {.reciprocal_bf16 = true});
}
int32_t QuantizeByReciprocal(const AssayCall& call) {
  if (call.op != ASSAY_OP_QUANTIZE) return Reference(call);
  return RunQuantization(call, {.reciprocal = true});
}
int32_t QuantizeWraps(const AssayCall& call) {
  if (call.op != ASSAY_OP_QUANTIZE) return Reference(call);
  return RunQuantization(call, {.wrap = true});
}
// Pairs of products meet in 16 bits, as before there was an instruction for it.
int32_t Int8PairsSaturate(const AssayCall& call) {
  return IntegerGemm(call, [](int64_t k, const auto& product) {
    double sum = 0;
    for (int64_t p = 0; p < k; p += 2) {
      const double pair = product(p) + (p + 1 < k ? product(p + 1) : 0);
      sum += std::clamp(pair, -32768.0, 32767.0);
    }
    return sum;
  });
}
// The sum lives in f32 and is exact up to 2^24.
int32_t Int8FloatAccumulator(const AssayCall& call) {
  return IntegerGemm(call, [](int64_t k, const auto& product) {
    float sum = 0;
    for (int64_t p = 0; p < k; ++p) sum += static_cast<float>(product(p));
    return static_cast<double>(sum);
  });
}
// Takes -128 for -127, as kernels do that negate operands.
int32_t Int8WithoutMinimum(const AssayCall& call) {
  const auto exact = [](int64_t k, const auto& product) {
    double sum = 0;
    for (int64_t p = 0; p < k; ++p) sum += product(p);
    return sum;
  };
  return IntegerGemm(call, exact, -127);
}
int32_t Int8Reversed(const AssayCall& call) {
  return IntegerGemm(call, [](int64_t k, const auto& product) {
    double sum = 0;
    for (int64_t p = k - 1; p >= 0; --p) sum += product(p);
    return sum;
  });
}

}  // namespace assay::planted
