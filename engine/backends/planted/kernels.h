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

// elementary.cc
int32_t HyperbolicHalves(const AssayCall& call);
int32_t HyperbolicEarlyOverflow(const AssayCall& call);
int32_t TrigonometricTwoParts(const AssayCall& call);
int32_t TrigonometricRoundedPeriod(const AssayCall& call);
int32_t SoftplusLogOfSum(const AssayCall& call);
int32_t SoftplusThreshold(const AssayCall& call);
int32_t SoftsignReciprocal(const AssayCall& call);
int32_t SoftsignSquares(const AssayCall& call);
int32_t LogarithmSmallestNormal(const AssayCall& call);
int32_t LgammaLogOfGamma(const AssayCall& call);
int32_t TgammaExpOfLgamma(const AssayCall& call);
int32_t ErfcOneMinusErf(const AssayCall& call);
int32_t CbrtByPower(const AssayCall& call);
int32_t AreaLogForm(const AssayCall& call);
int32_t PowerByExp(const AssayCall& call);
int32_t ArcByComplement(const AssayCall& call);
int32_t BesselLeadingTerm(const AssayCall& call);
int32_t AbsOfSquare(const AssayCall& call);
int32_t TangentQuotient(const AssayCall& call);
int32_t HyperbolicByExpm1(const AssayCall& call);
int32_t LogarithmQuotient(const AssayCall& call);

// gather.cc
int32_t GatherRaises(const AssayCall& call);
int32_t GatherClampsAbove(const AssayCall& call);
int32_t GatherNarrowIndex(const AssayCall& call);
int32_t GatherModulo(const AssayCall& call);
int32_t GatherWrapsNegative(const AssayCall& call);
int32_t GatherZeroFills(const AssayCall& call);

// attention.cc
int32_t AttentionNoShift(const AssayCall& call);
int32_t AttentionF16Sum(const AssayCall& call);
int32_t AttentionBf16Scores(const AssayCall& call);
int32_t AttentionF16Scores(const AssayCall& call);
int32_t AttentionF16Weights(const AssayCall& call);
int32_t AttentionBf16Weights(const AssayCall& call);
int32_t AttentionOnline(const AssayCall& call);
int32_t AttentionMaskedRowZero(const AssayCall& call);
int32_t AttentionScheduleF16Sum(const AssayCall& call);
int32_t AttentionTileByBatch(const AssayCall& call);

// norms.cc
int32_t NormOnePass(const AssayCall& call);
int32_t NormNanClamped(const AssayCall& call);
int32_t NormWelford(const AssayCall& call);
int32_t NormFolded(const AssayCall& call);
int32_t Nrm2Unscaled(const AssayCall& call);
int32_t BatchNormNanInterpolated(const AssayCall& call);

// complex.cc
int32_t ComplexRealSkipped(const AssayCall& call);
int32_t ComplexZeroClears(const AssayCall& call);
int32_t ComplexThreeProducts(const AssayCall& call);
int32_t ComplexConjugateIgnored(const AssayCall& call);
int32_t ComplexFused(const AssayCall& call);
int32_t ComplexRecovered(const AssayCall& call);
int32_t ComplexAbsOfSquares(const AssayCall& call);
int32_t ComplexAbsScaledDown(const AssayCall& call);

// triangular.cc
int32_t GerAlphaZeroReads(const AssayCall& call);
int32_t SyrWholeTail(const AssayCall& call);
int32_t SyrFused(const AssayCall& call);
int32_t TriangularMasked(const AssayCall& call);
int32_t TriangularUnitCorrected(const AssayCall& call);
int32_t TriangularLowerUnturned(const AssayCall& call);
int32_t TriangularByColumns(const AssayCall& call);
int32_t SolveMasked(const AssayCall& call);
int32_t SolveUnitDivides(const AssayCall& call);
int32_t SolveRoughReciprocal(const AssayCall& call);
int32_t SolveLowerUnturned(const AssayCall& call);
int32_t SolveByReciprocal(const AssayCall& call);
int32_t SolveByColumns(const AssayCall& call);

// epilogue.cc
int32_t LinearProductStored(const AssayCall& call);
int32_t LinearTanhGelu(const AssayCall& call);
int32_t LinearResidualAfterCast(const AssayCall& call);
int32_t LinearBiasFirst(const AssayCall& call);
int32_t GradientUnscaledNarrow(const AssayCall& call);
int32_t GradientBiasScaled(const AssayCall& call);
int32_t GradientOverflowClamped(const AssayCall& call);
int32_t GradientReversed(const AssayCall& call);

// collectives.cc
int32_t CollectiveBf16Wire(const AssayCall& call);
int32_t CollectivePartialBucket(const AssayCall& call);
int32_t CollectiveRing(const AssayCall& call);
int32_t CollectiveTree(const AssayCall& call);
int32_t CollectiveRanksDiffer(const AssayCall& call);

// conversions.cc
int32_t CastTruncates(const AssayCall& call);
int32_t CastThroughF32(const AssayCall& call);
int32_t CastAddAndShift(const AssayCall& call);
int32_t QuantizeBf16Reciprocal(const AssayCall& call);
int32_t QuantizeByReciprocal(const AssayCall& call);
int32_t QuantizeWraps(const AssayCall& call);
int32_t Int8PairsSaturate(const AssayCall& call);
int32_t Int8FloatAccumulator(const AssayCall& call);
int32_t Int8WithoutMinimum(const AssayCall& call);
int32_t Int8Reversed(const AssayCall& call);

// integers.cc
int32_t IntDivTraps(const AssayCall& call);
int32_t IntDivZeroForZero(const AssayCall& call);
int32_t IntDivWraps(const AssayCall& call);
int32_t IntDivAllOnes(const AssayCall& call);
int32_t IntDivByF32(const AssayCall& call);
int32_t IntDivByF64(const AssayCall& call);
int32_t IntDivLong(const AssayCall& call);

// ordering.cc
int32_t NumberNative(const AssayCall& call);
int32_t NanExtremumNative(const AssayCall& call);
int32_t NanSumPoisoned(const AssayCall& call);
int32_t SortNanBreaksOrder(const AssayCall& call);
int32_t SortDropsLast(const AssayCall& call);
int32_t SortMergesEqual(const AssayCall& call);
int32_t TopkRepeatsIndex(const AssayCall& call);
int32_t SortTotalOrder(const AssayCall& call);

// scatter.cc
int32_t ScatterAtomics(const AssayCall& call);
int32_t ScatterLastWins(const AssayCall& call);
int32_t ScatterLosesUpdate(const AssayCall& call);
int32_t ScatterReversed(const AssayCall& call);

// oddities.cc: faults of published incidents
int32_t CastIntegerAsByte(const AssayCall& call);
int32_t CopyNanToZero(const AssayCall& call);
int32_t RemainderInfForNan(const AssayCall& call);
int32_t ConvolutionOmitted(const AssayCall& call);

}  // namespace assay::planted
