// SPDX-License-Identifier: Apache-2.0
//
// The tame tests: their inputs, the reference loops on the same operands, allclose.
#include "engine/basic_tests.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "contracts/invariant.h"
#include "contracts/operator.h"
#include "contracts/values.h"
#include "engine/backends/reference/reference.h"
#include "engine/call.h"

namespace assay {
namespace {

constexpr int64_t kSizes[] = {16, 32, 64};
constexpr uint64_t kSeeds[] = {1, 2, 3};
constexpr size_t kPaddingBytes = 4096;
constexpr std::byte kPaddingByte{0x3b};  // an ordinary number in every float type
constexpr double kAbsolute = 1e-2, kRelative = 1e-2;

enum class Tame { kIntegers, kNormal };

// Every extent of an output is 16, 32 or 64 where it may be, or a small power of two.
int64_t ExtentOf(const OperatorDef& def, std::string_view dimension, int64_t size) {
  struct Fixed {
    std::string_view dimension;
    int64_t extent;
  };
  static constexpr Fixed kFixed[] = {
      {"batch", 2}, {"heads", 2},    {"channels", 2}, {"filters", 4},
      {"ranks", 4}, {"kernel_h", 3}, {"kernel_w", 3}, {"queries", 16},
      {"keys", 16}, {"height", 16},  {"width", 16},
  };
  if (def.id == OpId::kBatchNorm && dimension == "channels") return size;
  if (def.family == Family::kSoftmax && dimension == "rows") return size / 4;
  if (def.family == Family::kGradient && dimension == "k") return size - 1;  // and a column of sums
  if (def.family == Family::kProduct)
    return kSizes[0];  // f16 holds the product of 16 ones and twos
  for (const Fixed& fixed : kFixed) {
    if (fixed.dimension == dimension) return fixed.extent;
  }
  // Products keep one short side.
  const bool many_terms = def.dimensions.size() > 2 && def.family != Family::kGather;
  return many_terms && dimension == "m" ? kSizes[0] : size;
}

NamedDims DimsOf(const OperatorDef& def, int64_t size) {
  NamedDims dims;
  for (const std::string_view dimension : def.dimensions) {
    dims.push_back(ExtentOf(def, dimension, size));
  }
  return dims;
}

// Operands that must not be zero or negative, for the answers to be numbers.
bool IsPositive(OpId op, int operand, std::string_view name) {
  switch (op) {
    case OpId::kLog:
    case OpId::kSqrt:
    case OpId::kRsqrt:
    case OpId::kLog1p:
    case OpId::kLog2:
    case OpId::kLog10:
    case OpId::kAcosh:
    case OpId::kTgamma:
    case OpId::kLgamma:
    case OpId::kProd:
      return true;
    case OpId::kPow:
      return operand == 0;
    case OpId::kDiv:
    case OpId::kRemainder:
    case OpId::kIntDiv:
    case OpId::kIntRemainder:
      return operand == 1;
    default:
      return name == "variance";
  }
}

// Functions of [-1, 1], with poles at its ends or infinite slopes.
bool IsOfUnitInterval(OpId op) {
  return op == OpId::kAsin || op == OpId::kAcos || op == OpId::kAtanh;
}

Fill TameFill(OpId op, DType type, int operand, std::string_view name, Tame tame, uint64_t seed) {
  const bool positive = IsPositive(op, operand, name);
  if (!IsFloat(type)) {
    const double largest = tame == Tame::kIntegers ? 2 : 100;
    const bool positive_only = type == DType::kU8 || op == OpId::kCast;
    if (positive) return {FillKind::kIntegers, seed, 1, largest};
    return {FillKind::kIntegers, seed, positive_only ? 0 : -largest, largest};
  }
  // Small beside the unit diagonal, so that the solution stays of order 1.
  if (DefOf(op).family == Family::kSolve && operand == 0) {
    return {FillKind::kUniform, seed, -0.125, 0.125};
  }
  if (IsOfUnitInterval(op)) return {FillKind::kUniform, seed, -0.9, 0.9};
  if (tame == Tame::kIntegers) return {FillKind::kIntegers, seed, positive ? 1.0 : -2.0, 2};
  if (op == OpId::kProd) return {FillKind::kUniform, seed, 0.75, 1.5};
  if (positive) return {FillKind::kUniform, seed, 0.1, 4};
  // Weights of a layer are scaled so that what it adds up stays of order 1.
  if (name == "w") return {FillKind::kNormal, seed, 0, 0.125};
  return {FillKind::kNormal, seed, 0, 1};
}

// The destination of a product with beta = 0 is not an input.
bool IsFilled(const OperatorDef& def, const OperandDef& operand) {
  if (operand.role == Role::kOutput || operand.kind == ElementKind::kIndex) return false;
  return operand.name != "mask" && (operand.role == Role::kInput || def.family != Family::kGemm);
}

Case TameCase(const OperatorDef& def, DType type, DType output, Tame tame, int64_t size,
              uint64_t seed) {
  Case value = MakeCase(def.id, type, DimsOf(def, size));
  value.operands.back().dtype = output;
  for (int i = 0; i < value.operands.size(); ++i) {
    const OperandDef& operand = def.operands[static_cast<size_t>(i)];
    Tensor& tensor = value.operands[i];
    if (operand.role == Role::kInout) tensor.fill = {};
    if (!IsFilled(def, operand)) continue;
    tensor.fill =
        TameFill(def.id, tensor.dtype, i, operand.name, tame, seed * 8 + static_cast<uint64_t>(i));
  }
  // A factor of 1 would make doing nothing right.
  if (def.id == OpId::kScal) value.attributes[0].real = 3;
  if (def.id == OpId::kComplexScal) value.attributes[1].real = 2;
  if (def.family == Family::kSolve) value.attributes[value.attributes.size() - 1].choice = 1;
  return value;
}

// Indices of a scatter_add without repetition: a step that no power of two divides.
void MakeDistinct(OperandValues& indices, int64_t extent) {
  for (size_t i = 0; i < indices.integer.size(); ++i) {
    indices.integer[i] = static_cast<int64_t>(5 * i + 3) % extent;
    indices.bits[i] = EncodeInteger(indices.dtype, indices.integer[i]);
  }
}

// Dense operands with padding around them.
class PaddedOperands {
 public:
  PaddedOperands(const Values& values, BackendCall& call) {
    for (size_t i = 0; i < values.operands.size(); ++i) {
      const OperandValues& operand = values.operands[i];
      const auto size = static_cast<size_t>(SizeOf(operand.dtype));
      std::vector<std::byte>& memory = memory_[i];
      memory.assign(2 * kPaddingBytes + operand.bits.size() * size, kPaddingByte);
      std::byte* at = memory.data() + kPaddingBytes;
      for (size_t j = 0; j < operand.bits.size(); ++j) {
        std::memcpy(at + j * size, &operand.bits[j], size);
      }
      call.Attach(static_cast<int>(i),
                  {at, at, at, static_cast<int64_t>(operand.bits.size() * size)});
    }
  }

