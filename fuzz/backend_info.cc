// SPDX-License-Identifier: Apache-2.0
#include "fuzz/backend_info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/backend.h"
#include "engine/isolate.h"
#include "fuzz/describe.h"
#include "fuzz/serve_json.h"

namespace assay {
namespace {

using nlohmann::json;

// Opening every known library takes well under a second; a minute says that one hangs.
constexpr int64_t kOpenLimitMs = 60'000;

json Refused(const std::string& spec, const Error& error) {
  return {{"spec", spec}, {"where", error.where}, {"what", error.what}, {"remedy", error.remedy}};
}

json OpenOne(const std::string& spec) {
  const Result<std::unique_ptr<Backend>> opened = OpenBackend(spec);
  return opened.ok() ? ToJson(InfoOf(*opened.value())) : Refused(spec, opened.error());
}

json DiscoverAll() {
  json list = json::array();
  for (const Discovered& found : DiscoverBackends()) {
    BackendInfo info;
    if (found.backend != nullptr) {
      info = InfoOf(*found.backend);
    } else {
      info.spec = found.spec;
      info.reason = found.reason;
    }
    list.push_back(ToJson(info));
  }
  return list;
}

}  // namespace

Result<std::vector<BackendInfo>> QueryBackends(const std::vector<std::string>& specs) {
  IsolatedRunner runner({"assay", "__backends"}, kOpenLimitMs);
  const Result<IsolateReply> reply = runner.Ask(Line(json(specs)));
  if (!reply.ok()) return reply.error();
  if (reply.value().kind != IsolateReply::Kind::kReplied) {
    return Error{
        specs.empty() ? "discovering backends" : fmt::format("--backend {}", specs.front()),
        fmt::format("a library ended the process while it was opened: {}", reply.value().text),
        "name the backends to use with --backend"};
  }
  const json list = json::parse(reply.value().text, nullptr, false);
  ASSAY_CHECK(list.is_array(), "the child that opens backends answers with a list");
  std::vector<BackendInfo> infos;
  for (const json& entry : list) {
    if (entry.contains("what")) return Error{entry["where"], entry["what"], entry["remedy"]};
    infos.push_back(InfoFromJson(entry));
  }
  return infos;
}

int RunBackendsChild() {
  Result<IsolateServer> server = IsolateServer::Attach();
  ASSAY_CHECK(server.ok(), "the child that opens backends finds its shared page");
  std::string line;
  while (server.value().NextRequest(line)) {
    const json specs = json::parse(line);
    json answer = specs.empty() ? DiscoverAll() : json::array();
    for (const std::string spec : specs) answer.push_back(OpenOne(spec));
    server.value().Reply(Line(answer));
  }
  return 0;
}

}  // namespace assay
