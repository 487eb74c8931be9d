// SPDX-License-Identifier: Apache-2.0
#include "fuzz/session.h"

#include <algorithm>

#include "contracts/suggest.h"
#include "fuzz/cli.h"
#include "fuzz/describe.h"

namespace assay {
namespace {

// A plug-in may name a profile; a misspelt one would leave everything it does under-specified.
Status CheckProfile(const Suite& suite, const Backend& backend) {
  if (backend.profile().empty()) return {};
  const std::vector<std::string> names = ProfilesOf(suite);
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (std::find(known.begin(), known.end(), backend.profile()) != known.end()) return {};
  return Error{backend.spec(),
               "declares the profile '" + backend.profile() + "', which is not there",
               DidYouMean(backend.profile(), known)};
}

}  // namespace

Result<OpenedSession> OpenSession(const SessionRequest& request) {
  Result<std::shared_ptr<const Suite>> suite = OpenSuite(request.suite);
  if (!suite.ok()) return suite.error();
  OpenedSession opened;
  opened.suite = suite.value();
  std::vector<std::unique_ptr<Backend>> backends;
  for (const std::string& spec : request.specs) {
    Result<std::unique_ptr<Backend>> backend = OpenBackend(spec);
    if (!backend.ok()) return backend.error();
    const Status known = CheckProfile(*opened.suite, *backend.value());
    if (!known.ok()) return known.error();
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
