// SPDX-License-Identifier: Apache-2.0
//
// The words of a case's text that are no operator's: fills and modifiers. Shared by printing,
// parsing and whoever names a fill in a message.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "contracts/case.h"
#include "contracts/operator.h"

namespace assay {

// A fill's name and how many of (lo, hi) it reads; in the order of FillKind.
struct FillWord {
  std::string_view name;
  int parameters;
};
inline constexpr std::array<FillWord, kFillKindCount> kFillWords = {{
    {"zero", 0},
    {"constant", 1},
    {"uniform", 2},
    {"normal", 2},
    {"integers", 2},
    {"wide_odd", 0},
    {"powers_of_two", 0},
    {"sparse", 1},
    {"exponents", 2},
    {"subnormal", 0},
    {"mantissa", 0},
    {"cancelling", 1},
    {"swamping", 2},
    {"offset", 2},
    {"distinct", 0},
    {"indices", 2},
    {"poison", 0},
}};

inline constexpr std::string_view kModifiers[] = {"strides", "offset", "align",
                                                  "place",   "fill",   "set"};
inline constexpr std::string_view kPlacements[] = {"tail", "head"};

// The fill of an operand whose text names none: poison for outputs, uniform in [-1, 1) for floats,
// integers in [-100, 100] for integers, index 0 for indices; seeded with the position plus one.
// Equals MakeCase's except for indices, which depend on another operand.
inline Fill UnstatedFill(const OperandDef& operand, DType type, int position) {
  const uint64_t seed = static_cast<uint64_t>(position) + 1;
  if (operand.role == Role::kOutput) return {FillKind::kPoison, seed, 0, 0};
  if (operand.kind == ElementKind::kIndex) return {FillKind::kIndices, seed, 0, 0};
  if (!IsFloat(type)) return {FillKind::kIntegers, seed, -100, 100};
  return {FillKind::kUniform, seed, -1, 1};
}

}  // namespace assay
