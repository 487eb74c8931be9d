// SPDX-License-Identifier: Apache-2.0
//
// The regression corpus: faults that were reported in public, each as case lines that show it on
// the versions that have it, and the reported ones that no case line can express, each with its
// reason. The two lists fix what "found again" is counted against.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/case.h"
#include "contracts/result.h"
#include "triage/finding_record.h"

namespace assay {

// kViolation: a written rule is broken. kDivergence: no rule is written, so that libraries differ
// and none is wrong. kControl: reported, and right.
enum class FaultKind { kViolation, kDivergence, kControl };

struct KnownFault {
  std::string report;                 // address of the public report
  std::string library;                // backend family as `assay list backends` prints it
  std::vector<std::string> versions;  // as the backend reports them, that show the fault
  std::string what;                   // one sentence
  FaultKind kind = FaultKind::kViolation;
  // Keys that this cause gives: the first is that of the first case. Empty unless kViolation.
  std::vector<std::string> signatures;
  std::vector<CaseLine> cases;  // each with its backend
};

// Why a reported fault is no case line. The set is closed.
//   not_packaged   the library is none of the distribution's packages
//   not_callable   the library has no C or C++ interface to call
//   no_operator    the suite has no such operator
//   no_axis        the operator has no such axis, mode or side effect to vary
//   too_large      it takes more elements than a case may have
//   no_version     the packaged version does not have the fault
//   not_a_call     a property of a compiler or of loading, not of a call's result
struct InexpressibleFault {
  std::string report, library, what, reason;
};
bool IsReason(std::string_view word);

struct Regression {
  std::vector<KnownFault> faults;
  std::vector<InexpressibleFault> inexpressible;
};

// Error: no TOML, a member that is missing or not of this set, or a line that is no case; `where`
// names the file and the fault.
Result<Regression> ParseRegression(const std::string& name, std::string_view toml);

// Which faults a campaign's findings show: those of kind kViolation, in the order of the corpus;
// `found` is the finding of one of its signatures, or null. Points into the arguments.
struct Rediscovery {
  const KnownFault* fault = nullptr;
  const FindingRecord* found = nullptr;
};
std::vector<Rediscovery> Rediscover(const Regression& regression,
                                    const std::vector<FindingRecord>& findings);
// One line per fault, then the share; `json`: an array of {report, library, found, signature,
// first_seen}.
std::string RediscoveryText(const std::vector<Rediscovery>& rows);
std::string RediscoveryJson(const std::vector<Rediscovery>& rows);

}  // namespace assay
