// SPDX-License-Identifier: Apache-2.0
//
// The effective contract of a backend: every clause of a suite with the backend's profile applied.
// What an auditor reads: which policies a clause stands on, where each is promised, which are
// missing, and which clauses a documented relaxation lifts. Judges nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contracts/judge.h"

namespace assay {

// One declaration that a clause reads.
struct EffectivePolicy {
  std::string key;
  std::string value;            // as declared; or what holds where nothing is declared
  std::string profile, source;  // empty: undeclared
  bool declared() const { return !profile.empty(); }
  friend bool operator==(const EffectivePolicy&, const EffectivePolicy&) = default;
};

// A clause for one operator and the type of its first operand.
struct EffectiveClause {
  std::string contract, clause, op, type;
  std::vector<std::string> relations;     // as written
  std::vector<EffectivePolicy> policies;  // in the order of the keys
  // Where a relaxation lifts the clause: its name, what it lets through and where it is documented.
  std::string relaxed_by, lets, relaxed_source;
  bool applies() const { return relaxed_by.empty(); }
};

// All clauses in the order of the suite, by operator and type within a clause. Errors: no such
// profile. An empty profile declares nothing; `assume` fills in as in DeclaredBy.
Result<std::vector<EffectiveClause>> EffectiveContract(const Suite& suite, std::string_view profile,
                                                       std::string_view assume);

}  // namespace assay
