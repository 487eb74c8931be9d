// SPDX-License-Identifier: Apache-2.0
//
// Elementary and special functions of one number by Arb, one row of a table each. Private to
// number/: Arb's types appear here.
#pragma once

#include <arb.h>

#include "oracles/number/ball.h"

namespace assay {

// y = f(x), computed with `bits`. REQUIRES x exact, inside the domain and not a point of
// SaturatedElementary; f of ball.h from kSin on.
void ApplyElementary(Function function, arb_t y, const arb_t x, slong bits);

// Answers that no finite precision improves: exact ones, and those that are a double but for less
// than the smallest one. False if there is one to compute.
bool SaturatedElementary(Function function, double x, Enclosure& result);

}  // namespace assay
