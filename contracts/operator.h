// SPDX-License-Identifier: Apache-2.0
//
// What each operation is: its attributes, its operands with their roles, types and axes, and its
// named dimensions. The codec, the mutators, the text form, the plan and the minimizer know
// operators only through this table; the rows stand in contracts/operators/, one file per group.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "contracts/case.h"
#include "contracts/result.h"

namespace assay {

// Operators that share an oracle, a shape of tolerance and kinds of faults; a word of a signature.
enum class Family : uint8_t {
  kGemm = 0,
  kDot,
  kSum,
  kSoftmax,
  kUnary,
  kGather,
  kIntGemm,      // int8_gemm
  kVector,       // scal, axpy
  kNorm,         // nrm2, variance, layer_norm, rms_norm, batch_norm
  kProduct,      // prod
  kSelect,       // max, min, argmax, amax
  kBinary,       // add ... hypot
  kCast,         // cast
  kQuantize,     // quantize, dequantize
  kScatter,      // scatter_add
  kLinear,       // fused_linear
  kAttention,    // attention
  kConv,         // conv2d
  kPool,         // max_pool, avg_pool
  kGradient,     // scaled_gradient
  kCollective,   // all_reduce, reduce_scatter, all_gather
  kIntDivision,  // int_div, int_remainder
  kUpdate,       // ger, syr
  kTriangular,   // trmv, trmm
  kSolve,        // trsv, trsm
  kSort,         // sort, topk, topk_indices
  kComplex,      // complex_scal, complex_dot, complex_gemv, complex_abs
};
inline constexpr int kFamilyCount = 27;
std::string_view NameOf(Family family);

// kInout: read (as far as the operation says so) and then overwritten, like C of a BLAS gemm.
enum class Role : uint8_t { kInput, kInout, kOutput };
enum class ElementKind : uint8_t { kReal, kIndex, kAny };  // kAny: copied bit for bit

// A label, a real number, or an integer in [lowest, highest].
struct AttributeDef {
  std::string_view name;
  std::span<const std::string_view> labels = {};  // empty: a number
  double default_real = 0;
  int lowest = 1, highest = 0;  // lowest > highest: a real number
  bool is_label() const { return !labels.empty(); }
  bool is_integer() const { return labels.empty() && lowest <= highest; }
  bool is_real() const { return labels.empty() && lowest > highest; }
};

// Axes of an operand as positions of dimensions: 0, 1, ... of OperatorDef::dimensions, then the
// derived ones.
struct Axes {
  constexpr Axes(std::initializer_list<int> list) {
    for (const int axis : list) dimension[static_cast<size_t>(rank++)] = static_cast<int8_t>(axis);
  }
  std::array<int8_t, kMaxRank> dimension{};
  int rank = 0;
};

struct OperandDef {
  std::string_view name;
  Role role;
  ElementKind kind;
  Axes axes;
  // Types it may have. Empty: indices are i32 or i64, inputs have the type of the first operand,
  // destinations what OutputTypesOf says.
  std::span<const DType> types = {};
  int transposed_by = -1;  // attribute (0 n, 1 t) that swaps the last two axes as stored, or -1
};

// Dimensions in the order of OperatorDef::dimensions.
inline constexpr int kMaxDerived = 3;
inline constexpr int kMaxDimensions = 7 + kMaxDerived;
using NamedDims = FixedVector<int64_t, kMaxDimensions>;

struct OperatorDef {
  OpId id;
  std::string_view name;
  Family family;
  std::span<const AttributeDef> attributes;
  std::span<const OperandDef> operands;
  std::span<const std::string_view> dimensions;
  // The dimension that is summed, scanned, normalized or searched over; -1: none.
  int reduced = -1;
  // Types of the first operand, most used first.
  std::span<const DType> inputs;
  // Types of the destination for a first operand of type `input`; null: that type alone.
  std::span<const DType> (*outputs)(DType input) = nullptr;
  // Extents that follow from the dimensions and attributes (a convolution's output): appended to
  // `all`. An extent may come out negative or 0 for nonsense; `dims` refuses negative ones.
  void (*derive)(const Case& value, NamedDims& all) = nullptr;

