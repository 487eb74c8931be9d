// SPDX-License-Identifier: Apache-2.0
//
// What one backend did with one case: how the call ended, what it wrote, and what it touched that
// it should not have. A plain record; it judges nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/dtype.h"

namespace assay {

enum class RunStatus : uint8_t {
  kOk = 0,
  kRaised,       // the backend reported a declared rejection, such as an index error
  kUnsupported,  // the backend says it cannot (detail: why)
  kFailed,       // the backend reported an internal failure (detail: its text)
  kGuardHit,     // the call touched an inaccessible page beside an operand; see `guard`
  kCrashed,      // any other fatal signal, abort or exit (detail: which)
  kTimedOut,
};
std::string_view NameOf(RunStatus status);

enum class Side : uint8_t { kBefore, kAfter, kGap };  // kGap: between the strided elements
enum class Access : uint8_t { kRead, kWrite };

// A touch outside an operand. Distance in bytes from the operand's nearest own byte: 1 is the first
// byte outside. Reads are seen only by page faults, writes also by damaged canaries.
struct GuardHit {
  int operand = 0;
  Side side = Side::kAfter;
  int64_t distance_bytes = 0;
  Access access = Access::kRead;
};

// Bits of what a call left changed in the process.
using EnvironmentChange = uint8_t;
inline constexpr EnvironmentChange kRoundingModeChanged = 1;
inline constexpr EnvironmentChange kFlushToZeroChanged = 2;
inline constexpr EnvironmentChange kX87ControlChanged = 4;

struct Observation {
  RunStatus status = RunStatus::kOk;
  std::string detail;
  std::optional<GuardHit> guard;
  int changed_input = -1;  // operand whose bytes differ after the call, or -1
  EnvironmentChange environment = 0;
  // The output operand, dense in logical row-major order. Valid iff status == kOk.
  DType dtype = DType::kF32;
  std::vector<uint64_t> bits;
  std::vector<double> real;  // float types only
  // Elements that held the output prefill after the call under every prefill tried: not written.
  // Settled only when `prefills` >= 2; -1: none, else the first such element.
  int64_t unwritten = -1;
  int64_t unwritten_count = 0;
  int prefills = 0;
  // Elements whose answer followed the prefill without equalling it, where the contract says that
  // the old content is not read (beta = 0). -1: none.
  int64_t prefill_dependent = -1;
};

}  // namespace assay
