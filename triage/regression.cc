// SPDX-License-Identifier: Apache-2.0
#define TOML_EXCEPTIONS 0
#include "triage/regression.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace assay {
namespace {

constexpr std::array<std::string_view, 7> kReasons = {"not_packaged", "not_callable", "no_operator",
                                                      "no_axis",      "too_large",    "no_version",
                                                      "not_a_call"};
constexpr std::array<std::pair<std::string_view, FaultKind>, 3> kKinds = {
    {{"violation", FaultKind::kViolation},
     {"divergence", FaultKind::kDivergence},
     {"control", FaultKind::kControl}}};

// Members of one table of the file; remembers the first thing that is wrong.
class Members {
 public:
  Members(const std::string& name, const toml::table& table)
      : where_(fmt::format("{}:{}", name, table.source().begin.line)), table_(table) {}

  std::string Text(std::string_view key) {
    const std::optional<std::string> text = table_[key].value_exact<std::string>();
    if (!text || text->empty()) Fail(key, "is no text");
    return text.value_or("");
  }

  std::vector<std::string> Texts(std::string_view key) {
    std::vector<std::string> texts;
    const toml::array* list = table_[key].as_array();
    if (list == nullptr || list->empty()) Fail(key, "is no list of texts");
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::optional<std::string> text = list->get(i)->value_exact<std::string>();
      if (!text || text->empty()) Fail(key, "holds something that is no text");
      texts.push_back(text.value_or(""));
    }
    return texts;
  }

  // No member may stand unread: a misspelled one would silently count as absent.
  void AllowOnly(std::initializer_list<std::string_view> keys) {
    for (const auto& [key, value] : table_) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        Fail(key.str(), "is unknown");
    }
  }

  void Fail(std::string_view key, std::string_view what) {
    if (error_) return;
    error_ = Error{where_, fmt::format("'{}' {}", key, what), "a table as in corpora/README.md"};
  }
  void Fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  bool Has(std::string_view key) const { return table_.contains(key); }
  const std::string& where() const { return where_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  const std::string where_;
  const toml::table& table_;
  std::optional<Error> error_;
};

FaultKind KindOf(Members& members) {
  if (!members.Has("kind")) return FaultKind::kViolation;
  const std::string word = members.Text("kind");
  for (const auto& [name, kind] : kKinds) {
    if (word == name) return kind;
  }
  members.Fail("kind", "is none of violation, divergence, control");
  return FaultKind::kViolation;
}

KnownFault FaultOf(Members& members) {
  members.AllowOnly({"report", "library", "versions", "what", "kind", "signatures", "cases"});
  KnownFault fault{members.Text("report"),
                   members.Text("library"),
                   members.Texts("versions"),
                   members.Text("what"),
                   KindOf(members),
                   {},
                   {}};
  if (fault.kind == FaultKind::kViolation) {
    fault.signatures = members.Texts("signatures");
  } else if (members.Has("signatures")) {
    members.Fail("signatures", "belongs to a violation");
  }
  for (const std::string& text : members.Texts("cases")) {
    Result<CaseLine> line = ParseCase(text);
    if (!line.ok()) {
      members.Fail(Error{fmt::format("{}: {}", members.where(), line.error().where),
                         line.error().what, line.error().remedy});
      continue;
    }
    if (line.value().backends.empty()) members.Fail("cases", "holds a line without a backend");
    fault.cases.push_back(std::move(line).value());
  }
  return fault;
}

InexpressibleFault InexpressibleOf(Members& members) {
  members.AllowOnly({"report", "library", "what", "reason"});
  InexpressibleFault fault{members.Text("report"), members.Text("library"), members.Text("what"),
                           members.Text("reason")};
  if (!IsReason(fault.reason)) {
    members.Fail("reason", fmt::format("is none of {}", fmt::join(kReasons, ", ")));
  }
  return fault;
}

// The tables of the list `key`, each read by `read`.
template <class Fault, class Read>
Status ReadList(const std::string& name, const toml::table& file, std::string_view key, Read read,
                std::vector<Fault>& faults) {
  const toml::array* list = file[key].as_array();
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const toml::table* table = list->get(i)->as_table();
    if (table == nullptr) {
      return Error{name, fmt::format("'{}' holds something that is no table", key),
                   fmt::format("[[{}]] before each fault", key)};
    }
    Members members(name, *table);
    faults.push_back(read(members));
    if (members.error()) return *members.error();
  }
  return {};
}

}  // namespace

bool IsReason(std::string_view word) {
  return std::find(kReasons.begin(), kReasons.end(), word) != kReasons.end();
}

Result<Regression> ParseRegression(const std::string& name, std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::source_region& at = parsed.error().source();
    return Error{fmt::format("{}:{}:{}", name, at.begin.line, at.begin.column),
                 std::string(parsed.error().description()), "TOML 1.0"};
  }
  const toml::table& file = parsed.table();
  for (const auto& [key, value] : file) {
    if (key.str() != "fault" && key.str() != "inexpressible") {
      return Error{name, fmt::format("'{}' is unknown", key.str()),
                   "[[fault]] or [[inexpressible]]"};
    }
  }
  Regression regression;
  Status read = ReadList(name, file, "fault", FaultOf, regression.faults);
  if (!read.ok()) return std::move(read).error();
  read = ReadList(name, file, "inexpressible", InexpressibleOf, regression.inexpressible);
  if (!read.ok()) return std::move(read).error();
  if (regression.faults.empty()) return Error{name, "holds no fault", "[[fault]] before each"};
  return regression;
}

std::vector<Rediscovery> Rediscover(const Regression& regression,
                                    const std::vector<FindingRecord>& findings) {
  std::map<std::string_view, const FindingRecord*> by_key;
  for (const FindingRecord& finding : findings) by_key[finding.signature] = &finding;
  std::vector<Rediscovery> rows;
  for (const KnownFault& fault : regression.faults) {
    if (fault.kind != FaultKind::kViolation) continue;
    Rediscovery& row = rows.emplace_back(Rediscovery{&fault, nullptr});
    for (const std::string& signature : fault.signatures) {
      const auto at = by_key.find(signature);
      if (at != by_key.end() && row.found == nullptr) row.found = at->second;
    }
  }
  return rows;
}

std::string RediscoveryText(const std::vector<Rediscovery>& rows) {
  std::string text;
  size_t found = 0;
  for (const Rediscovery& row : rows) {
    found += row.found != nullptr ? 1 : 0;
    text += fmt::format("{:9} {:10} {}\n", row.found != nullptr ? "found" : "not found",
                        row.fault->library, row.fault->what);
    text += fmt::format("{:21}{}\n", "", row.fault->report);
    if (row.found == nullptr) continue;
    text += fmt::format("{:21}{} ({})\n", "", row.found->signature, row.found->first_seen);
  }
  text += fmt::format("{} of {} known faults found\n", found, rows.size());
  return text;
}

std::string RediscoveryJson(const std::vector<Rediscovery>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const Rediscovery& row : rows) {
    nlohmann::json& entry = list.emplace_back();
    entry = {{"report", row.fault->report},
             {"library", row.fault->library},
             {"found", row.found != nullptr}};
    if (row.found == nullptr) continue;
    entry["signature"] = row.found->signature;
    entry["first_seen"] = row.found->first_seen;
  }
  return list.dump(2) + "\n";
}

}  // namespace assay
