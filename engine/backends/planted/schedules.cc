// SPDX-License-Identifier: Apache-2.0
//
// Kernels of any operator whose answer depends on the schedule, the run, the batch, the threads or
// the addresses. Schedule 0, run 0, one row and one thread are the reference's.
#include "contracts/values.h"
#include "engine/backends/planted/defects.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/reference/kernels.h"

namespace assay::planted {
namespace {

// Half of the schedules, by a draw that no tile size explains.
bool OtherSchedule(const AssayCall& call) {
  return call.schedule_seed != 0 && Mix(call.schedule_seed) % 2 == 1;
}

bool SeveralRows(const AssayCall& call) {
  const AssayTensor& out = call.operands[call.operand_count - 1];
  return out.ndim > 1 && out.shape[0] > 1;
}

bool OffTheVector(const AssayCall& call) {
  const AssayTensor& x = call.operands[0];
  const auto address = reinterpret_cast<uintptr_t>(x.data) + x.byte_offset;
  return address % 32 != 0;
}

int32_t Either(bool other, int32_t (*defect)(const AssayCall&), const AssayCall& call) {
  return other ? defect(call) : reference::Run(call);
}

}  // namespace

int32_t ScheduleTf32(const AssayCall& call) {
  return Either(OtherSchedule(call), &OperandsTf32, call);
}
int32_t ScheduleBf16(const AssayCall& call) {
  return Either(OtherSchedule(call), &OperandsBf16, call);
}
int32_t ScheduleDropsNan(const AssayCall& call) {
  return Either(OtherSchedule(call), &NanDropped, call);
}
int32_t ScheduleReversed(const AssayCall& call) {
  return Either(OtherSchedule(call), &Reversed, call);
}
int32_t RunsReversed(const AssayCall& call) {
  return Either(call.run_number % 2 == 1, &Reversed, call);
}
int32_t RunsTf32(const AssayCall& call) {
  return Either(call.run_number % 4 == 3, &OperandsTf32, call);
}
int32_t BatchReversed(const AssayCall& call) { return Either(SeveralRows(call), &Reversed, call); }
int32_t ThreadsReversed(const AssayCall& call) {
  return Either(call.threads > 1, &Reversed, call);
}
int32_t AlignmentReversed(const AssayCall& call) {
  return Either(OffTheVector(call), &Reversed, call);
}

}  // namespace assay::planted
