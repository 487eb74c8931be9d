// SPDX-License-Identifier: Apache-2.0
//
// Plain loops that keep the precisions they declare: f64 and f32 in their own type, 16-bit types in
// f32 with one rounding at the end. Every operator, any strides. Depends on libm and contracts
// only.
#pragma once

#include <string>

#include "engine/include/assay/backend.h"

namespace assay {

// Never fails; the table is one static object without state, so that close() has nothing to do.
const AssayBackend* OpenReference();

}  // namespace assay
