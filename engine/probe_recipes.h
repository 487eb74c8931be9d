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

// A case of the operator's own shape: `length` addends (or elements, columns, keys, updates) and
// few of everything else. The rows of both factors of a matrix product run along the sum.
Case WithLength(Recipe& recipe, int64_t length);
// The dimensions of such a case.
NamedDims DimsWithLength(Recipe& recipe, int64_t length);
// A length between lowest and highest, uniform in its logarithm.
int64_t DrawLength(Random& random, int64_t lowest, int64_t highest);
// What sums of products have: two factors that come first.
bool HasFactors(OpId op);
// Gives an operand of reals a fill; integers keep theirs.
void Give(Tensor& tensor, const Fill& fill);
// Gives the inputs of a reduction their fills: x and, where there is a second factor, y. Half of
// the time the factors change places, where both run along the sum.
void SetFactors(Recipe& recipe, Case& value, Fill x, Fill y);
// Magnitudes over eight binades and both signs in every ordinary input: orders of adding differ in
// their last digits, and nothing overflows.
void MixMagnitudes(Recipe& recipe, Case& value);
// The operands that hold reals, are read, and may hold anything: no variance, no mask.
FixedVector<int, kMaxOperands> OrdinaryInputs(const Case& value);
// Sets element (0, ..., 0, column); element `index`. Replaces what was set there.
void SetElement(Tensor& tensor, int64_t column, uint64_t bits);
void SetElement(Tensor& tensor, const FixedVector<int32_t, kMaxRank>& index, uint64_t bits);
// A coordinate in [0, size): ends, both sides of the last full vector of 4 or 8, or anywhere.
int64_t DrawPlace(int64_t size, Random& random);
// A strided layout that keeps the elements apart: rows with a gap, or every second element.
void Spread(Tensor& tensor, Random& random);

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
Case NanInScalars(Recipe& recipe);

// probe_layouts.cc
Case IndexBefore(Recipe& recipe);
Case IndexAfter(Recipe& recipe);
Case IndexFar(Recipe& recipe);
Case IndexNarrowed(Recipe& recipe);
Case GuardBefore(Recipe& recipe);
Case GuardAfter(Recipe& recipe);
Case Gaps(Recipe& recipe);
Case ShapeTails(Recipe& recipe);
Case EmptyDimensions(Recipe& recipe);
Case WideIndex(Recipe& recipe);
Case StridedOperands(Recipe& recipe);
Case TransposedOperands(Recipe& recipe);
Case ZeroStrideInputs(Recipe& recipe);
Case Misaligned(Recipe& recipe);

// probe_models.cc
Case ConstantRows(Recipe& recipe);
Case LargeMean(Recipe& recipe);
Case SquaresOverflow(Recipe& recipe);
Case SquaresUnderflow(Recipe& recipe);
Case WideScores(Recipe& recipe);
Case MaskedRows(Recipe& recipe);
Case CancellingBias(Recipe& recipe);
Case LargePreactivation(Recipe& recipe);
Case ScaleSweep(Recipe& recipe);
Case IntegerExtremes(Recipe& recipe);
Case QuantizeMidpoints(Recipe& recipe);
Case CastThresholds(Recipe& recipe);
Case CastNanPayloads(Recipe& recipe);

// probe_division.cc
Case DivisionExtremes(Recipe& recipe);
Case UndefinedQuotients(Recipe& recipe);
// probe_triangular.cc
Case TriangularOperands(Recipe& recipe);

// probe_complex.cc
Case ComplexOperands(Recipe& recipe);

// probe_runs.cc
Case SubnormalInputs(Recipe& recipe);
Case SubnormalResults(Recipe& recipe);
Case SubnormalPartners(Recipe& recipe);
Case ThresholdNormal(Recipe& recipe);
Case ContendedIndices(Recipe& recipe);
Case ManySchedules(Recipe& recipe);
Case Repeats(Recipe& recipe);
Case BatchRows(Recipe& recipe);
Case ThreadCounts(Recipe& recipe);
Case RankCounts(Recipe& recipe);
Case PartialBucket(Recipe& recipe);

}  // namespace assay::probe