  // Sets every operand's shape from the dimensions and the attributes. Ranks are fixed by the op.
  void shape(const NamedDims& dims, Case& value) const;
  // Reads the dimensions back; an Error names the operand and dimension that do not fit.
  Result<NamedDims> dims(const Case& value) const;
};

const OperatorDef& DefOf(OpId op);
std::span<const OperatorDef> Operators();  // in the order of OpId
std::optional<OpId> ParseOp(std::string_view name);

// Attribute positions. trans_* choose how the stored matrix is read: a is stored [m,k] (n) or
// [k,m] (t), b is stored [k,n] (n) or [n,k] (t), c is [m,n]. c := alpha op(a) op(b) + beta c.
// batched_gemm: the same with a leading batch axis. gemv: y := alpha op(a) x + beta y.
inline constexpr int kGemmAlpha = 0, kGemmBeta = 1, kGemmTransA = 2, kGemmTransB = 3;
inline constexpr int kGeluForm = 0;     // erf | tanh
inline constexpr int kNormEpsilon = 0;  // layer_norm, rms_norm, batch_norm: added to the variance
inline constexpr int kVarianceCorrection = 0;  // integer 0 | 1: divides by n - correction
inline constexpr int kClampLow = 0, kClampHigh = 1;
inline constexpr int kRemainderStyle = 0;    // truncated (fmod) | ieee | floored (Python, NumPy)
inline constexpr int kIntDivisionStyle = 0;  // truncated (C) | floored (Python, NumPy)
inline constexpr int kNumberStyle = 0;       // ieee2019 (9.6) | ieee2008 (5.3.1)
// Where a NaN goes: last | first, whatever the order.
inline constexpr int kSortOrder = 0, kSortNan = 1;  // ascending | descending
inline constexpr int kTopkCount = 0, kTopkNan = 1;  // integer: so many, or all there are
inline constexpr int kCastOverflow = 0;  // saturating | ieee (Inf, or NaN where there is none)
inline constexpr int kQuantizeScale = 0, kQuantizeZeroPoint = 1;  // real > 0; integer
inline constexpr int kIndexSelectAxis = 0;                        // integer 0 | 1
inline constexpr int kLinearActivation = 0;  // none relu gelu_erf gelu_tanh silu sigmoid tanh
inline constexpr int kAttentionScale = 0, kAttentionCausal = 1;             // real; no | yes
inline constexpr int kConvStride = 0, kConvPadding = 1, kConvDilation = 2;  // integers
// Windows are square. count: the divisor of avg_pool, all places or valid ones only.
inline constexpr int kPoolWindow = 0, kPoolStride = 1, kPoolPadding = 2, kPoolCount = 3;
inline constexpr int kGradientScale = 0;  // loss scale, real
inline constexpr int kGradientStore = 1;  // f16 | bf16: the type scaled gradients are stored in
inline constexpr int kCollectiveReduction = 0;  // sum | mean | max | min
inline constexpr int kCollectiveBucket = 1;     // elements per bucket (all_gather: attribute 0)

// a := alpha x y^T + a (ger); a := alpha x x^T + a in one triangle, the other is not touched (syr).
inline constexpr int kUpdateAlpha = 0, kSyrUplo = 1;

// How trmv, trsv, trmm and trsm take their matrix a: op(a) on the left or on the right of what it
// multiplies or divides; elements outside the triangle are not read and count as 0, and with a unit
// diagonal those on it count as 1. trmv and trsv: uplo, trans, diag; trmm and trsm: alpha, side
// before them.
struct Triangle {
  double alpha = 1;
  bool right = false, upper = false, transposed = false, unit = false;
  // Of op(a): whether element (i, j) lies in the triangle, the diagonal included.
  bool Holds(int64_t i, int64_t j) const { return upper != transposed ? i <= j : i >= j; }
  // Of op(a), from a as stored, n x n row-major.
  double At(const double* a, int64_t n, int64_t i, int64_t j) const {
    if (unit && i == j) return 1;
    if (!Holds(i, j)) return 0;
    return transposed ? a[j * n + i] : a[i * n + j];
  }
};
// REQUIRES one of the four. The second takes attributes as a backend does: labels as positions.
Triangle TriangleOf(const Case& value);
Triangle TriangleOf(OpId op, std::span<const double> attributes);

// Complex operators: the last axis of an operand has extent 2, real and imaginary part. alpha and
// beta are two attributes each, trans is n, t or c (transposed and conjugated).
inline constexpr int kComplexAlpha = 0, kComplexBeta = 2, kComplexTrans = 4;
inline constexpr int kComplexConjugate = 0;  // complex_dot: of x (no yes)

// Whether element (i, j) of the destination keeps its bits whatever the operands are: the other
// triangle of syr.
bool IsKept(const Case& value, int64_t i, int64_t j);
// Whether op has alpha and beta of a product that is added to what the destination holds: c :=
// alpha a b + beta c, beta an attribute or 1. Reference BLAS reads neither factor where alpha is 0.
bool ScalesProducts(Family family);

// The dimension that axis `axis` of an operand holds as it is stored: a position as in Axes.
int DimensionAt(const OperandDef& operand, const Case& value, int axis);
// The operand that holds indices, or -1; and the extent of what they choose from. REQUIRES an
// operator with indices for the latter.
int IndexOperandOf(const OperatorDef& def);
int64_t IndexedExtent(const Case& value, const NamedDims& dims);

// A real attribute as a kernel receives it: in f64 where the first operand is f64, else rounded to
// f32, the type of the scalars in every BLAS and matrix library. What backends, oracles and rules
// use.
double ScalarAttribute(const Case& value, int attribute);
// An integer attribute. REQUIRES one.
inline int64_t IntegerAttribute(const Case& value, int attribute) {
  return static_cast<int64_t>(value.attributes[attribute].real);
}

// Types of the first operand that the operator takes, most used first, and the types its
// destination may have when the first operand has type `input` (empty: `input` is not taken).
std::span<const DType> InputTypesOf(OpId op);
std::span<const DType> OutputTypesOf(OpId op, DType input);
// The types operand `i` may have in this case, given the first operand's.
std::span<const DType> AllowedTypes(const Case& value, const OperatorDef& def, int i);
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
// Multiply-adds, or elements visited, that the case asks for. REQUIRES its dimensions.
int64_t TermsOf(const Case& value, const NamedDims& dims);

// Real attributes are numbers of the type an interface takes its scalars in: f64 where the first
// operand is f64, else f32 (a BLAS passes float alpha to sgemm; 16-bit matrix products compute in
// f32). CheckCase refuses other values; this rounds them, as a compiler would.
void RoundScalars(Case& value);

// A case with defaults: dense row-major operands of `dims`, dtype `type`, fill kUniform[-1,1)
// seed 1.., poison outputs. Used by tests, seeds and the mutators' fresh start.
Case MakeCase(OpId op, DType type, const NamedDims& dims);

}  // namespace assay
