// SPDX-License-Identifier: Apache-2.0
//
// The entry of the oracles: evidence of a case from its values, whatever the operator. The FP
// environment must be the default one (the pipeline restores it after every call); nothing here
// reads a backend's output except MatchingPolicies.
#pragma once

#include <memory>

#include "contracts/evidence.h"
#include "contracts/judge.h"
#include "contracts/values.h"

namespace assay {

// Scratch reused from case to case; one per worker.
class Oracle {
 public:
  Oracle();
  ~Oracle();
  // Fills `evidence`. The fastest tier whose own bound decides is used per element; `radius` says
  // what is left. Bounds are proven, except those of Tier::kLibm (scalar functions, powers, softmax
  // and activations of inputs of at most 24 bits), which are validated: a violation, or a ratio
  // near 1, that was measured with that tier counts only after MeasureHighest has confirmed it.
  // Total: never fails on checked values.
  void Measure(const Values& values, Evidence& evidence);
  // Recomputes every real truth at the highest tier (MPFR sums that round nothing; balls at
  // `precision_bits`): called when a verdict was inconclusive or rests on Tier::kLibm, and by tests
  // as the referee.
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// Frees what the libraries behind the oracles keep for the calling thread. REQUIRES that no Oracle
// of this thread is alive; called at the end of a thread that is not the program's only one.
void ReleaseThreadCaches();

// Emulations and policy tables for the judge. Holds a reference to `values`. Asking for an element
// costs the emulation of that element alone.
class Emulator : public ForceSource {
 public:
  explicit Emulator(const Values& values) : values_(&values) {}
  bool Emulate(DefectModel model, int64_t index, double* out) override;
  uint32_t MatchingPolicies(const Observation& observation) override;
  bool LegalChoice(int64_t element, int64_t got, std::span<const int64_t> before,
                   std::optional<NanPlace> place) override;

 private:
  const Values* values_;
};

}  // namespace assay
