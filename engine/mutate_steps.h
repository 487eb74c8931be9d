// SPDX-License-Identifier: Apache-2.0
//
// The single changes that mutation is made of, one file per idea. Each may leave the case unchanged
// or even unchecked; engine/mutate.cc checks the whole and tries again. Private to the mutators.
#pragma once

#include <cstdint>

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

// mutate_scalars.cc
void ChangeAttribute(Draft& draft);
void ChangeToAtom(Draft& draft);  // a boundary value of the contracts, or a neighbour
void ChangeTypes(Draft& draft);
void ChangeSchedule(Draft& draft);
// Gives an operand another type: set elements keep their value, what no longer fits is reset.
void Retype(Tensor& tensor, Role role, DType type);

// mutate_fills.cc
void ChangeFills(Draft& draft);  // all inputs together
void ChangeOneFill(Draft& draft);
void ChangeSeed(Draft& draft);
// A range of an element-wise function's argument where its usual approximations change pieces,
// overflow, underflow or cancel. REQUIRES an operator of Family::kUnary.
Fill DrawFunctionRange(OpId op, DType type, Random& random);

// mutate_specials.cc
bool HasOverrides(const Case& value);
void ClearOverrides(Draft& draft);
void RemoveOverride(Draft& draft);
void AddSpecial(Draft& draft);          // one element of one operand
void AddSpecialPartners(Draft& draft);  // a special and the element it is multiplied with
void AddBadIndex(Draft& draft);         // gather: one index outside or on the edge

}  // namespace assay
