// SPDX-License-Identifier: Apache-2.0
//
// A campaign's cases as one text file that people and other tools read, with an index beside it.
// The format is that of corpora/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/case.h"
#include "contracts/result.h"
#include "triage/findings.h"

namespace assay {

struct ExportCounts {
  int64_t findings = 0;    // lines that came from findings: the case and the minimized one
  int64_t seeds = 0;       // lines that came from corpus entries
  int64_t duplicates = 0;  // left out: the same line is there already
  int64_t rejected = 0;    // corpus entries that are no case
};

// Writes `path` (one case a line) and `path`.index.jsonl, both durably; the order is findings by
// key, then corpus entries by name. The same campaign gives the same bytes. Error: a record that
// cannot be read, or a path that cannot be written.
Result<ExportCounts> ExportCorpus(const CampaignDir& campaign, const std::string& path);

struct CorpusLine {
  int64_t number = 0;  // in the file, from 1
  CaseLine line;
};
// The cases of a text of lines: blank ones and those that begin with '#' are skipped. Error: where
// = "<name>:<line>: column N" of the first line that is no case.
Result<std::vector<CorpusLine>> ParseCorpus(const std::string& name, std::string_view text);

}  // namespace assay
