// SPDX-License-Identifier: Apache-2.0
//
// Special answers of triangular solves: NaN and infinities among the operands, a diagonal that
// holds zeros. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "oracles/solve.h"

namespace assay {

// The classes that substitution may give for one side, in any order, dividing or multiplying by the
// reciprocal, with products of zero skipped (as reference BLAS does) or not. Real truths are stored
// without their error bounds: they only say that the answer is a number. Returns the largest
// magnitude that finite steps of it take. REQUIRES alpha other than zero.
double MeasureSpecialSide(const SolveSystem& system, int64_t side, Evidence& evidence);

}  // namespace assay
