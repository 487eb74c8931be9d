// SPDX-License-Identifier: Apache-2.0
//
// The recipes behind the probes, one function each. Private to engine/probe*.cc.
#pragma once

#include <cstdint>

#include "contracts/case.h"
#include "contracts/operator.h"
#include "engine/random.h"

namespace assay::probe {

struct Recipe {
  OpId op;
  DType type;
  uint64_t seed;  // of the case: walks through what is enumerated
  Random random;  // for what is drawn

  Family family() const { return DefOf(op).family; }
  uint64_t FillSeed() { return random.Below(1 << 16); }
};

// A case of the operator's own shape: `length` addends (or elements, or columns) and few outputs.
Case WithLength(Recipe& recipe, int64_t length);
// Gives the inputs of a reduction their fills: x and, where there is a second factor, y. Half of
// the time the factors change places.
void SetFactors(Recipe& recipe, Case& value, Fill x, Fill y);
// Sets element (row, column) of an operand of rank 1 or 2; replaces what was set there.
void SetElement(Tensor& tensor, int64_t row, int64_t column, uint64_t bits);
// A coordinate in [0, size): ends, both sides of the last full vector of 4 or 8, or anywhere.
int64_t DrawPlace(int64_t size, Random& random);

// probe_values.cc
Case SparseRows(Recipe& recipe);
Case WideTimesPowerOfTwo(Recipe& recipe);
Case UnrepresentableProducts(Recipe& recipe);
Case MantissaSweep(Recipe& recipe);
Case Swamping(Recipe& recipe);
Case Saturation(Recipe& recipe);
Case EqualRows(Recipe& recipe);
Case CancellingPartials(Recipe& recipe);
Case ShiftedRows(Recipe& recipe);
Case WideRows(Recipe& recipe);
Case FarTails(Recipe& recipe);
Case NearZero(Recipe& recipe);
Case Subnormals(Recipe& recipe);
Case Thresholds(Recipe& recipe);

// probe_policies.cc
Case NanPerLane(Recipe& recipe);
Case Infinities(Recipe& recipe);
Case SignedZeros(Recipe& recipe);
Case ZeroScalars(Recipe& recipe);
Case EmptySums(Recipe& recipe);
Case TwoPrefills(Recipe& recipe);
Case IndexBefore(Recipe& recipe);
Case IndexAfter(Recipe& recipe);
Case IndexFar(Recipe& recipe);
Case IndexNarrowed(Recipe& recipe);
Case GuardBefore(Recipe& recipe);
Case GuardAfter(Recipe& recipe);
Case Gaps(Recipe& recipe);

}  // namespace assay::probe
