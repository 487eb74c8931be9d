// SPDX-License-Identifier: Apache-2.0
#define TOML_EXCEPTIONS 0
#include "fuzz/campaign.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

namespace assay {
namespace {

using nlohmann::json;

// Room for the names of a million corpus entries that are none.
constexpr int64_t kMaxFileBytes = 1 << 26;

toml::array InfosToToml(const std::vector<BackendInfo>& infos) {
  toml::array list;
  for (const BackendInfo& info : infos) {
    toml::table entry{{"spec", info.spec}};
    if (info.ok()) {
      entry.insert("family", info.family);
      entry.insert("version", info.version);
      entry.insert("pins", info.pins);
      entry.insert("profile", info.profile);
    } else {
      entry.insert("reason", info.reason);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string Text(const toml::table& table, std::string_view key) {
  return table[key].value_or(std::string());
}

std::vector<BackendInfo> InfosFromToml(const toml::table& table, std::string_view key) {
  std::vector<BackendInfo> infos;
  const toml::array* list = table[key].as_array();
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const toml::table* entry = list->get(i)->as_table();
    if (entry == nullptr) continue;
    infos.push_back({Text(*entry, "spec"), Text(*entry, "family"), Text(*entry, "version"),
                     Text(*entry, "pins"), Text(*entry, "profile"), Text(*entry, "reason")});
  }
  return infos;
}

// A number without quotes is a seed too; one below 0 stands for its 64 bits.
std::optional<uint64_t> SeedOf(const toml::table& table) {
  if (const auto number = table["seed"].value_exact<int64_t>()) {
    return static_cast<uint64_t>(*number);
  }
  const std::string text = Text(table, "seed");
  uint64_t seed = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return seed;
}

json MuteToJson(const MuteEntry& entry) {
  return {entry.backend, entry.op, entry.operand, entry.side, entry.muted, entry.hits};
}

Result<MuteEntry> MuteFromJson(const std::string& where, const json& value) {
  const bool numbers = value.is_array() && value.size() == 6 &&
                       std::all_of(value.begin(), value.end(),
                                   [](const json& item) { return item.is_number_integer(); });
  if (!numbers || value[0] < 0 || value[1] < 0 || value[1] >= kOpCount || value[2] < kWholeCall ||
      value[2] >= kMaxOperands || value[3] < 0 || value[3] > static_cast<int>(Side::kGap)) {
    return Error{where, "an entry of 'mutes' is no six numbers in range", ""};
  }
  MuteEntry entry;
  entry.backend = value[0];
  entry.op = static_cast<OpId>(value[1].get<int>());
  entry.operand = value[2];
  entry.side = static_cast<Side>(value[3].get<int>());
  entry.muted = value[4];
  entry.hits = value[5];
  return entry;
}

template <size_t kSize>
void Add(const std::array<Counter, kSize>& from, std::array<int64_t, kSize>& to) {
  for (size_t i = 0; i < kSize; ++i) to[i] += static_cast<int64_t>(from[i].load());
}

}  // namespace

std::string ToToml(const CampaignConfig& config) {
  toml::array ops;
  for (const std::string& op : config.ops) ops.push_back(op);
  const toml::table table{
      // As text: TOML integers are signed, and half of the seeds would read as negative.
      {"seed", fmt::format("{}", config.seed)},
      {"workers", config.workers},
      {"quantum", config.quantum},
      {"hang_limit_ms", config.hang_limit_ms},
      {"ops", std::move(ops)},
      {"suite", config.suite},
      {"assume", config.assume},
      {"backends", InfosToToml(config.backends)},
      {"unsupported", InfosToToml(config.unsupported)},
  };
  std::ostringstream text;
  text << "# What this campaign was asked for. `assay fuzz --resume` reads it.\n" << table << "\n";
  return text.str();
}

Result<CampaignConfig> ConfigFromToml(const std::string& where, const std::string& text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Error{fmt::format("{}:{}", where, parsed.error().source().begin.line),
                 std::string(parsed.error().description()), "the file as `assay fuzz` wrote it"};
  }
  const toml::table& table = parsed.table();
  CampaignConfig config;
  const std::optional<uint64_t> seed = SeedOf(table);
  if (!seed) return Error{where, "seed is missing or out of range", "a number from 0 to 2^64-1"};
  config.seed = *seed;
  config.workers = static_cast<int>(table["workers"].value_or(int64_t{0}));
  config.quantum = table["quantum"].value_or(int64_t{0});
  config.hang_limit_ms = table["hang_limit_ms"].value_or(int64_t{0});
  config.suite = Text(table, "suite");
  config.assume = Text(table, "assume");
  if (const toml::array* ops = table["ops"].as_array()) {
    for (const toml::node& op : *ops) config.ops.push_back(op.value_or(std::string()));
  }
  config.backends = InfosFromToml(table, "backends");
  config.unsupported = InfosFromToml(table, "unsupported");
  const bool whole = config.workers >= 1 && config.quantum >= 1 && config.hang_limit_ms >= 1 &&
                     !config.backends.empty() && !config.ops.empty();
  if (!whole) {
    return Error{where, "workers, quantum, hang_limit_ms, ops or backends is missing",
                 "the file as `assay fuzz` wrote it"};
  }
  return config;
}

int64_t CampaignState::Cases() const {
  int64_t sum = 0;
  for (const WorkerState& worker : workers) sum += worker.cases;
  return sum;
}

std::string ToJson(const CampaignState& state) {
  json workers = json::array(), mutes = json::array(), outcomes = json::array();
  for (const WorkerState& worker : state.workers) {
    workers.push_back({{"quanta", worker.quanta}, {"cases", worker.cases}});
  }
  for (const MuteEntry& entry : state.mutes) mutes.push_back(MuteToJson(entry));
  for (int i = 0; i < kOutcomeCount; ++i) outcomes.push_back(NameOf(static_cast<Outcome>(i)));
  const json value{{"workers", workers},
                   {"outcomes", outcomes},
                   {"runs", state.runs},
                   {"clauses", state.clauses},
                   {"rejects", state.rejects},
                   {"violations", state.violations},
                   {"divergent", state.divergent},
                   {"replaced", state.replaced},
                   {"mutes", mutes},
                   {"rejected_entries", state.rejected_entries}};
  return value.dump(1) + "\n";
}

Result<CampaignState> StateFromJson(const std::string& where, const std::string& text) {
  const Error wrong{where, "not the state of a campaign", "the file as `assay fuzz` wrote it"};
  try {
    const json value = json::parse(text);
    CampaignState state;
    for (const json& worker : value.at("workers")) {
      state.workers.push_back({worker.at("quanta"), worker.at("cases")});
    }
    state.runs = value.at("runs");
    state.rejects = value.at("rejects");
    state.violations = value.at("violations");
    state.divergent = value.at("divergent");
    state.replaced = value.at("replaced");
    state.clauses = value.at("clauses");
    // States of older campaigns lack it.
    if (value.contains("rejected_entries")) state.rejected_entries = value["rejected_entries"];
    for (const json& entry : value.at("mutes")) {
      const Result<MuteEntry> mute = MuteFromJson(where, entry);
      if (!mute.ok()) return mute.error();
      state.mutes.push_back(mute.value());
    }
    return state;
  } catch (const json::exception&) {
    return wrong;
  }
}

void AddCounts(const WorkerCounts& counts, const std::vector<std::string>& clause_names,
               CampaignState& state) {
  state.violations += static_cast<int64_t>(counts.violations.load());
  state.divergent += static_cast<int64_t>(counts.divergent.load());
  Add(counts.runs, state.runs);
  Add(counts.rejects, state.rejects);
  for (size_t i = 0; i < clause_names.size(); ++i) {
    Add(counts.clauses[i], state.clauses[clause_names[i]]);
  }
}

void MergeMutes(const WorkerBlock& block, CampaignState& state) {
  for (uint32_t i = 0; i < block.mute_count; ++i) {
    const MuteEntry& seen = block.mutes[i];
    const auto same =
        std::find_if(state.mutes.begin(), state.mutes.end(), [&seen](const MuteEntry& entry) {
          return entry.backend == seen.backend && entry.op == seen.op &&
                 entry.operand == seen.operand && entry.side == seen.side;
        });
    if (same == state.mutes.end()) {
      state.mutes.push_back(seen);
    } else {
      same->hits = std::max(same->hits, seen.hits);
      same->muted |= seen.muted;
    }
  }
}

bool NoteRejectedEntry(const std::string& name, Reject reject, CampaignState& state) {
  std::string text;
  for (const char c : name) {
    const bool plain = c > ' ' && c < 0x7f && c != '%';
    text += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  if (!state.rejected_entries.insert(text).second) return false;
  ++state.rejects[static_cast<size_t>(reject)];
  return true;
}

Result<CampaignConfig> ReadConfig(const CampaignDir& dir) {
  const Result<std::string> text = ReadFile(dir.Sub("campaign.toml"), kMaxFileBytes);
  if (!text.ok()) return text.error();
  return ConfigFromToml(dir.Sub("campaign.toml"), text.value());
}

Status WriteConfig(const CampaignDir& dir, const CampaignConfig& config) {
  return WriteDurably(dir.Sub("campaign.toml"), ToToml(config));
}

Result<CampaignState> ReadState(const CampaignDir& dir) {
  const Result<std::string> text = ReadFile(dir.Sub("state.json"), kMaxFileBytes);
  if (!text.ok()) return text.error();
  return StateFromJson(dir.Sub("state.json"), text.value());
}

Status WriteState(const CampaignDir& dir, const CampaignState& state) {
  return WriteDurably(dir.Sub("state.json"), ToJson(state));
}

std::vector<std::string> ClauseNames(const Suite& suite) {
  std::vector<std::string> names;
  for (const ContractInfo& contract : ContractsOf(suite)) {
    for (const std::string& clause : contract.clauses) {
      names.push_back(contract.id + "/" + clause);
    }
  }
  std::sort(names.begin(), names.end());
  if (names.size() > kMaxClauses) names.resize(kMaxClauses);
  return names;
}

}  // namespace assay
