// SPDX-License-Identifier: Apache-2.0
//
// A directory of its own for one test, and processes that die at a chosen step.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "triage/durable.h"

namespace assay {

class ScratchDir {
 public:
  ScratchDir() {
    std::string name = testing::TempDir() + "assay_triage_XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~ScratchDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Paths of everything below `root`, relative to it; hidden names too.
inline std::set<std::string> TreeOf(const std::string& root) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    paths.insert(std::filesystem::relative(entry.path(), root).string());
  }
  return paths;
}

inline int steps_to_live = 0;

// Runs `action` in a process that is killed right before its step number `step` (from 0). True: it
// was; false: `action` had fewer steps and ended well.
inline bool DiesAtStep(int step, const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    steps_to_live = step;
    SetDurableStepHook([] {
      if (steps_to_live-- == 0) raise(SIGKILL);
    });
    _exit(action() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    return true;
  }
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the action failed";
  return false;
}

// Runs `action` in a process of its own; it must return true.
inline pid_t Spawn(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action() ? 0 : 1);
  return child;
}

inline bool EndedWell(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace assay
