// SPDX-License-Identifier: Apache-2.0
//
// The floating-point control words of x86-64, read and written directly (a few ns; fegetenv costs a
// hundred). The functions live in a file of their own because compilers move arithmetic across an
// inlined control-word switch; never build it with link-time optimisation. x86-64 only.
#pragma once

#include <cstdint>

#include "contracts/observation.h"

namespace assay {

struct FpControl {
  uint32_t mxcsr = 0;  // sticky exception flags left out
  uint16_t x87 = 0;
  friend bool operator==(const FpControl&, const FpControl&) = default;
};

FpControl ReadFpControl();
void WriteFpControl(const FpControl& control);
// The same after a call was abandoned in its middle: also empties the x87 register stack, which
// would otherwise overflow under the next long double.
void ResetFpControl(const FpControl& control);
// What differs, as bits of an observation. A changed exception mask has no bit: it alters no
// result.
EnvironmentChange FpChanges(const FpControl& before, const FpControl& after);

}  // namespace assay
