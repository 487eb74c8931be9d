// SPDX-License-Identifier: Apache-2.0
//
// One row per planted kernel that is written by hand; those of a defect that fits any operator come
// from generated.cc.
#include "engine/backends/planted/table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "engine/backends/planted/generated.h"
#include "engine/backends/planted/kernels.h"
#include "engine/backends/planted/row.h"
#include "engine/backends/planted/written.h"

namespace assay {
namespace {

using namespace planted;  // the functions of the rows

constexpr OpSet kGemm = Bit(OpId::kGemm);
constexpr OpSet kDot = Bit(OpId::kDot);
constexpr OpSet kSum = Bit(OpId::kSum);
constexpr OpSet kSoftmax = Bit(OpId::kSoftmax);
constexpr OpSet kExp = Bit(OpId::kExp);
constexpr OpSet kLog = Bit(OpId::kLog);
constexpr OpSet kTanh = Bit(OpId::kTanh);
constexpr OpSet kSqrt = Bit(OpId::kSqrt);
constexpr OpSet kGelu = Bit(OpId::kGelu);
constexpr OpSet kUnary = kExp | kLog | kTanh | kSqrt | Bit(OpId::kErf) | kGelu;
constexpr OpSet kGather = Bit(OpId::kGather);

constexpr std::string_view kPrc01 = "C-PRC-01", kPrc02 = "C-PRC-02", kExc01 = "C-EXC-01",
                           kExc02 = "C-EXC-02";

// clang-format off
constexpr auto kGemmRows = std::to_array<PlantedKernel>({
    {"gemm_tf32_operands", kPrc01, Family::kGemm, kBad, kGemm, kF32, kProfile, &GemmTf32Operands,
     "rounds the operands to 11 bits, like TF32 taken where f32 is declared"},
    {"gemm_hf32_operands", kPrc01, Family::kGemm, kBad, kGemm, kF32, kProfile, &GemmHf32Operands,
     "rounds the operands to 12 bits, like HF32 taken where f32 is declared"},
    {"gemm_f64_as_f32", kPrc01, Family::kGemm, kBad, kGemm, kF64, kProfile, &GemmF64AsF32,
     "narrows f64 operands to f32, like an accelerator's cast operator that says nothing"},
    {"gemm_narrow_lanes", kPrc01, Family::kGemm, kBad, kGemm, kF16, kProfile, &GemmNarrowLanes,
     "from k = 128 on adds in 32 lanes that each hold f16, like a GPU library that changes its kernel with "
     "the size"},
    {"gemm_split_k_stored", kPrc01, Family::kGemm, kBad, kGemm, kHalf, kProfile, &GemmSplitKStored,
     "from k = 512 on stores split-K partial sums in the output type, as a GPU library's workspace did"},
    {"gemm_zero_skip", kExc01, Family::kGemm, kBad, kGemm, kFloats, kProfile, &GemmZeroSkip,
     "skips products with a zero of b, so that 0 * NaN is dropped, as reference loops did until 2014"},
    {"gemm_nan_lost_in_body", kExc01, Family::kGemm, kBad, kGemm, kFloats, kProfile, &GemmNanLostInBody,
     "drops NaN in the vector body and keeps it in the tail of k"},
    {"gemm_alpha_zero_reads", kExc01, Family::kGemm, kBad, kGemm, kFloats, kProfile, &GemmAlphaZeroReads,
     "multiplies by alpha = 0, so that NaN of a reaches c, as a CPU library's small-size path does"},
    {"gemm_beta_zero_reads", kExc01, Family::kGemm, kBad, kGemm, kFloats, kProfile, &GemmBetaZeroReads,
     "multiplies c by beta = 0, so that NaN of an uninitialised c stays"},
    {"gemm_reads_past_a", kExc02, Family::kGemm, kBad, kGemm, kFloats, kProfile, &GemmReadsPastA,
     "packs rows of a in pairs and reads one row past the end when m is odd, as a CPU library does"},
    {"gemm_reads_past_c", kExc02, Family::kGemm, kBad, kGemm, kFloats, kProfile, &GemmReadsPastC,
     "loads four elements of c's last row whatever n is when beta is not 0, as a CPU library's sgemm does"},
    {"gemm_blocked", "C-PRC-01 C-EXC-01 C-EXC-02", Family::kGemm, kGood, kGemm, kFloats, kProfile, &GemmBlocked,
     "adds with FMA in blocks of 256 and folds alpha into b"},
    {"gemm_pairwise", "C-PRC-01 C-EXC-01 C-EXC-02", Family::kGemm, kGood, kGemm, kFloats, kProfile, &GemmPairwise,
     "adds rounded products by halving"},
    {"gemm_block_fma", kPrc01, Family::kGemm, kGood, kGemm, kHalf, "planted_block_fma", &GemmBlockFma,
     "adds four products at a time, truncating, like a matrix unit, and declares it"},
    {"gemm_negative_zero", kExc01, Family::kGemm, kGood, kGemm, kFloats, kProfile, &GemmNegativeZero,
     "gives -0 for an exact zero sum, which no rule forbids"},
});

constexpr auto kDotRows = std::to_array<PlantedKernel>({
    {"dot_tf32_operands", kPrc01, Family::kDot, kBad, kDot, kF32, kProfile, &DotTf32Operands,
     "rounds the operands to 11 bits, like TF32 taken where f32 is declared"},
    {"dot_bf16_partials", kPrc01, Family::kDot, kBad, kDot, kF32 | BitsOf(DType::kBf16), kProfile, &DotBf16Partials,
     "stores the running sum in bf16 after every 64 terms, like a reduced-precision split reduction"},
    {"dot_narrow_lanes", kPrc01, Family::kDot, kBad, kDot, kF16, kProfile, &DotNarrowLanes,
     "adds in 32 lanes that each hold f16"},
    {"dot_f64_as_f32", kPrc01, Family::kDot, kBad, kDot, kF64, kProfile, &DotF64AsF32,
     "narrows f64 operands to f32, like an accelerator's cast operator that says nothing"},
    {"dot_zero_skip", kExc01, Family::kDot, kBad, kDot, kFloats, kProfile, &DotZeroSkip,
     "skips products with a zero of x, so that 0 * NaN and 0 * Inf are dropped"},
    {"dot_nan_lost_in_body", kExc01, Family::kDot, kBad, kDot, kFloats, kProfile, &DotNanLostInBody,
     "drops NaN in the vector body and keeps it in the tail"},
    {"dot_lanes", "C-PRC-01 C-EXC-01", Family::kDot, kGood, kDot, kFloats, kProfile, &DotLanes,
     "adds with FMA in 8 lanes, then in a tree"},
    {"dot_pairwise", "C-PRC-01 C-EXC-01", Family::kDot, kGood, kDot, kFloats, kProfile, &DotPairwise,
     "adds rounded products by halving"},
});

constexpr auto kSumRows = std::to_array<PlantedKernel>({
    {"sum_tf32_operands", kPrc01, Family::kSum, kBad, kSum, kF32, kProfile, &SumTf32Operands,
     "rounds the elements to 11 bits, like a sum done as a TF32 product with ones"},
    {"sum_bf16_partials", kPrc01, Family::kSum, kBad, kSum, kF32 | BitsOf(DType::kBf16), kProfile, &SumBf16Partials,
     "stores the running sum in bf16 after every 64 terms"},
    {"sum_narrow_lanes", kPrc01, Family::kSum, kBad, kSum, kF16, kProfile, &SumNarrowLanes,
     "adds in 32 lanes that each hold f16, like a denominator summed in half precision"},
    {"sum_f64_as_f32", kPrc01, Family::kSum, kBad, kSum, kF64, kProfile, &SumF64AsF32,
     "narrows f64 elements to f32"},
    {"sum_nan_lost_in_body", kExc01, Family::kSum, kBad, kSum, kFloats, kProfile, &SumNanLostInBody,
     "drops NaN in the vector body and keeps it in the tail"},
    {"sum_inf_saturates", kExc01, Family::kSum, kBad, kSum, kFloats, kProfile, &SumInfSaturates,
     "gives the largest finite number for Inf without declaring a saturating mode"},
    {"sum_pairwise", "C-PRC-01 C-EXC-01", Family::kSum, kGood, kSum, kFloats, kProfile, &SumPairwise,
     "adds by halving"},
    {"sum_compensated", "C-PRC-01 C-EXC-01", Family::kSum, kGood, kSum, kFloats, kProfile, &SumCompensated,
     "adds up what each addition loses (Neumaier), and so differs in bits from every plain sum"},
    {"sum_negative_zero", kExc01, Family::kSum, kGood, kSum, kFloats, kProfile, &SumNegativeZero,
     "starts at -0, so that a sum of -0 stays -0"},
});

constexpr auto kSoftmaxRows = std::to_array<PlantedKernel>({
    {"softmax_no_shift", kPrc02, Family::kSoftmax, kBad, kSoftmax, kFloats, kProfile, &SoftmaxNoShift,
     "does not subtract the maximum, so that exp overflows where the answer is ordinary"},
    {"softmax_f16_exponentials", kPrc02, Family::kSoftmax, kBad, kSoftmax, kF64 | kF32, kProfile, &SoftmaxF16Exponentials,
     "keeps the exponentials in f16, like a fused attention that saves registers"},
    {"softmax_unshifted_log_sum", kPrc02, Family::kSoftmax, kBad, kSoftmax, kF64 | kF32, kProfile, &SoftmaxUnshiftedLogSum,
     "computes exp(x - (max + log sum)), which loses the low bits of x beside a large maximum"},
    {"softmax_clamped_exponent", kExc01, Family::kSoftmax, kBad, kSoftmax, kFloats, kProfile, &SoftmaxClampedExponent,
     "clamps the exponent with a native maximum, which gives the bound for NaN"},
    {"softmax_masked_row_zero", kExc01, Family::kSoftmax, kBad, kSoftmax, kFloats, kProfile, &SoftmaxMaskedRowZero,
     "gives zeros for a row of -Inf or NaN without declaring a mask, like many attention kernels"},
    {"softmax_exp2", "C-PRC-02 C-EXC-01", Family::kSoftmax, kGood, kSoftmax, kFloats, "planted_exp2", &SoftmaxExp2,
     "uses exp2 with a rounded log2(e)"},
    {"softmax_online", "C-PRC-02 C-EXC-01", Family::kSoftmax, kGood, kSoftmax, kFloats, "planted_online", &SoftmaxOnline,
     "finds maximum and sum in one pass over tiles and rescales the sum"},
});

constexpr auto kUnaryRows = std::to_array<PlantedKernel>({
    {"gelu_one_plus_erf", kPrc02, Family::kUnary, kBad, kGelu, kF64 | kF32, kProfile, &GeluOnePlusErf,
     "computes 0.5 x (1 + erf) where the accuracy of the tail is declared, as most frameworks do"},
    {"exp_early_overflow", kPrc02, Family::kUnary, kBad, kExp, kF32, kProfile, &ExpEarlyOverflow,
     "gives Inf from 88 on, where the largest f32 is exp(88.72), like a vectorised exp"},
    {"log_flushes_subnormals", "C-PRC-03", Family::kUnary, kBad, kLog, kF32, kProfile, &LogFlushesSubnormals,
     "takes subnormals for zero, like a vectorised log"},
    {"tanh_of_exponentials", kPrc02, Family::kUnary, kBad, kTanh, kF32, kProfile, &TanhOfExponentials,
     "computes (e^2x - 1) / (e^2x + 1), which cancels near 0 and is Inf / Inf from 45 on"},
    {"exp_nan_to_inf", kExc01, Family::kUnary, kBad, kExp, kUpTo32, kProfile, &ExpNanToInf,
     "gives Inf for NaN, like a CPU library's exp whose overflow test is unordered"},
    {"tanh_clamps_nan", kExc01, Family::kUnary, kBad, kTanh, kFloats, kProfile, &TanhClampsNan,
     "clamps the argument with native minimum and maximum, so that tanh(NaN) = 1"},
    {"sqrt_of_negative_zeroed", kExc01, Family::kUnary, kBad, kSqrt, kFloats, kProfile, &SqrtOfNegativeZeroed,
     "takes max(x, 0) first, so that negative numbers and NaN give 0"},
    {"unary_nan_lost_in_body", kExc01, Family::kUnary, kBad, kUnary, kFloats, kProfile, &UnaryNanLostInBody,
     "gives 0 for NaN in the vector body and NaN in the tail"},
    {"unary_writes_past_out", kExc02, Family::kUnary, kBad, kUnary, kFloats, kProfile, &UnaryWritesPastOut,
     "stores the last vector of the output whole"},
    {"unary_reads_past_x", kExc02, Family::kUnary, kBad, kUnary, kFloats, kProfile, &UnaryReadsPastX,
     "loads the last vector of the input whole without declaring it"},
    {"unary_accurate", "C-PRC-02 C-EXC-01 C-EXC-02", Family::kUnary, kGood, kUnary, kFloats, kProfile, &UnaryAccurate,
     "the C library's functions in double, gelu by erfc"},
    {"exp_by_exp2", "C-PRC-02 C-EXC-01", Family::kUnary, kGood, kExp, kUpTo32, kProfile, &ExpByExp2,
     "exp2 with log2(e) folded in, in double"},
    {"tanh_by_expm1", "C-PRC-02 C-EXC-01", Family::kUnary, kGood, kTanh, kUpTo32, kProfile, &TanhByExpm1,
     "expm1 in double, which does not cancel"},
    {"gelu_nan_at_minus_infinity", kExc01, Family::kUnary, kGood, kGelu, kFloats, kProfile, &GeluNanAtMinusInfinity,
     "gives NaN for gelu(-Inf), as the written formula does"},
});

constexpr auto kGatherRows = std::to_array<PlantedKernel>({
    {"gather_clamps_above", kExc02, Family::kGather, kBad, kGather, kAnyType, kProfile, &GatherClampsAbove,
     "takes the last row for an index above the table where raising is declared"},
    {"gather_narrow_index", kExc02, Family::kGather, kBad, kGather, kAnyType, kProfile, &GatherNarrowIndex,
     "narrows 64-bit indices to 32, so that 2^32 + 3 is row 3"},
    {"gather_modulo", kExc02, Family::kGather, kBad, kGather, kAnyType, kProfile, &GatherModulo,
     "takes the index modulo the rows where raising is declared, like silent acceptance on a GPU stack"},
    {"gather_wraps_negative", kExc02, Family::kGather, kBad, kGather, kAnyType, kProfile, &GatherWrapsNegative,
     "counts negative indices from the end where raising is declared"},
    {"gather_raises", kExc02, Family::kGather, kGood, kGather, kAnyType, kProfile, &GatherRaises,
     "rejects every index outside, as declared"},
    {"gather_wraps_as_declared", kExc02, Family::kGather, kGood, kGather, kAnyType, "planted_wrap", &GatherWrapsNegative,
     "counts negative indices from the end, as declared, and rejects the others"},
});
// clang-format on

// Built once and never changed: rows refer to the names.
struct Table {
  Table() {
    names.reserve(static_cast<size_t>(kFamilyCount * planted::kMaxGeneratedPerFamily));
    for (int i = 0; i < kFamilyCount; ++i) {
      const auto family = static_cast<Family>(i);
      planted::AppendFamily(kGemmRows, family, rows);
      planted::AppendFamily(kDotRows, family, rows);
      planted::AppendFamily(kSumRows, family, rows);
      planted::AppendFamily(kSoftmaxRows, family, rows);
      planted::AppendFamily(kUnaryRows, family, rows);
      planted::AppendFamily(kGatherRows, family, rows);
      planted::AppendWritten(family, rows);
      planted::AppendGenerated(family, names, rows);
    }
  }
  std::vector<std::string> names;
  std::vector<PlantedKernel> rows;
};

}  // namespace

std::string_view NameOf(PlantedState state) {
  switch (state) {
    case PlantedState::kBaseline:
      return "baseline";
    case PlantedState::kBad:
      return "bad";
    case PlantedState::kGood:
      return "good";
  }
  return "";
}

std::span<const PlantedKernel> PlantedTable() {
  static const Table table;
  return table.rows;
}

const PlantedKernel* FindPlanted(std::string_view name) {
  const std::span<const PlantedKernel> rows = PlantedTable();
  const auto found = std::ranges::find(rows, name, &PlantedKernel::name);
  return found == rows.end() ? nullptr : &*found;
}

// Identifiers are of one length, so that none is part of another.
bool Serves(const PlantedKernel& kernel, std::string_view contract) {
  return kernel.contracts.find(contract) != std::string_view::npos;
}

}  // namespace assay
