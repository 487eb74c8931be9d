// SPDX-License-Identifier: Apache-2.0
//
// The relations that look at output elements: values against the tolerance, classes against the
// table, and force. Part of the judge; included by its files only.
#pragma once

#include "contracts/decide.h"
#include "contracts/suite.h"

namespace assay {

struct JudgeScratch::Impl {
  ProgramScratch program;
  std::vector<double> strict, loose;  // E of every element
  // What `strict` was computed from: backends that declare the same share their bound, and E with
  // it.
  const BoundRule* strict_rule = nullptr;
  uint64_t strict_measurement = 0;
};

// One case under judgement, for all clauses.
struct Trial {
  const BoundContracts& contracts;
  const Values& values;
  const Evidence& evidence;
  const Observation& observation;
  ForceSource& force;
  int force_budget;
  JudgeScratch::Impl& scratch;
  Inputs inputs;
};

// Both REQUIRE observation.status == kOk and fill outcome, error, ratio, witness, bound, reason,
// force.
void JudgeValues(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict);
void JudgeClasses(const Trial& trial, const BoundClause& clause, ClauseVerdict& verdict);

// The rule that applies to the case; nullptr and a reason where none can be evaluated.
const BoundRule* RuleFor(const Trial& trial, const BoundClause& clause, std::string_view& reason);

}  // namespace assay
