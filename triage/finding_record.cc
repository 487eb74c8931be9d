// SPDX-License-Identifier: Apache-2.0
//
// FindingRecord to JSON and back. The library's exceptions stay off: parsing is asked for a
// discarded value, and every member's type is looked at before it is taken.

#include "triage/finding_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json FacetsJson(const FindingRecord& record) {
  return Json{{"dtypes", record.dtypes},
              {"layouts", record.layouts},
              {"size_residues", record.size_residues},
              {"trigger", record.trigger},
              {"ratio_decade", RatioDecade(record.ratio)}};
}

Json BackendJson(const FindingRecord& record) {
  return Json{{"name", record.backend_family},
              {"version", record.backend_version},
              {"pins", record.backend_pins},
              {"spec", record.backend_spec}};
}

Json WitnessJson(const FindingRecord& record) {
  return Json{{"index", record.witness_index},
              {"got", record.got},
              {"expected", record.expected},
              {"bound", record.bound}};
}

Json ToObject(const FindingRecord& record) {
  return Json{{"signature", record.signature},
              {"facets", FacetsJson(record)},
              {"class", record.contract},
              {"clause", record.clause},
              {"operator", record.op},
              {"error", record.error},
              {"dtypes", record.dtypes},
              {"backend", BackendJson(record)},
              {"verdict", record.verdict},
              {"ratio", PrintRatio(record.ratio)},
              {"witness", WitnessJson(record)},
              {"case", record.case_line},
              {"minimized_case", record.minimized_line},
              {"count", record.count},
              {"first_seen", record.first_seen},
              {"raw_keys", record.raw_keys},
              {"confirmed", record.confirmed},
              {"confirm_runs", record.confirm_runs},
              {"minimize_runs", record.minimize_runs}};
}

// Reads members of one object and remembers the first that does not fit.
class Reader {
 public:
  Reader(const Json& object, std::string prefix, std::string& bad)
      : object_(object), prefix_(std::move(prefix)), bad_(bad) {}

  const Json& Object(const char* name) {
    static const Json empty = Json::object();
    const Json* member = Member(name);
    if (member != nullptr && member->is_object()) return *member;
    Complain(name);
    return empty;
  }

  void Take(const char* name, std::string& out) {
    const Json* member = Member(name);
    if (member == nullptr || !member->is_string()) return Complain(name);
    out = *member->get_ptr<const std::string*>();
  }

  template <class Integer>
  void TakeInteger(const char* name, Integer& out) {
    const Json* member = Member(name);
    if (member == nullptr || !ToInteger(*member, out)) Complain(name);
  }

  template <class T>
  void TakeList(const char* name, std::vector<T>& out) {
    const Json* member = Member(name);
    if (member == nullptr || !member->is_array()) return Complain(name);
    for (const Json& item : *member) {
      T value{};
      if (!ToItem(item, value)) return Complain(name);
      out.push_back(std::move(value));
    }
  }

  void TakeRatio(const char* name, double& out) {
    std::string text;
    Take(name, text);
    if (text == "inf") {
      out = std::numeric_limits<double>::infinity();
      return;
    }
    const std::string_view mark = "(bits 0x";
    const size_t at = text.find(mark);
    if (at == std::string::npos) return Complain(name);
    uint64_t bits = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + at + mark.size(), end, bits, 16);
    if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != ')') return Complain(name);
    out = std::bit_cast<double>(bits);
  }

 private:
  const Json* Member(const char* name) const {
    const auto at = object_.find(name);
    return at == object_.end() ? nullptr : &*at;
  }
  void Complain(const char* name) {
    if (bad_.empty()) bad_ = prefix_ + name;
  }

  template <class Integer>
  static bool ToInteger(const Json& json, Integer& out) {
    if (!json.is_number_integer()) return false;
    if (json.is_number_unsigned()) {
      const uint64_t value = *json.get_ptr<const uint64_t*>();
      if (value > static_cast<uint64_t>(std::numeric_limits<Integer>::max())) return false;
      out = static_cast<Integer>(value);
      return true;
    }
    const int64_t value = *json.get_ptr<const int64_t*>();
    if (value < std::numeric_limits<Integer>::min()) return false;
    out = static_cast<Integer>(value);
    return true;
  }
  static bool ToItem(const Json& json, std::string& out) {
    if (!json.is_string()) return false;
    out = *json.get_ptr<const std::string*>();
    return true;
  }
  static bool ToItem(const Json& json, int& out) { return ToInteger(json, out); }
  static bool ToItem(const Json& json, int64_t& out) { return ToInteger(json, out); }

  const Json& object_;
  std::string prefix_;
  std::string& bad_;
};

void TakeNested(Reader& reader, std::string& bad, FindingRecord& record) {
  Reader facets(reader.Object("facets"), "facets.", bad);
  facets.TakeList("layouts", record.layouts);
  facets.TakeList("size_residues", record.size_residues);
  facets.Take("trigger", record.trigger);
  Reader backend(reader.Object("backend"), "backend.", bad);
  backend.Take("name", record.backend_family);
  backend.Take("version", record.backend_version);
  backend.Take("pins", record.backend_pins);
  backend.Take("spec", record.backend_spec);
  Reader witness(reader.Object("witness"), "witness.", bad);
  witness.TakeList("index", record.witness_index);
  witness.Take("got", record.got);
  witness.Take("expected", record.expected);
  witness.Take("bound", record.bound);
}

void TakeOwn(Reader& reader, FindingRecord& record) {
  reader.Take("signature", record.signature);
  reader.Take("class", record.contract);
  reader.Take("clause", record.clause);
  reader.Take("operator", record.op);
  reader.Take("error", record.error);
  reader.TakeList("dtypes", record.dtypes);
  reader.Take("verdict", record.verdict);
  reader.TakeRatio("ratio", record.ratio);
  reader.Take("case", record.case_line);
  reader.Take("minimized_case", record.minimized_line);
  reader.TakeInteger("count", record.count);
  reader.Take("first_seen", record.first_seen);
  reader.TakeList("raw_keys", record.raw_keys);
  reader.TakeInteger("confirmed", record.confirmed);
  reader.TakeInteger("confirm_runs", record.confirm_runs);
  reader.TakeInteger("minimize_runs", record.minimize_runs);
}

}  // namespace

int RatioDecade(double ratio) {
  if (!(ratio < std::numeric_limits<double>::infinity())) return 99;
  if (!(ratio > 0)) return -99;
  return std::clamp(static_cast<int>(std::floor(std::log10(ratio))), -99, 99);
}

std::string PrintRatio(double ratio) {
  if (!(ratio < std::numeric_limits<double>::infinity())) return "inf";
  return fmt::format("{:.4g} (bits 0x{:016x})", ratio, std::bit_cast<uint64_t>(ratio));
}

std::string ToJson(const FindingRecord& record, bool pretty) {
  return Dump(ToObject(record), pretty ? 2 : -1);
}

std::string ToJson(const std::vector<FindingRecord>& records) {
  Json array = Json::array();
  for (const FindingRecord& record : records) array.push_back(ToObject(record));
  return Dump(array, 2);
}

Result<FindingRecord> FindingFromJson(std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return Error{"", "is no JSON text", ""};
  if (!parsed.is_object()) return Error{"", "is no JSON object", ""};
  FindingRecord record;
  std::string bad;
  Reader reader(parsed, "", bad);
  TakeOwn(reader, record);
  TakeNested(reader, bad, record);
  if (bad.empty()) return record;
  return Error{"member '" + bad + "'", "is missing or of the wrong type", ""};
}

}  // namespace assay
