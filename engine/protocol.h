// SPDX-License-Identifier: Apache-2.0
//
// Measurement protocols made into cases: the sweeps, injections and enumerations of a contract,
// each applied to cases of its probes and to one ordinary case, one value at a time. Knows
// operators through their table only, and no backend.
#pragma once

#include <span>
#include <vector>

#include "contracts/case.h"
#include "contracts/measurement.h"
#include "engine/probe.h"

namespace assay {

// The cases that the protocol asks of an operator, in the order of its lines; empty if no line
// speaks of the operator. All are checked; a value that the operator does not take in some base
// case gives none there. `type` is that of the first operand. Probes that do not apply are passed
// over.
std::vector<Case> ProtocolCases(const Measurement& measurement, std::span<const Probe> probes,
                                OpId op, DType type);

}  // namespace assay
