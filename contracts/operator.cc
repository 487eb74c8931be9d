// SPDX-License-Identifier: Apache-2.0
//
// The operator table and what follows from it alone: shapes from dimensions, dimensions from
// shapes, the types each operator takes, and the default case. What else a case must satisfy is in
// case_check.cc.
#include "contracts/operator.h"

#include <array>
#include <bit>
#include <string>

namespace assay {
namespace {

constexpr std::string_view kTransposeLabels[] = {"n", "t"};
constexpr std::string_view kGeluLabels[] = {"erf", "tanh"};

constexpr AttributeDef kGemmAttributes[] = {{"alpha", {}, 1},
                                            {"beta", {}, 0},
                                            {"trans_a", kTransposeLabels, 0},
                                            {"trans_b", kTransposeLabels, 0}};
constexpr AttributeDef kGeluAttributes[] = {{"form", kGeluLabels, 0}};

constexpr OperandDef kGemmOperands[] = {{"a", Role::kInput, ElementKind::kReal},
                                        {"b", Role::kInput, ElementKind::kReal},
                                        {"c", Role::kInout, ElementKind::kReal}};
constexpr OperandDef kDotOperands[] = {{"x", Role::kInput, ElementKind::kReal},
                                       {"y", Role::kInput, ElementKind::kReal},
                                       {"out", Role::kOutput, ElementKind::kReal}};
constexpr OperandDef kMapOperands[] = {{"x", Role::kInput, ElementKind::kReal},
                                       {"out", Role::kOutput, ElementKind::kReal}};
constexpr OperandDef kGatherOperands[] = {{"table", Role::kInput, ElementKind::kAny},
                                          {"indices", Role::kInput, ElementKind::kIndex},
                                          {"out", Role::kOutput, ElementKind::kAny}};

constexpr std::string_view kGemmDims[] = {"m", "n", "k"};
constexpr std::string_view kVectorDims[] = {"n"};
constexpr std::string_view kSoftmaxDims[] = {"rows", "n"};
constexpr std::string_view kGatherDims[] = {"rows", "columns", "count"};

bool Transposed(const Case& value, int attribute) {
  return value.attributes[attribute].choice == 1;
}

void SetMatrix(Tensor& tensor, int64_t rows, int64_t columns, bool transposed = false) {
  tensor.shape = transposed ? Dims{columns, rows} : Dims{rows, columns};
}

void GemmShape(const NamedDims& dims, Case& value) {
  const int64_t m = dims[0], n = dims[1], k = dims[2];
  SetMatrix(value.operands[0], m, k, Transposed(value, kGemmTransA));
  SetMatrix(value.operands[1], k, n, Transposed(value, kGemmTransB));
  SetMatrix(value.operands[2], m, n);
}

void DotShape(const NamedDims& dims, Case& value) {
  value.operands[0].shape = {dims[0]};
  value.operands[1].shape = {dims[0]};
  value.operands[2].shape = {};
}

void SumShape(const NamedDims& dims, Case& value) {
  value.operands[0].shape = {dims[0]};
  value.operands[1].shape = {};
}

void SoftmaxShape(const NamedDims& dims, Case& value) {
  SetMatrix(value.operands[0], dims[0], dims[1]);
  SetMatrix(value.operands[1], dims[0], dims[1]);
}

void UnaryShape(const NamedDims& dims, Case& value) {
  value.operands[0].shape = {dims[0]};
  value.operands[1].shape = {dims[0]};
}

void GatherShape(const NamedDims& dims, Case& value) {
  const int64_t rows = dims[0], columns = dims[1], count = dims[2];
  SetMatrix(value.operands[0], rows, columns);
  value.operands[1].shape = {count};
  SetMatrix(value.operands[2], count, columns);
}

// One place where a named dimension is stored: operand and axis.
struct Site {
  int operand, axis;
};

Error Disagreement(const Case& value, const OperatorDef& def, int dimension, Site first,
                   Site second) {
  const auto size = [&](Site site) {
    return std::to_string(value.operands[site.operand].shape[site.axis]);
  };
  const std::string name(def.dimensions[dimension]);
  const std::string other(def.operands[first.operand].name);
  return Error{
      std::string(def.operands[second.operand].name),
      "dimension " + name + " is " + size(second) + " (axis " + std::to_string(second.axis) +
          "), but " + other + " has " + name + " = " + size(first),
      "make axis " + std::to_string(second.axis) + " " + size(first) + ", or change " + other};
}

Error WrongRank(const OperatorDef& def, int operand, int rank, int wanted) {
  return Error{std::string(def.operands[operand].name),
               "has rank " + std::to_string(rank) + "; " + std::string(def.name) + " needs rank " +
                   std::to_string(wanted),
               "give " + std::to_string(wanted) + " sizes between the brackets"};
}

// Reads each dimension at two places that must agree (or at one, given twice), after checking
// ranks.
Result<NamedDims> ReadDims(const Case& value, std::span<const int> ranks,
                           std::span<const std::array<Site, 2>> sites) {
  const OperatorDef& def = DefOf(value.op);
  for (int i = 0; i < static_cast<int>(ranks.size()); ++i) {
    const int rank = value.operands[i].shape.size();
    if (rank != ranks[i]) return WrongRank(def, i, rank, ranks[i]);
  }
  NamedDims dims;
  for (int i = 0; i < static_cast<int>(sites.size()); ++i) {
    const auto& [first, second] = sites[i];
    const int64_t size = value.operands[first.operand].shape[first.axis];
    if (value.operands[second.operand].shape[second.axis] != size) {
      return Disagreement(value, def, i, first, second);
    }
    dims.push_back(size);
  }
  return dims;
}

Result<NamedDims> GemmDims(const Case& value) {
  const int a_row = Transposed(value, kGemmTransA) ? 1 : 0;
  const int b_row = Transposed(value, kGemmTransB) ? 1 : 0;
  const std::array<Site, 2> sites[] = {
      {{{0, a_row}, {2, 0}}}, {{{1, 1 - b_row}, {2, 1}}}, {{{0, 1 - a_row}, {1, b_row}}}};
  constexpr int kRanks[] = {2, 2, 2};
  return ReadDims(value, kRanks, sites);
}

Result<NamedDims> DotDims(const Case& value) {
  constexpr int kRanks[] = {1, 1, 0};
  constexpr std::array<Site, 2> kSites[] = {{{{0, 0}, {1, 0}}}};
  return ReadDims(value, kRanks, kSites);
}

Result<NamedDims> SumDims(const Case& value) {
  constexpr int kRanks[] = {1, 0};
  constexpr std::array<Site, 2> kSites[] = {{{{0, 0}, {0, 0}}}};
  return ReadDims(value, kRanks, kSites);
}

Result<NamedDims> SoftmaxDims(const Case& value) {
  constexpr int kRanks[] = {2, 2};
  constexpr std::array<Site, 2> kSites[] = {{{{0, 0}, {1, 0}}}, {{{0, 1}, {1, 1}}}};
  return ReadDims(value, kRanks, kSites);
}

Result<NamedDims> UnaryDims(const Case& value) {
  constexpr int kRanks[] = {1, 1};
  constexpr std::array<Site, 2> kSites[] = {{{{0, 0}, {1, 0}}}};
  return ReadDims(value, kRanks, kSites);
}

Result<NamedDims> GatherDims(const Case& value) {
  constexpr int kRanks[] = {2, 1, 2};
  constexpr std::array<Site, 2> kSites[] = {
      {{{0, 0}, {0, 0}}}, {{{0, 1}, {2, 1}}}, {{{1, 0}, {2, 0}}}};
  return ReadDims(value, kRanks, kSites);
}

constexpr OperatorDef Unary(OpId id, std::string_view name,
                            std::span<const AttributeDef> attributes = {}) {
  return {id, name, Family::kUnary, attributes, kMapOperands, kVectorDims, UnaryShape, UnaryDims};
}

constexpr std::array<OperatorDef, kOpCount> kOperators = {{
    {OpId::kGemm, "gemm", Family::kGemm, kGemmAttributes, kGemmOperands, kGemmDims, GemmShape,
     GemmDims},
    {OpId::kDot, "dot", Family::kDot, {}, kDotOperands, kVectorDims, DotShape, DotDims},
    {OpId::kSum, "sum", Family::kSum, {}, kMapOperands, kVectorDims, SumShape, SumDims},
    {OpId::kSoftmax,
     "softmax",
     Family::kSoftmax,
     {},
     kMapOperands,
     kSoftmaxDims,
     SoftmaxShape,
     SoftmaxDims},
    Unary(OpId::kExp, "exp"),
    Unary(OpId::kLog, "log"),
    Unary(OpId::kTanh, "tanh"),
    Unary(OpId::kSqrt, "sqrt"),
    Unary(OpId::kErf, "erf"),
    Unary(OpId::kGelu, "gelu", kGeluAttributes),
    {OpId::kGather,
     "gather",
     Family::kGather,
     {},
     kGatherOperands,
     kGatherDims,
     GatherShape,
     GatherDims},
}};

constexpr std::string_view kFamilyNames[kFamilyCount] = {"gemm",    "dot",   "sum",
                                                         "softmax", "unary", "gather"};

constexpr DType kAllTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBf16,
                               DType::kI32, DType::kI64, DType::kI8};
constexpr std::span<const DType> kFloatTypes(kAllTypes, 4);
// A reduction of a narrow type may deliver its wide accumulator.
constexpr DType kF16Outputs[] = {DType::kF16, DType::kF32};
constexpr DType kBf16Outputs[] = {DType::kBf16, DType::kF32};

bool Reduces(Family family) {
  return family == Family::kGemm || family == Family::kDot || family == Family::kSum;
}

Fill DefaultFill(const OperandDef& operand, DType type, const NamedDims& dims, uint64_t seed) {
  if (operand.role == Role::kOutput) return {FillKind::kPoison, seed, 0, 0};
  if (operand.kind == ElementKind::kIndex) {
    const double last_row = dims[0] > 0 ? static_cast<double>(dims[0] - 1) : 0;
    return {FillKind::kIndices, seed, 0, last_row};
  }
  if (!IsFloat(type)) return {FillKind::kIntegers, seed, -100, 100};
  return {FillKind::kUniform, seed, -1, 1};
}

}  // namespace

