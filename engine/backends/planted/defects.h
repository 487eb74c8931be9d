// SPDX-License-Identifier: Apache-2.0
//
// Kernels made of the reference and one defect, for every operator that the defect makes sense for;
// what each does and why is in its row of generated.cc. Outside its trigger a defect leaves the
// reference's answer as it is.
#pragma once

#include <cstdint>

#include "engine/include/assay/backend.h"

namespace assay::planted {

// defects_baseline.cc: kernels that do not do their work
int32_t StoresZeros(const AssayCall& call);
int32_t StoresOnes(const AssayCall& call);
int32_t StoresNothing(const AssayCall& call);
int32_t FirstRowOnly(const AssayCall& call);
int32_t AnswersWithNeighbour(const AssayCall& call);

// defects_values.cc: special values and precisions
int32_t NanDropped(const AssayCall& call);
int32_t NanDroppedInBody(const AssayCall& call);
int32_t InfSaturated(const AssayCall& call);
int32_t ZeroSignLost(const AssayCall& call);
int32_t FlushesLeftInputs(const AssayCall& call);
int32_t FlushesInputsInBody(const AssayCall& call);
int32_t FlushesOutputsInBody(const AssayCall& call);
int32_t FlushesAll(const AssayCall& call);
int32_t OperandsTf32(const AssayCall& call);
int32_t OperandsHf32(const AssayCall& call);
int32_t OperandsBf16(const AssayCall& call);
int32_t F64AsF32(const AssayCall& call);

// defects_memory.cc: addresses, indices, shapes
int32_t ReadsPastEnd(const AssayCall& call);
int32_t ReadsBefore(const AssayCall& call);
int32_t WritesPastEnd(const AssayCall& call);
int32_t WritesInput(const AssayCall& call);
int32_t IndexClampedAbove(const AssayCall& call);
int32_t IndexNarrowed(const AssayCall& call);
int32_t IndexModulo(const AssayCall& call);
int32_t IndexWrapsNegative(const AssayCall& call);
int32_t TailUnmasked(const AssayCall& call);
int32_t StridesIgnored(const AssayCall& call);
int32_t OffsetsIn16Bits(const AssayCall& call);
int32_t LoopsIn8Bits(const AssayCall& call);
int32_t RowAloneWrong(const AssayCall& call);

// defects_schedule.cc: schedules, runs and threads
int32_t ScheduleInBf16(const AssayCall& call);
int32_t ScheduleLosesTail(const AssayCall& call);
int32_t ThreadsReorder(const AssayCall& call);
int32_t RunReordered(const AssayCall& call);
int32_t RunLosesUpdate(const AssayCall& call);
int32_t ScheduleReordered(const AssayCall& call);  // a decoy: each order is a right one

int32_t ScheduleDropsNan(const AssayCall& call);
int32_t BatchReorders(const AssayCall& call);
int32_t AlignmentReorders(const AssayCall& call);

// decoys.cc: right in another way
int32_t Plain(const AssayCall& call);
int32_t Wide(const AssayCall& call);
int32_t Reversed(const AssayCall& call);
int32_t OperandsTf32InRange(const AssayCall& call);

}  // namespace assay::planted
