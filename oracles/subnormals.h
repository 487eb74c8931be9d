// SPDX-License-Identifier: Apache-2.0
//
// Where a policy on subnormals can show at all. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

// Adds to subnormal_count (which starts at what the operator's oracle has set, or at 0) the inputs
// and truths that are not zero and lie below the smallest normal of the output type or of the
// accumulator (f32, or f64 for f64 inputs). 0 where inputs or output are integers.
void CountSubnormals(const Values& values, Evidence& evidence);

}  // namespace assay
