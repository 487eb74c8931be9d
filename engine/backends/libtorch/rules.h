// SPDX-License-Identifier: Apache-2.0
//
// Which calls libtorch takes, said without the library: asked for every case, in the process that
// decides what runs, while the library itself lives in another. Dependent on the C table alone.
#pragma once

#include <string>
#include <string_view>

#include "engine/include/assay/backend.h"

namespace assay::libtorch {

// Empty, or why this call cannot be made.
std::string_view RefusalOf(const AssayCall& call);

// How a pin names what the library calls its CPU capability: "default", "avx2" or "avx512".
std::string IsaFromReport(std::string_view reported);

}  // namespace assay::libtorch
