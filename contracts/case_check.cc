// SPDX-License-Identifier: Apache-2.0
//
// What a Case must satisfy before it may run. Everything behind this check (values, placement,
// oracles, backends) relies on it, so it also bounds every number that arithmetic is done with.
// Runs for each decoded case: the path without an error allocates nothing.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "contracts/operator.h"

namespace assay {
namespace {

using Problem = std::optional<Error>;

std::string Text(int64_t value) { return std::to_string(value); }

Problem CheckCounts(const Case& value) {
  if (static_cast<int>(value.op) >= kOpCount) {
    return Error{"operator", "number " + Text(static_cast<int>(value.op)) + " is not in the table",
                 "use one of `assay list ops`"};
  }
  const OperatorDef& def = DefOf(value.op);
  const int attributes = static_cast<int>(def.attributes.size());
  if (value.attributes.size() != attributes) {
    return Error{std::string(def.name),
                 "has " + Text(value.attributes.size()) + " attributes; needs " + Text(attributes),
                 "give one value per attribute"};
  }
  const int operands = static_cast<int>(def.operands.size());
  if (value.operands.size() != operands) {
    return Error{std::string(def.name),
                 "has " + Text(value.operands.size()) + " operands; needs " + Text(operands),
                 "give every operand"};
  }
  return {};
}

Format ScalarFormat(const Case& value) {
  const bool wide = !value.operands.empty() && value.operands[0].dtype == DType::kF64;
  return wide ? Format::kF64 : Format::kF32;
}

bool IsInteger(double value, double lowest, double highest) {
  return value >= lowest && value <= highest && value == std::trunc(value);
}

Problem CheckAttributes(const Case& value, const OperatorDef& def) {
  for (int i = 0; i < value.attributes.size(); ++i) {
    const AttributeDef& attribute = def.attributes[i];
    const Attribute& given = value.attributes[i];
    const int labels = static_cast<int>(attribute.labels.size());
    if (attribute.is_integer() && !IsInteger(given.real, attribute.lowest, attribute.highest)) {
      return Error{
          std::string(attribute.name), PrintReal(given.real) + " is out of range",
          "use an integer from " + Text(attribute.lowest) + " to " + Text(attribute.highest)};
    }
    const bool right = labels == 0 ? given.choice == 0
                                   : given.choice >= 0 && given.choice < labels &&
                                         given.real == 0 && !std::signbit(given.real);
    if (!right) {
      return Error{std::string(attribute.name),
                   labels == 0 ? "is a number, but has a label" : "has a value that is no label",
                   labels == 0 ? "leave the choice 0" : "use " + std::string(attribute.labels[0])};
    }
    const double rounded = Round(ScalarFormat(value), given.real);
    if (given.real == given.real && given.real != rounded) {
      return Error{std::string(attribute.name), PrintReal(given.real) + " is no f32 value",
                   "use " + PrintReal(rounded)};
    }
  }
  return {};
}

std::string TypeList(std::span<const DType> types) {
  std::string text;
  for (const DType type : types) {
    if (!text.empty()) text += ", ";
    text += NameOf(type);
  }
  return text;
}

bool Contains(std::span<const DType> types, DType type) {
  for (const DType each : types) {
    if (each == type) return true;
  }
  return false;
}

Problem CheckTypes(const Case& value, const OperatorDef& def) {
  for (int i = 0; i < value.operands.size(); ++i) {
    const DType type = value.operands[i].dtype;
    if (static_cast<int>(type) >= kDTypeCount) {
      return Error{std::string(def.operands[i].name), "has no known type", "use a listed type"};
    }
    const std::span<const DType> allowed = AllowedTypes(value, def, i);
    if (!Contains(allowed, type)) {
      return Error{std::string(def.operands[i].name),
                   "cannot be " + std::string(NameOf(type)) + " here", "use " + TypeList(allowed)};
    }
  }
  return {};
}

Error TooLarge(std::string_view operand, const std::string& what) {
  return Error{std::string(operand), what,
               "keep sizes and strides within " + Text(kMaxCaseElements) + " elements"};
}

// Sizes and strides, bounded one after the other so that no product can overflow.
Problem CheckShape(const Tensor& tensor, std::string_view name) {
  if (tensor.strides.size() != tensor.shape.size()) {
    return Error{
        std::string(name),
        "has " + Text(tensor.strides.size()) + " strides for rank " + Text(tensor.shape.size()),
        "give one stride per axis"};
  }
  bool empty = false;
  int64_t count = 1;
  for (int i = 0; i < tensor.shape.size(); ++i) {
    const int64_t size = tensor.shape[i];
    if (size < 0) {
      return Error{std::string(name), "axis " + Text(i) + " has the negative size " + Text(size),
                   "use 0 or more"};
    }
    if (size > kMaxCaseElements) return TooLarge(name, "axis " + Text(i) + " is too long");
    empty = empty || size == 0;
    count = count > kMaxCaseElements ? count : count * size;
    if (tensor.strides[i] < -kMaxStride || tensor.strides[i] > kMaxStride) {
      return TooLarge(name, "the stride of axis " + Text(i) + " is too large");
    }
  }
  if (!empty && count > kMaxCaseElements) return TooLarge(name, "has too many elements");
  return {};
}

Problem CheckSpan(const Tensor& tensor, std::string_view name) {
  int64_t span = 1;
  for (int i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 0) span = 0;
  }
  for (int i = 0; i < tensor.shape.size() && span > 0; ++i) {
    // At most 2^18 * 2^31 per axis: the sum cannot overflow.
    span += (tensor.shape[i] - 1) * std::llabs(tensor.strides[i]);
  }
  if (tensor.offset < 0) {
    return Error{std::string(name), "offset is negative", "use 0 or more elements"};
  }
  if (tensor.offset > kMaxCaseElements || span + tensor.offset > kMaxCaseElements) {
    return TooLarge(name,
                    "spans " + Text(span) + " elements behind an offset of " + Text(tensor.offset));
  }
  return {};
}

Problem CheckPlacement(const Tensor& tensor, std::string_view name) {
  const int32_t alignment = tensor.alignment;
  const int32_t size = SizeOf(tensor.dtype);
  const bool power = (alignment & (alignment - 1)) == 0;
  if (alignment != 0 && (!power || alignment < size || alignment > kMaxAlignment)) {
    return Error{std::string(name), "alignment " + Text(alignment) + " is not usable",
                 "use a power of two from the element size (" + Text(size) + ") to " +
                     Text(kMaxAlignment) + " bytes, or 0"};
  }
  const int32_t off = tensor.misalignment;
  if (off != 0 && (off < 0 || off >= alignment || off % size != 0)) {
    return Error{std::string(name), "misalignment " + Text(off) + " does not fit",
                 "use a multiple of the element size below the alignment"};
  }
  if (static_cast<int>(tensor.placement) > 1) {
    return Error{std::string(name), "placement is neither tail nor head", "use tail or head"};
  }
  return {};
}

// Smallest and largest fill parameter that an element of an integer type can hold exactly.
std::pair<double, double> IntegerRange(DType type) {
  if (type == DType::kI64) return {-kMaxFillInteger, kMaxFillInteger};
  const IntegerLimits limits = LimitsOf(type);
  return {static_cast<double>(limits.lowest), static_cast<double>(limits.highest)};
}

bool ParametersFit(const Fill& fill, DType type) {
  const bool integer_type = !IsFloat(type);
  const auto [lowest, highest] =
      integer_type ? IntegerRange(type) : std::pair(-kMaxFillInteger, kMaxFillInteger);
  const auto exponent = [](double x) { return IsInteger(x, -kMaxFillExponent, kMaxFillExponent); };
  switch (fill.kind) {
    case FillKind::kConstant:
      return !integer_type || IsInteger(fill.lo, lowest, highest);
    case FillKind::kUniform:
      return fill.lo <= fill.hi;
    case FillKind::kNormal:
    case FillKind::kOffset:
      return fill.hi >= 0;
    case FillKind::kIntegers:
    case FillKind::kIndices:
      return IsInteger(fill.lo, lowest, highest) && IsInteger(fill.hi, lowest, highest) &&
             fill.lo <= fill.hi;
    case FillKind::kSparse:
      return IsInteger(fill.lo, 1, 4);
    case FillKind::kExponents:
      return exponent(fill.lo) && exponent(fill.hi) && fill.lo <= fill.hi;
    case FillKind::kSwamping:
      return exponent(fill.lo);
    default:
      return true;
  }
}

Problem CheckFill(const Tensor& tensor, const OperandDef& operand) {
  const Fill& fill = tensor.fill;
  if (!FillSuits(fill.kind, tensor.dtype, operand.role)) {
    const bool output = operand.role == Role::kOutput;
    return Error{std::string(operand.name),
                 output ? "is an output and holds poison before the call"
                        : "cannot have this fill with type " + std::string(NameOf(tensor.dtype)),
                 output ? "use fill(poison)" : "use fill(integers) or fill(indices) for integers"};
  }
  if (!std::isfinite(fill.lo) || !std::isfinite(fill.hi)) {
    return Error{std::string(operand.name), "a fill parameter is not finite",
                 "set single elements to nan or inf instead"};
  }
  if (!ParametersFit(fill, tensor.dtype)) {
    return Error{std::string(operand.name), "the fill's parameters are outside their range",
                 "see the list of fills for what they mean"};
  }
  return {};
}

Problem CheckOverrides(const Tensor& tensor, const OperandDef& operand) {
  if (operand.role == Role::kOutput && !tensor.overrides.empty()) {
    return Error{std::string(operand.name), "is an output, so no element can be set",
                 "remove set(...)"};
  }
  const int bits = 8 * SizeOf(tensor.dtype);
  for (const Override& each : tensor.overrides) {
    bool inside = each.index.size() <= tensor.shape.size();
    for (int i = 0; inside && i < tensor.shape.size(); ++i) {
      const int64_t at = i < each.index.size() ? each.index[i] : 0;
      inside = at >= 0 && at < tensor.shape[i];
    }
    if (!inside) {
      return Error{std::string(operand.name), "an element is set outside the shape",
                   "use an index tuple inside the shape"};
    }
    if (bits < 64 && (each.bits >> bits) != 0) {
      return Error{
          std::string(operand.name),
          "an element is set to more bits than " + std::string(NameOf(tensor.dtype)) + " has",
          "use at most " + Text(bits) + " bits"};
    }
  }
  return {};
}

Problem CheckOperand(const Tensor& tensor, const OperandDef& operand) {
  if (Problem problem = CheckShape(tensor, operand.name)) return problem;
  if (Problem problem = CheckSpan(tensor, operand.name)) return problem;
  if (Problem problem = CheckPlacement(tensor, operand.name)) return problem;
  if (Problem problem = CheckFill(tensor, operand)) return problem;
  if (Problem problem = CheckOverrides(tensor, operand)) return problem;
  if (operand.role != Role::kInput && Overlaps(tensor.shape, tensor.strides)) {
    return Error{std::string(operand.name), "is written, but its elements share memory",
                 "use strides that keep the elements apart"};
  }
  return {};
}

// Multiply-adds, or elements visited, of the whole case.
Problem CheckTerms(const Case& value, const OperatorDef& def, const NamedDims& dims) {
  double terms = static_cast<double>(TermsOf(value, dims));
  if (terms <= static_cast<double>(kMaxCaseTerms)) return {};
  return Error{std::string(def.name), "takes " + Text(static_cast<int64_t>(terms)) + " terms",
               "stay within " + Text(kMaxCaseTerms) + " multiply-adds"};
}

}  // namespace

