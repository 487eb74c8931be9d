// SPDX-License-Identifier: Apache-2.0
//
// The single changes that mutation is made of, one file per idea. Each may leave the case unchanged
// or even unchecked; engine/mutate.cc checks the whole and tries again. Private to the mutators.
#pragma once

#include <cstdint>
#include <optional>

#include "contracts/case.h"
#include "contracts/operator.h"
#include "engine/mutate.h"
#include "engine/random.h"

namespace assay {

// The case under change. `dims` are its dimensions and are kept true by every step.
struct Draft {
  Case& value;
  const OperatorDef& def;
  NamedDims& dims;
  const MutationSpace& space;
  Random& random;

  int operand_count() const { return value.operands.size(); }
  const OperandDef& operand(int i) const { return def.operands[static_cast<size_t>(i)]; }
};

// mutate_shape.cc
int64_t DrawSize(const OperatorDef& def, int dimension, Random& random);
void ChangeDimension(Draft& draft);
void ChangeAllDimensions(Draft& draft);
// Gives every operand the shape that dimensions and attributes ask for; layouts keep their pattern,
// set elements move inside, and an index fill that covered all rows still does.
void Reshape(Draft& draft, const NamedDims& dims);
// Whether the indices are drawn from all of what they choose from (false without an index operand),
// and making them so. REQUIRES an index operand for the others.
bool IndicesCoverAll(const Draft& draft);
void CoverAllIndices(Draft& draft);
double LastIndex(const Draft& draft);  // 0 for an empty table
// Strides for `tensor`'s shape that follow the pattern (order of axes, gaps, signs, zeros) of
// another shape and its strides, of the same rank.
void FollowLayout(Tensor& tensor, const Dims& shape, const Dims& strides);
// Clamps set elements into the shape; removes those of an empty operand.
void KeepOverridesInside(Tensor& tensor);

// mutate_layout.cc
void ChangeStrides(Draft& draft);
void ChangeOffset(Draft& draft);
void ChangeAlignment(Draft& draft);
void ChangePlacement(Draft& draft);
void ResetLayouts(Draft& draft);
// Images of rank 4 with the channels of a pixel side by side, all of them: what some libraries take
// and nothing else. REQUIRES operands of rank 4.
void PutChannelsLast(Draft& draft);

// mutate_scalars.cc
void ChangeAttribute(Draft& draft);
void ChangeToAtom(Draft& draft);  // a boundary value of the contracts, or a neighbour
void ChangeTypes(Draft& draft);
void ChangeSchedule(Draft& draft);  // and, rarely, the number of repeats
// Makes attributes mean something together: the low end of a clamp is not above the high one, a
// pool's window is not padding alone, a zero point is a number of its type.
void SettleAttributes(Draft& draft);
// Gives an operand another type: set elements keep their value, what no longer fits is reset.
void Retype(Tensor& tensor, Role role, DType type);

// mutate_fills.cc
enum class Recipe {
  kUniform,
  kNormal,
  kSmallIntegers,
  kIntegers,
  kZero,
  kConstant,
  kWideOdd,
  kPowersOfTwo,
  kSparse,
  kExponents,
  kSubnormal,
  kMantissa,
  kCancelling,
  kSwamping,
  kOffset,
  kDistinct,
};
void ChangeFills(Draft& draft);  // all inputs together
void ChangeOneFill(Draft& draft);
void ChangeSeed(Draft& draft);
uint64_t DrawSeed(Random& random);
// A fill by its recipe, in a float type's own terms.
Fill DrawRecipe(Recipe recipe, DType type, Random& random);
// Any fill that makes sense in the type, without regard to what the operand is for.
Fill DrawAnyFill(DType type, Random& random);

// mutate_families.cc
// The operator's own idea of interesting data for its inputs together; false: none this time, and
// nothing is changed.
bool FillByFamily(Draft& draft);
// A fill for one operand by its name: a variance is positive, a mask lets most through, what an
// operation reads and writes may be poison only where it need not read it.
Fill DrawOperandFill(const Draft& draft, int operand);
void FillIndices(Draft& draft);  // REQUIRES an index operand

// mutate_ranges.cc
// A range of an element-wise function's argument where its usual approximations change pieces,
// overflow, underflow or cancel. REQUIRES an operator of Family::kUnary.
Fill DrawFunctionRange(OpId op, DType type, Random& random);
// A range around a value where conversions to `to` round, overflow or underflow.
Fill DrawConversionRange(DType from, DType to, Random& random);

// mutate_hard.cc
// An argument at which the function is hard in this type; nothing where none is known.
std::optional<double> DrawHardArgument(OpId op, DType type, Random& random);
// Such arguments into the operand of a function of one element, one or all of its elements. False:
// none is known, and nothing is changed.
bool FillHard(Draft& draft);
void FillHardPower(Draft& draft);  // pow around where it over- or underflows

// mutate_specials.cc
// Sets an element of the first operand, at an end, next to a vector's end, or anywhere.
void SetFirstOperand(Draft& draft, double value);
bool HasOverrides(const Case& value);
void ClearOverrides(Draft& draft);
void RemoveOverride(Draft& draft);
void AddSpecial(Draft& draft);          // one element of one operand
void AddSpecialPartners(Draft& draft);  // a special and the element it is multiplied with
void AddBadIndex(Draft& draft);         // one index outside or on the edge
// Integer division: by zero, the lowest number by -1, or an end of the type.
void SetDivision(Draft& draft);
void MaskPlaces(Draft& draft);  // attention: -Inf in the mask, at places or a whole row

}  // namespace assay
