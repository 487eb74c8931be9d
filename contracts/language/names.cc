// SPDX-License-Identifier: Apache-2.0
//
// The tables of the language's own words.
#include "contracts/language/names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "contracts/dtype.h"
#include "contracts/judge.h"
#include "contracts/operator.h"

namespace assay {
namespace {

constexpr Rate kCase = Rate::kCase;
constexpr Rate kElement = Rate::kElement;

constexpr ExprType TypeOf(Quantity quantity) {
  switch (quantity) {
    case Quantity::kAbsSum:
    case Quantity::kOperandSum:
    case Quantity::kForwardSum:
    case Quantity::kAbsX:
    case Quantity::kMeanAbs:
    case Quantity::kDeviation:
    case Quantity::kGain:
    case Quantity::kBias:
    case Quantity::kActivated:
    case Quantity::kWeightedScores:
    case Quantity::kWeightedShifts:
    case Quantity::kRescaling:
    case Quantity::kMaxAbsA:
    case Quantity::kMaxAbsB:
    case Quantity::kMaxAbsC:
    case Quantity::kMaxAbsSum:
    case Quantity::kMaxAbsProductSum:
      return ExprType::kValue;
    case Quantity::kNonZeros:
    case Quantity::kLength:
    case Quantity::kExtent:
    case Quantity::kOutsideCount:
    case Quantity::kHeadSize:
    case Quantity::kRanks:
    case Quantity::kOverflowCount:
    case Quantity::kSubnormalCount:
      return ExprType::kCount;
    default:
      return ExprType::kRatio;  // scalars, conditions and slopes; shifts and scores are exponents
  }
}

#define ASSAY_POLICY(name, key)                                                  \
  {name,         Symbol::kPolicy,    ExprType::kLabel, kCase, Quantity::kAbsSum, \
   Format::kF64, DeclarationKey::key}
constexpr NameInfo kNames[] = {
#define ASSAY_NAME(id, name, rate, meaning) \
  {name, Symbol::kQuantity, TypeOf(Quantity::id), rate, Quantity::id, Format::kF64},
    ASSAY_QUANTITIES(ASSAY_NAME)
#undef ASSAY_NAME
        {"truth", Symbol::kTruth, ExprType::kValue, kElement},
    {"kappa", Symbol::kKappa, ExprType::kRatio, kCase},
    {"tiles", Symbol::kTiles, ExprType::kCount, kCase},
    {"ulp_limit", Symbol::kUlpLimit, ExprType::kRatio, kCase},
    {"ulp_limit_exp", Symbol::kUlpLimitExp, ExprType::kRatio, kCase},
    {"ulp_limit_log", Symbol::kUlpLimitLog, ExprType::kRatio, kCase},
    {"ulp_limit_rsqrt", Symbol::kUlpLimitRsqrt, ExprType::kRatio, kCase},
    {"error_floor", Symbol::kErrorFloor, ExprType::kRatio, kCase},
    {"one", Symbol::kOne, ExprType::kValue, kCase},
    {"omega", Symbol::kOmega, ExprType::kValue, kCase},
    {"flushed", Symbol::kFlushed, ExprType::kValue, kCase},
    {"last_rounding", Symbol::kLastRounding, ExprType::kRatio, kCase},
    {"special", Symbol::kSpecial, ExprType::kBool, kCase},
    {"accumulator", Symbol::kAccumulator, ExprType::kFormat, kCase},
    {"output", Symbol::kOutput, ExprType::kFormat, kCase},
    {"input", Symbol::kInput, ExprType::kFormat, kCase},
    {"probabilities", Symbol::kProbabilities, ExprType::kFormat, kCase},
    {"level", Symbol::kLevel, ExprType::kLabel, kCase},
    {"subnormals", Symbol::kSubnormals, ExprType::kLabel, kCase},
    {"nan", Symbol::kNan, ExprType::kLabel, kCase},
    ASSAY_POLICY("out_of_bounds", kOutOfBounds),
    ASSAY_POLICY("determinism", kDeterminism),
    ASSAY_POLICY("integer_overflow", kIntegerOverflow),
    ASSAY_POLICY("cast_outside", kCastOutside),
    ASSAY_POLICY("masked_row", kMaskedRow),
    ASSAY_POLICY("nan_place", kNanPlace),
    ASSAY_POLICY("rounding", kRounding),
    ASSAY_POLICY("division_by_zero", kDivisionByZero),
    ASSAY_POLICY("division_overflow", kDivisionOverflow),
    {"f64", Symbol::kFormatName, ExprType::kFormat, kCase, Quantity::kAbsSum, Format::kF64},
    {"f32", Symbol::kFormatName, ExprType::kFormat, kCase, Quantity::kAbsSum, Format::kF32},
    {"tf32", Symbol::kFormatName, ExprType::kFormat, kCase, Quantity::kAbsSum, Format::kTf32},
    {"hf32", Symbol::kFormatName, ExprType::kFormat, kCase, Quantity::kAbsSum, Format::kHf32},
    {"f16", Symbol::kFormatName, ExprType::kFormat, kCase, Quantity::kAbsSum, Format::kF16},
    {"bf16", Symbol::kFormatName, ExprType::kFormat, kCase, Quantity::kAbsSum, Format::kBf16},
};
#undef ASSAY_POLICY

constexpr ExprType kAny = ExprType::kUnknown;
constexpr ExprType kNone = ExprType::kUnknown;
constexpr FunctionInfo kFunctions[] = {
    {"u", Symbol::kU, ExprType::kRatio, kCase, 1, {ExprType::kFormat, kNone}},
    {"eta", Symbol::kEta, ExprType::kValue, kCase, 1, {ExprType::kFormat, kNone}},
    {"lambda", Symbol::kLambda, ExprType::kValue, kCase, 1, {ExprType::kFormat, kNone}},
    {"max_finite", Symbol::kMaxFinite, ExprType::kValue, kCase, 1, {ExprType::kFormat, kNone}},
    {"gamma", Symbol::kGamma, ExprType::kRatio, kCase, 2, {ExprType::kCount, ExprType::kRatio}},
    {"rounds", Symbol::kRounds, ExprType::kCount, kElement, 0, {kNone, kNone}},
    {"underflow", Symbol::kUnderflow, ExprType::kValue, kElement, 0, {kNone, kNone}},
    {"ulp", Symbol::kUlp, ExprType::kValue, kElement, 1, {ExprType::kValue, kNone}},
    {"abs", Symbol::kAbs, kAny, kCase, 1, {kAny, kNone}},
    {"sqrt", Symbol::kSqrt, ExprType::kRatio, kCase, 1, {ExprType::kRatio, kNone}},
    {"expm1", Symbol::kExpm1, ExprType::kRatio, kCase, 1, {ExprType::kRatio, kNone}},
    {"exp", Symbol::kExp, ExprType::kRatio, kCase, 1, {ExprType::kRatio, kNone}},
    {"log", Symbol::kLog, ExprType::kRatio, kCase, 1, {ExprType::kRatio, kNone}},
    {"power_of_two", Symbol::kPowerOfTwo, ExprType::kBool, kCase, 1, {ExprType::kRatio, kNone}},
    {"swell", Symbol::kSwell, ExprType::kValue, kCase, 2, {ExprType::kValue, ExprType::kRatio}},
    {"max", Symbol::kMax, kAny, kCase, 2, {kAny, kAny}},
    {"min", Symbol::kMin, kAny, kCase, 2, {kAny, kAny}},
    {"finite", Symbol::kFiniteInputs, ExprType::kBool, kCase, 1, {kAny, kNone}},
    {"flushed_input", Symbol::kFlushedInput, ExprType::kValue, kCase, 1, {ExprType::kValue, kNone}},
    {"undeclared_argument",
     Symbol::kUndeclaredArgument,
     ExprType::kValue,
     kCase,
     1,
     {ExprType::kValue, kNone}},
};

template <class Table, class Project>
std::vector<std::string_view> Column(const Table& table, Project project) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.push_back(project(row));
  return names;
}

constexpr std::string_view kLevels[] = {"absolute", "tail"};
constexpr std::string_view kSubnormalPolicies[] = {"preserve", "flush_out", "flush_in",
                                                   "flush_both"};
constexpr std::string_view kNanPolicies[] = {"propagate", "mask", "raise"};
constexpr std::string_view kIndexPolicies[] = {"RAISE",  "CLAMP", "ZERO", "WRAP_NEGATIVE",
                                               "MODULO", "FILL",  "DROP"};
constexpr std::string_view kDivisionPolicies[] = {"RAISE", "ZERO", "ALL_ONES", "WRAP", "DIVIDEND"};
constexpr std::string_view kFormats[] = {"f64", "f32", "tf32", "hf32", "f16", "bf16"};
constexpr std::string_view kDeterminisms[] = {"BITWISE", "BOUNDED", "NONE"};
// In the order of the bits of Invariance.
constexpr std::string_view kInvariances[] = {"batch", "threads", "alignment", "ranks", "schedules"};
constexpr std::string_view kIntegerOverflows[] = {"wrap", "saturate", "saturate_pairs"};
constexpr std::string_view kCastsOutside[] = {"INDEFINITE", "SATURATE_NAN_0"};
constexpr std::string_view kMaskedRows[] = {"NAN", "ZERO"};
constexpr std::string_view kNanPlaces[] = {"first_nan", "reference"};
constexpr std::string_view kRoundings[] = {"half_even", "half_away"};
constexpr std::string_view kRanges[] = {"full"};
constexpr std::string_view kKeys[kDeclarationKeyCount] = {"inherits",
                                                          "accumulator",
                                                          "ulp_limit",
                                                          "ulp_limit_exp",
                                                          "kappa",
                                                          "tiles",
                                                          "subnormals",
                                                          "nan",
                                                          "out_of_bounds",
                                                          "level",
                                                          "overread",
                                                          "relaxation",
                                                          "ulp_limit_log",
                                                          "ulp_limit_rsqrt",
                                                          "determinism",
                                                          "invariance",
                                                          "probabilities",
                                                          "integer_overflow",
                                                          "cast_outside",
                                                          "masked_row",
                                                          "nan_place",
                                                          "rounding",
                                                          "range",
                                                          "division_by_zero",
                                                          "division_overflow",
                                                          "error_floor",
                                                          "argument_limit"};

}  // namespace

