// SPDX-License-Identifier: Apache-2.0
#include "engine/backends/planted/generated.h"

#include <algorithm>

#include "contracts/invariant.h"
#include "engine/backends/planted/defects.h"
#include "engine/backends/planted/row.h"

namespace assay::planted {
namespace {

template <class... Ops>
constexpr OpSet SetOf(Ops... ops) {
  return (Bit(ops) | ...);
}

constexpr uint32_t kFlushed = kF64 | kF32;

constexpr uint32_t kEvery = (1u << kFamilyCount) - 1;
// Copies and integers have neither NaN nor precision; choices among NaN are matters of declaration.
constexpr uint32_t kBits = BitsOf(Family::kGather, Family::kIntGemm, Family::kIntDivision);
constexpr uint32_t kWithSpecials = kEvery & ~kBits & ~BitsOf(Family::kQuantize);
// Sums and products whose accumulator is declared.
constexpr uint32_t kLinear = BitsOf(
    Family::kGemm, Family::kDot, Family::kSum, Family::kVector, Family::kScatter, Family::kLinear,
    Family::kAttention, Family::kConv, Family::kPool, Family::kGradient, Family::kCollective,
    Family::kUpdate, Family::kTriangular, Family::kSolve, Family::kComplex);
// Which end of a triangle is reached first is no matter of order, nor of two parts.
constexpr uint32_t kTriangles =
    BitsOf(Family::kUpdate, Family::kTriangular, Family::kSolve, Family::kComplex);
constexpr uint32_t kIndexed = BitsOf(Family::kGather, Family::kScatter);
// Output rows shorter than a vector body, most of the time.
constexpr uint32_t kShortRows =
    BitsOf(Family::kScatter, Family::kConv, Family::kGradient, Family::kComplex);
// Where subnormals have a policy of their own.
constexpr uint32_t kSubnormal =
    BitsOf(Family::kGemm, Family::kDot, Family::kVector, Family::kSum, Family::kConv, Family::kPool,
           Family::kUnary, Family::kBinary, Family::kUpdate, Family::kTriangular);
// One axis, which may pass 65,536 elements.
constexpr uint32_t kLongAxes = BitsOf(Family::kDot, Family::kSum, Family::kVector, Family::kUnary,
                                      Family::kBinary, Family::kCast, Family::kQuantize);
// Rows beside each other.
constexpr uint32_t kWithRows =
    BitsOf(Family::kGemm, Family::kIntGemm, Family::kSoftmax, Family::kNorm, Family::kAttention,
           Family::kConv, Family::kPool, Family::kLinear, Family::kGather, Family::kScatter,
           Family::kGradient, Family::kCollective);
// Functions of single elements, which have no sum to reorder.
constexpr uint32_t kOrdered =
    (kLinear & ~kTriangles) | BitsOf(Family::kSoftmax, Family::kNorm, Family::kProduct);

// Sums whose schedules and runs are told apart.
constexpr uint32_t kScheduled =
    BitsOf(Family::kGemm, Family::kDot, Family::kSum, Family::kSoftmax, Family::kNorm,
           Family::kAttention, Family::kConv, Family::kCollective);
constexpr uint32_t kContended = BitsOf(Family::kScatter, Family::kSum, Family::kDot, Family::kGemm,
                                       Family::kConv, Family::kAttention);

// What holds a sum of products to its accumulator, whichever operator has it.
constexpr std::string_view kSummed = "C-PRC-01 C-PRC-04 C-ORD-03 C-CMP-01";
constexpr std::string_view kComputing =
    "C-PRC-01 C-PRC-02 C-PRC-04 C-ORD-01 C-ORD-02 C-ORD-03 C-CMP-01 C-CMP-02 C-CMP-03 C-EXC-01";
// Zero is what flushing gives; only it violates the policy of subnormals.
constexpr std::string_view kComputingAndFlushing =
    "C-PRC-01 C-PRC-02 C-PRC-03 C-PRC-04 C-ORD-01 C-ORD-02 C-ORD-03 C-CMP-01 C-CMP-02 C-CMP-03 "
    "C-EXC-01";
constexpr std::string_view kAllClasses =
    "C-PRC-01 C-PRC-02 C-PRC-03 C-PRC-04 C-ORD-01 C-ORD-02 C-ORD-03 C-CMP-01 C-CMP-02 C-CMP-03 "
    "C-EXC-01 C-EXC-02";

// Operators that a family's defects are planted in, where not in all of them.
constexpr OpSet kUnarySample = SetOf(OpId::kExp, OpId::kLog, OpId::kSqrt, OpId::kTanh, OpId::kGelu,
                                     OpId::kRsqrt, OpId::kSilu, OpId::kRelu);
constexpr OpSet kBinarySample = SetOf(OpId::kAdd, OpId::kDiv, OpId::kMaximum, OpId::kRemainder);
constexpr OpSet kChoices = SetOf(OpId::kArgmax, OpId::kAmax, OpId::kTopkIndices);
// Reductions, choices and copies, whose answer is no rounded sum of products of their operands.
constexpr OpSet kUnsummed = SetOf(OpId::kMaxPool, OpId::kAllGather, OpId::kComplexAbs);
constexpr OpSet kSignedZeros =
    SetOf(OpId::kSqrt, OpId::kTanh, OpId::kErf, OpId::kExpm1, OpId::kLog1p, OpId::kRsqrt,
          OpId::kMul, OpId::kDiv, OpId::kProd, OpId::kCast);
// What a trip through another type does not leave alone: NaNs of a triangle that is not touched,
// and which NaN signals.
constexpr OpSet kBitKeeping = SetOf(OpId::kSyr, OpId::kMinimumNumber, OpId::kMaximumNumber);
// Scalars have one row.
constexpr OpSet kScalars =
    SetOf(OpId::kDot, OpId::kSum, OpId::kMean, OpId::kAsum, OpId::kProd, OpId::kNrm2,
          OpId::kVariance, OpId::kMax, OpId::kMin, OpId::kArgmax, OpId::kAmax, OpId::kNanMax,
          OpId::kNanMin, OpId::kNanSum);
// What hand-written kernels of the same defect are for.
constexpr OpSet kByHand = SetOf(OpId::kGemm, OpId::kDot, OpId::kSum, OpId::kGather);

constexpr uint32_t kReversedByHand = BitsOf(Family::kScatter, Family::kGradient);

struct Defect {
  std::string_view name;
  std::string_view contracts;
  PlantedState state;
  uint32_t families;
  OpSet without;
  uint32_t types;
  std::string_view profile;
  int32_t (*run)(const AssayCall& call);
  std::string_view note;
};

// clang-format off
constexpr Defect kDefects[] = {
    {"zeros", kComputingAndFlushing, kBaseline, kEvery & ~kIndexed, 0, kAnyType, kProfile, &StoresZeros,
     "stores zeros, like a generated kernel that left its work out"},
    {"zeros", kAllClasses, kBaseline, kIndexed, 0, kAnyType, kProfile, &StoresZeros,
     "stores zeros, whatever the indices are"},
    {"ones", kComputing, kBaseline, kEvery, 0, kAnyType, kProfile, &StoresOnes,
     "stores a constant, like a generated kernel that found the answer of the one input it was tested with"},
    {"stale", kComputing, kBaseline, kEvery, 0, kAnyType, kProfile, &StoresNothing,
     "stores nothing, so that what lies in memory passes for the answer"},
    {"first_row", kComputing, kBaseline, kEvery & ~BitsOf(Family::kIntDivision), kScalars, kAnyType, kProfile, &FirstRowOnly,
     "computes the first row and zeros the others, like a generated kernel checked by its first row"},
    {"neighbour", "C-EXC-02", kBaseline, kEvery & ~kIndexed, 0, kAnyType, kProfile, &AnswersWithNeighbour,
     "answers with what lies behind the first operand, like a kernel that finds the reference's result in memory"},

    {"nan_dropped", "C-EXC-01", kBad, kWithSpecials, kChoices, kFloats, kProfile, &NanDropped,
     "takes NaN for 0, like a reshape and a normalization of two accelerator stacks"},
    {"nan_dropped_in_body", "C-EXC-01", kBad, kWithSpecials & ~kShortRows, kChoices, kFloats, kProfile, &NanDroppedInBody,
     "takes NaN for 0 in the vector body and keeps it in the tail"},
    {"inf_saturated", "C-EXC-01", kBad, kWithSpecials, kChoices | SetOf(OpId::kHypot, OpId::kComplexAbs), kFloats, kProfile, &InfSaturated,
     "takes an infinity for the largest number without declaring a saturating mode"},
    {"zero_sign_lost", "C-EXC-01", kBad, kWithSpecials, ~kSignedZeros, kFloats, kProfile, &ZeroSignLost,
     "takes -0 for +0 where the answer's sign or pole depends on it"},

    {"flush_inputs_left", "C-PRC-03", kBad, kSubnormal, 0, kFlushed, kProfile, &FlushesLeftInputs,
     "takes subnormals of the first operand for zero and of the others as they are"},
    {"flush_inputs_in_body", "C-PRC-03", kBad, kSubnormal & ~kShortRows, 0, kFlushed, kProfile, &FlushesInputsInBody,
     "takes subnormals for zero in the vector body and as they are in the tail"},
    {"flush_out_in_body", "C-PRC-03", kBad, kSubnormal & ~kShortRows & ~BitsOf(Family::kGemm), kScalars | kChoices, kFlushed, kProfile, &FlushesOutputsInBody,
     "flushes subnormal results in the vector body and not in the tail"},
    {"flush_all", "C-PRC-03", kBad, kSubnormal, kChoices, kFlushed, kProfile, &FlushesAll,
     "flushes subnormal operands and results without declaring it, like a library that sets the flush bits when loaded"},

    {"operands_tf32", kSummed, kBad, kLinear | BitsOf(Family::kSelect, Family::kSort), kByHand | kUnsummed | kChoices, kF32, kProfile, &OperandsTf32,
     "rounds the operands to 11 bits, like TF32 taken where f32 is declared"},
    {"operands_tf32", "C-PRC-02", kBad, BitsOf(Family::kBinary, Family::kProduct), 0, kF32, kProfile, &OperandsTf32,
     "rounds the operands to 11 bits, where one rounding of the result is declared"},
    {"operands_hf32", kSummed, kBad, kLinear | BitsOf(Family::kSelect, Family::kSort), kByHand | kUnsummed | kChoices, kF32, kProfile, &OperandsHf32,
     "rounds the operands to 12 bits, like HF32 taken where f32 is declared"},
    {"operands_bf16", "C-PRC-01", kBad, BitsOf(Family::kVector, Family::kPool), kUnsummed, kF32, kProfile, &OperandsBf16,
     "rounds the operands to 8 bits, like a fast-math mode of bf16 products"},
    {"f64_as_f32", kSummed, kBad, kLinear | BitsOf(Family::kSelect, Family::kSort), kByHand | kUnsummed | kChoices, kF64, kProfile, &F64AsF32,
     "narrows f64 operands to f32, like an accelerator's cast operator that says nothing"},
    {"f64_as_f32", "C-PRC-02", kBad, BitsOf(Family::kUnary, Family::kBinary, Family::kSoftmax, Family::kNorm, Family::kProduct), 0, kF64, kProfile, &F64AsF32,
     "narrows f64 operands to f32, like an accelerator's cast operator that says nothing"},

    {"reads_past_end", "C-EXC-02", kBad, kEvery & ~BitsOf(Family::kComplex), 0, kAnyType, kProfile, &ReadsPastEnd,
     "loads pairs of elements, and so one past the end of an odd number of them"},
    {"reads_before", "C-EXC-02", kBad, kEvery & ~BitsOf(Family::kComplex), 0, kAnyType, kProfile, &ReadsBefore,
     "aligns its first load downwards, and so reads before an odd number of elements"},
    {"writes_past_end", "C-EXC-02", kBad, kEvery, 0, kAnyType, kProfile, &WritesPastEnd,
     "stores the last vector of four of the output whole"},
    {"writes_input", "C-EXC-02", kBad, kEvery, SetOf(OpId::kScal, OpId::kComplexScal), kAnyType, kProfile, &WritesInput,
     "uses its first operand as a workspace and restores all of it but one bit"},
    {"clamp_high_only", "C-EXC-02", kBad, kIndexed, kByHand, kAnyType, kProfile, &IndexClampedAbove,
     "takes the last place for an index above the extent where raising is declared"},
    {"narrowed_32", "C-EXC-02", kBad, kIndexed, kByHand, kAnyType, kProfile, &IndexNarrowed,
     "narrows 64-bit indices to 32, so that 2^32 + 3 is place 3"},
    {"modulo", "C-EXC-02", kBad, kIndexed, kByHand, kAnyType, kProfile, &IndexModulo,
     "takes the index modulo the extent where raising is declared, like silent acceptance on a GPU stack"},
    {"wraps_undeclared", "C-EXC-02", kBad, kIndexed, kByHand, kAnyType, kProfile, &IndexWrapsNegative,
     "counts negative indices from the end where raising is declared"},

    {"tail_unmasked", "C-CMP-03", kBad, kEvery & ~BitsOf(Family::kConv, Family::kComplex), 0, kAnyType, kProfile, &TailUnmasked,
     "reads zeros for the last elements of an axis that is no multiple of eight"},
    {"strides_ignored", "C-CMP-03", kBad, kEvery, 0, kAnyType, kProfile, &StridesIgnored,
     "takes padded and transposed operands for dense ones"},
    {"index16", "C-CMP-03", kBad, kLongAxes, 0, kAnyType, kProfile, &OffsetsIn16Bits,
     "computes offsets in 16 bits, as a padding kernel that goes wrong above 65536 elements does"},
    {"index_narrow", "C-CMP-03", kBad, kEvery & ~BitsOf(Family::kConv, Family::kPool, Family::kSolve), 0, kAnyType, kProfile, &LoopsIn8Bits,
     "counts along an axis in 8 bits, a narrow index type that short axes reach"},
    {"alone_row", "C-CMP-03 C-ORD-01", kBad, kWithRows, kScalars, kAnyType, kProfile, &RowAloneWrong,
     "leaves the last term out where the output has one row only, a path of its own"},

    {"schedule_bf16", "C-ORD-01 C-ORD-03 C-CMP-02", kBad, kScheduled, kUnsummed, kFloats & ~BitsOf(DType::kBf16), kProfile, &ScheduleInBf16,
     "rounds the operands to 8 bits under every other schedule, like one algorithm of a tuning space"},
    {"schedule_loses_tail", "C-ORD-01 C-ORD-03 C-CMP-02", kBad, kScheduled, 0, kFloats, kProfile, &ScheduleLosesTail,
     "leaves the last term out under every other schedule, like a split that rounds its share down"},
    {"threads_reorder", "C-ORD-01", kBad, kScheduled & ~BitsOf(Family::kCollective), 0, kFloats, kProfile, &ThreadsReorder,
     "adds in another order on several threads where the bits are declared not to depend on them"},
    {"schedule_drops_nan", "C-CMP-02", kBad, kScheduled & ~BitsOf(Family::kCollective), 0, kFloats, kProfile, &ScheduleDropsNan,
     "takes NaN for 0 under every other schedule, like a size path that forgot a special case"},
    {"batch_reorders", "C-ORD-01", kBad, BitsOf(Family::kGemm, Family::kSoftmax, Family::kNorm), Bit(OpId::kBatchNorm), kFloats, kProfile, &BatchReorders,
     "adds in another order where there are several rows, with batch invariance declared"},
    {"alignment_reorders", "C-ORD-01", kBad, kScheduled & ~BitsOf(Family::kCollective), 0, kFloats, kProfile, &AlignmentReorders,
     "adds in another order off a vector's boundary, with alignment invariance declared"},
    {"run_reordered", "C-ORD-02", kBad, kContended, 0, kFloats, kProfile, &RunReordered,
     "adds in another order in every other run where equal bits are declared, like float atomics"},
    {"run_loses_update", "C-ORD-02", kBad, kContended, 0, kFloats, kProfile, &RunLosesUpdate,
     "loses the last term in every other run, like an update that is not atomic"},
    {"schedule_reordered", "C-ORD-01 C-ORD-03 C-CMP-02", kGood, kScheduled, 0, kFloats, kProfile, &ScheduleReordered,
     "adds in another order under every other schedule, within the bound of both"},

    {"run_reordered_declared", "C-ORD-02", kGood, kContended, 0, kFloats, "planted_bounded", &RunReordered,
     "adds in another order in every other run, as declared"},
    {"plain", kAllClasses, kGood, kEvery, 0, kAnyType, kProfile, &Plain,
     "the reference itself"},
    {"wide", kAllClasses, kGood, kWithSpecials & ~BitsOf(Family::kGradient, Family::kCast), kChoices | kBitKeeping, kUpTo32, kProfile, &Wide,
     "computes in f64 and rounds once"},
    {"reversed", kAllClasses, kGood, kOrdered & ~kReversedByHand, kUnsummed, kFloats, kProfile, &Reversed,
     "adds in the opposite order"},
    {"declared_flush", "C-PRC-03", kGood, kSubnormal, kChoices | SetOf(OpId::kAxpy, OpId::kGer, OpId::kSyr), kFlushed, "planted_flush", &FlushesAll,
     "flushes subnormal operands and results, as declared"},
    {"declared_tf32", "C-PRC-01", kGood, BitsOf(Family::kGemm, Family::kDot, Family::kConv), 0, kF32, "planted_tf32", &OperandsTf32InRange,
     "rounds the operands to 11 bits, as declared"},
};
// clang-format on

// What a row's name begins with. Where hand-written kernels stand for an operator, the others are
// named after one of theirs.
std::string_view PrefixOf(Family family, OpSet ops) {
  if (family == Family::kGather && (ops & Bit(OpId::kGather)) == 0) return "embedding";
  if (family == Family::kGemm && (ops & Bit(OpId::kGemm)) == 0) return "gemv";
  if (family == Family::kSum && (ops & Bit(OpId::kSum)) == 0) return "mean";
  return NameOf(family);
}

OpSet OpsOf(Family family, const Defect& defect) {
  OpSet ops = 0;
  for (const OperatorDef& def : Operators()) {
    if (def.family == family) ops |= Bit(def.id);
  }
  if (defect.state == kBad && defect.run != &ZeroSignLost) {
    if (family == Family::kUnary) ops &= kUnarySample;
    if (family == Family::kBinary) ops &= kBinarySample;
  }
  return ops & ~defect.without;
}

// The types of first operands that one of the operators takes.
uint32_t TypesOf(OpSet ops) {
  uint32_t types = 0;
  for (const OperatorDef& def : Operators()) {
    if ((ops & Bit(def.id)) == 0) continue;
    for (const DType type : def.inputs) types |= BitsOf(type);
  }
  return types;
}

// A single operand has no left one.
bool HasRightOperand(Family family) {
  constexpr uint32_t kSingle =
      BitsOf(Family::kSum, Family::kSoftmax, Family::kUnary, Family::kNorm, Family::kProduct,
             Family::kSelect, Family::kCast, Family::kPool, Family::kCollective);
  return (kSingle & BitsOf(family)) == 0;
}

}  // namespace

void AppendGenerated(Family family, std::vector<std::string>& names,
                     std::vector<PlantedKernel>& rows) {
  for (const Defect& defect : kDefects) {
    if ((defect.families & BitsOf(family)) == 0) continue;
    if (defect.run == &FlushesLeftInputs && !HasRightOperand(family)) continue;
    const OpSet ops = OpsOf(family, defect);
    const uint32_t types = TypesOf(ops) & defect.types;
    if (ops == 0 || types == 0) continue;
    ASSAY_CHECK(names.size() < names.capacity(), "names that rows refer to do not move");
    names.push_back(std::string(PrefixOf(family, ops)) + "_" + std::string(defect.name));
    rows.push_back({names.back(), defect.contracts, family, defect.state, ops, types,
                    defect.profile, defect.run, defect.note});
  }
}

}  // namespace assay::planted
