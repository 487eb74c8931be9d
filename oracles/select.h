// SPDX-License-Identifier: Apache-2.0
//
// max, min, argmax, amax and max_pool: exact answers, and for places the set of right ones.
// Internal to oracles/.
#pragma once

#include <cstdint>
#include <optional>

#include "contracts/evidence.h"
#include "contracts/profile.h"
#include "contracts/values.h"

namespace assay {

// max, min: an element, or the class of one; zeros of both signs leave a choice, and so does an
// empty x (-Inf for max, +Inf for min where nothing is raised). argmax, amax: Evidence::choice.
void MeasureSelect(const Values& values, Evidence& evidence);
// The maximum of every window; padding is no element of it.
void MeasureMaxPool(const Values& values, Evidence& evidence);

// Whether index `got` is right for output `element` of argmax or amax. Without a NaN: the first
// place of the maximum (of the largest magnitude), +0 and -0 tie. With one: the first NaN, or where
// the loop of reference BLAS ends, in which a NaN counts only in first place; either without a
// declaration. An empty x has no right answer and every one is.
bool LegalChoiceOf(const Values& values, int64_t element, int64_t got,
                   std::optional<NanPlace> place);

}  // namespace assay
