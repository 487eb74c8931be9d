// SPDX-License-Identifier: Apache-2.0
#include "fuzz/worker_block.h"

namespace assay {

MuteEntry* FindMute(WorkerBlock& block, int backend, OpId op, int operand, Side side) {
  const uint32_t count = block.mute_count;
  for (uint32_t i = 0; i < count; ++i) {
    MuteEntry& entry = block.mutes[i];
    if (entry.backend == backend && entry.op == op && entry.operand == operand &&
        entry.side == side) {
      return &entry;
    }
  }
  if (count == kMaxMutes) return nullptr;
  MuteEntry& entry = block.mutes[count];
  entry = {backend, op, static_cast<int8_t>(operand), side, 0, 0};
  block.mute_count = count + 1;
  return &entry;
}

}  // namespace assay
