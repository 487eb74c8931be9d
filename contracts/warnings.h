// SPDX-License-Identifier: Apache-2.0
//
// What is allowed in a contract or profile and yet says nothing: names that nothing reads, rules
// that are never taken. Part of the checking of files; a suite that is loaded is not warned about.
#pragma once

#include "contracts/language/ast.h"
#include "contracts/language/diagnostic.h"
#include "contracts/suite.h"

namespace assay {

// `suite` holds the file, `beside` (may be null) what it may refer to. REQUIRES files without
// errors.
void WarnOfUnused(const Suite& suite, const Suite* beside, const SourceFile& file,
                  DiagnosticSink& sink);

}  // namespace assay