const NameInfo* FindName(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const NameInfo& info) { return info.name == name; });
  return found == std::end(kNames) ? nullptr : found;
}

std::span<const std::string_view> ValueNames() {
  static const std::vector<std::string_view> names =
      Column(kNames, [](const NameInfo& info) { return info.name; });
  return names;
}

const FunctionInfo* FindFunction(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const FunctionInfo& info) { return info.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::span<const std::string_view> FunctionNames() {
  static const std::vector<std::string_view> names =
      Column(kFunctions, [](const FunctionInfo& info) { return info.name; });
  return names;
}

int NumericAttribute(OpId op, std::string_view name) {
  const std::span<const AttributeDef> attributes = DefOf(op).attributes;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name == name && !attributes[i].is_label()) return static_cast<int>(i);
  }
  return -1;
}

std::span<const std::string_view> LabelsOf(const NameInfo& policy) {
  if (policy.symbol == Symbol::kLevel) return kLevels;
  if (policy.symbol == Symbol::kSubnormals) return kSubnormalPolicies;
  if (policy.symbol == Symbol::kNan) return kNanPolicies;
  if (policy.symbol == Symbol::kPolicy) return LabelsOf(policy.key);
  return {};
}

std::span<const std::string_view> CapabilityNames() {
  static constexpr std::string_view kCapabilities[] = {
      "subnormals",       "full_range",          "block_accumulator",
      "batch_invariance", "thread_invariance",   "alignment_invariance",
      "rank_invariance",  "schedule_invariance", "saturating_pairs"};
  return kCapabilities;
}

