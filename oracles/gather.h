// SPDX-License-Identifier: Apache-2.0
//
// The oracle of gather: out row i is the table row that index i names. Exact copies; what happens
// outside the table is a policy, matched on the bits of an observation. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/evidence.h"
#include "contracts/observation.h"
#include "contracts/profile.h"
#include "contracts/values.h"

namespace assay {

// Set by MatchingPolicies when every index is inside the table and every copy is exact.
inline constexpr uint32_t kExactInBounds = uint32_t{1} << 31;

// Truth of a copied element is its value; where the index is outside every class is legal, since
// only a policy says more. No quantities but extent and outside_count.
void MeasureGather(const Values& values, Evidence& evidence);

// Bit p for every IndexPolicy p under which the observation is right in every bit: in-bounds rows
// are copies, and each row of an index outside [0, rows) is
//   kRaise          no row: the call was rejected instead, and an index is outside
//   kClamp          row 0 or the last row           kZero   all bits zero
//   kWrapNegative   row index + rows, for -rows <= index < 0; with an index further out the call is
//                   rejected, as NumPy and ONNX do
//   kModulo         row (index mod rows), in [0, rows)
//   kFill           NaN, or for integer types one of the extreme values of the type, everywhere
//   alike kDrop           not written: the poison that the output held before
// With every index inside, an exact copy satisfies all of them.
uint32_t MatchingIndexPolicies(const Values& values, const Observation& observation);

}  // namespace assay
