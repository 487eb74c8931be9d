// SPDX-License-Identifier: Apache-2.0
#include "fuzz/list_contracts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "contracts/effective.h"
#include "contracts/operator.h"
#include "fuzz/backend_info.h"
#include "fuzz/cli.h"
#include "fuzz/output.h"

namespace assay {
namespace {

using nlohmann::json;

int ListPlain(const Suite& suite, bool as_json) {
  json list = json::array();
  for (const ContractInfo& contract : ContractsOf(suite)) {
    std::vector<std::string> operators;
    for (const OpId op : contract.operators) operators.emplace_back(DefOf(op).name);
    if (!as_json) {
      Print("{}  {}\n          clauses {}; operators {}\n", contract.id, contract.title,
            fmt::join(contract.clauses, ", "), fmt::join(operators, ", "));
    }
    list.push_back({{"id", contract.id},
                    {"title", contract.title},
                    {"clauses", contract.clauses},
                    {"operators", operators},
                    {"file", contract.file}});
  }
  if (as_json) Print("{}\n", list.dump(1));
  return kExitOk;
}

json ToJson(const EffectiveClause& clause) {
  json policies = json::array();
  for (const EffectivePolicy& policy : clause.policies) {
    json entry = {{"key", policy.key}, {"declared", policy.declared()}};
    if (policy.declared()) {
      entry["value"] = policy.value;
      entry["profile"] = policy.profile;
      entry["source"] = policy.source;
    } else {
      entry["undeclared"] = policy.value;
    }
    policies.push_back(std::move(entry));
  }
  json value = {
      {"contract", clause.contract}, {"clause", clause.clause},       {"op", clause.op},
      {"type", clause.type},         {"relations", clause.relations}, {"policies", policies},
      {"applies", clause.applies()}};
  if (!clause.applies()) {
    value["relaxed_by"] = clause.relaxed_by;
    value["lets"] = clause.lets;
    value["source"] = clause.relaxed_source;
  }
  return value;
}

// A line under a clause, and for which operators and types it holds.
struct Remark {
  std::string text;
  std::vector<std::pair<std::string, std::vector<std::string>>> where;  // operator, types

  void Add(const EffectiveClause& clause) {
    if (where.empty() || where.back().first != clause.op) where.push_back({clause.op, {}});
    where.back().second.push_back(clause.type);
  }
  std::string Places() const {
    std::vector<std::string> places;
    for (const auto& [op, types] : where)
      places.push_back(op + " " + fmt::format("{}", fmt::join(types, "/")));
    return fmt::format("{}", fmt::join(places, ", "));
  }
};

class ClauseText {
 public:
  void Add(const EffectiveClause& clause) {
    relations_ = clause.relations;
    if (!clause.applies()) {
      Put(fmt::format("not applied: relaxed by {}, which lets \"{}\" (\"{}\")", clause.relaxed_by,
                      clause.lets, clause.relaxed_source),
          clause);
      return;
    }
    for (const EffectivePolicy& policy : clause.policies) {
      Put(policy.declared() ? fmt::format("{} {}  (profile {}: \"{}\")", policy.key, policy.value,
                                          policy.profile, policy.source)
                            : fmt::format("{} UNDECLARED: {}", policy.key, policy.value),
          clause);
    }
  }

  void Show(const std::string& name) const {
    Print("  {}: {}\n", name, fmt::join(relations_, ", "));
    for (const Remark& remark : remarks_)
      Print("    {}\n      for {}\n", remark.text, remark.Places());
  }

 private:
  void Put(std::string text, const EffectiveClause& clause) {
    auto found = std::ranges::find(remarks_, text, &Remark::text);
    if (found == remarks_.end()) found = remarks_.insert(found, {std::move(text), {}});
    found->Add(clause);
  }

  std::vector<std::string> relations_;
  std::vector<Remark> remarks_;
};

void ShowEffective(const std::vector<EffectiveClause>& clauses) {
  for (size_t i = 0; i < clauses.size();) {
    if (i == 0 || clauses[i].contract != clauses[i - 1].contract)
      Print("{}\n", clauses[i].contract);
    ClauseText text;
    const size_t first = i;
    for (; i < clauses.size() && clauses[i].contract == clauses[first].contract &&
           clauses[i].clause == clauses[first].clause;
         ++i) {
      text.Add(clauses[i]);
    }
    text.Show(clauses[first].clause);
  }
}

}  // namespace

int ListContracts(const ContractListing& listing) {
  const Status assumed = CheckAssume(listing.assume);
  if (!assumed.ok()) return Refuse(assumed.error());
  const Result<std::shared_ptr<const Suite>> suite = OpenSuite(listing.suite);
  if (!suite.ok()) return Refuse(suite.error());
  if (listing.backend.empty()) return ListPlain(*suite.value(), listing.json);
  const Result<std::vector<BackendInfo>> infos = QueryBackends({listing.backend});
  if (!infos.ok()) return Refuse(infos.error(), kExitEnvironment);
  const BackendInfo& info = infos.value().front();
  const Result<std::vector<EffectiveClause>> clauses =
      EffectiveContract(*suite.value(), info.profile, listing.assume);
  if (!clauses.ok()) return Refuse(clauses.error());
  if (listing.json) {
    json list = json::array();
    for (const EffectiveClause& clause : clauses.value()) list.push_back(ToJson(clause));
    Print("{}\n", json{{"backend", info.spec},
                       {"profile", info.profile},
                       {"assume", listing.assume},
                       {"clauses", list}}
                      .dump(1));
    return kExitOk;
  }
  Print("{}, profile {}{}{}\n", info.spec, info.profile.empty() ? "none" : info.profile,
        listing.assume.empty() ? "" : ", undeclared policies as ", listing.assume);
  ShowEffective(clauses.value());
  return kExitOk;
}

}  // namespace assay