bool FillSuits(FillKind kind, DType type, Role role) {
  if (static_cast<int>(kind) >= kFillKindCount) return false;
  if (role == Role::kOutput) return kind == FillKind::kPoison;
  if (kind == FillKind::kPoison) return role == Role::kInout;
  if (IsFloat(type)) return kind != FillKind::kIndices;
  return kind == FillKind::kZero || kind == FillKind::kConstant || kind == FillKind::kIntegers ||
         kind == FillKind::kIndices || kind == FillKind::kDistinct;
}

void RoundScalars(Case& value) {
  for (Attribute& attribute : value.attributes) {
    const bool number = attribute.real == attribute.real;
    if (number) attribute.real = Round(ScalarFormat(value), attribute.real);
  }
}

int64_t TermsOf(const Case& value, const NamedDims& dims) {
  // In double: the extents are bounded, their product is not.
  double terms = 1;
  for (const int64_t size : dims) terms *= static_cast<double>(size);
  switch (DefOf(value.op).family) {
    case Family::kConv:
      // Each output takes channels x kernel terms; outputs stand in for the extents of x.
      terms = static_cast<double>(ElementCount(value.operands.back().shape)) *
              static_cast<double>(dims[1]) * static_cast<double>(dims[5]) *
              static_cast<double>(dims[6]);
      break;
    case Family::kPool: {
      const double window = value.attributes[kPoolWindow].real;
      terms = static_cast<double>(ElementCount(value.operands.back().shape)) * window * window;
      break;
    }
    case Family::kGather:
      terms = static_cast<double>(ElementCount(value.operands.back().shape));
      break;
    case Family::kScatter:
      terms = static_cast<double>(ElementCount(value.operands[0].shape));
      break;
    case Family::kCollective:
      terms *= static_cast<double>(dims[0]);
      break;
    case Family::kUpdate:
      terms = static_cast<double>(ElementCount(value.operands.back().shape));
      break;
    case Family::kTriangular:
      terms *= static_cast<double>(value.operands[0].shape[0]);
      break;
    case Family::kSolve: {
      // Bounding the answer takes the inverse, whatever the number of right-hand sides.
      const auto order = static_cast<double>(value.operands[0].shape[0]);
      terms = order * std::max(order * order, terms);
      break;
    }
    default:
      break;
  }
  return static_cast<int64_t>(std::min(terms, 0x1p62));
}

Result<NamedDims> CheckCase(const Case& value) {
  if (Problem problem = CheckCounts(value)) return *std::move(problem);
  if (value.repeats < 0 || value.repeats > kMaxRepeats) {
    return Error{"repeats", "is out of range", "use 0 to " + Text(kMaxRepeats)};
  }
  const OperatorDef& def = DefOf(value.op);
  if (Problem problem = CheckAttributes(value, def)) return *std::move(problem);
  if (Problem problem = CheckTypes(value, def)) return *std::move(problem);
  for (int i = 0; i < value.operands.size(); ++i) {
    if (Problem problem = CheckOperand(value.operands[i], def.operands[i])) {
      return *std::move(problem);
    }
  }
  Result<NamedDims> dims = def.dims(value);
  if (!dims.ok()) return dims;
  if (Problem problem = CheckTerms(value, def, dims.value())) return *std::move(problem);
  return dims;
}

}  // namespace assay
