// SPDX-License-Identifier: Apache-2.0
//
// Guarded operand memory: a pool of mappings with inaccessible pages on both sides, made once;
// operands are placed by moving a pointer so that one end abuts a guard, canaries fill everything
// that is not an element. The accessible part is a file in memory, so that a process that hosts a
// library can map it at the same addresses. One arena per worker thread; not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "contracts/case.h"
#include "contracts/observation.h"
#include "contracts/values.h"

namespace assay {

// Where an operand lies. Pointers stay valid until the next Place of the same slot.
struct Placed {
  std::byte* allocation = nullptr;  // lowest byte of the allocation (offset gap included)
  std::byte* element0 = nullptr;    // address of index (0,...,0)
  std::byte* lowest = nullptr;      // lowest element byte
  int64_t span_bytes = 0;           // from lowest to the end of the highest element
};

// The mapping that holds an operand, as another process can make it too: `body_bytes` of the file
// from `file_offset` on, with guards of `guard_bytes` before and after. `serial` is never reused in
// a process.
struct OperandMapping {
  uint64_t serial = 0;
  std::byte* body = nullptr;
  int64_t body_bytes = 0;
  int64_t guard_bytes = 0;
  int file = -1;
  int64_t file_offset = 0;
};
// Of whichever arena of this process `address` lies in; nothing if it lies in none. Any thread.
std::optional<OperandMapping> FindOperandMapping(const void* address);

class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Lays operand `slot` out as `tensor` says and stores `values`; the rest is canary. With
  // `slack_bytes` > 0 that many readable canary bytes lie between the operand and the guard at
  // either end (documented over-reads, muted operand sides).
  const Placed& Place(int slot, const Tensor& tensor, const OperandValues& values,
                      int64_t slack_bytes = 0);
  // Stores other values into a placed operand, as if Place had been called with them; or one
  // pattern into every element, which Unchanged and Restore know nothing of.
  void Store(int slot, const OperandValues& values);
  void Prefill(int slot, uint64_t pattern_bits);
  // Reads the elements back, dense row-major.
  void Load(int slot, std::span<uint64_t> bits) const;
  // First damaged canary byte of the slot, as a write outside: after the operand first, then before
  // it, then in its gaps. Looks at all gaps, the offset region, slack and 256 bytes beyond each
  // end.
  std::optional<GuardHit> CheckCanaries(int slot) const;
  // True iff the operand's bytes equal what Place or Store stored last (elements only).
  bool Unchanged(int slot) const;
  // Puts canaries and elements back as Place or Store left them.
  void Restore(int slot);
  const Placed& At(int slot) const;
  // Slot, side and distance of an address in or near a guard, if it is one of ours.
  std::optional<GuardHit> Locate(const void* address, Access access) const;

 private:
  struct Slot;
  std::array<Slot*, kMaxOperands> slots_{};
  int file_ = -1;
};

}  // namespace assay
