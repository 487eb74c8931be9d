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
// number of overrides, layout complexity, attribute complexity, fill complexity, bits of values.
// Total preorder without infinite descent.
bool SimplerThan(const Case& a, const Case& b);

struct MinimizeResult {
  Case value;
  int64_t runs = 0;  // predicate calls
  int64_t accepted = 0;
  bool exhausted = false;  // the run budget ended it before the fixpoint
};

using StillFails = std::function<bool(const Case&)>;
// REQUIRES still_fails(start).
MinimizeResult Minimize(const Case& start, const StillFails& still_fails, int64_t max_runs = 2000);

}  // namespace assay
