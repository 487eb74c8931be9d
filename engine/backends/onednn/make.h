// SPDX-License-Identifier: Apache-2.0
//
// What each operator of the C table is in oneDNN, one function per kind. Each looks at types,
// shapes, strides, attributes and the schedule of a call, and either builds the primitive or
// refuses.
//
// Schedules: an odd schedule_seed takes the other way a user has to the same result: an inner
// product in place of a matmul (and the reverse for dot), and a convolution that chooses its own
// layouts, with reorders around it.
#pragma once

#include "engine/backends/onednn/primitive.h"
#include "engine/include/assay/backend.h"

namespace assay::onednn {

// Any operator: chooses among those below.
void Make(const AssayCall& call, Primitive& primitive);

void MakeProduct(const AssayCall& call, Primitive& primitive);  // gemm, gemv, batched_gemm, dot
void MakeInt8Product(const AssayCall& call, Primitive& primitive);
void MakeLinear(const AssayCall& call, Primitive& primitive);  // fused_linear

void MakeReduction(const AssayCall& call, Primitive& primitive);
void MakeVariance(const AssayCall& call, Primitive& primitive);
void MakeSoftmax(const AssayCall& call, Primitive& primitive);
void MakeLayerNorm(const AssayCall& call, Primitive& primitive);
void MakeBatchNorm(const AssayCall& call, Primitive& primitive);

void MakeUnary(const AssayCall& call, Primitive& primitive);
void MakeBinary(const AssayCall& call, Primitive& primitive);
void MakeCast(const AssayCall& call, Primitive& primitive);
void MakeQuantize(const AssayCall& call, Primitive& primitive);
void MakeDequantize(const AssayCall& call, Primitive& primitive);

void MakeConvolution(const AssayCall& call, Primitive& primitive);
void MakePooling(const AssayCall& call, Primitive& primitive);

// What an activation, or a function of one element, is called; undefined if it is none.
struct Eltwise {
  dnnl_alg_kind_t algorithm = dnnl_alg_kind_undef;
  float alpha = 0;
  float beta = 0;
};
Eltwise EltwiseOf(const AssayCall& call);  // of an operator of one element
Eltwise ActivationOf(int label);           // of fused_linear's attribute; undefined for none

inline bool OtherSchedule(const AssayCall& call) { return call.schedule_seed % 2 == 1; }

}  // namespace assay::onednn
