// SPDX-License-Identifier: Apache-2.0
//
// The parent's side: asks, and turns answers and deaths into values.
#include "fuzz/serve.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "contracts/operator.h"
#include "fuzz/describe.h"
#include "fuzz/serve_json.h"

namespace assay {
namespace {

using nlohmann::json;

std::vector<std::string> ChildArguments(const ServeOptions& options) {
  std::vector<std::string> arguments{"assay", "__serve", options.suite, options.assume};
  arguments.insert(arguments.end(), options.backends.begin(), options.backends.end());
  return arguments;
}

// The key up to the backend family: what follows is the trigger, which minimizing may change.
std::string_view CauseOf(const FindingRecord& finding) {
  const std::string_view key =
      finding.raw_keys.empty() ? "" : std::string_view(finding.raw_keys[0]);
  const std::string word = "_" + finding.backend_family;
  const size_t at = key.rfind(word);
  return at == std::string_view::npos ? key : key.substr(0, at + word.size());
}

Result<json> Parse(const std::string& text) {
  json answer = json::parse(text, nullptr, false);
  ASSAY_CHECK(answer.is_object(), "the child that judges answers with an object");
  if (answer.contains("error")) {
    const json& error = answer["error"];
    return Error{error.value("where", ""), error.value("what", ""), error.value("remedy", "")};
  }
  return answer;
}

Error OwnFault(const std::string& how, const std::string& log) {
  return {"judging in a process of its own", fmt::format("the process ended by itself: {}", how),
          log};
}

}  // namespace

Server::Server(const ServeOptions& options)
    : runner_(ChildArguments(options), options.hang_limit_ms) {}

Status Server::Hello() {
  const Result<IsolateReply> reply = runner_.Ask("hello");
  if (!reply.ok()) return reply.error();
  if (reply.value().kind != IsolateReply::Kind::kReplied) {
    return OwnFault(reply.value().text, runner_.log());
  }
  const Result<json> answer = Parse(reply.value().text);
  if (!answer.ok()) return answer.error();
  for (const json& info : answer.value().at("infos")) infos_.push_back(InfoFromJson(info));
  return {};
}

Result<Served> Server::Died(const Case& value, const IsolateReply& reply) const {
  int backend = reply.backend;
  // Damage that a call did may show only after it; with one backend there is no doubt whose it was.
  if (backend < 0 && infos_.size() == 1 && reply.kind == IsolateReply::Kind::kCrashed &&
      reply.text != ChildEnd{kInvariantExitCode, 0}.Text()) {
    backend = 0;
  }
  Served served;
  served.died = reply.text;
  if (backend < 0 || static_cast<size_t>(backend) >= infos_.size()) return served;
  const Result<NamedDims> dims = CheckCase(value);
  if (!dims.ok()) return dims.error();
  const bool late = reply.kind == IsolateReply::Kind::kTimedOut;
  const Violation death =
      DeathOf(backend, late ? ErrorClass::kTimeout : ErrorClass::kCrash, reply.text);
  served.violations.push_back(
      DescribeDeath(value, dims.value(), death, infos_[static_cast<size_t>(backend)]));
  return served;
}

Result<Served> Server::Judge(const Case& value, Detail detail) {
  if (infos_.empty()) {
    if (const Status hello = Hello(); !hello.ok()) return hello.error();
  }
  const std::string request =
      fmt::format("{} {}", static_cast<char>(detail), PrintCase({value, {}}));
  const Result<IsolateReply> reply = runner_.Ask(request);
  if (!reply.ok()) return reply.error();
  if (reply.value().kind != IsolateReply::Kind::kReplied) return Died(value, reply.value());
  const Result<json> answer = Parse(reply.value().text);
  if (!answer.ok()) return answer.error();
  return ServedFromJson(answer.value(), infos_);
}

const FindingRecord* FindCause(const Served& served, const FindingRecord& finding) {
  for (const FindingRecord& violation : served.violations) {
    if (CauseOf(violation) == CauseOf(finding)) return &violation;
  }
  return nullptr;
}

}  // namespace assay
