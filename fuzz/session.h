// SPDX-License-Identifier: Apache-2.0
//
// A session opened from texts, as every child process needs it. Loads the libraries under test into
// this process: never called by the supervisor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/pipeline.h"
#include "fuzz/backend_info.h"

namespace assay {

struct SessionRequest {
  std::string suite;  // directory, "" built in
  std::string assume;
  std::vector<std::string> specs;
  bool settle = false;
};

struct OpenedSession {
  std::unique_ptr<Session> session;
  std::vector<BackendInfo> infos;  // by the session's backend index
  std::shared_ptr<const Suite> suite;
};

Result<OpenedSession> OpenSession(const SessionRequest& request);

}  // namespace assay