bool NamesTheCandidate(std::string_view name) {
  static constexpr std::string_view kCandidate[] = {"out",    "got",       "result", "answer",
                                                    "actual", "candidate", "ratio"};
  return Contains(kCandidate, name);
}

std::optional<DeclarationKey> ParseDeclarationKey(std::string_view name) {
  const auto* found = std::find(std::begin(kKeys), std::end(kKeys), name);
  if (found == std::end(kKeys)) return std::nullopt;
  return static_cast<DeclarationKey>(found - std::begin(kKeys));
}

std::span<const std::string_view> DeclarationKeys() { return kKeys; }

std::string_view NameOf(DeclarationKey key) { return kKeys[static_cast<int>(key)]; }

std::span<const std::string_view> LabelsOf(DeclarationKey key) {
  switch (key) {
    case DeclarationKey::kAccumulator:
      return kFormats;
    case DeclarationKey::kSubnormals:
      return kSubnormalPolicies;
    case DeclarationKey::kNan:
      return kNanPolicies;
    case DeclarationKey::kOutOfBounds:
      return kIndexPolicies;
    case DeclarationKey::kLevel:
      return kLevels;
    case DeclarationKey::kDeterminism:
      return kDeterminisms;
    case DeclarationKey::kInvariance:
      return kInvariances;
    case DeclarationKey::kProbabilities:
      return kFormats;
    case DeclarationKey::kIntegerOverflow:
      return kIntegerOverflows;
    case DeclarationKey::kCastOutside:
      return kCastsOutside;
    case DeclarationKey::kMaskedRow:
      return kMaskedRows;
    case DeclarationKey::kNanPlace:
      return kNanPlaces;
    case DeclarationKey::kRounding:
      return kRoundings;
    case DeclarationKey::kRange:
      return kRanges;
    case DeclarationKey::kDivisionByZero:
    case DeclarationKey::kDivisionOverflow:
      return kDivisionPolicies;
    default:
      return {};
  }
}

std::span<const std::string_view> OperatorNames() {
  static const std::vector<std::string_view> names =
      Column(Operators(), [](const OperatorDef& def) { return def.name; });
  return names;
}

std::span<const std::string_view> TypeNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (int i = 0; i < kDTypeCount; ++i) all.push_back(NameOf(static_cast<DType>(i)));
    return all;
  }();
  return names;
}

std::span<const std::string_view> PrimitiveNames() {
  static constexpr std::string_view kPrimitives[] = {"path_dependence", "domain_violation",
                                                     "resource_contention"};
  return kPrimitives;
}

std::span<const std::string_view> ReferenceNames() {
  static constexpr std::string_view kReferences[] = {"exact", "enclosure", "table"};
  return kReferences;
}

std::span<const std::string_view> DefectModelNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (int i = 0; i < kDefectModelCount; ++i) all.push_back(NameOf(static_cast<DefectModel>(i)));
    return all;
  }();
  return names;
}

bool IsOperatorOrType(std::string_view name) {
  return name == "any" || Contains(OperatorNames(), name) || Contains(TypeNames(), name);
}

std::string NearestOperatorOrType(std::string_view name) {
  std::vector<std::string_view> all(OperatorNames().begin(), OperatorNames().end());
  all.insert(all.end(), TypeNames().begin(), TypeNames().end());
  return NearestName(name, all);
}

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace assay
