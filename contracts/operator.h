// SPDX-License-Identifier: Apache-2.0
//
// What each operation is: its attributes, its operands with their roles, its named dimensions and
// the rule that ties shapes to dimensions. The codec, the mutators, the text form, the plan and the
// minimizer know operators only through this table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "contracts/case.h"
#include "contracts/result.h"

namespace assay {

enum class Family : uint8_t { kGemm = 0, kDot, kSum, kSoftmax, kUnary, kGather };
inline constexpr int kFamilyCount = 6;
std::string_view NameOf(Family family);

// kInout: read (as far as the operation says so) and then overwritten, like C of a BLAS gemm.
enum class Role : uint8_t { kInput, kInout, kOutput };
enum class ElementKind : uint8_t { kReal, kIndex, kAny };  // kAny: copied bit for bit

struct AttributeDef {
  std::string_view name;
  std::span<const std::string_view> labels;  // empty: a real number
  double default_real;
};

struct OperandDef {
  std::string_view name;
  Role role;
  ElementKind kind;
};

// Dimensions in the order of OperatorDef::dimensions.
using NamedDims = FixedVector<int64_t, 4>;

struct OperatorDef {
  OpId id;
  std::string_view name;
  Family family;
  std::span<const AttributeDef> attributes;
  std::span<const OperandDef> operands;
  std::span<const std::string_view> dimensions;
  // Sets every operand's shape from the dimensions and the attributes. Ranks are fixed by the op.
  void (*shape)(const NamedDims& dims, Case& value);
  // Reads the dimensions back; an Error names the operand and dimension that do not fit.
  Result<NamedDims> (*dims)(const Case& value);
};

const OperatorDef& DefOf(OpId op);
std::span<const OperatorDef> Operators();
std::optional<OpId> ParseOp(std::string_view name);

// Attribute positions of gemm. trans_* choose how the stored matrix is read: a is stored [m,k] (n)
// or [k,m] (t), b is stored [k,n] (n) or [n,k] (t), c is [m,n]. c := alpha op(a) op(b) + beta c.
inline constexpr int kGemmAlpha = 0, kGemmBeta = 1, kGemmTransA = 2, kGemmTransB = 3;
// A real attribute as a kernel receives it: in f64 where the first operand is f64, else rounded to
// f32, the type of the scalars in every BLAS and matrix library. What backends, oracles and rules
// use.
double ScalarAttribute(const Case& value, int attribute);
// gelu: form = erf | tanh.
inline constexpr int kGeluForm = 0;
// dims: gemm m,n,k; dot n; sum n; softmax rows,n; unary n; gather rows,columns,count.
// operands: gemm a,b,c(inout); dot x,y,out[]; sum x,out[]; softmax x,out [rows,n]; unary x,out [n];
// gather table [rows,columns], indices [count] (i32 or i64), out [count,columns].

// Types of the first operand that the operator takes, most used first, and the types its
// destination may have when the first operand has type `input` (empty: `input` is not taken).
std::span<const DType> InputTypesOf(OpId op);
std::span<const DType> OutputTypesOf(OpId op, DType input);
// Whether a fill makes sense on an operand: outputs take kPoison only, inputs everything else,
// in-out operands all; integer types take the fills that yield integers.
bool FillSuits(FillKind kind, DType type, Role role);

// Everything a Case must satisfy before it may run: ranks, shapes that agree, dtypes the operator
// takes (gemm: f64, f32, f16, bf16, a and b of one type, c of the same type or of f32), attributes
// of the right number, strides whose span fits limits, outputs that do not overlap themselves,
// overrides inside the shape, alignment a power of two, total sizes under kMaxCaseElements and
// kMaxCaseTerms.
inline constexpr int64_t kMaxCaseElements = int64_t{1} << 18;  // per operand, gaps included
inline constexpr int64_t kMaxCaseTerms = int64_t{1} << 20;     // multiply-adds
inline constexpr int64_t kMaxStride = int64_t{1} << 31;        // magnitude, also of unused strides
inline constexpr int32_t kMaxAlignment = 4096;                 // bytes
inline constexpr double kMaxFillInteger = 0x1p53;              // of fills that yield integers
inline constexpr double kMaxFillExponent = 1100;               // beyond every format's range
Result<NamedDims> CheckCase(const Case& value);

// Real attributes are numbers of the type an interface takes its scalars in: f64 where the first
// operand is f64, else f32 (a BLAS passes float alpha to sgemm; 16-bit matrix products compute in
// f32). CheckCase refuses other values; this rounds them, as a compiler would.
void RoundScalars(Case& value);

// A case with defaults: dense row-major operands of `dims`, dtype `type`, fill kUniform[-1,1)
// seed 1.., poison outputs. Used by tests, seeds and the mutators' fresh start.
Case MakeCase(OpId op, DType type, const NamedDims& dims);

}  // namespace assay
