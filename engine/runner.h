// SPDX-License-Identifier: Apache-2.0
//
// One case on one backend after another over the same guarded operands: places them once, calls,
// reads the output back, looks at guards, canaries and inputs, and puts everything back for the
// next. It measures nothing against a truth. One per worker thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "contracts/case.h"
#include "contracts/judge.h"
#include "contracts/observation.h"
#include "contracts/values.h"
#include "engine/arena.h"
#include "engine/call.h"
#include "engine/include/assay/backend.h"

namespace assay {

// Runs that are compared of a case that says nothing else, the first included.
inline constexpr int kDefaultRuns = 4;

class Runner {
 public:
  void SetBackendCount(int count);
  // Places the operands. `value` and `values` must outlive the runs that follow.
  void Prepare(const Case& value, const Values& values);
  bool Supports(const AssayBackend& table);
  // `overread_bytes`: documented reads past an operand, given as slack. `settle`: run a second time
  // with another prefill even if every element was written.
  void Run(int backend, const AssayBackend& table, int64_t overread_bytes, bool settle,
           Observation& observation);

  // Further calls of the case that just ended well, of those kinds that make sense for it and that
  // the backend says it has a choice of (schedules, threads). What they touch that they should not
  // have is noted as if the first call had done it.
  void RunVariants(int backend, const AssayBackend& table, VariantKinds kinds,
                   Observation& observation);

  void Mute(int backend, OpId op, int operand);
  int muted() const { return muted_count_; }
  int faults(int backend) const { return faults_[backend]; }
  void set_run_marker(void (*marker)(void*, int), void* context) {
    marker_ = marker;
    marker_context_ = context;
  }

 private:
  void PlaceWithSlack(int backend, int64_t overread_bytes);
  void CallOnce(int backend, const AssayBackend& table, Observation& observation);
  void LookAround(Observation& observation);
  void CheckKept(Observation& observation) const;
  void ReadOutput(Observation& observation);
  void SettlePrefill(int backend, const AssayBackend& table, Observation& observation);
  void ForgiveIndeterminacy(int backend, const AssayBackend& table, Observation& observation);
  // The call as Prepare left it, at the operands' present places.
  void ResetCall();
  void CallVariant(int backend, const AssayBackend& table, VariantKind kind, int64_t parameter,
                   Observation& observation, int64_t first = 0);
  void RunAgain(int backend, const AssayBackend& table, Observation& observation);
  void RunSchedules(int backend, const AssayBackend& table, Observation& observation);
  void RunThreads(int backend, const AssayBackend& table, Observation& observation);
  void RunAlone(int backend, const AssayBackend& table, Observation& observation);
  void RunMoved(int backend, const AssayBackend& table, Observation& observation);
  void RunScaled(int backend, const AssayBackend& table, Observation& observation);
  void KeepRow(Variant& variant, int64_t length);
  bool OutputContentIsFree() const;
  bool AnyPrefillLeft(const Observation& observation) const;
  bool IsMuted(int backend, int operand) const;

  const Case* value_ = nullptr;
  const Values* values_ = nullptr;
  int output_ = 0;
  Arena arena_;
  BackendCall call_;
  std::array<int64_t, kMaxOperands> slack_{};
  std::vector<int> faults_;
  std::vector<uint8_t> muted_;  // backend x operator x operand
  int muted_count_ = 0;
  std::vector<uint64_t> second_;
  Observation further_;  // what the call of a variant came to
  void (*marker_)(void*, int) = nullptr;
  void* marker_context_ = nullptr;
};

}  // namespace assay
