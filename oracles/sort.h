// SPDX-License-Identifier: Apache-2.0
//
// sort, topk and topk_indices: exact answers, and for indices the set of right ones. Internal to
// oracles/.
#pragma once

#include <cstdint>
#include <span>

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

// Element j of a row: its j-th in order. NaN stands where the attribute puts it; zeros of both
// signs tie, so that any of the row's zeros may stand where one is due. topk_indices:
// Evidence::choice.
void MeasureSort(const Values& values, Evidence& evidence);

// Whether index `got` is right for output `element` of topk_indices, behind the indices of the
// elements `before` it: it names an element that equals the one due there, and one that its row has
// not named yet. Which of equal elements comes first is left open.
bool LegalTopkIndex(const Values& values, int64_t element, int64_t got,
                    std::span<const int64_t> before);

}  // namespace assay
