// SPDX-License-Identifier: Apache-2.0
//
// What is known of a backend without having it in this process. Libraries are opened in a child, so
// that one which crashes or hangs while it loads harms nothing.
#pragma once

#include <string>
#include <vector>

#include "contracts/result.h"

namespace assay {

struct BackendInfo {
  std::string spec, family, version, pins, profile;
  std::string reason;  // why it is unsupported; empty when it opened
  bool ok() const { return reason.empty(); }
};

// Opens `specs`; none: discovers what is installed. A spec that does not open is an Error, since
// the user named it; discovery lists it with the reason.
Result<std::vector<BackendInfo>> QueryBackends(const std::vector<std::string>& specs);

// The child's side (`assay __backends`): a JSON list of specs comes in, a list of infos goes out.
int RunBackendsChild();

}  // namespace assay
