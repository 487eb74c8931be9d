// SPDX-License-Identifier: Apache-2.0
//
// Three-state calibration: every contract is measured on kernels with a known fault, on kernels
// that are right and on kernels that do nothing, and must tell them apart. A class (contract and
// operator family) that does not is unsound, and the report names the kernel. Deterministic: no
// clock, no other seed than the probes'.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/judge.h"
#include "contracts/operator.h"
#include "contracts/result.h"
#include "contracts/verdict.h"
#include "engine/backends/planted/table.h"
#include "engine/basic_tests.h"

namespace assay {

// One kernel under one contract.
struct CalibrationRow {
  std::string contract;  // "C-PRC-01"
  Family family = Family::kGemm;
  std::string kernel;  // "gemm_tf32_operands"
  PlantedState state = PlantedState::kGood;
  BasicCounts basic;
  int cases = 0;                              // of the contract's probes that the kernel took
  std::array<int, kOutcomeCount> outcomes{};  // by Outcome: verdicts of the contract's clauses
  double worst_ratio = 0;
  std::string first_violation;  // case line; empty if no case violates
  std::string complaint;        // why the kernel is not told apart; empty if it is

  int Count(Outcome outcome) const { return outcomes[static_cast<size_t>(outcome)]; }
};

// A contract on an operator family: what is sound or not.
struct CalibrationClass {
  std::string contract;
  Family family = Family::kGemm;
  bool sound = false;
  std::vector<std::string> complaints;  // one sentence each, with the kernel's name
  int equal_runs = 0;  // calls per case whose bits were compared; 0: the contract compares none
};

struct CalibrationReport {
  std::vector<CalibrationRow> rows;
  std::vector<CalibrationClass> classes;
  bool sound() const;
  // Whether verdicts of a contract on an operator family may count towards a grade. What was not
  // calibrated, or not soundly, may not: there the contract is under-specified.
  bool MayGrade(std::string_view contract, Family family) const;
  // Nothing is wrong but that some clause stayed inconclusive.
  bool only_inconclusive() const;
};

// Contract identifiers to calibrate; empty: all that have planted kernels.
struct CalibrationFilter {
  std::vector<std::string> contracts;
};

// A class is sound iff every baseline fails a tame test and violates, every bad kernel passes all
// tame tests and violates, every good one passes all of them, never violates and conforms at least
// once, and there is at least one baseline, one good and two bad kernels. Errors: an identifier
// that the suite does not have, a probe that does not exist, a suite without anything to calibrate.
// A violation is one of the row's contract; an output left unwritten violates every contract.
// Rows are measured on all cores at once, each on one; what comes out does not depend on how many.
Result<CalibrationReport> Calibrate(std::shared_ptr<const Suite> suite,
                                    const CalibrationFilter& filter = {});

// A table of rows grouped by class, then what is unsound. Ends with a newline.
std::string CalibrationText(const CalibrationReport& report);
// {"sound": bool, "classes": [...], "rows": [...]}
std::string CalibrationJson(const CalibrationReport& report);

}  // namespace assay
