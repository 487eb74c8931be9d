// SPDX-License-Identifier: Apache-2.0
//
// `assay __serve SUITE ASSUME SPEC...`: judges the cases its parent sends, one line each. Libraries
// under test are loaded here and may end this process at any time.
#include <memory>

#include "engine/guarded_call.h"
#include "fuzz/cli.h"
#include "fuzz/describe.h"
#include "fuzz/serve.h"
#include "fuzz/serve_json.h"
#include "fuzz/session.h"

namespace assay {
namespace {

using nlohmann::json;

json ErrorAnswer(const Error& error) {
  return {{"error", {{"where", error.where}, {"what", error.what}, {"remedy", error.remedy}}}};
}

void MarkRun(void* context, int backend) {
  IsolatePage& page = *static_cast<IsolatePage*>(context);
  page.backend.store(backend);
  page.beat.fetch_add(1);
}

json Answer(Session& session, const std::vector<BackendInfo>& infos, const std::string& request) {
  if (request == "hello") {
    json list = json::array();
    for (const BackendInfo& info : infos) list.push_back(ToJson(info));
    return {{"infos", std::move(list)}};
  }
  const Result<CaseLine> line = ParseCase(std::string_view(request).substr(2));
  if (!line.ok()) return ErrorAnswer(line.error());
  return ToJson(session.RunCase(line.value().value), infos,
                request.front() == static_cast<char>(Server::Detail::kFull));
}

}  // namespace

int RunServeChild(int argc, char** argv) {
  ASSAY_CHECK(argc >= 4, "a judging child is told suite, default and backends");
  Result<IsolateServer> attached = IsolateServer::Attach();
  ASSAY_CHECK(attached.ok(), "a judging child finds its shared page");
  IsolateServer& server = attached.value();
  InstallFaultHandlers();
  Result<OpenedSession> opened = OpenSession(
      {.suite = argv[2], .assume = argv[3], .specs = {argv + 4, argv + argc}, .settle = true});
  if (opened.ok()) opened.value().session->set_run_marker(MarkRun, &server.page());
  std::string request;
  while (server.NextRequest(request)) {
    const json answer = opened.ok() ? Answer(*opened.value().session, opened.value().infos, request)
                                    : ErrorAnswer(opened.error());
    server.Reply(Line(answer));
  }
  return kExitOk;
}

}  // namespace assay
