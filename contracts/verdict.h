// SPDX-License-Identifier: Apache-2.0
//
// The closed sets a judgement is expressed in. Nothing decays into "pass".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/dtype.h"
#include "contracts/observation.h"

namespace assay {

enum class Outcome : uint8_t {
  kConforming = 0,
  kViolating,
  kUnderSpecified,
  kInconclusive,
  kVacuous,
  kRejected,
  kUnsupported,
  kCrashed,
  kTimedOut,
  kNotTested,
};
inline constexpr int kOutcomeCount = 10;
std::string_view NameOf(Outcome outcome);  // "conforming", "violating", "under_specified", ...

// What went wrong, as one word of a signature. Closed vocabulary, [a-z0-9_]; append only.
enum class ErrorClass : uint8_t {
  kNone = 0,
  kValue,        // finite answer outside the bound            "value"
  kZeroed,       // 0 where the truth is not                   "zeroed"
  kNanAppears,   // NaN from nothing                           "nan_appears"
  kNanLost,      // NaN expected, something else               "nan_lost"
  kInfAppears,   // Inf where finite (or another class) is due "inf_appears"
  kInfLost,      //                                            "inf_lost"
  kZeroSign,     //                                            "zero_sign"
  kUnwritten,    // output element left as it was              "unwritten"
  kPrefillRead,  // old output content reaches the answer      "prefill_read"
  kPolicy,       // no declared index policy matches           "policy"
  kReadBefore,
  kReadAfter,
  kReadGap,
  kWriteBefore,
  kWriteAfter,
  kWriteGap,          // "read_after", ...
  kInputsChanged,     //                                            "inputs_changed"
  kRaisedUndeclared,  // a declared rejection where none is due     "raised"
  kCrash,             //                                            "crash"
  kTimeout,           //                                            "timeout"
  kFailure,           // the backend reports an internal failure    "failure"
  kEnvironment,       // FP control words changed                   "environment"
  kChoice,            // an index that no rule gives                "choice"
  kRunsDiffer,        // runs of one call disagree                  "runs_differ"
  kSchedulesDiffer,   //                                            "sched_differ"
  kBatchDiffers,      // a row depends on its neighbours            "batch_differs"
  kThreadsDiffer,     //                                            "threads_differ"
  kAlignmentDiffers,  //                                            "align_differs"
  kRanksDiffer,       //                                            "ranks_differ"
  kScalesDiffer,      //                                            "scales_differ"
  kOverflowHidden,    // finite where an intermediate overflowed    "overflow_lost"
};
std::string_view NameOf(ErrorClass error);

// The judgement of one clause of one contract on one observation.
struct ClauseVerdict {
  std::string_view contract;  // "C-PRC-01"; owned by the suite
  std::string_view clause;    // "values"
  Outcome outcome = Outcome::kNotTested;
  ErrorClass error = ErrorClass::kNone;
  double ratio = 0;          // worst distance to bound; NaN is stored as +Inf
  int64_t witness = -1;      // output element with the worst ratio or the wrong class
  double bound = 0;          // E of the witness; NaN where the clause has no number
  std::string_view reason;   // for under_specified, vacuous, rejected: a fixed text
  uint32_t force = 0;        // bit per DefectModel against which some element had force
  uint32_t force_tried = 0;  // bit per DefectModel that was tried
};

struct Verdict {
  std::vector<ClauseVerdict> clauses;
  void clear() { clauses.clear(); }
};

}  // namespace assay
