// SPDX-License-Identifier: Apache-2.0
//
// Time per phase of the pipeline, for the benchmarks only: nothing that decides anything about a
// case may include this file except the pipeline, which only adds the numbers up.
#pragma once

#include <time.h>

#include <cstdint>

namespace assay {

inline uint64_t PhaseNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// Adds the time of its scope to *sum; nothing at all when `sum` is null.
class PhaseTimer {
 public:
  explicit PhaseTimer(uint64_t* sum) : sum_(sum), start_(sum != nullptr ? PhaseNow() : 0) {}
  ~PhaseTimer() {
    if (sum_ != nullptr) *sum_ += PhaseNow() - start_;
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  uint64_t* sum_;
  uint64_t start_;
};

}  // namespace assay
