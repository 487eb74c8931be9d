// SPDX-License-Identifier: Apache-2.0
//
// Records of a run turned into what is stored and shown. Pure functions of what they are given.
#pragma once

#include <string>
#include <string_view>

#include "contracts/case.h"
#include "engine/pipeline.h"
#include "fuzz/backend_info.h"
#include "triage/findings.h"
#include "triage/signature.h"

namespace assay {

// How a backend that did not come back is judged: the contract that every call ends, X-SAFE-01.
// `error` is kCrash or kTimeout, `detail` says how it ended.
Violation DeathOf(int backend, ErrorClass error, std::string detail);

// The texts of one clause verdict at its witness, "" where there is none. `place` and `bound` are
// never empty: the element ("[0,2]", "[]" for a scalar) or the operand and the access; the limit,
// or "none: " and what decides in its place.
struct WitnessText {
  std::vector<int64_t> index;
  std::string place, got, expected, bound;
};
WitnessText WitnessOf(const Record& record, const BackendOutcome& outcome,
                      const ClauseVerdict& clause);

// A finding's record as far as one run tells: everything but counts, confirmation and minimizing.
FindingRecord DescribeViolation(const Record& record, const Violation& violation,
                                const BackendInfo& backend);
// The same for a backend that died on a checked case.
FindingRecord DescribeDeath(const Case& value, const NamedDims& dims, const Violation& death,
                            const BackendInfo& backend);

// Calls, the first included, that gave the same bits, where the clause compares runs and found
// nothing wrong; 0 elsewhere.
int64_t EqualRunsOf(const Observation& observation, const ClauseVerdict& clause);

BackendInfo InfoOf(const Backend& backend);

}  // namespace assay
