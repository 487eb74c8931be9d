// SPDX-License-Identifier: Apache-2.0
//
// The path of a case: plan, materialize, run, measure, check, straight down in one function, used
// alike by fuzzing, replay, minimizing, calibration and tests.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/judge.h"
#include "engine/backend.h"
#include "engine/codec.h"

namespace assay {

struct SessionOptions {
  std::shared_ptr<const Suite> suite;
  std::string assume;   // "", "ieee" or "blas"
  bool settle = false;  // always do the second prefill run (replay, confirmation)
  int force_budget = 4;
};

// What one backend's run came to.
struct BackendOutcome {
  int backend = 0;  // index into Session::backends()
  Observation observation;
  Verdict verdict;
};

// Everything about one case; owned by the session, valid until the next RunCase.
struct Record {
  const Case* value = nullptr;
  NamedDims dims;
  Reject reject = Reject::kNone;         // when not kNone nothing ran
  std::vector<BackendOutcome> outcomes;  // backends that support the case, in session order
  int unsupported = 0;
  bool divergent = false;              // ok answers differ in bits between backends
  const Evidence* evidence = nullptr;  // null when nothing ran
  const Values* values = nullptr;
};

// Time spent, for the benchmarks only; never read by anything that affects a case.
struct PhaseTimes {
  uint64_t kernel_ns = 0, oracle_ns = 0, check_ns = 0;
};

// What a thread that ran sessions calls before it ends, once they are gone: frees what the oracles
// keep per thread. The program's only thread need not.
void EndSessionThread();

class Session {
 public:
  Session(SessionOptions options, std::vector<std::unique_ptr<Backend>> backends);
  ~Session();

  const std::vector<std::unique_ptr<Backend>>& backends() const;
  // Runs the case on every backend (or on the one whose index is given).
  const Record& RunCase(const Case& value, int only_backend = -1);
  // The same for a case that is known to be checked, with its dimensions, as Decode gives it.
  const Record& RunChecked(const Case& value, const NamedDims& dims, int only_backend = -1);
  // Gives an operand side of a backend slack in place of the guard from now on; the report says so.
  void Mute(int backend, OpId op, int operand, Side side);
  int muted() const;
  // Leaves a backend out of an operator's cases from now on: it keeps ending the process there.
  void Exclude(int backend, OpId op);
  // Guard faults taken so far per backend: the worker is replaced when one has too many.
  int faults(int backend) const;
  // Called right before a backend runs and after it returned, so that a death is attributed.
  void set_run_marker(void (*marker)(void* context, int backend), void* context);
  void set_phase_times(PhaseTimes* times);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
