// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of the operators that are linear in their terms. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/judge.h"
#include "contracts/values.h"

namespace assay {

// Output of `model` at element `index`, rounded to the output type; false where the operator is not
// linear or the model does not apply. Terms in storage order k = 0, 1, ...:
//   accumulator   acc := RN(acc + a b) with one rounding (fused), then RN(alpha acc), RN(. + beta
//   c),
//                 RN(. / n), every RN in f16 or bf16
//   operands      a and b rounded to tf32, hf32 or bf16; the rest as exact as the fast tier, one
//                 rounding to f32 (to f64 for f64 inputs): the mildest kernel of its kind
//   rounded_intermediate  fused_linear: the product, with the bias, and activated are stored one
//                 after the other, in the output's type; for f32 and f64 in f16
//   flushed       subnormal inputs, products and the answer as zero
// Copies and extrema over ranks pass through the accumulator, or are rounded as operands are.
bool EmulateLinear(const Values& values, DefectModel model, int64_t index, double* out);

}  // namespace assay
