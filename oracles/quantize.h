// SPDX-License-Identifier: Apache-2.0
//
// The oracle of quantize and dequantize. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/number/ball.h"

namespace assay {

// quantize: the truth is x / scale + zero_point, not yet rounded nor clamped; abs_sum is |x /
// scale|. It is infinite where x is; a NaN, and a scale that is not positive and finite, leave
// every answer legal. dequantize: (x - zero_point) scale, exact.
void MeasureQuantize(const Values& values, BallEvaluator& balls, Evidence& evidence);

}  // namespace assay
