// SPDX-License-Identifier: Apache-2.0
//
// Answers that depend on what must not matter: the schedule, the run, the number of threads. Each a
// pure function of the call all the same.
#include "engine/backends/planted/defects.h"
#include "engine/backends/planted/exchanged.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

bool OddSchedule(const AssayCall& call) { return call.schedule_seed % 2 == 1; }
bool OddRun(const AssayCall& call) { return call.run_number % 2 == 1; }

int32_t WithoutLastElement(const AssayCall& call) {
  ExchangedCall exchanged(call);
  ForEachPlace(exchanged.Copy(0), [](const Place& place) {
    if (place.last_index() == place.last_extent - 1) place.SetBits(0);
  });
  return exchanged.Run();
}

}  // namespace

int32_t ScheduleInBf16(const AssayCall& call) {
  return OddSchedule(call) ? OperandsBf16(call) : reference::Run(call);
}

int32_t ScheduleLosesTail(const AssayCall& call) {
  return OddSchedule(call) ? WithoutLastElement(call) : reference::Run(call);
}

int32_t ScheduleDropsNan(const AssayCall& call) {
  return OddSchedule(call) ? NanDropped(call) : reference::Run(call);
}

int32_t BatchReorders(const AssayCall& call) {
  const AssayTensor& out = call.operands[call.operand_count - 1];
  const bool several = out.ndim > 1 && out.shape[0] > 1;
  return several ? Reversed(call) : reference::Run(call);
}

int32_t AlignmentReorders(const AssayCall& call) {
  constexpr uintptr_t kVectorBytes = 32;
  const AssayTensor& x = call.operands[0];
  const auto address = reinterpret_cast<uintptr_t>(x.data) + x.byte_offset;
  return address % kVectorBytes != 0 ? Reversed(call) : reference::Run(call);
}

int32_t ScheduleReordered(const AssayCall& call) {
  return OddSchedule(call) ? Reversed(call) : reference::Run(call);
}

int32_t ThreadsReorder(const AssayCall& call) {
  return call.threads > 1 ? Reversed(call) : reference::Run(call);
}

int32_t RunReordered(const AssayCall& call) {
  return OddRun(call) ? Reversed(call) : reference::Run(call);
}

int32_t RunLosesUpdate(const AssayCall& call) {
  return OddRun(call) ? WithoutLastElement(call) : reference::Run(call);
}

}  // namespace assay::planted
