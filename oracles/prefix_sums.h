// SPDX-License-Identifier: Apache-2.0
//
// The oracle of cumsum: every prefix of a vector, in one pass. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/long_accumulator.h"
#include "oracles/number/exact_sum.h"

namespace assay {

// A compensated running sum with the certificate of dot2.h; prefixes it cannot certify come from a
// second pass with an exact accumulator.
void MeasurePrefixSums(const Values& values, Evidence& evidence);
// Every prefix by MPFR, where nothing rounds. Scratch of the caller.
void MeasurePrefixSumsHighest(const Values& values, ExactSum& exact, Evidence& evidence);

}  // namespace assay
