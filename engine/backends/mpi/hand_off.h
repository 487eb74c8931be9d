// SPDX-License-Identifier: Apache-2.0
//
// What the adapter and the rank processes share: a page of orders, and one area each for all ranks'
// inputs and outputs. Depends on neither MPI nor the engine. Linux only: both sides sleep on words
// of the page, since ranks that wait inside MPI would keep every core busy.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace assay::mpi {

inline constexpr int kMaxRanks = 8;
// A call of very many buckets would last longer than a call may.
inline constexpr int64_t kMaxBuckets = 64;

enum class Collective : uint32_t { kAllReduce, kReduceScatter, kAllGather };
enum class Reduction : uint32_t { kSum, kMean, kMax, kMin };

struct Order {
  Collective collective;
  Reduction reduction;
  uint32_t element_bytes;  // 4: float, 8: double; all_gather takes any size
  int32_t ranks;           // the first so many take part
  int64_t n;               // elements of one buffer, or of one part of it
  int64_t bucket;          // elements of one MPI call
  uint64_t schedule_seed;  // 0: one bucket after the other; else all at once in a drawn order
};

// Zeroed memory is the initial state.
struct Page {
  std::atomic<int32_t> owner;           // process that gives orders; without it the ranks end
  std::atomic<uint32_t> ready;          // ranks that wait for orders
  std::atomic<uint32_t> go[kMaxRanks];  // grows with each order to that rank
  std::atomic<uint32_t> done;           // ranks that have carried out the last order
  std::atomic<uint32_t> quit;           // not 0: finish instead
  std::atomic<int32_t> error;           // of MPI, the first one of the last order
  Order order;
};

inline constexpr size_t kPageBytes = 4096;
inline constexpr size_t kAreaBytes = size_t{8} << 20;  // of the inputs, and of the outputs
inline constexpr size_t kSharedBytes = kPageBytes + 2 * kAreaBytes;
static_assert(sizeof(Page) <= kPageBytes);

inline char* Inputs(Page* page) { return reinterpret_cast<char*>(page) + kPageBytes; }
inline char* Outputs(Page* page) { return Inputs(page) + kAreaBytes; }

// Returns when the word is no longer `seen`, or is woken, or after the time; the caller looks
// again.
inline void Sleep(std::atomic<uint32_t>& word, uint32_t seen, int64_t milliseconds) {
  const timespec limit{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}
inline void Wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, kMaxRanks, nullptr, nullptr, 0);
}

}  // namespace assay::mpi
