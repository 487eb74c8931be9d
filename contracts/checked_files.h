// SPDX-License-Identifier: Apache-2.0
//
// Contract and profile files as they are checked: their diagnostics and, where there are no errors,
// what whoever can generate and measure needs to look further: the suite, and where clauses and
// probes stand in the text. What is found there is reported as one more Diagnostic.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contracts/judge.h"

namespace assay {

// A place in a file that a later complaint can point to: a Diagnostic without a message.
struct ClausePlace {
  std::string contract, clause;
  std::vector<OpId> operators;  // that the clause speaks of
  Diagnostic place;
};
struct ProbePlace {
  std::string contract, probe;
  Diagnostic place;
};

struct CheckedFiles {
  std::vector<Diagnostic> diagnostics;
  bool good = false;                   // no errors, perhaps warnings
  std::shared_ptr<const Suite> suite;  // of the files and of what is built in; null unless good
  std::vector<ClausePlace> clauses;    // of the files' contracts
  std::vector<ProbePlace> probes;
};

// Files are checked against each other and, for names that none of them defines, against the
// built-in suite. A file that cannot be read is a diagnostic too.
CheckedFiles ReadAndCheck(std::span<const std::string> paths);

}  // namespace assay
