// SPDX-License-Identifier: Apache-2.0
//
// What the detection benchmark hunts: every planted kernel that has a fault, with the cases that it
// takes. Must not depend on how cases are made.
#pragma once

#include <string>
#include <vector>

#include "contracts/result.h"
#include "engine/mutate.h"

namespace assay {

struct Quarry {
  std::string name;       // "gemm_tf32_operands"
  std::string spec;       // opens it
  std::string contracts;  // that its fault breaks, one blank apart; "": any
  std::string family;
  std::string state;    // "bad", which tame tests do not show, or "baseline", which they do
  MutationSpace space;  // its operators and types, and the suite's boundary values
};

// All of them in the order of the table; the kernel with faults behind branches comes last, under
// its own name and as `planted_branch_blind`, the same code without instrumentation.
std::vector<Quarry> AllQuarries();
// Those with the given names; an Error for a name that there is not.
Result<std::vector<Quarry>> ChooseQuarries(const std::vector<std::string>& names);

}  // namespace assay
