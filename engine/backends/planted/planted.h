// SPDX-License-Identifier: Apache-2.0
//
// Planted kernels: good, bad and baseline kernels with a known cause, as backends of the program
// itself. Reached through engine/backend.h only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/include/assay/backend.h"

namespace assay {

// A table that runs the named kernel, owned by the caller through its close(). Null, with a clause
// in `error` that names what there is, if no such kernel exists.
const AssayBackend* OpenPlanted(std::string_view kernel, std::string& error);

// Names that OpenPlanted takes, in a fixed order.
std::vector<std::string> PlantedKernels();

}  // namespace assay
