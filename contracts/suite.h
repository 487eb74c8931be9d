// SPDX-License-Identifier: Apache-2.0
//
// A suite as loaded and as bound: what contracts/judge.h shows only by name. For the files that
// implement it and for tests of the language; nothing outside contracts/ includes it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/judge.h"
#include "contracts/language/ast.h"
#include "contracts/language/diagnostic.h"
#include "contracts/language/program.h"

namespace assay {

class Suite {
 public:
  std::vector<ContractAst> contracts;
  std::vector<ProfileAst> profiles;

  const ContractAst* FindContract(std::string_view id) const;
  const ProfileAst* FindProfile(std::string_view name) const;
};

// Name of a file, for messages, and its text.
struct SourceText {
  std::string path;
  std::string text;
};
Result<std::string> ReadSourceText(const std::string& path);
// Parses and checks files as one suite. Identifiers that none of them defines are looked up in
// `beside` (may be null). Diagnostics come in the order of the files; with `warn`, and where there
// is no error, warnings are among them.
Suite AssembleSuite(std::span<const SourceText> sources, const Suite* beside,
                    std::vector<Diagnostic>& diagnostics, bool warn = false);

// The files compiled into the program, in the order of their names.
std::span<const std::pair<std::string_view, std::string_view>> EmbeddedSources();

// Declaration keys, a bit each, that a clause reads for an operator: in its conditions, in the
// tolerance rules that it may take, and by what its relations mean.
uint32_t KeysRead(const Suite& suite, const ContractAst& contract, const ClauseAst& clause,
                  std::string_view op);

// A tolerance rule, for a declared or assumed subnormal policy.
struct BoundRule {
  std::optional<Program> when;
  // Of the contract the rule stands in: outside them it bounds nothing.
  std::vector<Program> preconditions;
  Program strict;
  // Where the subnormal policy is undeclared and matters: the bound if everything may be flushed.
  std::optional<Program> loose;
};

struct BoundClause {
  std::string_view contract, name;
  uint32_t relations = 0;  // bit per Relation
  std::optional<Program> when;
  std::vector<Program> preconditions;
  std::vector<BoundRule> rules;
  uint32_t force = 0;  // bit per DefectModel that is narrower than what is declared
  uint32_t due = 0;    // of `relations`, those that ask for nothing the backend has not promised
  bool promised() const { return relations == 0 || due != 0; }
  bool Has(Relation relation) const { return (relations >> static_cast<int>(relation) & 1) != 0; }
};

class BoundContracts {
 public:
  std::shared_ptr<const Suite> suite;  // owns the texts
  Binding binding;
  std::vector<BoundClause> clauses;
};

}  // namespace assay
