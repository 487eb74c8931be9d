// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of an operation: the answer a kernel would give if it were narrower than
// declared. What an honest bound must reject for a case to have force. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/judge.h"
#include "contracts/values.h"

namespace assay {

// Output of `model` at element `index`, rounded to the output type; false where the model does not
// apply. Models of linear operators: see emulate_sums.h.
// softmax without the shift: exp(x_i) / sum exp(x_j), each step rounded to f32 (f64 for f64
// inputs).
bool EmulateModel(const Values& values, DefectModel model, int64_t index, double* out);

}  // namespace assay
