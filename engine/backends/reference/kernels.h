// SPDX-License-Identifier: Apache-2.0
//
// The loops of the reference backend, one function per family. REQUIRES a call of a checked case.
#pragma once

#include "engine/include/assay/backend.h"

namespace assay::reference {

// BLAS text: with alpha = 0 or k = 0, a and b are not read; with beta = 0, c is not read; if then
// beta = 1, c is not written.
void Gemm(const AssayCall& call);
void Dot(const AssayCall& call);
void Sum(const AssayCall& call);
// exp(x - max) / sum, rows independent.
void Softmax(const AssayCall& call);
// exp, log, tanh, sqrt, erf, gelu.
void Unary(const AssayCall& call);
// False, with nothing written, if an index lies outside the table.
bool Gather(const AssayCall& call);

}  // namespace assay::reference
