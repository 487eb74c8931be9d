// SPDX-License-Identifier: Apache-2.0
//
// Values of a case, written element by element: what the oracle tests measure. Depends on no fill
// generator, so that a test says which numbers it uses.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "contracts/operator.h"
#include "contracts/values.h"
#include "oracles/measure.h"

namespace assay::fixtures {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// xorshift64*: a fixed sequence per seed, on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  uint64_t Bits() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }
  int Below(int bound) { return static_cast<int>(Bits() % static_cast<uint64_t>(bound)); }
  int Between(int lo, int hi) { return lo + Below(hi - lo + 1); }
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }  // [0, 1)
  // Random sign and 53-bit significand, exponent uniform in [lo, hi].
  double Scaled(int lo, int hi) {
    const double magnitude = std::ldexp(1 + Unit(), Between(lo, hi));
    return (Bits() & 1) != 0 ? magnitude : -magnitude;
  }

 private:
  uint64_t state_;
};

// A case with its values. Refers to itself: neither copied nor moved.
struct Fixture {
  Case source;
  Values values;
  Oracle oracle;
  Evidence evidence;

  Fixture(OpId op, DType type, NamedDims dims) : source(MakeCase(op, type, dims)) { Reset(dims); }
  Fixture(const Fixture&) = delete;

  void Reset(NamedDims dims) {
    DefOf(source.op).shape(dims, source);
    values.source = &source;
    values.op = &DefOf(source.op);
    values.dims = dims;
    values.operands.resize(static_cast<size_t>(source.operands.size()));
    for (int i = 0; i < source.operands.size(); ++i) {
      OperandValues& operand = values.operands[static_cast<size_t>(i)];
      operand.dtype = source.operands[i].dtype;
      operand.shape = source.operands[i].shape;
      operand.count = ElementCount(operand.shape);
      if (IsFloat(operand.dtype)) {
        SetReal(i, std::vector<double>(static_cast<size_t>(operand.count), 0));
      } else {
        SetInteger(i, std::vector<int64_t>(static_cast<size_t>(operand.count), 0));
      }
    }
  }

  // Rounds to the operand's type.
  void SetReal(int at, const std::vector<double>& reals) {
    OperandValues& operand = values.operands[static_cast<size_t>(at)];
    std::vector<uint64_t> bits;
    for (const double real : reals) bits.push_back(Encode(operand.dtype, real));
    SetBits(at, bits);
  }

  void SetBits(int at, const std::vector<uint64_t>& bits) {
    OperandValues& operand = values.operands[static_cast<size_t>(at)];
    operand.bits = bits;
    operand.real.clear();
    operand.any_nan = operand.any_inf = operand.any_subnormal = false;
    operand.max_abs = 0;
    const double normal = InfoOf(FormatOf(operand.dtype)).smallest_normal;
    for (const uint64_t pattern : bits) {
      const double real = Decode(operand.dtype, pattern);
      operand.real.push_back(real);
      operand.any_nan |= std::isnan(real);
      operand.any_inf |= std::isinf(real);
      operand.any_subnormal |= real != 0 && std::fabs(real) < normal;
      if (std::isfinite(real)) operand.max_abs = std::fmax(operand.max_abs, std::fabs(real));
    }
  }

  void SetInteger(int at, const std::vector<int64_t>& integers) {
    OperandValues& operand = values.operands[static_cast<size_t>(at)];
    operand.integer = integers;
    operand.bits.clear();
    for (const int64_t value : integers)
      operand.bits.push_back(EncodeInteger(operand.dtype, value));
  }

  Evidence& Measure() {
    oracle.Measure(values, evidence);
    return evidence;
  }
  Evidence& MeasureHighest(int bits = 256) {
    oracle.MeasureHighest(values, bits, evidence);
    return evidence;
  }
};

// alpha a b + beta c, matrices as stored.
struct Gemm : Fixture {
  Gemm(DType type, int64_t m, int64_t n, int64_t k, double alpha = 1, double beta = 0)
      : Fixture(OpId::kGemm, type, NamedDims{m, n, k}) {
    SetScalars(alpha, beta);
  }
  void SetScalars(double alpha, double beta) {
    source.attributes[kGemmAlpha].real = alpha;
    source.attributes[kGemmBeta].real = beta;
  }
};

inline double QuantityOf(const Evidence& evidence, Quantity quantity, int64_t at) {
  return evidence.element[static_cast<size_t>(quantity)][static_cast<size_t>(at)];
}
inline double ScalarOf(const Evidence& evidence, Quantity quantity) {
  return evidence.scalar[static_cast<size_t>(quantity)];
}

}  // namespace assay::fixtures
