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

// Least non-zero magnitude; +Inf if there is none.
double LeastMagnitude(const double* values, int64_t count);
// The same of each column of a panel [length][8].
void LeastMagnitudes(const double* panel, int64_t length, double least[8]);

// Largest of `count` numbers of which none is NaN, and 0.
double Largest(const double* values, int64_t count);

// Sum of magnitudes, rounded outward (see dot2.h).
double SumOfMagnitudes(const double* values, int64_t count);
void SumsOfMagnitudes(const double* panel, int64_t length, double sums[8]);

}  // namespace assay
