// SPDX-License-Identifier: Apache-2.0
//
// The oracle of cast: what each pair of types makes of an element. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"

namespace assay {

// Truths:
//   float -> float    the element; its one rounding is the image of a bound of 0. An overflow is a
//                     matter of classes: Inf, or NaN in f8e4m3, which has none. Saturating casts to
//                     8-bit floats give the largest finite, also of an infinity; to wider types
//                     {Inf, largest}, as the attribute concerns 8-bit floats alone in ONNX and
//                     every type on processors with a saturation mode.
//   integer -> float  the one rounding of the element: of a 64-bit integer, and in f64, there is no
//                     interval of doubles to ask.
//   float -> integer  the element, truncated; whether the type holds it or not.
//   integer -> integer  the element; beyond the type it wraps or saturates.
// A NaN, and a float whose truncation the integer type cannot hold, may become anything unless
// declared: all classes are legal, and the judge narrows them by what the backend declares.
void MeasureCast(const Values& values, Evidence& evidence);

}  // namespace assay
