// SPDX-License-Identifier: Apache-2.0
//
// Operators whose answers are exact: collectives that copy or choose (all_gather; all_reduce and
// reduce_scatter by max and min), and int8_gemm. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

// True where a collective adds, and its oracle is that of sums.
bool AddsOverRanks(const Values& values);

// Copies keep the sign of a zero; a maximum or minimum of both zeros may be either. A NaN of one
// rank makes the answer NaN, or is ignored.
void MeasureExchange(const Values& values, Evidence& evidence);

// Exact integers, without the range of the result: beyond 32 bits a declared policy decides.
void MeasureIntegerGemm(const Values& values, Evidence& evidence);

}  // namespace assay
