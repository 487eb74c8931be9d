// SPDX-License-Identifier: Apache-2.0
//
// Findings as people and programs read them: a table with one case line per finding and what the
// campaign did besides, or a JSON array. Pure functions of what they are given, but for
// WantsColour.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "triage/finding_record.h"

namespace assay {

// What a campaign did besides finding, as texts ready to be shown. What is empty or zero is left
// out.
struct CampaignSummary {
  int64_t cases = 0;
  int64_t rejected = 0;                                   // inputs that are no case
  int64_t divergent = 0;                                  // cases on which backends differ in bits
  std::vector<std::pair<std::string, int64_t>> verdicts;  // clause verdicts per outcome
  std::vector<std::pair<std::string, std::string>> unsupported;  // backend, reason
  int equal_runs = 0;  // least that a verdict on equal bits rests on; 0: there is no such verdict
  std::vector<std::string> muted;  // "blis gemm c after: 1234 hits": given slack for a guard
};

struct ReportInput {
  std::string directory;
  std::vector<FindingRecord> findings;     // sorted by signature
  std::vector<FindingRecord> unconfirmed;  // a fresh process did not repeat them
  int64_t pending = 0;                     // recorded, not yet confirmed
  CampaignSummary summary;
};

struct TextStyle {
  int width = 120;      // columns; a row that needs more puts the key on a line of its own
  bool colour = false;  // ANSI bold
};

// Case lines are never broken: they are there to be pasted.
std::string ReportText(const ReportInput& input, const TextStyle& style);
// The array of `report --json`: ToJson of the findings, newline at the end.
std::string ReportJson(const ReportInput& input);

// Findings of one operator on one backend that one cause may be behind: they break the same clause,
// or their minimized cases differ in nothing but values. Groups of two and more signatures, in the
// order of the findings.
std::vector<std::vector<std::string>> MayShareACause(const std::vector<FindingRecord>& findings);

// A terminal, and NO_COLOR is unset or empty.
bool WantsColour(int fd);

}  // namespace assay
