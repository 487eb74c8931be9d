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
    {"complex_fused", "C-PRC-01 C-EXC-01", Family::kComplex, kGood, kComplexProducts, kF32 | kF64, kProfile, &ComplexFused,
     "multiplies with FMA, so that the two products of a part round differently"},
    {"complex_recovered", "C-PRC-01 C-EXC-01", Family::kComplex, kGood, kComplexProducts, kF32 | kF64, kProfile, &ComplexRecovered,
     "multiplies as C compilers do, which recover infinities"},
});
// clang-format on

}  // namespace

void planted::AppendWritten(Family family, std::vector<PlantedKernel>& rows) {
  AppendFamily(kRowRows, family, rows);
  AppendFamily(kEpilogueRows, family, rows);
  AppendFamily(kOtherRows, family, rows);
  AppendFamily(kTriangularRows, family, rows);
}

}  // namespace assay
