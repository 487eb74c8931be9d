// SPDX-License-Identifier: Apache-2.0
//
// The campaign's progress on stderr: in place on a terminal, otherwise one line per interval.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

struct Progress {
  int64_t elapsed_ms = 0;
  int64_t cases = 0;       // of the campaign
  int64_t cases_now = 0;   // since this program started
  int64_t violations = 0;  // hits
  int findings = 0;        // confirmed
  int pending = 0;         // recorded, not yet confirmed
  int64_t corpus = 0;
  int64_t restarts = 0;   // after a crash, a hang or many faults
  int64_t rss_bytes = 0;  // of all workers
  std::string doing;      // "fuzzing", "confirming"
};
std::string FormatProgress(const Progress& progress);

class StatusLine {
 public:
  StatusLine();
  // Shows `progress` if it is time to; always with `now`.
  void Show(const Progress& progress, bool now = false);
  // A line that stays.
  void Say(const std::string& line);
  // Leaves the cursor at the start of a fresh line.
  void Finish();

 private:
  bool terminal_;
  bool dirty_ = false;    // a line in place is open
  int64_t last_ms_ = -1;  // when the last one was shown
};

}  // namespace assay
