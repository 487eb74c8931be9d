// SPDX-License-Identifier: Apache-2.0
//
// The operator table assembled from its groups, and what follows from it alone: shapes from
// dimensions, dimensions from shapes, the types each operator takes, and the default case. What
// else a case must satisfy is in case_check.cc.
#include "contracts/operator.h"

#include <array>
#include <bit>
#include <string>
#include <utility>

#include "contracts/operators/groups.h"

namespace assay {
namespace {

std::array<OperatorDef, kOpCount> Assemble() {
  const std::span<const OperatorDef> groups[] = {
      operators::Linear(),      operators::Reductions(), operators::Rows(),
      operators::Pointwise(),   operators::Indexed(),    operators::Windows(),
      operators::Collectives(), operators::Triangular(), operators::Complex()};
  std::array<OperatorDef, kOpCount> table{};
  for (const std::span<const OperatorDef> group : groups) {
    for (const OperatorDef& def : group) table[static_cast<size_t>(def.id)] = def;
  }
  for (const OperatorDef& def : table) ASSAY_CHECK(!def.name.empty(), "every operator has a row");
  return table;
}

const std::array<OperatorDef, kOpCount>& Table() {
  static const std::array<OperatorDef, kOpCount> table = Assemble();
  return table;
}

constexpr std::string_view kFamilyNames[kFamilyCount] = {
    "gemm",         "dot",    "sum",        "softmax", "unary",  "gather",   "int_gemm",
    "vector",       "norm",   "product",    "select",  "binary", "cast",     "quantize",
    "scatter",      "linear", "attention",  "conv",    "pool",   "gradient", "collective",
    "int_division", "update", "triangular", "solve",   "sort",   "complex"};

constexpr DType kAllTypes[] = {DType::kF32,    DType::kF64,   DType::kF16, DType::kBf16,
                               DType::kI32,    DType::kI64,   DType::kI8,  DType::kU8,
                               DType::kF8e4m3, DType::kF8e5m2};
constexpr DType kF16Outputs[] = {DType::kF16, DType::kF32};
constexpr DType kBf16Outputs[] = {DType::kBf16, DType::kF32};

bool StoredTransposed(const OperandDef& operand, const Case& value) {
  return operand.transposed_by >= 0 && value.attributes[operand.transposed_by].choice == 1;
}

NamedDims WithDerived(const OperatorDef& def, const NamedDims& dims, const Case& value,
                      FixedVector<int64_t, kMaxDerived>& derived) {
  NamedDims all = dims;
  derived.clear();
  if (def.derive == nullptr) return all;
  const int named = dims.size();
  def.derive(value, all);
  while (all.size() > named + derived.size()) derived.push_back(all[named + derived.size()]);
  all.resize(named);
  return all;
}

Error Disagreement(const OperatorDef& def, int dimension, int first, int64_t size, int second,
                   int axis, int64_t other) {
  const std::string operand(def.operands[static_cast<size_t>(second)].name);
  const std::string at = "axis " + std::to_string(axis), wanted = std::to_string(size);
  // An extent without a name follows from the others.
  if (dimension >= static_cast<int>(def.dimensions.size())) {
    return Error{operand,
                 at + " has the extent " + std::to_string(other) + ", but " +
                     std::string(def.name) + " makes it " + wanted,
                 "make " + at + " " + wanted};
  }
  const std::string name(def.dimensions[static_cast<size_t>(dimension)]);
  const std::string where(def.operands[static_cast<size_t>(first)].name);
  return Error{operand,
               "dimension " + name + " is " + std::to_string(other) + " (" + at + "), but " +
                   where + " has " + name + " = " + wanted,
               "make " + at + " " + wanted + ", or change " + where};
}

Error WrongRank(const OperatorDef& def, const OperandDef& operand, int rank) {
  const int wanted = operand.axes.rank;
  return Error{std::string(operand.name),
               "has rank " + std::to_string(rank) + "; " + std::string(def.name) + " needs rank " +
                   std::to_string(wanted),
               "give " + std::to_string(wanted) + " sizes between the brackets"};
}

Fill DefaultFill(const Case& value, const OperandDef& operand, DType type, const NamedDims& dims,
                 uint64_t seed) {
  if (operand.role == Role::kOutput) return {FillKind::kPoison, seed, 0, 0};
  if (operand.kind == ElementKind::kIndex) {
    const int64_t extent = IndexedExtent(value, dims);
    return {FillKind::kIndices, seed, 0, extent > 0 ? static_cast<double>(extent - 1) : 0};
  }
  // A divisor is not zero.
  const bool divides = DefOf(value.op).family == Family::kIntDivision && operand.name == "y";
  if (divides) return {FillKind::kIntegers, seed, 1, 100};
  if (type == DType::kU8) return {FillKind::kIntegers, seed, 0, 200};
  if (!IsFloat(type)) return {FillKind::kIntegers, seed, -100, 100};
  // A variance is positive, a mask lets everything through.
  if (operand.name == "variance") return {FillKind::kUniform, seed, 0.25, 2};
  if (operand.name == "mask") return {FillKind::kZero, 0, 0, 0};
  return {FillKind::kUniform, seed, -1, 1};
}

}  // namespace

int DimensionAt(const OperandDef& operand, const Case& value, int axis) {
  const int rank = operand.axes.rank;
  if (StoredTransposed(operand, value) && axis >= rank - 2) axis = 2 * rank - 3 - axis;
  return operand.axes.dimension[static_cast<size_t>(axis)];
}

int IndexOperandOf(const OperatorDef& def) {
  for (int i = 0; i < static_cast<int>(def.operands.size()); ++i) {
    if (def.operands[static_cast<size_t>(i)].kind == ElementKind::kIndex) return i;
  }
  return -1;
}

int64_t IndexedExtent(const Case& value, const NamedDims& dims) {
  const bool columns =
      value.op == OpId::kIndexSelect && IntegerAttribute(value, kIndexSelectAxis) == 1;
  return dims[columns ? 1 : 0];
}

std::span<const DType> operators::SameOrAccumulator(DType input) {
  if (input == DType::kF16) return kF16Outputs;
  if (input == DType::kBf16) return kBf16Outputs;
  return input == DType::kF64 ? std::span(kAllTypes).subspan(1, 1) : std::span(kAllTypes).first(1);
}

void OperatorDef::shape(const NamedDims& given, Case& value) const {
  FixedVector<int64_t, kMaxDerived> derived;
  const NamedDims all = WithDerived(*this, given, value, derived);
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    const OperandDef& operand = operands[static_cast<size_t>(i)];
    Dims& shape = value.operands[i].shape;
    shape.clear();
    for (int axis = 0; axis < operand.axes.rank; ++axis) {
      const int dimension = DimensionAt(operand, value, axis);
      const int64_t size =
          dimension < all.size() ? all[dimension] : derived[dimension - all.size()];
      shape.push_back(size < 0 ? 0 : size);
    }
  }
}

