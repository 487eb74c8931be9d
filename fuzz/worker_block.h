// SPDX-License-Identifier: Apache-2.0
//
// What a worker shows of itself: one block of memory shared with the supervisor, which reads it
// while the worker runs and after it died. One writer per field; the worker writes all but `stop`.
// Plain counters, no pointers, no strings that move. Must not depend on any library under test.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "contracts/case.h"
#include "contracts/observation.h"
#include "contracts/verdict.h"
#include "engine/codec.h"

namespace assay {

inline constexpr int kWorkerBlockFd = 3;  // where a worker finds it
inline constexpr int kMaxClauses = 96;
inline constexpr int kMaxMutes = 128;

// Why a worker ended by itself.
enum class WorkerEnd : uint32_t {
  kNone = 0,       // it did not: killed, crashed, or a library ended the process
  kQuantumDone,    // all cases of its budget ran
  kStopped,        // it was asked to
  kTooManyFaults,  // a library was abandoned in too many calls to be trusted further
  kCannotStart,    // see its log
  kCannotRecord,   // a finding could not be written durably; see its log
};

// A side of an operand that faulted: after kMuteAfter hits it gets slack in place of the guard, in
// this and in later quanta. With operand kWholeCall, an operator on which the backend ended the
// process: after kExcludeAfter deaths it is left out.
inline constexpr int8_t kWholeCall = -1;
struct MuteEntry {
  int32_t backend = 0;
  OpId op = OpId::kGemm;
  int8_t operand = 0;
  Side side = Side::kAfter;
  uint8_t muted = 0;
  uint32_t hits = 0;
};
inline constexpr uint32_t kMuteAfter = 50;
inline constexpr uint32_t kExcludeAfter = 10;

using Counter = std::atomic<uint64_t>;

// Sums over a quantum; the supervisor adds them up over the campaign.
struct WorkerCounts {
  Counter cases;                            // accepted and run
  Counter violations;                       // hits, all backends
  Counter divergent;                        // cases on which conforming backends differ in bits
  std::array<Counter, kOutcomeCount> runs;  // (case, backend) by its least outcome
  std::array<std::array<Counter, kOutcomeCount>, kMaxClauses> clauses;
  std::array<Counter, kRejectCount> rejects;
};

struct WorkerBlock {
  std::atomic<uint32_t> stop;   // by the supervisor: end before the next case
  std::atomic<uint32_t> ended;  // WorkerEnd
  std::atomic<uint32_t> mutator_ran;
  std::atomic<uint64_t> beat;    // grows whenever `backend` changes
  std::atomic<int32_t> backend;  // index of the backend that runs, -1: none
  uint64_t budget;               // cases of this quantum
  uint64_t seed;                 // of the campaign
  // The case in flight, written before anything runs; size 0: none yet.
  std::atomic<uint32_t> in_flight_size;
  std::array<uint8_t, kMaxEncodedSize> in_flight;
  std::atomic<uint32_t> mute_count;
  std::array<MuteEntry, kMaxMutes> mutes;
  WorkerCounts counts;
};
static_assert(Counter::is_always_lock_free);

// The position of the entry for this side, added if need be; null when the table is full.
MuteEntry* FindMute(WorkerBlock& block, int backend, OpId op, int operand, Side side);

inline void Bump(Counter& counter, uint64_t by = 1) {
  // One writer: no read-modify-write needed.
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace assay
