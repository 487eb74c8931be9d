// SPDX-License-Identifier: Apache-2.0
//
// One pass over operands for what the fast tier has to know about them. NaN and Inf count as
// ordinary non-zero elements where a zero is looked for, and are skipped as candidates for the
// least.
#pragma once

#include <cstdint>

namespace assay {

// Instruction sets the kernels are compiled for, and the best that this machine has (on other
// architectures all three are one). Results do not depend on it.
enum class LaneSet : uint8_t { kBase = 0, kAvx2, kAvx512 };
LaneSet MachineLanes();

bool AnyZero(const double* values, int64_t count);

// Largest of `count` numbers of which none is NaN, and 0.
double Largest(const double* values, int64_t count);

// For each group the least non-zero magnitude (+Inf if there is none), or the sum of magnitudes
// rounded outward (see dot2.h). A group is a row of `length` numbers and gives one result, or, with
// `panels`, a panel [length][8] and gives one for each of its eight columns.
void LeastMagnitudes(const double* from, int64_t groups, int64_t length, bool panels,
                     double* least);
void SumsOfMagnitudes(const double* from, int64_t groups, int64_t length, bool panels,
                      double* sums);

}  // namespace assay
