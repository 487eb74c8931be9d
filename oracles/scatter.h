// SPDX-License-Identifier: Apache-2.0
//
// scatter_add where an index lies outside the output: which rows that leaves open, and which index
// policies an observation agrees with. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/evidence.h"
#include "contracts/observation.h"
#include "contracts/values.h"

namespace assay {

// Sets extent and outside_count; rows that some policy adds an outside update to may hold anything,
// since only a policy says more.
void FreeRowsOfPolicies(const Values& values, Evidence& evidence);

// As MatchingIndexPolicies of gather, for sums: bit p for every IndexPolicy p under which each
// element lies within (addends + 1) u(output) sum|addends| of the sum that p asks for. An outside
// update is added
//   kClamp          to row 0 or the last row        kDrop    nowhere
//   kWrapNegative   to row index + rows             kModulo  to row (index mod rows)
// or the call is rejected (kRaise). No other policy has a meaning for additions.
uint32_t MatchingScatterPolicies(const Values& values, const Observation& observation);

}  // namespace assay
