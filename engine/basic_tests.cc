// SPDX-License-Identifier: Apache-2.0
//
// The tame tests: their inputs, a plain reference in double, allclose.
#include "engine/basic_tests.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numbers>
#include <vector>

#include "contracts/invariant.h"
#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/call.h"

namespace assay {
namespace {

constexpr int64_t kSizes[] = {16, 32, 64};
constexpr uint64_t kSeeds[] = {1, 2, 3};
constexpr size_t kPaddingBytes = 4096;
constexpr std::byte kPaddingByte{0x3b};  // an ordinary number in every float type
constexpr double kAbsolute = 1e-2, kRelative = 1e-2;

enum class Tame { kIntegers, kNormal };

NamedDims DimsOf(OpId op, int64_t size) {
  switch (DefOf(op).family) {
    case Family::kGemm:
    case Family::kGather:
      return {size, size, size};
    case Family::kSoftmax:
      return {size / 4, size};
    default:
      return {size};
  }
}

Fill TameFill(OpId op, DType type, Tame tame, uint64_t seed) {
  const bool positive = op == OpId::kLog || op == OpId::kSqrt;
  if (tame == Tame::kIntegers) return {FillKind::kIntegers, seed, positive ? 1.0 : -2.0, 2};
  if (!IsFloat(type)) return {FillKind::kIntegers, seed, -100, 100};
  if (positive) return {FillKind::kUniform, seed, 0.1, 4};
  return {FillKind::kNormal, seed, 0, 1};
}

Case TameCase(OpId op, DType type, Tame tame, int64_t size, uint64_t seed) {
  Case value = MakeCase(op, type, DimsOf(op, size));
  const OperatorDef& def = DefOf(op);
  for (int i = 0; i < value.operands.size(); ++i) {
    Tensor& tensor = value.operands[i];
    if (def.operands[i].role == Role::kInout) tensor.fill = {};
    if (def.operands[i].role != Role::kInput || def.operands[i].kind == ElementKind::kIndex)
      continue;
    tensor.fill = TameFill(op, tensor.dtype, tame, seed * 8 + static_cast<uint64_t>(i));
  }
  return value;
}

double ReferenceUnary(OpId op, double x) {
  switch (op) {
    case OpId::kExp:
      return std::exp(x);
    case OpId::kLog:
      return std::log(x);
    case OpId::kTanh:
      return std::tanh(x);
    case OpId::kSqrt:
      return std::sqrt(x);
    case OpId::kErf:
      return std::erf(x);
    default:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
  }
}

void ReferenceSoftmax(const Values& values, std::vector<double>& out) {
  const std::vector<double>& x = values.operands[0].real;
  const auto n = static_cast<size_t>(values.dims[1]);
  for (size_t start = 0; start < x.size(); start += n) {
    const double maximum = *std::max_element(x.begin() + static_cast<ptrdiff_t>(start),
                                             x.begin() + static_cast<ptrdiff_t>(start + n));
    double sum = 0;
    for (size_t j = start; j < start + n; ++j) sum += std::exp(x[j] - maximum);
    for (size_t j = start; j < start + n; ++j) out[j] = std::exp(x[j] - maximum) / sum;
  }
}

void ReferenceGemm(const Values& values, std::vector<double>& out) {
  const auto n = static_cast<size_t>(values.dims[1]), k = static_cast<size_t>(values.dims[2]);
  for (size_t element = 0; element < out.size(); ++element) {
    const size_t row = element / n, column = element % n;
    for (size_t p = 0; p < k; ++p) {
      out[element] +=
          values.operands[0].real[row * k + p] * values.operands[1].real[p * n + column];
    }
  }
}

// What each output element should be; for gather the bits, as numbers.
std::vector<double> Reference(const Case& value, const Values& values) {
  std::vector<double> out(static_cast<size_t>(values.operands.back().count), 0.0);
  const OperandValues& x = values.operands[0];
  switch (DefOf(value.op).family) {
    case Family::kGemm:
      ReferenceGemm(values, out);
      break;
    case Family::kDot:
      for (size_t i = 0; i < x.real.size(); ++i) out[0] += x.real[i] * values.operands[1].real[i];
      break;
    case Family::kSum:
      for (const double each : x.real) out[0] += each;
      break;
    case Family::kSoftmax:
      ReferenceSoftmax(values, out);
      break;
    case Family::kUnary:
      for (size_t i = 0; i < out.size(); ++i) out[i] = ReferenceUnary(value.op, x.real[i]);
      break;
    case Family::kGather: {
      const auto columns = static_cast<size_t>(values.dims[1]);
      for (size_t i = 0; i < out.size(); ++i) {
        const auto row = static_cast<size_t>(values.operands[1].integer[i / columns]);
        const size_t from = row * columns + i % columns;
        out[i] = IsFloat(x.dtype) ? x.real[from] : static_cast<double>(x.integer[from]);
      }
      break;
    }
    default:
      break;
  }
  return out;
}

// Dense operands with padding around them.
class PaddedOperands {
 public:
  PaddedOperands(const Case& value, const Values& values, BackendCall& call) {
    for (int i = 0; i < value.operands.size(); ++i) {
      const OperandValues& operand = values.operands[static_cast<size_t>(i)];
      const auto size = static_cast<size_t>(SizeOf(operand.dtype));
      std::vector<std::byte>& memory = memory_[static_cast<size_t>(i)];
      memory.assign(2 * kPaddingBytes + operand.bits.size() * size, kPaddingByte);
      std::byte* at = memory.data() + kPaddingBytes;
      for (size_t j = 0; j < operand.bits.size(); ++j) {
        std::memcpy(at + j * size, &operand.bits[j], size);
      }
      call.Attach(i, {at, at, at, static_cast<int64_t>(operand.bits.size() * size)});
    }
  }

