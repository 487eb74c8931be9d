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
// and input damage first, then calls that did not end well, unwritten output, special classes,
// policies, values; among equals the larger ratio, then the earlier clause.
struct Violation {
  int backend = 0;  // index into the session's backends
  ClauseVerdict clause;
  GuardHit guard;             // with a guard error; its operand also with inputs_changed
  std::string status_detail;  // with crash, timeout, failure
};
// In the order of the record's outcomes.
std::vector<Violation> ViolationsOf(const Record& record);

// What about the case the key ends with: the first that applies, in this order.
//   empty       a dimension is 0                      alpha_zero  there is an alpha, and it is 0
//   beta_zero   a beta of 0 whose destination holds a NaN or an Inf
//   outside     an index outside
//   by_zero     an integer is divided by zero         beyond      the lowest integer by -1
//   nan, inf    an input (or a real attribute) is     subnormal   likewise
//   huge, tiny  |input| whose square overflows, or falls below the normal range
//   tail        gelu, silu, mish left of -2, where the answer is far smaller than the input
//   stride      an operand is not dense row-major     plain       nothing of these
// Only those that can matter to the error are looked at: shape, layout and indices for calls that
// end badly, for output that is not written and for policies; no trigger for damage to memory,
// where the operand says more. Of the values, those that the witness depends on are looked at; the
// others if these are plain. It toggles nothing: on an unminimized case it is a guess, so raw keys
// are finer than final ones.
std::string_view TriggerOf(const Case& value, const NamedDims& dims, const Violation& violation);

// "<class>_<clause>_<operator>_<error>[_<operand>]_<backend family>[_<trigger>]", for example
// "exc01_special_gemm_nan_appears_openblas_alpha_zero". Words that come from outside (class,
// clause, family) and are too long for the whole to stay within 60 characters are abbreviated: a
// prefix and four letters of a hash; long names of operators then lose their vowels. REQUIRES a
// checked case with these dims.
std::string KeyOf(const Case& value, const NamedDims& dims, const Violation& violation,
                  std::string_view backend_family);
inline constexpr size_t kMaxKeyLength = 60;

struct Facets {
  std::vector<std::string> dtypes;   // per operand
  std::vector<std::string> layouts;  // per operand: contiguous|strided|transposed|zero|negative
  std::vector<int> size_residues;    // dimensions mod 16
  std::string trigger;               // of TriggerOf
  std::string pins;
  int ratio_decade = 0;  // RatioDecade of triage/finding_record.h
};
Facets FacetsOf(const Case& value, const NamedDims& dims, const Violation& violation,
                std::string_view pins);

}  // namespace assay