  double Get(size_t slot, DType type, size_t element) const {
    uint64_t bits = 0;
    const auto size = static_cast<size_t>(SizeOf(type));
    std::memcpy(&bits, memory_[slot].data() + kPaddingBytes + element * size, size);
    return IsFloat(type) ? Decode(type, bits) : static_cast<double>(DecodeInteger(type, bits));
  }

 private:
  std::array<std::vector<std::byte>, kMaxOperands> memory_;
};

// The destination after a call over operands of its own; empty unless the call says it went well.
std::vector<double> Answer(const AssayBackend& table, const Values& values, BackendCall& call) {
  const PaddedOperands operands(values, call);
  AssayText text = {nullptr, 0, 0};
  if (table.run(table.self, call.get(), &text) != ASSAY_OK) return {};
  const OperandValues& destination = values.operands.back();
  std::vector<double> answer;
  for (size_t i = 0; i < destination.bits.size(); ++i) {
    answer.push_back(operands.Get(values.operands.size() - 1, destination.dtype, i));
  }
  return answer;
}

bool Close(double got, double expected, bool exact) {
  if (std::isnan(expected)) return std::isnan(got);
  const double tolerance = exact ? 0 : kAbsolute + kRelative * std::fabs(expected);
  return std::fabs(got - expected) <= tolerance;
}

// Copies and integers always; sums and products of small integers.
bool IsExact(const OperatorDef& def, Tame tame) {
  switch (def.family) {
    case Family::kGather:
    case Family::kIntGemm:
    case Family::kIntDivision:
    case Family::kQuantize:
      return true;
    case Family::kCast:
      return tame == Tame::kIntegers;
    case Family::kSelect:
    case Family::kSort:
      return tame == Tame::kIntegers || def.operands.back().types.size() == 1;  // a place
    case Family::kSoftmax:
    case Family::kUnary:
    case Family::kNorm:
    case Family::kAttention:
    case Family::kSolve:
      return false;
    case Family::kComplex:
      return tame == Tame::kIntegers && def.id != OpId::kComplexAbs;
    case Family::kBinary:
      return tame == Tame::kIntegers && def.id != OpId::kDiv && def.id != OpId::kPow &&
             def.id != OpId::kHypot;
    default:
      return tame == Tame::kIntegers;
  }
}

bool Passes(const AssayBackend& table, const Values& values, BackendCall& call, bool exact) {
  const std::vector<double> got = Answer(table, values, call);
  const std::vector<double> expected = Answer(*OpenReference(), values, call);
  if (got.size() != expected.size()) return false;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!Close(got[i], expected[i], exact)) return false;
  }
  return true;
}

