// SPDX-License-Identifier: Apache-2.0
//
// The oracle of int_div and int_remainder: exact, in 64 bits. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

// Where there is no quotient every class is legal and no value is; what is declared decides.
// outside_count counts those elements.
void MeasureIntDivision(const Values& values, Evidence& evidence);

}  // namespace assay
