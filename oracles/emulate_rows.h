// SPDX-License-Identifier: Apache-2.0
//
// Narrower models of the operators over rows: one plain kernel per operator, every step rounded to
// the accumulator (f64 for f64 inputs, else f32), with one thing narrower. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/judge.h"
#include "contracts/values.h"

namespace assay {

// False where the model does not apply. Models:
//   f16, bf16             sums kept in that type; softmax family and attention: exponentials and
//                         their sum
//   tf32, hf32, bf16_operands   attention: factors of both products
//   no_shift              softmax family, attention: exp(x) without subtracting the maximum
//   one_pass              variance, layer_norm: max(0, E[x^2] - E[x]^2)
//   rounded_intermediate  attention: scores stored in the output's type, or the next narrower one
//                         where that is the accumulator
//   flushed               subnormal inputs, intermediates and outputs as zero
// REQUIRES an operator of the softmax family, a norm, prod or attention.
bool EmulateRows(const Values& values, DefectModel model, int64_t index, double* out);

}  // namespace assay
