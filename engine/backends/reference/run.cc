// SPDX-License-Identifier: Apache-2.0
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

using Kernel = void (*)(const AssayCall&);

// The kernels that cannot raise, by operator.
Kernel KernelOf(uint32_t op) {
  switch (op) {
    case ASSAY_OP_GEMM:
    case ASSAY_OP_GEMV:
    case ASSAY_OP_BATCHED_GEMM:
      return Gemm;
    case ASSAY_OP_INT8_GEMM:
      return Int8Gemm;
    case ASSAY_OP_DOT:
      return Dot;
    case ASSAY_OP_SCAL:
      return Scal;
    case ASSAY_OP_AXPY:
      return Axpy;
    case ASSAY_OP_FUSED_LINEAR:
      return FusedLinear;
    case ASSAY_OP_SCALED_GRADIENT:
      return ScaledGradient;
    case ASSAY_OP_GER:
    case ASSAY_OP_SYR:
      return RankOne;
    case ASSAY_OP_TRMV:
    case ASSAY_OP_TRSV:
    case ASSAY_OP_TRMM:
    case ASSAY_OP_TRSM:
      return Triangular;
    case ASSAY_OP_CUMSUM:
      return Cumsum;
    case ASSAY_OP_SOFTMAX:
    case ASSAY_OP_LOG_SOFTMAX:
    case ASSAY_OP_LOG_SUM_EXP:
      return Softmax;
    case ASSAY_OP_LAYER_NORM:
    case ASSAY_OP_RMS_NORM:
    case ASSAY_OP_BATCH_NORM:
      return Normalize;
    case ASSAY_OP_ATTENTION:
      return Attention;
    case ASSAY_OP_CAST:
      return Cast;
    case ASSAY_OP_QUANTIZE:
      return Quantize;
    case ASSAY_OP_DEQUANTIZE:
      return Dequantize;
    case ASSAY_OP_MINIMUM_NUMBER:
    case ASSAY_OP_MAXIMUM_NUMBER:
      return Binary;
    case ASSAY_OP_SORT:
    case ASSAY_OP_TOPK:
    case ASSAY_OP_TOPK_INDICES:
      return Sort;
    case ASSAY_OP_CONV2D:
      return Convolution;
    case ASSAY_OP_MAX_POOL:
    case ASSAY_OP_AVG_POOL:
      return Pool;
    case ASSAY_OP_ALL_REDUCE:
    case ASSAY_OP_REDUCE_SCATTER:
    case ASSAY_OP_ALL_GATHER:
      return Collective;
    default:
      break;
  }
  if (op >= ASSAY_OP_ADD && op <= ASSAY_OP_HYPOT) return Binary;
  if (op >= ASSAY_OP_COMPLEX_SCAL && op <= ASSAY_OP_COMPLEX_ABS) return ComplexOperation;
  const bool reduces = op == ASSAY_OP_SUM || (op >= ASSAY_OP_NAN_MAX && op <= ASSAY_OP_NAN_SUM) ||
                       (op >= ASSAY_OP_NRM2 && op <= ASSAY_OP_MIN);
  return reduces ? Reduction : Unary;
}

int32_t RaisedUnless(bool done) { return done ? ASSAY_OK : ASSAY_RAISED; }

}  // namespace

int32_t Run(const AssayCall& call) {
  switch (call.op) {
    case ASSAY_OP_ARGMAX:
    case ASSAY_OP_AMAX:
      return RaisedUnless(Find(call));
    case ASSAY_OP_GATHER:
    case ASSAY_OP_EMBEDDING:
    case ASSAY_OP_INDEX_SELECT:
      return RaisedUnless(GatherRows(call));
    case ASSAY_OP_SCATTER_ADD:
      return RaisedUnless(ScatterAdd(call));
    case ASSAY_OP_INT_DIV:
    case ASSAY_OP_INT_REMAINDER:
      return RaisedUnless(IntDivision(call));
    default:
      KernelOf(call.op)(call);
      return ASSAY_OK;
  }
}

}  // namespace assay::reference
