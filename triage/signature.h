// SPDX-License-Identifier: Apache-2.0
//
// One cause, one key: [a-z0-9_], at most 60 characters, words from closed vocabularies, no shapes
// and no values. Facets say the rest and belong to the record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/case.h"
#include "contracts/verdict.h"
#include "engine/pipeline.h"

namespace assay {

// A violation in a record: one backend, its worst clause. At most one per backend and case: guard
// and input damage first, then unwritten output, special classes, policies, values.
struct Violation {
  int backend = 0;  // index into the session's backends
  ClauseVerdict clause;
  GuardHit guard;             // with a guard error
  std::string status_detail;  // with crash, timeout, failure
};
std::vector<Violation> ViolationsOf(const Record& record);

// "<class>_<clause>_<operator>_<error>[_<operand>]_<backend family>[_<trigger>]", for example
// "exc01_special_gemm_nan_appears_openblas_alpha_zero". The trigger is read off the case by
// toggling nothing: it is one word of {alpha_zero, beta_zero, empty, nan, inf, subnormal,
// out_of_bounds, stride, huge, tiny, plain ...}, the first that applies in a fixed order. On an
// unminimized case it is a guess, so raw keys are finer than final ones.
std::string KeyOf(const Case& value, const NamedDims& dims, const Violation& violation,
                  std::string_view backend_family);

struct Facets {
  std::vector<std::string> dtypes;  // per operand
  std::vector<std::string>
      layouts;  // per operand: contiguous | strided | transposed | zero | negative
  std::vector<int> size_residues;  // dimensions mod 16
  std::string pins;
  int ratio_decade = 0;
};
Facets FacetsOf(const Case& value, const NamedDims& dims, const Violation& violation,
                std::string_view pins);

}  // namespace assay
