// SPDX-License-Identifier: Apache-2.0
//
// `assay list`: what there is. Data for people, or with --json for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "contracts/operator.h"
#include "contracts/suggest.h"
#include "fuzz/backend_info.h"
#include "fuzz/commands.h"
#include "fuzz/list_contracts.h"
#include "fuzz/output.h"
#include "fuzz/serve_json.h"

namespace assay {
namespace {

using nlohmann::json;

template <class Range>
std::vector<std::string> Names(const Range& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.emplace_back(item.name);
  return names;
}

int ListOps(bool as_json) {
  json list = json::array();
  for (const OperatorDef& op : Operators()) {
    const std::vector<std::string> dimensions(op.dimensions.begin(), op.dimensions.end());
    if (!as_json) {
      Print("{:8}  operands {}; dimensions {}{}{}\n", op.name, fmt::join(Names(op.operands), ", "),
            fmt::join(dimensions, ", "), op.attributes.empty() ? "" : "; attributes ",
            fmt::join(Names(op.attributes), ", "));
    }
    list.push_back({{"name", op.name},
                    {"family", NameOf(op.family)},
                    {"operands", Names(op.operands)},
                    {"dimensions", dimensions},
                    {"attributes", Names(op.attributes)}});
  }
  if (as_json) Print("{}\n", list.dump(1));
  return kExitOk;
}

int ListBackends(bool as_json) {
  const Result<std::vector<BackendInfo>> infos = QueryBackends({});
  if (!infos.ok()) return Refuse(infos.error(), kExitEnvironment);
  json list = json::array();
  for (const BackendInfo& info : infos.value()) {
    list.push_back(ToJson(info));
    if (as_json) continue;
    if (info.ok()) {
      Print("{}  {} {}{}{}\n", info.spec, info.family, info.version, info.pins.empty() ? "" : ", ",
            info.pins);
    } else {
      Print("{}  unsupported: {}\n", info.spec, info.reason);
    }
  }
  if (as_json) {
    Print("{}\n", list.dump(1, ' ', false, json::error_handler_t::replace));
  }
  return kExitOk;
}

}  // namespace

Command AddList(CLI::App& app) {
  struct Options {
    std::string what, suite, backend, assume;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Show operators, backends or contracts");
  command->add_option("what", options->what, "ops, backends or contracts")->required();
  command->add_flag("--json", options->json, "As JSON");
  command->add_option("--suite", options->suite, "Directory of contracts instead of the built-in");
  command->add_option("--backend", options->backend,
                      "contracts: show what they come to for this backend");
  command->add_option("--assume", options->assume, "contracts: ieee or blas where undeclared");
  return {
      command, [options] {
        static constexpr std::string_view kKnown[] = {"ops", "backends", "contracts"};
        if (options->what == "ops") return ListOps(options->json);
        if (options->what == "backends") return ListBackends(options->json);
        if (options->what == "contracts") {
          return ListContracts({options->suite, options->backend, options->assume, options->json});
        }
        return Refuse({"assay list", fmt::format("unknown list '{}'", options->what),
                       DidYouMean(options->what, kKnown)});
      }};
}

}  // namespace assay
