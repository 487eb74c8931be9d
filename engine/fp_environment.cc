// SPDX-License-Identifier: Apache-2.0

#include "engine/fp_environment.h"

#include <xmmintrin.h>

namespace assay {
namespace {

// Bits of MXCSR (Intel 64 SDM volume 1, section 10.2.3).
constexpr uint32_t kStickyFlags = 0x3F;
constexpr uint32_t kDenormalsAreZero = 1u << 6;
constexpr uint32_t kRoundingControl = 3u << 13;
constexpr uint32_t kFlushToZero = 1u << 15;

}  // namespace

FpControl ReadFpControl() {
  FpControl control;
  control.mxcsr = _mm_getcsr() & ~kStickyFlags;
  asm volatile("fnstcw %0" : "=m"(control.x87));
  return control;
}

void WriteFpControl(const FpControl& control) {
  _mm_setcsr(control.mxcsr);
  asm volatile("fldcw %0" : : "m"(control.x87));
}

void ResetFpControl(const FpControl& control) {
  asm volatile("fninit" : : : "memory");
  WriteFpControl(control);
}

EnvironmentChange FpChanges(const FpControl& before, const FpControl& after) {
  const uint32_t changed = before.mxcsr ^ after.mxcsr;
  EnvironmentChange changes = 0;
  if ((changed & kRoundingControl) != 0) changes |= kRoundingModeChanged;
  if ((changed & (kFlushToZero | kDenormalsAreZero)) != 0) changes |= kFlushToZeroChanged;
  if (before.x87 != after.x87) changes |= kX87ControlChanged;
  return changes;
}

}  // namespace assay
