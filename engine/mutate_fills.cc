// SPDX-License-Identifier: Apache-2.0
//
// Values by generator: what each recipe means in a type's own terms, and the steps that give
// operands new ones. What an operator wants to see together is in engine/mutate_families.cc.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/mutate_steps.h"

namespace assay {
namespace {

// Exponent ranges in terms of the type's own range; halves are where products over- and underflow.
Fill DrawExponents(const FormatInfo& info, Random& random) {
  const double top = info.max_exponent, bottom = info.min_exponent;
  const double half_top = std::floor(top / 2), half_bottom = std::floor(bottom / 2);
  const std::pair<double, double> ranges[] = {{-10, 10},
                                              {bottom, top},
                                              {top - 2, top},
                                              {half_top - 3, half_top},
                                              {half_bottom - 4, half_bottom + 4},
                                              {bottom - info.precision, bottom + 1}};
  const auto& range = random.Pick(ranges);
  return {FillKind::kExponents, DrawSeed(random), std::max(range.first, bottom - info.precision),
          std::min(range.second, top)};
}

struct RecipeRow {
  int weight;
  Recipe recipe;
};
constexpr RecipeRow kAnyReal[] = {
    {18, Recipe::kUniform},   {14, Recipe::kNormal},     {12, Recipe::kSmallIntegers},
    {4, Recipe::kIntegers},   {1, Recipe::kZero},        {5, Recipe::kConstant},
    {4, Recipe::kWideOdd},    {4, Recipe::kPowersOfTwo}, {7, Recipe::kSparse},
    {8, Recipe::kExponents},  {5, Recipe::kSubnormal},   {4, Recipe::kMantissa},
    {6, Recipe::kCancelling}, {3, Recipe::kSwamping},    {4, Recipe::kOffset},
    {2, Recipe::kDistinct}};

Fill Swamping(const FormatInfo& info, Random& random) {
  // Just beyond the precision of a type under suspicion: f16 or the stored one.
  const int exponent = random.Percent(50) ? 11 : info.precision;
  const double top = std::min(exponent + static_cast<int>(random.Between(0, 1)), info.max_exponent);
  return {FillKind::kSwamping, DrawSeed(random), top, 1};
}

// Numbers of an integer type: small ones, all there are, one that saturates, distinct ones.
Fill DrawIntegers(DType type, Random& random) {
  const uint64_t seed = DrawSeed(random);
  const double lowest = std::max(static_cast<double>(LimitsOf(type).lowest), -kMaxFillInteger);
  const double highest = std::min(static_cast<double>(LimitsOf(type).highest), kMaxFillInteger);
  const double ends[] = {lowest == 0 ? highest : lowest, highest, 1, lowest == 0 ? 2 : -1.0};
  switch (random.Below(6)) {
    case 0:
      return {FillKind::kIntegers, seed, std::max(lowest, -2.0), 2};
    case 1:
      return {FillKind::kIntegers, seed, lowest, highest};
    case 2:
      return {FillKind::kConstant, 0, random.Pick(ends), 0};
    case 3:
      return {FillKind::kDistinct, seed, 0, 0};
    default:
      return {FillKind::kIntegers, seed, std::max(lowest, -100.0), 100};
  }
}

// A parameter beyond the type's range would make every element infinite.
void KeepFillInRange(Tensor& tensor) {
  if (!IsFloat(tensor.dtype)) return;
  Fill& fill = tensor.fill;
  const double largest = InfoOf(FormatOf(tensor.dtype)).largest;
  const bool exponents = fill.kind == FillKind::kExponents || fill.kind == FillKind::kSwamping;
  if (!exponents) fill.lo = std::clamp(fill.lo, -largest, largest);
  fill.hi = std::clamp(fill.hi, -largest, largest);
}

}  // namespace

uint64_t DrawSeed(Random& random) { return random.Below(1 << 16); }

Fill DrawRecipe(Recipe recipe, DType type, Random& random) {
  const FormatInfo& info = InfoOf(FormatOf(type));
  const uint64_t seed = DrawSeed(random);
  constexpr double kConstants[] = {1, 1, -1, 0.5, 3, 1024.5, 2048.5};
  constexpr double kMagnitudes[] = {1, 32, 1000, 30000};
  switch (recipe) {
    case Recipe::kUniform:
      return {FillKind::kUniform, seed, random.Percent(70) ? -1.0 : 0.0, 1};
    case Recipe::kNormal:
      return {FillKind::kNormal, seed, 0, random.Percent(80) ? 1.0 : 16.0};
    case Recipe::kSmallIntegers:
      return {FillKind::kIntegers, seed, -2, 2};
    case Recipe::kIntegers:
      return {FillKind::kIntegers, seed, random.Percent(50) ? -100.0 : 1.0, 100};
    case Recipe::kZero:
      return {FillKind::kZero, 0, 0, 0};
    case Recipe::kConstant:
      return {FillKind::kConstant, 0, random.Pick(kConstants), 0};
    case Recipe::kWideOdd:
      return {FillKind::kWideOdd, seed, 0, 0};
    case Recipe::kPowersOfTwo:
      return {FillKind::kPowersOfTwo, seed, 0, 0};
    case Recipe::kSparse:
      return {FillKind::kSparse, seed, static_cast<double>(random.Between(1, 4)), 0};
    case Recipe::kExponents:
      return DrawExponents(info, random);
    case Recipe::kSubnormal:
      return {FillKind::kSubnormal, seed, 0, 0};
    case Recipe::kMantissa:
      return {FillKind::kMantissa, seed, 0, 0};
    case Recipe::kCancelling:
      return {FillKind::kCancelling, seed, random.Pick(kMagnitudes), 0};
    case Recipe::kSwamping:
      return Swamping(info, random);
    case Recipe::kOffset:
      return {FillKind::kOffset, seed, random.Pick(kMagnitudes), 1};
    case Recipe::kDistinct:
      return {FillKind::kDistinct, seed, 0, 0};
  }
  return {};
}

Fill DrawAnyFill(DType type, Random& random) {
  if (!IsFloat(type)) return DrawIntegers(type, random);
  return DrawRecipe(random.PickWeighted(kAnyReal).recipe, type, random);
}

void ChangeFills(Draft& draft) {
  const bool together = FillByFamily(draft);
  const int indices = IndexOperandOf(draft.def);
  if (indices >= 0) FillIndices(draft);
  for (int i = 0; i < draft.operand_count(); ++i) {
    Tensor& tensor = draft.value.operands[i];
    const Role role = draft.operand(i).role;
    if (i != indices && (role == Role::kInout || (role == Role::kInput && !together))) {
      tensor.fill = DrawOperandFill(draft, i);
    }
    KeepFillInRange(tensor);
  }
}

void ChangeOneFill(Draft& draft) {
  const int i = static_cast<int>(draft.random.Below(static_cast<uint64_t>(draft.operand_count())));
  Tensor& tensor = draft.value.operands[i];
  if (draft.operand(i).kind == ElementKind::kIndex) return FillIndices(draft);
  if (draft.operand(i).role == Role::kOutput) return ChangeSeed(draft);
  tensor.fill = DrawOperandFill(draft, i);
  KeepFillInRange(tensor);
}

void ChangeSeed(Draft& draft) {
  const int i = static_cast<int>(draft.random.Below(static_cast<uint64_t>(draft.operand_count())));
  draft.value.operands[i].fill.seed = DrawSeed(draft.random);
}

}  // namespace assay
