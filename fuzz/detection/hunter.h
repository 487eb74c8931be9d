// SPDX-License-Identifier: Apache-2.0
//
// One planted bug under one way of making cases, in a process of its own: counts inputs, judges
// cases as a campaign does, and ends the process at the first violation of the contract that the
// bug breaks. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/pipeline.h"
#include "fuzz/detection/quarry.h"

namespace assay {

// What a hunt came to, in memory shared with the parent, which reads it once the process ended.
struct Catch {
  uint64_t inputs = 0;  // tried, those that are no case included
  double seconds = 0;   // of the processor, from the first input on
  bool found = false;
  bool ended = false;  // false: the process died before it was done
  char clause[64] = {};
  char line[2048] = {};  // the case that showed the bug, as `assay repro` takes it
};

class Hunter {
 public:
  // REQUIRES a quarry that opens. Its answers are judged beside those of the reference, since a
  // campaign has both.
  Hunter(const Quarry& quarry, uint64_t limit, Catch& result);

  // Says that one more input is about to be tried; ends the process when the limit is reached.
  void CountInput();
  // Runs and judges a checked case; ends the process when the bug shows.
  const Record& Try(const Case& value, const NamedDims& dims);
  // Ends the process; an empty clause means that nothing was found.
  [[noreturn]] void End(std::string_view clause, std::string_view line = {});

  const Quarry& quarry() const { return quarry_; }
  const AssayBackend& table() const;

 private:
  const Quarry& quarry_;
  uint64_t limit_;
  Catch& result_;
  std::unique_ptr<Session> session_;
  double started_ = 0;
};

}  // namespace assay
