// SPDX-License-Identifier: Apache-2.0
//
// The cases of a probe with their values, for tests that look at the data.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "contracts/values.h"
#include "engine/probe.h"

namespace assay {

inline constexpr uint64_t kSeeds = 60;

// Calls function(case, values of the case) for every case of the probe on `op`.
template <class Function>
void ForEachCase(Probe probe, OpId op, DType type, const Function& function) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Case value = MakeProbeCase(probe, op, type, seed);
    const Result<NamedDims> dims = CheckCase(value);
    ASSERT_TRUE(dims.ok()) << dims.error().Text();
    Values values;
    MakeValues(value, dims.value(), values);
    function(value, values);
  }
}

}  // namespace assay
