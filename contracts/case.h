// SPDX-License-Identifier: Apache-2.0
//
// A Case: everything that has to be said to run one operation once, as one flat value. Its text
// form is one line, which is the reproducer, the corpus entry and the line of a bug report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/fixed_vector.h"
#include "contracts/number_text.h"
#include "contracts/result.h"
#include "contracts/tensor.h"

namespace assay {

enum class OpId : uint8_t {  // part of the binary codec: append only
  kGemm = 0,
  kDot,
  kSum,
  kSoftmax,
  kExp,
  kLog,
  kTanh,
  kSqrt,
  kErf,
  kGelu,
  kGather,
  kGemv,
  kBatchedGemm,
  kInt8Gemm,
  kScal,
  kAxpy,
  kNrm2,
  kAsum,
  kMean,
  kProd,
  kCumsum,
  kVariance,
  kMax,
  kMin,
  kArgmax,
  kAmax,
  kLogSoftmax,
  kLogSumExp,
  kLayerNorm,
  kRmsNorm,
  kBatchNorm,
  kExpm1,
  kLog1p,
  kRsqrt,
  kSigmoid,
  kSilu,
  kMish,
  kRelu,
  kClamp,
  kAdd,
  kMul,
  kDiv,
  kMinimum,
  kMaximum,
  kPow,
  kRemainder,
  kHypot,
  kCast,
  kQuantize,
  kDequantize,
  kEmbedding,
  kIndexSelect,
  kScatterAdd,
  kFusedLinear,
  kAttention,
  kConv2d,
  kMaxPool,
  kAvgPool,
  kScaledGradient,
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kIntDiv,
  kIntRemainder,
  kGer,
  kSyr,
  kTrmv,
  kTrsv,
  kTrmm,
  kTrsm,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kExp2,
  kExp10,
  kLog2,
  kLog10,
  kCbrt,
  kErfc,
  kTgamma,
  kLgamma,
  kJ0,
  kSoftplus,
  kSoftsign,
  kAbs,
  kMinimumNumber,
  kMaximumNumber,
  kNanMax,
  kNanMin,
  kNanSum,
  kSort,
  kTopk,
  kTopkIndices,
  kComplexScal,
  kComplexDot,
  kComplexGemv,
  kComplexAbs,
};
inline constexpr int kOpCount = 105;
__extension__ using OpSet = unsigned __int128;  // one bit per OpId
static_assert(kOpCount <= 128);
constexpr OpSet Bit(OpId op) { return OpSet{1} << static_cast<unsigned>(op); }

inline constexpr int kMaxOperands = 6;
inline constexpr int kMaxAttributes = 6;

// Value of one attribute, in the order of the operator's table. Numbers in `real`; enumerations
// hold the label's position in `choice`.
inline constexpr int32_t kMaxRepeats = 10000;

struct Attribute {
  double real = 0;
  int32_t choice = 0;
  // NaN equals NaN: a Case with alpha = NaN must compare equal to its reparsed self.
  friend bool operator==(const Attribute& a, const Attribute& b);
};

struct Case {
  OpId op = OpId::kGemm;
  FixedVector<Attribute, kMaxAttributes> attributes;
  FixedVector<Tensor, kMaxOperands> operands;  // outputs and in-out operands last
  uint64_t schedule_seed = 0;                  // for backends that have schedules
  // Repeats of the call where a clause compares runs; 0: as many as the engine takes by itself.
  int32_t repeats = 0;
  friend bool operator==(const Case&, const Case&) = default;
};

// A case with the backends it is for, as a line carries them. Specs are canonical texts such as
// "cblas:/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0#core=SkylakeX".
struct CaseLine {
  Case value;
  std::vector<std::string> backends;
  friend bool operator==(const CaseLine&, const CaseLine&) = default;
};

// One line, no newline, safe inside double quotes in a POSIX shell. kShort leaves out what equals
// the default; kFull prints every field. Parse accepts both; Parse(Print(c)) == c.
//   <op> <attr>=<value>... <operand>=<dtype>[d0,d1]:<modifier>(...)... [schedule=N]
//   [repeats=N] [backend=SPEC]...
//   <modifier>: strides(s0,s1) offset(N) align(BYTES[,OFF]) place(tail|head)
//               fill(KIND[,lo[,hi]][,seed=N]) set(i,j=VALUE)
// Scalars are read as the nearest value of their type (RoundScalars).
// Numbers: integers in decimal, others in hexfloat; 0x... without an exponent p is a bit pattern.
// In a backend's spec, bytes that are not plain are %XX. Fields and modifiers come in any order.
// Errors: where = "column N" (bytes, from 1), what, remedy (with "did you mean"). A case that
// parses satisfies CheckCase.
enum class CaseStyle { kShort, kFull };
std::string PrintCase(const CaseLine& line, CaseStyle style = CaseStyle::kShort);
Result<CaseLine> ParseCase(std::string_view text);

}  // namespace assay
