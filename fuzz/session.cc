// SPDX-License-Identifier: Apache-2.0
#include "fuzz/session.h"

#include "fuzz/cli.h"
#include "fuzz/describe.h"

namespace assay {

Result<OpenedSession> OpenSession(const SessionRequest& request) {
  Result<std::shared_ptr<const Suite>> suite = OpenSuite(request.suite);
  if (!suite.ok()) return suite.error();
  OpenedSession opened;
  opened.suite = suite.value();
  std::vector<std::unique_ptr<Backend>> backends;
  for (const std::string& spec : request.specs) {
    Result<std::unique_ptr<Backend>> backend = OpenBackend(spec);
    if (!backend.ok()) return backend.error();
    opened.infos.push_back(InfoOf(*backend.value()));
    backends.push_back(std::move(backend).value());
  }
  SessionOptions options;
  options.suite = opened.suite;
  options.assume = request.assume;
  options.settle = request.settle;
  opened.session = std::make_unique<Session>(std::move(options), std::move(backends));
  return opened;
}

}  // namespace assay