Result<NamedDims> OperatorDef::dims(const Case& value) const {
  const int named = static_cast<int>(dimensions.size());
  std::array<int, kMaxDimensions> first{};  // operand that named the dimension, + 1
  NamedDims all;
  all.resize(named, 0);
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    const OperandDef& operand = operands[static_cast<size_t>(i)];
    const Dims& shape = value.operands[i].shape;
    if (shape.size() != operand.axes.rank) return WrongRank(*this, operand, shape.size());
    for (int axis = 0; axis < shape.size(); ++axis) {
      const int dimension = DimensionAt(operand, value, axis);
      if (dimension >= named) continue;
      int& owner = first[static_cast<size_t>(dimension)];
      if (owner == 0) {
        owner = i + 1;
        all[dimension] = shape[axis];
      } else if (all[dimension] != shape[axis]) {
        return Disagreement(*this, dimension, owner - 1, all[dimension], i, axis, shape[axis]);
      }
    }
  }
  if (derive == nullptr) return all;
  FixedVector<int64_t, kMaxDerived> derived;
  WithDerived(*this, all, value, derived);
  for (int i = 0; i < static_cast<int>(operands.size()); ++i) {
    const Dims& shape = value.operands[i].shape;
    for (int axis = 0; axis < shape.size(); ++axis) {
      const int dimension = DimensionAt(operands[static_cast<size_t>(i)], value, axis);
      if (dimension < named) continue;
      const int64_t size = derived[dimension - named];
      if (size < 0) {
        return Error{std::string(name), "the window does not fit into what it slides over",
                     "use a smaller window, dilation or padding, or a larger operand"};
      }
      if (shape[axis] != size) {
        return Disagreement(*this, dimension, -1, size, i, axis, shape[axis]);
      }
    }
  }
  return all;
}

