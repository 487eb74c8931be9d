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

// Another call of the same case, changed in one way that must not matter (or only so much).
enum class VariantKind : uint8_t {
  kRun = 0,    // the same call again, with the next run number
  kSchedule,   // another schedule seed
  kThreads,    // another number of threads
  kAlone,      // one row of the batch by itself
  kAlignment,  // operands at other addresses
  kScale,      // scaled_gradient: another loss scale
};
inline constexpr int kVariantKindCount = 6;
std::string_view NameOf(VariantKind kind);

// What a variant wrote. `first` is the output element that its element 0 stands for; a variant of
// one row has fewer elements than the case.
struct Variant {
  VariantKind kind = VariantKind::kRun;
  // Run number, seed, threads, row, shift in elements, log2 of the scale's factor.
  int64_t parameter = 0;
  RunStatus status = RunStatus::kOk;
  int64_t first = 0;
  std::vector<uint64_t> bits;
  std::vector<double> real;
};

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
  // Further calls, in the order they were made; only where a clause compares them.
  std::vector<Variant> variants;
};

}  // namespace assay
