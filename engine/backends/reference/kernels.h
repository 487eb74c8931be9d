// SPDX-License-Identifier: Apache-2.0
//
// The loops of the reference backend, one function per group of operators. REQUIRES a call of a
// checked case. Those that return bool return false, with nothing written, for a call that raises.
#pragma once

#include <cstdint>

#include "engine/include/assay/backend.h"

namespace assay::reference {

// Runs whatever the call asks for: ASSAY_OK, or ASSAY_RAISED with nothing written. REQUIRES a call
// of a checked case.
int32_t Run(const AssayCall& call);

// linear.cc
// gemm, gemv, batched_gemm. BLAS text: with alpha = 0 or k = 0, a and b are not read; with beta =
// 0, c is not read; if then beta = 1, c is not written.
void Gemm(const AssayCall& call);
void Int8Gemm(const AssayCall& call);  // i32 sums that wrap
void Dot(const AssayCall& call);
void Scal(const AssayCall& call);  // multiplies, also by 0 and 1
void Axpy(const AssayCall& call);  // alpha = 0: x is not read and y not written
void FusedLinear(const AssayCall& call);
// The scaled gradient is one rounding of the exact product to the stored type.
void ScaledGradient(const AssayCall& call);

// triangular.cc
void RankOne(const AssayCall& call);  // ger syr; alpha = 0: nothing is read or written
void Triangular(
    const AssayCall& call);  // trmv trmm trsv trsm; alpha = 0 stores zeros, reads nothing

// complex.cc
void ComplexOperation(const AssayCall& call);  // complex_scal complex_dot complex_gemv complex_abs

// reductions.cc
void Reduction(const AssayCall& call);  // sum mean asum prod nrm2 variance max min
bool Find(const AssayCall& call);       // argmax (first NaN, else first maximum), amax
void Cumsum(const AssayCall& call);

// rows.cc
void Softmax(const AssayCall& call);    // softmax log_softmax log_sum_exp, maximum subtracted
void Normalize(const AssayCall& call);  // layer_norm rms_norm batch_norm
void Attention(const AssayCall& call);

// sort.cc
void Sort(const AssayCall& call);  // sort topk topk_indices; equal elements keep their order

// elementwise.cc
void Unary(const AssayCall& call);
void Binary(const AssayCall& call);

// integers.cc
bool IntDivision(const AssayCall& call);  // int_div, int_remainder; raises where no quotient fits

// convert.cc
// One rounding, ties to even; "saturating" 8-bit floats give their largest number for what is
// beyond it. Float to integer truncates, saturates and gives 0 for NaN; integer to integer
// saturates or, as "ieee", keeps the low bits.
void Cast(const AssayCall& call);
void Quantize(const AssayCall& call);
void Dequantize(const AssayCall& call);

// indexed.cc
bool GatherRows(const AssayCall& call);  // gather, embedding, index_select
bool ScatterAdd(const AssayCall& call);  // in the order of the indices

// windows.cc
void Convolution(const AssayCall& call);  // padding adds no terms
void Pool(const AssayCall& call);

// collectives.cc
void Collective(const AssayCall& call);  // ranks in order 0, 1, ...; every rank gets the same bits

}  // namespace assay::reference
