// SPDX-License-Identifier: Apache-2.0
//
// The functions of the planted kernels; what each does and why is in its row of the table
// (table.cc).
#pragma once

#include <cstdint>

#include "engine/include/assay/backend.h"

namespace assay::planted {

// gemm.cc
int32_t GemmTf32Operands(const AssayCall& call);
int32_t GemmHf32Operands(const AssayCall& call);
int32_t GemmF64AsF32(const AssayCall& call);
int32_t GemmNarrowLanes(const AssayCall& call);
int32_t GemmSplitKStored(const AssayCall& call);
int32_t GemmZeroSkip(const AssayCall& call);
int32_t GemmNanLostInBody(const AssayCall& call);
int32_t GemmAlphaZeroReads(const AssayCall& call);
int32_t GemmBetaZeroReads(const AssayCall& call);
int32_t GemmReadsPastA(const AssayCall& call);
int32_t GemmReadsPastC(const AssayCall& call);
int32_t GemmBlocked(const AssayCall& call);
int32_t GemmPairwise(const AssayCall& call);
int32_t GemmBlockFma(const AssayCall& call);
int32_t GemmNegativeZero(const AssayCall& call);

// reductions.cc
int32_t DotTf32Operands(const AssayCall& call);
int32_t DotBf16Partials(const AssayCall& call);
int32_t DotNarrowLanes(const AssayCall& call);
int32_t DotF64AsF32(const AssayCall& call);
int32_t DotZeroSkip(const AssayCall& call);
int32_t DotNanLostInBody(const AssayCall& call);
int32_t DotLanes(const AssayCall& call);
int32_t DotPairwise(const AssayCall& call);
int32_t SumTf32Operands(const AssayCall& call);
int32_t SumBf16Partials(const AssayCall& call);
int32_t SumNarrowLanes(const AssayCall& call);
int32_t SumF64AsF32(const AssayCall& call);
int32_t SumNanLostInBody(const AssayCall& call);
int32_t SumInfSaturates(const AssayCall& call);
int32_t SumPairwise(const AssayCall& call);
int32_t SumCompensated(const AssayCall& call);
int32_t SumNegativeZero(const AssayCall& call);

// softmax.cc
int32_t SoftmaxNoShift(const AssayCall& call);
int32_t SoftmaxF16Exponentials(const AssayCall& call);
int32_t SoftmaxUnshiftedLogSum(const AssayCall& call);
int32_t SoftmaxClampedExponent(const AssayCall& call);
int32_t SoftmaxMaskedRowZero(const AssayCall& call);
int32_t SoftmaxExp2(const AssayCall& call);
int32_t SoftmaxOnline(const AssayCall& call);

// unary.cc
int32_t GeluOnePlusErf(const AssayCall& call);
int32_t ExpEarlyOverflow(const AssayCall& call);
int32_t LogFlushesSubnormals(const AssayCall& call);
int32_t TanhOfExponentials(const AssayCall& call);
int32_t ExpNanToInf(const AssayCall& call);
int32_t TanhClampsNan(const AssayCall& call);
int32_t SqrtOfNegativeZeroed(const AssayCall& call);
int32_t UnaryNanLostInBody(const AssayCall& call);
int32_t UnaryWritesPastOut(const AssayCall& call);
int32_t UnaryReadsPastX(const AssayCall& call);
int32_t UnaryAccurate(const AssayCall& call);
int32_t ExpByExp2(const AssayCall& call);
int32_t TanhByExpm1(const AssayCall& call);
int32_t GeluNanAtMinusInfinity(const AssayCall& call);

// gather.cc
int32_t GatherRaises(const AssayCall& call);
int32_t GatherClampsAbove(const AssayCall& call);
int32_t GatherNarrowIndex(const AssayCall& call);
int32_t GatherModulo(const AssayCall& call);
int32_t GatherWrapsNegative(const AssayCall& call);
int32_t GatherZeroFills(const AssayCall& call);

}  // namespace assay::planted
