// SPDX-License-Identifier: Apache-2.0
//
// One record of a finding and its JSON: record.json in a campaign and one element of
// `report --json`. Names no file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/result.h"

namespace assay {

// Texts of numbers carry their bits, so that nothing is lost to JSON.
struct FindingRecord {
  std::string signature;
  std::vector<std::string> raw_keys;
  std::string contract, clause, op, error, verdict;  // class = contract id
  std::vector<std::string> dtypes, layouts;          // per operand
  std::vector<int> size_residues;                    // dimensions mod 16
  std::string trigger;
  std::string backend_family, backend_spec, backend_version, backend_pins;
  double ratio = 0;  // +Inf is written as the text "inf"
  std::vector<int64_t> witness_index;
  std::string got, expected, bound;
  std::string case_line, minimized_line;
  std::string first_seen;  // "worker 0, quantum 3, case 1234": never a clock
  int64_t count = 0;       // filled from the counters when read
  int confirmed = 0, confirm_runs = 0;
  int64_t minimize_runs = 0;
  friend bool operator==(const FindingRecord&, const FindingRecord&) = default;
};

// Object with the members signature, facets {dtypes, layouts, size_residues, trigger,
// ratio_decade}, class, clause, operator, error, dtypes, backend {name, version, pins, spec},
// verdict, ratio, witness {index, got, expected, bound}, case, minimized_case, count, first_seen,
// raw_keys, confirmed, confirm_runs, minimize_runs. `pretty`: indented, several lines. Bytes that
// are no UTF-8 become U+FFFD.
std::string ToJson(const FindingRecord& record, bool pretty);
// One array of such objects.
std::string ToJson(const std::vector<FindingRecord>& records);
// Takes what ToJson writes; members it does not know are ignored. Error: no JSON, or a member that
// is missing or of the wrong type, named in `where`.
Result<FindingRecord> FindingFromJson(std::string_view json);

// floor(log10(ratio)) within [-99, 99]; 99 for infinity and NaN.
int RatioDecade(double ratio);
// "12.5 (bits 0x4029000000000000)", "inf".
std::string PrintRatio(double ratio);

}  // namespace assay
