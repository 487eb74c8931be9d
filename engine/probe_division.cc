// SPDX-License-Identifier: Apache-2.0
//
// Recipes of integer division: dividends and divisors at the ends of their type, and single
// elements that have no quotient.
#include <algorithm>

#include "engine/probe_recipes.h"

namespace assay::probe {

// Dividends of all sizes, so that a quotient by a floating-point type loses its last digits; no
// divisor is 0 or -1.
Case DivisionExtremes(Recipe& recipe) {
  Random& random = recipe.random;
  const int64_t n = random.Between(1, 40);
  Case value = WithLength(recipe, n);
  const IntegerLimits limits = LimitsOf(recipe.type);
  // No fill yields integers beyond 2^53: larger ones are set one by one.
  const double lowest = std::max(static_cast<double>(limits.lowest), -kMaxFillInteger);
  const double highest = std::min(static_cast<double>(limits.highest), kMaxFillInteger);
  const Fill dividends[] = {{FillKind::kIntegers, recipe.FillSeed(), lowest, highest},
                            {FillKind::kIntegers, recipe.FillSeed(), highest - 3, highest},
                            {FillKind::kIntegers, recipe.FillSeed(), lowest, lowest + 3}};
  const Fill divisors[] = {{FillKind::kIntegers, recipe.FillSeed(), 1, 3},
                           {FillKind::kIntegers, recipe.FillSeed(), 1, highest},
                           {FillKind::kConstant, 0, lowest < 0 ? lowest : 1, 0},
                           {FillKind::kIntegers, recipe.FillSeed(), lowest < 0 ? -9. : 1., -2},
                           {FillKind::kConstant, 0, 1, 0}};
  value.operands[0].fill = dividends[recipe.seed % 3];
  value.operands[1].fill = divisors[recipe.seed / 3 % (lowest < 0 ? 5 : 3)];
  value.attributes[kIntDivisionStyle].choice = static_cast<int32_t>(random.Below(2));
  const int64_t set = recipe.type == DType::kI64 ? std::min<int64_t>(n, kMaxOverrides) : 0;
  for (int64_t i = 0; i < set; ++i) SetElement(value.operands[0], i, random.Next());
  return value;
}

// One element divided by zero, or the lowest number by -1.
Case UndefinedQuotients(Recipe& recipe) {
  Random& random = recipe.random;
  const int64_t n = random.Between(1, 24);
  Case value = WithLength(recipe, n);
  value.attributes[kIntDivisionStyle].choice = static_cast<int32_t>(random.Below(2));
  const int64_t at = DrawPlace(n, random);
  const IntegerLimits limits = LimitsOf(recipe.type);
  const bool beyond = limits.lowest < 0 && recipe.seed % 2 == 1;
  SetElement(value.operands[1], at, EncodeInteger(recipe.type, beyond ? -1 : 0));
  const int64_t dividends[] = {7, 0, limits.highest, limits.lowest};
  SetElement(value.operands[0], at,
             EncodeInteger(recipe.type, beyond ? limits.lowest : random.Pick(dividends)));
  return value;
}

}  // namespace assay::probe
