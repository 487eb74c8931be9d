// SPDX-License-Identifier: Apache-2.0
//
// Which kernels of OpenBLAS and BLIS this CPU can run: both libraries take the name asked for at
// its word and die of an illegal instruction otherwise.
#pragma once

#include <string_view>

#include "contracts/result.h"

namespace assay {

// Ok, or why not, naming what would do. `library` is "OpenBLAS" or "BLIS"; `target` is a name of
// theirs.
Status CheckTarget(std::string_view library, std::string_view target);

}  // namespace assay
