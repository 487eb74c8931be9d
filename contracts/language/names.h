// SPDX-License-Identifier: Apache-2.0
//
// Every word the language knows by itself: quantities and functions of expressions with their
// types, keys and values of profiles, names of operators, types, primitives, probes and defect
// models. What a word means when it is evaluated is said by its Symbol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "contracts/evidence.h"
#include "contracts/language/ast.h"

namespace assay {

// Built-in names and functions; quantities of evidence are kQuantity.
enum class Symbol : uint8_t {
  kQuantity = 0,
  kTruth,
  kKappa,
  kTiles,
  kUlpLimit,
  kUlpLimitExp,
  kUlpLimitLog,
  kUlpLimitRsqrt,
  kErrorFloor,
  kOne,
  kOmega,
  kFlushed,
  kLastRounding,
  kSpecial,
  kFormatName,
  kAccumulator,
  kOutput,
  kInput,
  kProbabilities,
  kLevel,
  kSubnormals,
  kNan,
  kPolicy,  // another declared policy; `key` of its NameInfo
  // functions
  kU,
  kEta,
  kLambda,
  kMaxFinite,
  kGamma,
  kRounds,
  kUnderflow,
  kUlp,
  kAbs,
  kSqrt,
  kExpm1,
  kExp,
  kLog,
  kPowerOfTwo,
  kSwell,
  kMax,
  kMin,
  kFiniteInputs,
  kFlushedInput,
  kUndeclaredArgument,
};

struct NameInfo {
  std::string_view name;
  Symbol symbol;
  ExprType type;
  Rate rate;
  Quantity quantity = Quantity::kAbsSum;           // of kQuantity
  Format format = Format::kF64;                    // of kFormatName
  DeclarationKey key = DeclarationKey::kInherits;  // of kPolicy
};
// Names that stand for a value by themselves; nullptr if there is none.
const NameInfo* FindName(std::string_view name);
std::span<const std::string_view> ValueNames();

struct FunctionInfo {
  std::string_view name;
  Symbol symbol;
  ExprType result;
  Rate rate;  // of a call whose arguments all are of the case
  int arity;
  ExprType parameters[2];  // kUnknown: any magnitude or number, the same for both
};
const FunctionInfo* FindFunction(std::string_view name);
std::span<const std::string_view> FunctionNames();

// The attribute of an operator that is a number and has this name; -1: none.
int NumericAttribute(OpId op, std::string_view name);

// Labels that a policy name can be compared with.
std::span<const std::string_view> LabelsOf(const NameInfo& policy);
// What `has NAME` may ask for.
enum class Capability : uint8_t {
  kSubnormals = 0,
  kFullRange,
  kBlockAccumulator,
  kBatchInvariance,
  kThreadInvariance,
  kAlignmentInvariance,
  kRankInvariance,
  kScheduleInvariance,
  kSaturatingPairs,
};
std::span<const std::string_view> CapabilityNames();
// True for words that mean the candidate's answer.
bool NamesTheCandidate(std::string_view name);

std::optional<DeclarationKey> ParseDeclarationKey(std::string_view name);
std::span<const std::string_view> DeclarationKeys();
std::string_view NameOf(DeclarationKey key);
// The values a key takes; empty if any name will do or if it takes a number.
std::span<const std::string_view> LabelsOf(DeclarationKey key);

std::span<const std::string_view> OperatorNames();
std::span<const std::string_view> TypeNames();
std::span<const std::string_view> PrimitiveNames();
std::span<const std::string_view> ReferenceNames();
std::span<const std::string_view> DefectModelNames();
bool IsOperatorOrType(std::string_view name);
std::string NearestOperatorOrType(std::string_view name);
bool Contains(std::span<const std::string_view> names, std::string_view name);

}  // namespace assay
