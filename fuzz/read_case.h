// SPDX-License-Identifier: Apache-2.0
//
// A case as people hand it over: a line, a file that holds a line, or a raw fuzzer input.
#pragma once

#include <string>

#include "contracts/case.h"
#include "contracts/result.h"

namespace assay {

// `argument` is the name of a file if there is one of that name, otherwise a line. Errors name the
// place within the line, and what would be right.
Result<CaseLine> ReadCase(const std::string& argument);

}  // namespace assay
