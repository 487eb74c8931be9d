// SPDX-License-Identifier: Apache-2.0
//
// Special answers of sums of complex products. Internal to oracles/.
#pragma once

#include <cstdint>

#include "contracts/evidence.h"
#include "oracles/complex.h"

namespace assay {

// The classes of answer `index` where some term is not finite: by the written formula
// (ac - bd) + (ad + bc) i, alpha applied to the sum or to a factor, or where a product has an
// infinite factor and comes out NaN in both parts by the recovery of C23, Annex G. A scalar without
// an imaginary part may be taken as a real one, which Annex G multiplies part by part, and one that
// is 1 may be left out. Scalars of a matrix product that are no numbers claim nothing.
void StoreSpecialAnswer(const ComplexTerms& terms, int64_t index, Evidence& evidence);

// Without products: what beta leaves of c.
void StoreScaledAddend(const ComplexTerms& terms, int64_t index, Evidence& evidence);

}  // namespace assay
