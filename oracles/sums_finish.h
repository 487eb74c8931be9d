// SPDX-License-Identifier: Apache-2.0
//
// What an operator does with its sums, on evidence that holds them: the division of a mean, copies
// for every rank, unscaling, and the special answers that no sum has. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/enclosure.h"

namespace assay {

// x / divisor. REQUIRES a finite divisor that is not zero. The quotient of the midpoint is taken to
// 2^-104 of itself, that is beyond what two doubles hold.
Enclosure Divide(const Enclosure& x, double divisor);

// Length, alpha, beta and the largest magnitudes of the operands.
void SetSumScalars(const Values& values, Evidence& evidence);

// Turns evidence of the sums (see SumsPacker::Blocks) into evidence of the operator. fused_linear
// is finished elsewhere.
void FinishSums(const Values& values, Evidence& evidence);

}  // namespace assay
