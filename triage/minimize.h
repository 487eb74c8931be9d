// SPDX-License-Identifier: Apache-2.0
//
// A deterministic typed minimizer: named passes to a fixpoint in one well-founded order on cases.
// It never runs anything itself: the predicate is injected. Idempotent; every accepted step keeps
// the signature (the predicate's business) and is strictly simpler by SimplerThan.
#pragma once

#include <cstdint>
#include <functional>

#include "contracts/case.h"

namespace assay {

// The order, first difference decides: number of terms (product of dimensions), sum of dimensions,
// layout, attributes other than their defaults, types, fills (zero, constant, then generators),
// number of overrides, plainness of values, positions of overrides, seeds. Fills come before
// overrides because explicit values say more than a generator's seed. Each is a natural number: a
// strict weak order without infinite descent. REQUIRES checked cases.
bool SimplerThan(const Case& a, const Case& b);

struct MinimizeResult {
  Case value;
  int64_t runs = 0;  // predicate calls
  int64_t accepted = 0;
  bool exhausted = false;  // the run budget ended it before the fixpoint
};

using StillFails = std::function<bool(const Case&)>;
// REQUIRES still_fails(start) and a checked start. The predicate is called with checked cases only,
// at most max_runs times, never twice with one case. When not exhausted, the result is locally
// minimal, so that minimizing it again changes nothing.
MinimizeResult Minimize(const Case& start, const StillFails& still_fails, int64_t max_runs = 2000);

// The audit: no single step of any pass leads to a simpler case that still fails.
bool IsLocallyMinimal(const Case& value, const StillFails& still_fails);

}  // namespace assay
