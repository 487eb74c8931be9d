// SPDX-License-Identifier: Apache-2.0
#include "fuzz/serve_json.h"

#include <cmath>

#include "engine/equal_runs.h"
#include "fuzz/describe.h"

namespace assay {
namespace {

using nlohmann::json;

// JSON has no infinities.
json RatioToJson(double ratio) {
  return std::isfinite(ratio) ? json(ratio) : json(std::isnan(ratio) ? "nan" : "inf");
}

double RatioFromJson(const json& value) {
  if (value.is_number()) return value;
  return value == "nan" ? std::nan("") : HUGE_VAL;
}

json ClauseToJson(const Record& record, const BackendOutcome& outcome,
                  const ClauseVerdict& clause) {
  const WitnessText text = WitnessOf(record, outcome, clause);
  json value{{"contract", clause.contract},
             {"clause", clause.clause},
             {"outcome", NameOf(clause.outcome)},
             {"error", NameOf(clause.error)},
             {"reason", clause.reason},
             {"ratio", RatioToJson(clause.ratio)},
             {"witness", text.place},
             {"got", text.got},
             {"expected", text.expected},
             {"bound", text.bound}};
  const int64_t runs = EqualRunsOf(outcome.observation, clause);
  if (runs > 1) {
    value["equal_runs"] = runs;
    value["unseen_probability"] = LargestUnseenProbability(runs);
  }
  return value;
}

ServedClause ClauseFromJson(const json& value) {
  ServedClause clause;
  clause.contract = value.at("contract");
  clause.clause = value.at("clause");
  clause.outcome = value.at("outcome");
  clause.error = value.at("error");
  clause.reason = value.at("reason");
  clause.equal_runs = value.value("equal_runs", 0);
  clause.ratio = RatioFromJson(value.at("ratio"));
  clause.witness = value.at("witness");
  clause.got = value.at("got");
  clause.expected = value.at("expected");
  clause.bound = value.at("bound");
  return clause;
}

json BackendToJson(const Record& record, const BackendOutcome& outcome) {
  json clauses = json::array();
  for (const ClauseVerdict& clause : outcome.verdict.clauses) {
    clauses.push_back(ClauseToJson(record, outcome, clause));
  }
  return {{"index", outcome.backend},
          {"status", NameOf(outcome.observation.status)},
          {"detail", outcome.observation.detail},
          {"clauses", std::move(clauses)}};
}

}  // namespace

json ToJson(const BackendInfo& info) {
  return {{"spec", info.spec}, {"family", info.family},   {"version", info.version},
          {"pins", info.pins}, {"profile", info.profile}, {"reason", info.reason}};
}

BackendInfo InfoFromJson(const json& value) {
  return {value.at("spec"), value.at("family"),  value.at("version"),
          value.at("pins"), value.at("profile"), value.at("reason")};
}

json ToJson(const Record& record, const std::vector<BackendInfo>& infos, bool full) {
  json answer{{"reject", record.reject == Reject::kNone ? "" : NameOf(record.reject)},
              {"unsupported", record.unsupported},
              {"divergent", record.divergent},
              {"backends", json::array()},
              {"violations", json::array()}};
  if (record.reject != Reject::kNone) return answer;
  for (const Violation& violation : ViolationsOf(record)) {
    const BackendInfo& info = infos[static_cast<size_t>(violation.backend)];
    answer["violations"].push_back(
        json::parse(ToJson(DescribeViolation(record, violation, info), false)));
  }
  for (size_t i = 0; full && i < record.outcomes.size(); ++i) {
    answer["backends"].push_back(BackendToJson(record, record.outcomes[i]));
  }
  return answer;
}

Served ServedFromJson(const json& value, const std::vector<BackendInfo>& infos) {
  Served served;
  served.reject = value.at("reject");
  served.unsupported = value.at("unsupported");
  served.divergent = value.at("divergent");
  for (const json& entry : value.at("backends")) {
    ServedBackend backend;
    backend.backend = infos.at(entry.at("index").get<size_t>());
    backend.status = entry.at("status");
    backend.detail = entry.at("detail");
    for (const json& clause : entry.at("clauses")) {
      backend.clauses.push_back(ClauseFromJson(clause));
    }
    served.backends.push_back(std::move(backend));
  }
  for (const json& entry : value.at("violations")) {
    Result<FindingRecord> finding = FindingFromJson(entry.dump());
    ASSAY_CHECK(finding.ok(), "a child's finding reads back");
    served.violations.push_back(std::move(finding).value());
  }
  return served;
}

std::string Line(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace assay
