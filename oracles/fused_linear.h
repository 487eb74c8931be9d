// SPDX-License-Identifier: Apache-2.0
//
// The epilogue of fused_linear: from evidence of the pre-activation z to evidence of activation(z)
// + residual, over the whole enclosure of z. Internal to oracles/.
#pragma once

#include "contracts/evidence.h"
#include "contracts/values.h"
#include "oracles/number/activation_ball.h"

namespace assay {

// Largest slope of the activation: relu, tanh 1, sigmoid 1/4, gelu 1.1290, silu 1.0999.
double LipschitzOf(Activation activation);

// f(z) in double precision by the C library, within 2^-38 of itself (not proven). REQUIRES z
// finite.
double ActivateInDouble(Activation activation, double z);

// Replaces truth and classes, keeps the magnitudes of z, adds activated, bias and lipschitz. none
// and relu are exact; others by the C library for inputs of 24 bits or fewer unless `highest`, else
// by balls of at least `precision_bits`.
void ApplyEpilogue(const Values& values, bool highest, int precision_bits, ActivationBall& balls,
                   Evidence& evidence);

}  // namespace assay
