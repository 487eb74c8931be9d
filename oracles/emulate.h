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
// apply. Models, for sums of products in storage order k = 0, 1, ...:
//   accumulator   acc := RN(acc + a b) with one rounding (fused), then RN(alpha acc), RN(. + beta
//   c),
//                 every RN in f16 or bf16
//   operands      a and b rounded to tf32, hf32 or bf16; sum, alpha and beta as exact as the fast
//   tier,
//                 one rounding to f32 (to f64 for f64 inputs): the mildest kernel of its kind
// Operators over rows: see emulate_rows.h.
bool EmulateModel(const Values& values, DefectModel model, int64_t index, double* out);

}  // namespace assay
