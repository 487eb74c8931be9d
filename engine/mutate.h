// SPDX-License-Identifier: Apache-2.0
//
// Typed mutation of cases: every step yields a checked case or says that nothing changed. Pure
// functions of their arguments and the seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contracts/case.h"
#include "contracts/judge.h"

namespace assay {

// What a campaign may generate: the operators asked for, the types their backends take, and the
// boundary values mined from the contracts.
struct MutationSpace {
  std::vector<OpId> ops;
  std::vector<std::vector<DType>> types;  // per entry of ops; empty: all the operator takes
  std::vector<Atom> atoms;
};

// One to a few typed changes of `value`. False: unchanged. All cases passed in must be checked
// ones.
bool Mutate(Case& value, const MutationSpace& space, uint64_t seed);
// Mixes two parents (of the same operator; otherwise takes fills, overrides and layouts where ranks
// agree). False: unchanged copy of `a`.
bool Crossover(const Case& a, const Case& b, Case& out, const MutationSpace& space, uint64_t seed);
// A new case out of nothing.
Case FreshCase(const MutationSpace& space, uint64_t seed);

}  // namespace assay
