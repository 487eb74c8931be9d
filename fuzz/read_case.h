// SPDX-License-Identifier: Apache-2.0
//
// A case as people hand it over: a line, a file that holds a line, or a raw fuzzer input.
#pragma once

#include <string>
#include <vector>

#include "contracts/case.h"
#include "contracts/result.h"
#include "fuzz/cli.h"
#include "fuzz/serve.h"

namespace assay {

// `argument` is the name of a file if there is one of that name, otherwise a line. Errors name the
// place within the line, and what would be right.
Result<CaseLine> ReadCase(const std::string& argument);

// The options that `repro` and `minimize` share.
struct CaseOptions {
  std::string input, suite, assume, hang_limit = "2s";
  std::vector<std::string> backends;
};
void AddCaseOptions(CLI::App& command, CaseOptions& options);

// What they come to, checked as far as no library is needed.
struct CaseRequest {
  CaseLine line;
  ServeOptions serve;  // with the backends asked for, or else those of the line
};
Result<CaseRequest> CheckCaseOptions(const CaseOptions& options);

}  // namespace assay