bool operator==(const Attribute& a, const Attribute& b) {
  const bool both_nan = a.real != a.real && b.real != b.real;
  return a.choice == b.choice &&
         (both_nan || std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real));
}

Triangle TriangleOf(OpId op, std::span<const double> attributes) {
  const bool matrices = op == OpId::kTrmm || op == OpId::kTrsm;
  const size_t uplo = matrices ? 2 : 0;
  Triangle triangle;
  if (matrices) triangle.alpha = attributes[0];
  triangle.right = matrices && attributes[1] != 0;
  triangle.upper = attributes[uplo] == 0;
  triangle.transposed = attributes[uplo + 1] != 0;
  triangle.unit = attributes[uplo + 2] != 0;
  return triangle;
}

Triangle TriangleOf(const Case& value) {
  const OperatorDef& def = DefOf(value.op);
  std::array<double, kMaxAttributes> attributes{};
  for (int i = 0; i < value.attributes.size(); ++i) {
    const bool label = def.attributes[static_cast<size_t>(i)].is_label();
    attributes[static_cast<size_t>(i)] =
        label ? value.attributes[i].choice : ScalarAttribute(value, i);
  }
  return TriangleOf(value.op, attributes);
}

bool IsKept(const Case& value, int64_t i, int64_t j) {
  if (value.op != OpId::kSyr) return false;
  const bool upper = value.attributes[kSyrUplo].choice == 0;
  return upper ? i > j : i < j;
}

bool ScalesProducts(Family family) {
  return family == Family::kGemm || family == Family::kUpdate || family == Family::kTriangular;
}

double ScalarAttribute(const Case& value, int attribute) {
  const double given = value.attributes[attribute].real;
  return value.operands[0].dtype == DType::kF64 ? given : Round(Format::kF32, given);
}

std::string_view NameOf(Family family) { return kFamilyNames[static_cast<int>(family)]; }

const OperatorDef& DefOf(OpId op) {
  ASSAY_CHECK(static_cast<int>(op) < kOpCount, "operator outside the table");
  return Table()[static_cast<size_t>(op)];
}

std::span<const OperatorDef> Operators() { return Table(); }

std::optional<OpId> ParseOp(std::string_view name) {
  for (const OperatorDef& def : Table()) {
    if (def.name == name) return def.id;
  }
  return std::nullopt;
}

std::span<const DType> InputTypesOf(OpId op) { return DefOf(op).inputs; }

std::span<const DType> OutputTypesOf(OpId op, DType input) {
  const OperatorDef& def = DefOf(op);
  bool taken = false;
  for (const DType type : def.inputs) taken |= type == input;
  if (!taken) return {};
  if (!def.operands.back().types.empty()) return def.operands.back().types;
  if (def.outputs != nullptr) return def.outputs(input);
  for (const DType& type : kAllTypes) {
    if (type == input) return {&type, 1};
  }
  return {};
}

std::span<const DType> AllowedTypes(const Case& value, const OperatorDef& def, int i) {
  static constexpr DType kIndexTypes[] = {DType::kI32, DType::kI64};
  const OperandDef& operand = def.operands[static_cast<size_t>(i)];
  if (i == 0) return def.inputs;
  if (!operand.types.empty()) return operand.types;
  if (operand.kind == ElementKind::kIndex) return kIndexTypes;
  if (operand.role == Role::kInput) return {&value.operands[0].dtype, 1};
  return OutputTypesOf(value.op, value.operands[0].dtype);
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
  value.operands[0].dtype = type;
  def.shape(dims, value);
  for (int i = 0; i < value.operands.size(); ++i) {
    const OperandDef& operand = def.operands[static_cast<size_t>(i)];
    Tensor& tensor = value.operands[i];
    if (operand.kind == ElementKind::kIndex) {
      tensor.dtype = DType::kI64;
    } else if (i > 0) {
      const std::span<const DType> allowed = AllowedTypes(value, def, i);
      ASSAY_CHECK(!allowed.empty(), "an operator takes the type it is made with");
      tensor.dtype = allowed[0];
    }
    tensor.strides = RowMajorStrides(tensor.shape);
    tensor.fill = DefaultFill(value, operand, tensor.dtype, dims, static_cast<uint64_t>(i) + 1);
  }
  return value;
}

}  // namespace assay
