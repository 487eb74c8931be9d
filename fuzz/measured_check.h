// SPDX-License-Identifier: Apache-2.0
//
// The part of `assay check` that takes more than the text: probes that do not exist, preconditions
// that no generated case meets, clauses that no calibration kernel can violate. Runs our own
// reference kernels in this process, and no library.
#pragma once

#include <vector>

#include "contracts/checked_files.h"

namespace assay {

// What is found, in the order of the text. REQUIRES files.good. Deterministic.
std::vector<Diagnostic> MeasuredDiagnostics(const CheckedFiles& files);

}  // namespace assay
