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
// apply. Models of linear operators: see emulate_sums.h; of operators over rows: emulate_rows.h.
//
// Element-wise operators, casts, quantization, max and min, computed otherwise in double:
//   accumulator   arguments and result rounded to f16 or bf16
//   operands      arguments rounded to tf32, hf32 or bf16
//   flushed       subnormal arguments and results, of the stored types, as zero of their sign
bool EmulateModel(const Values& values, DefectModel model, int64_t index, double* out);

// The second half of the above. max_pool and places have no model.
bool EmulatePoint(const Values& values, DefectModel model, int64_t index, double* out);

}  // namespace assay