  double Get(int slot, DType type, size_t element) const {
    uint64_t bits = 0;
    const auto size = static_cast<size_t>(SizeOf(type));
    std::memcpy(&bits, memory_[static_cast<size_t>(slot)].data() + kPaddingBytes + element * size,
                size);
    return IsFloat(type) ? Decode(type, bits) : static_cast<double>(DecodeInteger(type, bits));
  }

 private:
  std::array<std::vector<std::byte>, kMaxOperands> memory_;
};

bool Close(double got, double expected, bool exact) {
  if (std::isnan(expected)) return std::isnan(got);
  const double tolerance = exact ? 0 : kAbsolute + kRelative * std::fabs(expected);
  return std::fabs(got - expected) <= tolerance;
}

bool IsExact(OpId op, Tame tame) {
  const Family family = DefOf(op).family;
  if (family == Family::kGather) return true;
  return tame == Tame::kIntegers && family != Family::kSoftmax && family != Family::kUnary;
}

bool Passes(const AssayBackend& table, const Case& value, const Values& values, BackendCall& call,
            bool exact) {
  const PaddedOperands operands(value, values, call);
  AssayText text = {nullptr, 0, 0};
  if (table.run(table.self, call.get(), &text) != ASSAY_OK) return false;
  const std::vector<double> expected = Reference(value, values);
  const int output = value.operands.size() - 1;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!Close(operands.Get(output, value.operands[output].dtype, i), expected[i], exact)) {
      return false;
    }
  }
  return true;
}

}  // namespace

BasicCounts RunBasicTests(const AssayBackend& table, OpId op, DType type) {
  BasicCounts counts;
  for (const Tame tame : {Tame::kIntegers, Tame::kNormal}) {
    for (const int64_t size : kSizes) {
      for (const uint64_t seed : kSeeds) {
        const Case value = TameCase(op, type, tame, size, seed);
        const Result<NamedDims> dims = CheckCase(value);
        ASSAY_CHECK(dims.ok(), "a tame case is a case");
        BackendCall call;
        call.Describe(value, DefOf(op));
        AssayText reason = {nullptr, 0, 0};
        if (table.supports(table.self, call.get(), &reason) != ASSAY_OK) return counts;
        Values values;
        MakeValues(value, dims.value(), values);
        ++(Passes(table, value, values, call, IsExact(op, tame)) ? counts.passed : counts.failed);
      }
    }
  }
  return counts;
}

}  // namespace assay