void RunOne(const AssayBackend& table, const OperatorDef& def, const Case& value, bool exact,
            BasicCounts& counts) {
  const Result<NamedDims> dims = CheckCase(value);
  ASSAY_CHECK(dims.ok(), "a tame case is a case");
  BackendCall call;
  call.Describe(value, def);
  AssayText reason = {nullptr, 0, 0};
  if (table.supports(table.self, call.get(), &reason) != ASSAY_OK) return;
  Values values;
  MakeValues(value, dims.value(), values);
  if (def.family == Family::kScatter) MakeDistinct(values.operands[1], dims.value()[0]);
  ++(Passes(table, values, call, exact) ? counts.passed : counts.failed);
}

// A cast is another operation for every type it casts to; to 8-bit floats no two of them agree
// within the tolerance.
std::vector<DType> Outputs(OpId op, DType type) {
  std::vector<DType> outputs;
  for (const DType output : OutputTypesOf(op, type)) {
    const bool coarse = IsFloat(output) && SizeOf(output) == 1;
    if (outputs.empty() || (op == OpId::kCast && !coarse)) outputs.push_back(output);
  }
  return outputs;
}

}  // namespace

BasicCounts RunBasicTests(const AssayBackend& table, OpId op, DType type) {
  const OperatorDef& def = DefOf(op);
  BasicCounts counts;
  for (const DType output : Outputs(op, type)) {
    for (const Tame tame : {Tame::kIntegers, Tame::kNormal}) {
      for (const int64_t size : kSizes) {
        for (const uint64_t seed : kSeeds) {
          const Case value = TameCase(def, type, output, tame, size, seed);
          RunOne(table, def, value, IsExact(def, tame), counts);
        }
      }
    }
  }
  return counts;
}

bool PassesFixedShape(const AssayBackend& table, OpId op, DType type, uint64_t seed) {
  constexpr int64_t kSize = 64;
  const OperatorDef& def = DefOf(op);
  BasicCounts counts;
  const Case value = TameCase(def, type, Outputs(op, type)[0], Tame::kNormal, kSize, seed);
  RunOne(table, def, value, IsExact(def, Tame::kNormal), counts);
  return counts.failed == 0;
}

}  // namespace assay
