// SPDX-License-Identifier: Apache-2.0
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr std::string_view kGeluForms[] = {"erf", "tanh"};
constexpr AttributeDef kGelu[] = {{"form", kGeluForms}};
constexpr AttributeDef kClampAttributes[] = {{"low", {}, -1}, {"high", {}, 1}};
constexpr std::string_view kRemainders[] = {"truncated", "ieee", "floored"};
constexpr AttributeDef kRemainderAttributes[] = {{"style", kRemainders}};
constexpr std::string_view kEditions[] = {"ieee2019", "ieee2008"};
constexpr AttributeDef kNumberAttributes[] = {{"edition", kEditions}};
constexpr std::string_view kIntDivisions[] = {"truncated", "floored"};
constexpr AttributeDef kIntDivisionAttributes[] = {{"style", kIntDivisions}};
constexpr std::string_view kOverflows[] = {"saturating", "ieee"};
constexpr AttributeDef kCastAttributes[] = {{"overflow", kOverflows}};
constexpr AttributeDef kQuantizeAttributes[] = {{"scale", {}, 1}, {"zero_point", {}, 0, -128, 255}};

constexpr DType kIntegerTypes[] = {DType::kI32, DType::kI64, DType::kI8, DType::kU8};
constexpr DType kCastTypes[] = {DType::kF32,    DType::kF64,   DType::kF16, DType::kBf16,
                                DType::kI32,    DType::kI64,   DType::kI8,  DType::kU8,
                                DType::kF8e4m3, DType::kF8e5m2};

// n
constexpr OperandDef kUnary[] = {In("x", {0}), Out("out", {0})};
constexpr OperandDef kBinary[] = {In("x", {0}), In("y", {0}), Out("out", {0})};
constexpr OperandDef kCast[] = {In("x", {0}), Out("out", {0}, kCastTypes)};
constexpr OperandDef kQuantize[] = {In("x", {0}), Out("out", {0}, kByteTypes)};
constexpr OperandDef kDequantize[] = {In("x", {0}), Out("out", {0}, kF32Only)};
constexpr std::string_view kDims[] = {"n"};

constexpr OperatorDef Unary(OpId id, std::string_view name,
                            std::span<const AttributeDef> attributes = {}) {
  return {id, name, Family::kUnary, attributes, kUnary, kDims, -1, kFloatTypes};
}
constexpr OperatorDef Binary(OpId id, std::string_view name,
                             std::span<const AttributeDef> attributes = {}) {
  return {id, name, Family::kBinary, attributes, kBinary, kDims, -1, kFloatTypes};
}

constexpr OperatorDef kRows[] = {
    Unary(OpId::kExp, "exp"),
    Unary(OpId::kLog, "log"),
    Unary(OpId::kTanh, "tanh"),
    Unary(OpId::kSqrt, "sqrt"),
    Unary(OpId::kErf, "erf"),
    Unary(OpId::kGelu, "gelu", kGelu),
    Unary(OpId::kExpm1, "expm1"),
    Unary(OpId::kLog1p, "log1p"),
    Unary(OpId::kRsqrt, "rsqrt"),
    Unary(OpId::kSigmoid, "sigmoid"),
    Unary(OpId::kSilu, "silu"),
    Unary(OpId::kMish, "mish"),
    Unary(OpId::kRelu, "relu"),
    Unary(OpId::kClamp, "clamp", kClampAttributes),
    Unary(OpId::kSin, "sin"),
    Unary(OpId::kCos, "cos"),
    Unary(OpId::kTan, "tan"),
    Unary(OpId::kAsin, "asin"),
    Unary(OpId::kAcos, "acos"),
    Unary(OpId::kAtan, "atan"),
    Unary(OpId::kSinh, "sinh"),
    Unary(OpId::kCosh, "cosh"),
    Unary(OpId::kAsinh, "asinh"),
    Unary(OpId::kAcosh, "acosh"),
    Unary(OpId::kAtanh, "atanh"),
    Unary(OpId::kExp2, "exp2"),
    Unary(OpId::kExp10, "exp10"),
    Unary(OpId::kLog2, "log2"),
    Unary(OpId::kLog10, "log10"),
    Unary(OpId::kCbrt, "cbrt"),
    Unary(OpId::kErfc, "erfc"),
    Unary(OpId::kTgamma, "tgamma"),
    Unary(OpId::kLgamma, "lgamma"),
    // Near its zeros no type has a wider one that the C library answers well in.
    {OpId::kJ0, "j0", Family::kUnary, {}, kUnary, kDims, -1, kUpTo32Types},
    Unary(OpId::kSoftplus, "softplus"),
    Unary(OpId::kSoftsign, "softsign"),
    Unary(OpId::kAbs, "abs"),
    Binary(OpId::kAdd, "add"),
    Binary(OpId::kMul, "mul"),
    Binary(OpId::kDiv, "div"),
    Binary(OpId::kMinimum, "minimum"),
    Binary(OpId::kMaximum, "maximum"),
    Binary(OpId::kMinimumNumber, "minimum_number", kNumberAttributes),
    Binary(OpId::kMaximumNumber, "maximum_number", kNumberAttributes),
    Binary(OpId::kPow, "pow"),
    Binary(OpId::kRemainder, "remainder", kRemainderAttributes),
    Binary(OpId::kHypot, "hypot"),
    {OpId::kIntDiv, "int_div", Family::kIntDivision, kIntDivisionAttributes, kBinary, kDims, -1,
     kIntegerTypes},
    {OpId::kIntRemainder, "int_remainder", Family::kIntDivision, kIntDivisionAttributes, kBinary,
     kDims, -1, kIntegerTypes},
    {OpId::kCast, "cast", Family::kCast, kCastAttributes, kCast, kDims, -1, kCastTypes},
    {OpId::kQuantize, "quantize", Family::kQuantize, kQuantizeAttributes, kQuantize, kDims, -1,
     kF32Only},
    {OpId::kDequantize, "dequantize", Family::kQuantize, kQuantizeAttributes, kDequantize, kDims,
     -1, kByteTypes},
};

}  // namespace

std::span<const OperatorDef> Pointwise() { return kRows; }

}  // namespace assay::operators
