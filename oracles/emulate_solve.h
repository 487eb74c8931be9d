// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of triangular solves. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/judge.h"
#include "contracts/values.h"

namespace assay {

// Output of `model` at element `index`, rounded to the output type; false where the model does not
// apply.
//   accumulator   every step x := RN((RN(..RN(alpha b) - a x..)) / d) in f16 or bf16
//   operands      elements of the matrix and of b rounded to tf32, hf32 or bf16, the rest in double
bool EmulateSolve(const Values& values, DefectModel model, int64_t index, double* out);

}  // namespace assay
