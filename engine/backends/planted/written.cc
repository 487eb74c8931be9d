// SPDX-License-Identifier: Apache-2.0
//
#include "engine/backends/planted/written.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/row.h"

namespace assay {
namespace {

using namespace planted;  // the functions of the rows

constexpr OpSet kReduces =
    Bit(OpId::kAllReduce) | Bit(OpId::kReduceScatter) | Bit(OpId::kAllGather);

constexpr OpSet kIntDivision = Bit(OpId::kIntDiv) | Bit(OpId::kIntRemainder);
constexpr uint32_t kIntegers = BitsOf(DType::kI32, DType::kI64, DType::kI8, DType::kU8);
constexpr OpSet kHyperbolic = Bit(OpId::kSinh) | Bit(OpId::kCosh);
constexpr OpSet kTrigonometric = Bit(OpId::kSin) | Bit(OpId::kCos) | Bit(OpId::kTan);
constexpr OpSet kLogarithms = Bit(OpId::kLog) | Bit(OpId::kLog2) | Bit(OpId::kLog10);
constexpr OpSet kAreas = Bit(OpId::kAsinh) | Bit(OpId::kAcosh) | Bit(OpId::kAtanh);
constexpr OpSet kPowers = Bit(OpId::kExp2) | Bit(OpId::kExp10);

constexpr std::string_view kPrc01 = "C-PRC-01", kPrc02 = "C-PRC-02", kPrc04 = "C-PRC-04",
                           kOrd01 = "C-ORD-01", kOrd02 = "C-ORD-02", kOrd03 = "C-ORD-03",
                           kCmp01 = "C-CMP-01", kExc01 = "C-EXC-01", kExc02 = "C-EXC-02";

// clang-format off
constexpr auto kRowRows = std::to_array<PlantedKernel>({
    {"attention_no_shift", kPrc02, Family::kAttention, kBad, Bit(OpId::kAttention), kF32 | kF64, kProfile, &AttentionNoShift,
     "does not subtract the maximum, so that weights overflow where the answer is ordinary"},
    {"attention_f16_scores_finite", kPrc02, Family::kAttention, kBad, Bit(OpId::kAttention), kF32 | kF64, kProfile, &AttentionF16Scores,
     "keeps scores in f16, where they overflow from 65520 on"},
    {"attention_f16_scores", kPrc01, Family::kAttention, kBad, Bit(OpId::kAttention), kF32 | kF64, kProfile, &AttentionF16Scores,
     "keeps scores in f16, like a fused kernel that saves registers"},
    {"attention_f16_sum", kPrc01, Family::kAttention, kBad, Bit(OpId::kAttention), kF32, kProfile, &AttentionF16Sum,
     "adds the weights in f16, like a softmax whose denominator was summed in half precision"},
    {"attention_f16_weights", kPrc01, Family::kAttention, kBad, Bit(OpId::kAttention), kF32 | kF64, kProfile, &AttentionF16Weights,
     "keeps the weights in f16 before the second product without declaring it"},
    {"attention_masked_row_zero", kExc01, Family::kAttention, kBad, Bit(OpId::kAttention), kFloats, kProfile, &AttentionMaskedRowZero,
     "gives zeros where all keys are masked, with NaN declared"},
    {"attention_online", "C-PRC-01 C-PRC-02 C-EXC-01 C-ORD-01", Family::kAttention, kGood, Bit(OpId::kAttention), kFloats, "planted_online_attention",
     &AttentionOnline, "takes keys in tiles of eight in one pass and rescales what was summed"},
    {"attention_bf16_weights", kPrc01, Family::kAttention, kGood, Bit(OpId::kAttention), kFloats, "planted_p16", &AttentionBf16Weights,
     "keeps the weights in bf16 before the second product, and declares it"},
    {"attention_masked_row_zero_as_declared", kExc01, Family::kAttention, kGood, Bit(OpId::kAttention), kFloats, "planted_masked_zero",
     &AttentionMaskedRowZero, "gives zeros where all keys are masked, as declared"},
    {"attention_schedule_f16_sum", "C-ORD-01 C-CMP-02", Family::kAttention, kBad, Bit(OpId::kAttention), kF32, kProfile, &AttentionScheduleF16Sum,
     "one schedule in four adds its weights in f16"},
    {"attention_tile_by_batch", kOrd01, Family::kAttention, kBad, Bit(OpId::kAttention), kFloats, "planted_online_attention", &AttentionTileByBatch,
     "chooses its tile by the number of heads, with batch invariance declared"},

    {"norm_one_pass", kPrc02, Family::kNorm, kBad, Bit(OpId::kVariance) | Bit(OpId::kLayerNorm), kF32 | kF64, kProfile, &NormOnePass,
     "takes the variance as E[x2] - E[x]2, clamped at 0, as many GPU layer norms do"},
    {"nrm2_unscaled", kPrc02, Family::kNorm, kBad, Bit(OpId::kNrm2), kF32 | kF64, kProfile, &Nrm2Unscaled,
     "adds squares without scaling, so that the norm of 1e20 is Inf in f32"},
    {"variance_nan_clamped", kExc01, Family::kNorm, kBad, Bit(OpId::kVariance), kFloats, kProfile, &NormNanClamped,
     "takes max(variance, 0) with a native maximum, so that NaN becomes 0"},
    {"batch_norm_nan_interpolated", kExc01, Family::kNorm, kBad, Bit(OpId::kBatchNorm), kFloats, kProfile, &BatchNormNanInterpolated,
     "takes NaN for the running mean, like an accelerator that interpolates over missing values"},
    {"norm_welford", "C-PRC-02 C-EXC-01", Family::kNorm, kGood, Bit(OpId::kVariance) | Bit(OpId::kLayerNorm), kFloats, kProfile, &NormWelford,
     "updates mean and variance element by element"},
    {"layer_norm_folded", kPrc02, Family::kNorm, kGood, Bit(OpId::kLayerNorm), kFloats, kProfile, &NormFolded,
     "computes x r - mean r in place of (x - mean) r"},
});

constexpr auto kEpilogueRows = std::to_array<PlantedKernel>({
    {"linear_product_stored", kCmp01, Family::kLinear, kBad, Bit(OpId::kFusedLinear), kF32 | kF64, kProfile, &LinearProductStored,
     "stores the product in 16 bits before it adds the bias"},
    {"linear_tanh_gelu", kCmp01, Family::kLinear, kBad, Bit(OpId::kFusedLinear), kF32 | kF64, kProfile, &LinearTanhGelu,
     "takes the tanh form of gelu for the erf form"},
    {"linear_residual_after_cast", kCmp01, Family::kLinear, kBad, Bit(OpId::kFusedLinear), kFloats, kProfile, &LinearResidualAfterCast,
     "narrows the activation before it adds the residual"},
    {"linear_bias_first", "C-CMP-01 C-EXC-01", Family::kLinear, kGood, Bit(OpId::kFusedLinear), kFloats, kProfile, &LinearBiasFirst,
     "starts the sum at the bias, and so differs in bits from the separate operations"},

    {"gradient_unscaled_narrow", kPrc04, Family::kGradient, kBad, Bit(OpId::kScaledGradient), kF32, kProfile, &GradientUnscaledNarrow,
     "divides the scale out in 16 bits"},
    {"gradient_bias_scaled", kPrc04, Family::kGradient, kBad, Bit(OpId::kScaledGradient), kF32, kProfile, &GradientBiasScaled,
     "forgets to divide the scale out of the bias' gradient"},
    {"gradient_overflow_clamped", kPrc04, Family::kGradient, kBad, Bit(OpId::kScaledGradient), kF32, kProfile, &GradientOverflowClamped,
     "clamps scaled gradients that overflow, so that no step is skipped"},
    {"gradient_reversed", kPrc04, Family::kGradient, kGood, Bit(OpId::kScaledGradient), kF32, kProfile, &GradientReversed,
     "adds from the last row to the first"},

    {"collective_bf16_wire", kOrd03, Family::kCollective, kBad, kReduces, kF32 | kF64, kProfile, &CollectiveBf16Wire,
     "carries bf16 between ranks from eight ranks on"},
    {"collective_partial_bucket", kOrd03, Family::kCollective, kBad, kReduces, kFloats, kProfile, &CollectivePartialBucket,
     "sends the last, partial bucket before the last rank has added to it"},
    {"collective_ranks_differ", kOrd03, Family::kCollective, kBad, Bit(OpId::kAllReduce), kFloats, kProfile, &CollectiveRanksDiffer,
     "starts the ring at each rank, with equal bits on all ranks declared"},
    {"collective_ring", kOrd03, Family::kCollective, kGood, kReduces, kFloats, "planted_bounded", &CollectiveRing,
     "starts the ring wherever the overlap leaves it"},
    {"collective_tree", "C-ORD-03 C-EXC-01", Family::kCollective, kGood, kReduces, kFloats, kProfile, &CollectiveTree,
     "adds in a tree"},
});

constexpr auto kOrderRows = std::to_array<PlantedKernel>({
    {"int_div_traps", "", Family::kIntDivision, kBad, kIntDivision, kIntegers, kProfile, &IntDivTraps,
     "raises SIGFPE where there is no quotient, as x86's division does"},
    {"int_div_zero_for_zero", kExc01, Family::kIntDivision, kBad, kIntDivision, kIntegers, kProfile, &IntDivZeroForZero,
     "gives 0 for a division by zero where rejecting it is declared, as Arm's division does"},
    {"int_div_wraps", kExc01, Family::kIntDivision, kBad, Bit(OpId::kIntDiv), kIntegers & ~BitsOf(DType::kU8), kProfile, &IntDivWraps,
     "gives the lowest number for its quotient by -1 where rejecting it is declared"},
    {"int_div_all_ones", kExc01, Family::kIntDivision, kBad, kIntDivision, kIntegers, kProfile, &IntDivAllOnes,
     "gives -1 for a division by zero where rejecting it is declared, like silent acceptance on a GPU stack"},
    {"int_div_by_f32", kPrc01, Family::kIntDivision, kBad, kIntDivision, BitsOf(DType::kI32, DType::kI64), kProfile, &IntDivByF32,
     "divides in f32, which holds 24 bits of a dividend"},
    {"int_div_by_f64", kPrc01, Family::kIntDivision, kBad, kIntDivision, BitsOf(DType::kI64), kProfile, &IntDivByF64,
     "divides in f64, which holds 53 bits of a dividend"},
    {"int_div_all_ones_as_declared", kExc01, Family::kIntDivision, kGood, kIntDivision, kIntegers, "planted_all_ones", &IntDivAllOnes,
     "gives -1, and the dividend as what is left, for a division by zero, as declared"},
    {"int_div_long", "C-PRC-01 C-EXC-01", Family::kIntDivision, kGood, kIntDivision, kIntegers, kProfile, &IntDivLong,
     "divides bit by bit"},

    {"number_native", kExc01, Family::kBinary, kBad, Bit(OpId::kMinimumNumber) | Bit(OpId::kMaximumNumber), kFloats, kProfile, &NumberNative,
     "takes x86's native maximum, which answers a NaN with its second operand"},
    {"nan_extremum_native", kExc01, Family::kSelect, kBad, Bit(OpId::kNanMax) | Bit(OpId::kNanMin), kFloats, kProfile, &NanExtremumNative,
     "takes x86's native maximum from element to element, so that a NaN lets what lies before it be forgotten"},
    {"nan_sum_poisoned", kExc01, Family::kSum, kBad, Bit(OpId::kNanSum), kFloats, kProfile, &NanSumPoisoned,
     "leaves a NaN in the tail unmasked"},
    {"sort_nan_breaks_order", kExc01, Family::kSort, kBad, Bit(OpId::kSort) | Bit(OpId::kTopk), kFloats, kProfile, &SortNanBreaksOrder,
     "compares by < alone, so that nothing passes a NaN, like a standard sort given no strict weak order"},
    {"sort_drops_last", "C-CMP-03", Family::kSort, kBad, Bit(OpId::kSort), kFloats, kProfile, &SortDropsLast,
     "leaves the last of an odd number of elements where it was"},
    {"sort_merges_equal", "C-CMP-03", Family::kSort, kBad, Bit(OpId::kSort) | Bit(OpId::kTopk), kFloats, kProfile, &SortMergesEqual,
     "takes equal elements for one beyond a block of 64"},
    {"topk_repeats_index", "C-CMP-03", Family::kSort, kBad, Bit(OpId::kTopkIndices), kFloats, kProfile, &TopkRepeatsIndex,
     "looks places up by value beyond a block of 64, so that equal elements are given one place"},
    {"sort_total_order", "C-CMP-03 C-EXC-01", Family::kSort, kGood, Bit(OpId::kSort) | Bit(OpId::kTopk), kFloats, kProfile, &SortTotalOrder,
     "puts -0 before +0"},
});

constexpr auto kOtherRows = std::to_array<PlantedKernel>({
    {"cast_truncates", kPrc01, Family::kCast, kBad, Bit(OpId::kCast), kF32 | kF64, kProfile, &CastTruncates,
     "drops the low bits where a conversion rounds"},
    {"cast_through_f32", kPrc01, Family::kCast, kBad, Bit(OpId::kCast), kF64, kProfile, &CastThroughF32,
     "rounds twice, the first time to f32, like an accelerator's cast operator that says nothing"},
    {"cast_integer_as_byte", kPrc01, Family::kCast, kBad, Bit(OpId::kCast), BitsOf(DType::kI32, DType::kI64), kProfile, &CastIntegerAsByte,
     "passes integers through one unsigned byte, like 64-bit indices returned as uint8"},
    {"cast_add_and_shift", kExc01, Family::kCast, kBad, Bit(OpId::kCast), kF32, kProfile, &CastAddAndShift,
     "adds half a unit to the bits of a NaN, which carries into the sign"},
    {"copy_nan_to_zero", kExc01, Family::kCast, kBad, Bit(OpId::kCast), kFloats, kProfile, &CopyNanToZero,
     "gives 0 for NaN where bits are only moved, like a reshape on an accelerator"},

    {"quantize_bf16_reciprocal", kPrc04, Family::kQuantize, kBad, Bit(OpId::kQuantize), kF32, kProfile, &QuantizeBf16Reciprocal,
     "multiplies by a reciprocal of the step that is kept in bf16"},
    {"quantize_wraps", kPrc04, Family::kQuantize, kBad, Bit(OpId::kQuantize), kF32, kProfile, &QuantizeWraps,
     "keeps the low bits in place of clamping"},
    {"quantize_by_reciprocal", kPrc04, Family::kQuantize, kGood, Bit(OpId::kQuantize), kF32, kProfile, &QuantizeByReciprocal,
     "multiplies by the reciprocal of the step in f32"},

    {"int8_pairs_saturate", kPrc01, Family::kIntGemm, kBad, Bit(OpId::kInt8Gemm), BitsOf(DType::kI8), kProfile, &Int8PairsSaturate,
     "adds pairs of products in 16 bits, as instructions before VNNI do"},
    {"int8_float_accumulator", kPrc01, Family::kIntGemm, kBad, Bit(OpId::kInt8Gemm), BitsOf(DType::kI8, DType::kU8), kProfile, &Int8FloatAccumulator,
     "adds in f32, which is exact up to 2^24"},
    {"int8_without_minimum", kPrc01, Family::kIntGemm, kBad, Bit(OpId::kInt8Gemm), BitsOf(DType::kI8), kProfile, &Int8WithoutMinimum,
     "takes -128 for -127"},
    {"int8_reversed", kPrc01, Family::kIntGemm, kGood, Bit(OpId::kInt8Gemm), BitsOf(DType::kI8, DType::kU8), kProfile, &Int8Reversed,
     "adds from the last product to the first"},

    {"scatter_atomics", kOrd02, Family::kScatter, kBad, Bit(OpId::kScatterAdd), kFloats, kProfile, &ScatterAtomics,
     "adds in an order of the run, like float atomics, with equal bits declared"},
    {"scatter_loses_update", kOrd02, Family::kScatter, kBad, Bit(OpId::kScatterAdd), kFloats, kProfile, &ScatterLosesUpdate,
     "loses a contended update in one run of four"},
    {"scatter_last_wins", "", Family::kScatter, kBad, Bit(OpId::kScatterAdd), kFloats, kProfile, &ScatterLastWins,
     "keeps one of several updates of an element, whichever came last, like max_unpool with repeated indices"},
    {"scatter_atomics_as_declared", kOrd02, Family::kScatter, kGood, Bit(OpId::kScatterAdd), kFloats, "planted_bounded", &ScatterAtomics,
     "adds in an order of the run, as declared"},
    {"scatter_reversed", "C-ORD-02 C-PRC-01 C-EXC-01", Family::kScatter, kGood, Bit(OpId::kScatterAdd), kFloats, kProfile, &ScatterReversed,
     "adds from the last update to the first, always"},

    {"remainder_inf_for_nan", kExc01, Family::kBinary, kBad, Bit(OpId::kRemainder), kFloats, kProfile, &RemainderInfForNan,
     "gives Inf for the remainder by zero, where others give NaN"},
    {"conv_omitted", "", Family::kConv, PlantedState::kBaseline, Bit(OpId::kConv2d), kFloats, kProfile, &ConvolutionOmitted,
     "leaves the convolution out, like a generated kernel that fooled its benchmark"},
});
constexpr OpSet kProducts = Bit(OpId::kTrmv) | Bit(OpId::kTrmm);
constexpr OpSet kSolves = Bit(OpId::kTrsv) | Bit(OpId::kTrsm);
constexpr OpSet kComplexProducts =
    Bit(OpId::kComplexScal) | Bit(OpId::kComplexDot) | Bit(OpId::kComplexGemv);
constexpr auto kTriangularRows = std::to_array<PlantedKernel>({
    {"ger_alpha_zero_reads", "C-PRC-01 C-EXC-01", Family::kUpdate, kGood, Bit(OpId::kGer), kF32 | kF64, kProfile, &GerAlphaZeroReads,
     "multiplies by alpha = 0, so that NaN of x reaches the matrix, which no text forbids"},
    {"syr_whole_tail", kExc02, Family::kUpdate, kBad, Bit(OpId::kSyr), kF32 | kF64, kProfile, &SyrWholeTail,
     "updates both triangles of the last, partial tile"},
    {"syr_fused", "C-PRC-01 C-EXC-01 C-EXC-02", Family::kUpdate, kGood, Bit(OpId::kSyr), kF32 | kF64, kProfile, &SyrFused,
     "folds alpha into the left factor and adds with FMA"},

    {"triangular_masked", kExc01, Family::kTriangular, kBad, kProducts, kF32 | kF64, kProfile, &TriangularMasked,
     "multiplies the other triangle by 0 in place of leaving it alone, so that its NaN show"},
    {"triangular_unit_corrected", kPrc01, Family::kTriangular, kBad, kProducts, kF32 | kF64, kProfile, &TriangularUnitCorrected,
     "multiplies by the stored diagonal and takes it back where the diagonal is unit"},
    {"triangular_lower_unturned", "C-CMP-03", Family::kTriangular, kBad, kProducts, kF32 | kF64, kProfile, &TriangularLowerUnturned,
     "forgets to transpose a lower triangle"},
    {"triangular_by_columns", "C-PRC-01 C-EXC-01", Family::kTriangular, kGood, kProducts, kF32 | kF64, kProfile, &TriangularByColumns,
     "adds columns with FMA from the last to the first and skips zeros, as reference BLAS does"},

    {"solve_masked", kExc01, Family::kSolve, kBad, kSolves, kF32 | kF64, kProfile, &SolveMasked,
     "multiplies the other triangle by 0 in place of leaving it alone, so that its NaN show"},
    {"solve_unit_divides", kExc01, Family::kSolve, kBad, kSolves, kF32 | kF64, kProfile, &SolveUnitDivides,
     "multiplies and divides by the stored diagonal where the diagonal is unit"},
    {"solve_rough_reciprocal", kPrc01, Family::kSolve, kBad, kSolves, kF32 | kF64, kProfile, &SolveRoughReciprocal,
     "multiplies by a reciprocal of 12 bits, like the estimate of a vector unit without its refinement"},
    {"solve_lower_unturned", "C-CMP-03", Family::kSolve, kBad, kSolves, kF32 | kF64, kProfile, &SolveLowerUnturned,
     "forgets to transpose a lower triangle"},
    {"solve_by_reciprocal", "C-PRC-01 C-EXC-01", Family::kSolve, kGood, kSolves, kF32 | kF64, kProfile, &SolveByReciprocal,
     "multiplies by the reciprocal of the diagonal"},
    {"solve_by_columns", "C-PRC-01 C-EXC-01", Family::kSolve, kGood, kSolves, kF32 | kF64, kProfile, &SolveByColumns,
     "subtracts columns with FMA and skips zeros, as reference BLAS does"},

    {"complex_real_skipped", kExc01, Family::kComplex, kBad, Bit(OpId::kComplexScal), kF32 | kF64, kProfile, &ComplexRealSkipped,
     "leaves out the half of a product whose factor is zero, so that NaN is lost, as a CPU library's zscal does"},
    {"complex_zero_clears", kExc01, Family::kComplex, kBad, Bit(OpId::kComplexScal), kF32 | kF64, kProfile, &ComplexZeroClears,
     "stores zeros where alpha is zero, whatever x holds"},
    {"complex_three_products", kPrc01, Family::kComplex, kBad, kComplexProducts, kF32 | kF64, kProfile, &ComplexThreeProducts,
     "multiplies by three products without declaring it: right in the norm, not in each part"},
    {"complex_conjugate_ignored", "C-CMP-03", Family::kComplex, kBad, Bit(OpId::kComplexDot) | Bit(OpId::kComplexGemv), kF32 | kF64, kProfile, &ComplexConjugateIgnored,
     "takes the conjugate transpose for the transpose"},
    {"complex_abs_of_squares", kPrc02, Family::kComplex, kBad, Bit(OpId::kComplexAbs), kF32 | kF64, kProfile, &ComplexAbsOfSquares,
     "squares without scaling, so that the magnitude of 1e20 is Inf"},
    {"complex_abs_scaled_down", kPrc02, Family::kComplex, kBad, Bit(OpId::kComplexAbs), kF32, kProfile, &ComplexAbsScaledDown,
     "scales large numbers and not small ones, whose squares vanish"},
    {"complex_fused", "C-PRC-01 C-EXC-01", Family::kComplex, kGood, kComplexProducts, kF32 | kF64, kProfile, &ComplexFused,
     "multiplies with FMA, so that the two products of a part round differently"},
    {"complex_recovered", "C-PRC-01 C-EXC-01", Family::kComplex, kGood, kComplexProducts, kF32 | kF64, kProfile, &ComplexRecovered,
     "multiplies as C compilers do, which recover infinities"},
});

constexpr auto kElementaryRows = std::to_array<PlantedKernel>({
    {"hyperbolic_halves", kPrc02, Family::kUnary, kBad, kHyperbolic, kF32 | kF64, kProfile, &HyperbolicHalves,
     "halves a sum of exponentials, which overflows before the answer does and cancels near 0"},
    {"hyperbolic_early_overflow", kPrc02, Family::kUnary, kBad, kHyperbolic, kF32 | kF64, kProfile, &HyperbolicEarlyOverflow,
     "gives Inf from where exp overflows, half an argument early, like a vectorised sinh and cosh"},
    {"trigonometric_two_parts", kPrc02, Family::kUnary, kBad, kTrigonometric, kF32 | kF64, kProfile, &TrigonometricTwoParts,
     "reduces with pi / 2 in two parts, which large multiples outgrow"},
    {"trigonometric_rounded_period", kPrc02, Family::kUnary, kBad, kTrigonometric, kF32 | kF64, kProfile, &TrigonometricRoundedPeriod,
     "takes the remainder by a rounded 2 pi"},
    {"softplus_log_of_sum", kPrc02, Family::kUnary, kBad, Bit(OpId::kSoftplus), kF32 | kF64, kProfile, &SoftplusLogOfSum,
     "computes log(1 + e^x), which overflows above and loses e^x below"},
    {"softplus_threshold", kPrc02, Family::kUnary, kBad, Bit(OpId::kSoftplus), kF32 | kF64, kProfile, &SoftplusThreshold,
     "gives 0 below -20, where the answer is ordinary"},
    {"softsign_reciprocal", kPrc02, Family::kUnary, kBad, Bit(OpId::kSoftsign), kF32 | kF64, kProfile, &SoftsignReciprocal,
     "multiplies by a reciprocal that underflows for the largest numbers, like a packet softsign"},
    {"softsign_squares", kPrc02, Family::kUnary, kBad, Bit(OpId::kSoftsign), kF32 | kF64, kProfile, &SoftsignSquares,
     "takes |x| as the root of a square that overflows"},
    {"logarithm_smallest_normal", "C-PRC-03", Family::kUnary, kBad, kLogarithms, kF32 | kF64, kProfile, &LogarithmSmallestNormal,
     "gives the smallest normal number's logarithm for every subnormal, like a packet log"},
    {"lgamma_log_of_gamma", kPrc02, Family::kUnary, kBad, Bit(OpId::kLgamma), kF32 | kF64, kProfile, &LgammaLogOfGamma,
     "takes the logarithm of a gamma that overflows from 35 on (f32) and cancels near 1 and 2"},
    {"tgamma_exp_of_lgamma", kPrc02, Family::kUnary, kBad, Bit(OpId::kTgamma), kF32 | kF64, kProfile, &TgammaExpOfLgamma,
     "takes the exponential of a rounded logarithm, whose error grows with its size"},
    {"erfc_one_minus_erf", kPrc02, Family::kUnary, kBad, Bit(OpId::kErfc), kF32 | kF64, kProfile, &ErfcOneMinusErf,
     "computes 1 - erf(x), which cancels in the tail"},
    {"cbrt_by_power", kPrc02, Family::kUnary, kBad, Bit(OpId::kCbrt), kF32 | kF64, kProfile, &CbrtByPower,
     "raises to a rounded 1 / 3"},
    {"area_log_form", kPrc02, Family::kUnary, kBad, kAreas, kF32 | kF64, kProfile, &AreaLogForm,
     "uses the textbook logarithms, which square large numbers and cancel near 0"},
    {"power_by_exp", kPrc02, Family::kUnary, kBad, kPowers, kF32 | kF64, kProfile, &PowerByExp,
     "computes exp of a rounded product, whose error grows with its size"},
    {"arc_by_complement", kPrc02, Family::kUnary, kBad, Bit(OpId::kAcos) | Bit(OpId::kAsin), kF32 | kF64, kProfile, &ArcByComplement,
     "subtracts from pi / 2, or squares, near 1"},
    {"j0_leading_term", kPrc02, Family::kUnary, kBad, Bit(OpId::kJ0), kF32, kProfile, &BesselLeadingTerm,
     "uses the first term of the asymptotic form from 8 on"},
    {"abs_of_square", kPrc02, Family::kUnary, kBad, Bit(OpId::kAbs), kF32 | kF64, kProfile, &AbsOfSquare,
     "takes the root of a square, which over- and underflows"},
    {"tangent_quotient", "C-PRC-02 C-EXC-01", Family::kUnary, kGood, Bit(OpId::kTan), kUpTo32, kProfile, &TangentQuotient,
     "divides sine by cosine, in double"},
    {"sinh_by_expm1", "C-PRC-02 C-EXC-01", Family::kUnary, kGood, Bit(OpId::kSinh), kUpTo32, kProfile, &HyperbolicByExpm1,
     "takes sinh from expm1, in double"},
    {"logarithm_quotient", "C-PRC-02 C-PRC-03", Family::kUnary, kGood, Bit(OpId::kLog2) | Bit(OpId::kLog10), kUpTo32, kProfile, &LogarithmQuotient,
     "divides the natural logarithm, in double"},
});
// clang-format on

}  // namespace

void planted::AppendWritten(Family family, std::vector<PlantedKernel>& rows) {
  AppendFamily(kRowRows, family, rows);
  AppendFamily(kEpilogueRows, family, rows);
  AppendFamily(kOrderRows, family, rows);
  AppendFamily(kOtherRows, family, rows);
  AppendFamily(kTriangularRows, family, rows);
  AppendFamily(kElementaryRows, family, rows);
}

}  // namespace assay