bool operator==(const Attribute& a, const Attribute& b) {
  const bool both_nan = a.real != a.real && b.real != b.real;
  return a.choice == b.choice &&
         (both_nan || std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real));
}

double ScalarAttribute(const Case& value, int attribute) {
  const double given = value.attributes[attribute].real;
  return value.operands[0].dtype == DType::kF64 ? given : Round(Format::kF32, given);
}

std::string_view NameOf(Family family) { return kFamilyNames[static_cast<int>(family)]; }

const OperatorDef& DefOf(OpId op) {
  ASSAY_CHECK(static_cast<int>(op) < kOpCount, "operator outside the table");
  return kOperators[static_cast<int>(op)];
}

std::span<const OperatorDef> Operators() { return kOperators; }

std::optional<OpId> ParseOp(std::string_view name) {
  for (const OperatorDef& def : kOperators) {
    if (def.name == name) return def.id;
  }
  return std::nullopt;
}

std::span<const DType> InputTypesOf(OpId op) {
  return op == OpId::kGather ? std::span<const DType>(kAllTypes) : kFloatTypes;
}

std::span<const DType> OutputTypesOf(OpId op, DType input) {
  if (op != OpId::kGather && !IsFloat(input)) return {};
  const bool reduces = Reduces(DefOf(op).family);
  if (reduces && input == DType::kF16) return kF16Outputs;
  if (reduces && input == DType::kBf16) return kBf16Outputs;
  for (const DType& type : kAllTypes) {
    if (type == input) return {&type, 1};
  }
  return {};
}

Case MakeCase(OpId op, DType type, const NamedDims& dims) {
  const OperatorDef& def = DefOf(op);
  ASSAY_CHECK(dims.size() == static_cast<int>(def.dimensions.size()), "one size per dimension");
  Case value;
  value.op = op;
  for (const AttributeDef& attribute : def.attributes) {
    value.attributes.push_back({attribute.default_real, 0});
  }
  value.operands.resize(static_cast<int>(def.operands.size()));
  def.shape(dims, value);
  for (int i = 0; i < value.operands.size(); ++i) {
    const OperandDef& operand = def.operands[i];
    Tensor& tensor = value.operands[i];
    tensor.dtype = operand.kind == ElementKind::kIndex ? DType::kI64 : type;
    tensor.strides = RowMajorStrides(tensor.shape);
    tensor.fill = DefaultFill(operand, tensor.dtype, dims, static_cast<uint64_t>(i) + 1);
  }
  return value;
}

}  // namespace assay
