// SPDX-License-Identifier: Apache-2.0
//
// What the defects that fit any operator do to small answers that are known by hand, and that they
// do nothing where they do not apply.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/backends/planted/planted.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

using Numbers = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Runs a planted kernel over operands in order, the last of them the destination.
Numbers Planted(const std::string& kernel, PlacedCall& call, const std::vector<Numbers>& operands) {
  std::string error;
  const AssayBackend* table = OpenPlanted(kernel, error);
  EXPECT_NE(table, nullptr) << error;
  if (table == nullptr) return {};
  for (size_t i = 0; i < operands.size(); ++i) call.Place(static_cast<int>(i), operands[i]);
  EXPECT_EQ(call.Run(table), ASSAY_OK) << kernel;
  table->close(table->self);
  return call.Output();
}

Numbers Planted(const std::string& kernel, OpId op, DType type, const NamedDims& dims,
                const std::vector<Numbers>& operands) {
  PlacedCall call(op, type, dims);
  return Planted(kernel, call, operands);
}

double SumBy(const std::string& kernel, const Numbers& x, DType type = DType::kF32) {
  return Planted(kernel, OpId::kSum, type, {static_cast<int64_t>(x.size())}, {x, {9}})[0];
}

TEST(PlantedDefects, BaselinesLeaveTheirWorkOut) {
  const auto softmax = [](const std::string& kernel) {
    return Planted(kernel, OpId::kSoftmax, DType::kF32, {2, 1}, {{3, 4}, {7, 8}});
  };
  EXPECT_EQ(softmax("softmax_zeros"), (Numbers{0, 0}));
  EXPECT_EQ(softmax("softmax_ones"), (Numbers{1, 1}));
  EXPECT_EQ(softmax("softmax_stale"), (Numbers{7, 8}));
  EXPECT_EQ(softmax("softmax_first_row"), (Numbers{1, 0}));
}

TEST(PlantedDefects, DropNanEverywhereOrInWholeVectors) {
  Numbers x(9, 0.0);
  x[0] = x[8] = kNan;
  const auto silu = [&x](const std::string& kernel) {
    return Planted(kernel, OpId::kSilu, DType::kF32, {9}, {x, Numbers(9, 9)});
  };
  EXPECT_EQ(silu("unary_nan_dropped"), Numbers(9, 0));
  EXPECT_EQ(silu("unary_nan_dropped_in_body")[0], 0);
  EXPECT_TRUE(std::isnan(silu("unary_nan_dropped_in_body")[8]));
}

TEST(PlantedDefects, TakeInfinityForTheLargestNumber) {
  EXPECT_EQ(Planted("unary_inf_saturated", OpId::kRelu, DType::kF16, {2}, {{kInf, 1}, {9, 9}}),
            (Numbers{65504, 1}));
}

TEST(PlantedDefects, LoseTheSignOfZeroWhereItIsAPole) {
  EXPECT_EQ(Planted("unary_zero_sign_lost", OpId::kRsqrt, DType::kF32, {1}, {{-0.0}, {9}}),
            Numbers{kInf});
}

TEST(PlantedDefects, FlushSubnormalsWhereTheirRowSays) {
  const Numbers x(9, 0x1p-130);
  const auto sums = [&x](const std::string& kernel) {
    return Planted(kernel, OpId::kAdd, DType::kF32, {9}, {x, x, Numbers(9, 9)});
  };
  EXPECT_EQ(sums("binary_flush_all"), Numbers(9, 0));
  EXPECT_EQ(sums("binary_flush_inputs_left"), Numbers(9, 0x1p-130));
  EXPECT_EQ(sums("binary_flush_out_in_body")[7], 0);
  EXPECT_EQ(sums("binary_flush_out_in_body")[8], 0x1p-129);
  EXPECT_EQ(sums("binary_flush_inputs_in_body")[8], 0x1p-129);
}

TEST(PlantedDefects, RoundOperandsToANarrowerFormat) {
  const double fine = 1 + 0x1p-11;  // a tie in 11 bits, held by 12
  const auto scaled = [fine](const std::string& kernel) {
    PlacedCall call(OpId::kScal, DType::kF32, {1});
    call.Attribute(0, 2);
    return Planted(kernel, call, {{fine}})[0];
  };
  EXPECT_EQ(scaled("vector_operands_tf32"), 2);
  EXPECT_EQ(scaled("vector_operands_hf32"), 2 * fine);
  EXPECT_EQ(scaled("vector_operands_bf16"), 2);
}

TEST(PlantedDefects, NarrowF64ToF32) {
  EXPECT_EQ(Planted("binary_f64_as_f32", OpId::kAdd, DType::kF64, {1}, {{1}, {0x1p-30}, {9}}),
            Numbers{1});
}

TEST(PlantedDefects, TakeTransposedOperandsForDenseOnes) {
  PlacedCall call(OpId::kGemm, DType::kF32, {2, 2, 2});
  call.Layout(0, {2, 2}, {1, 2});
  EXPECT_EQ(Planted("gemm_strides_ignored", call, {{1, 2, 3, 4}, {1, 0, 0, 1}, {9, 9, 9, 9}}),
            (Numbers{1, 3, 2, 4}));
}

TEST(PlantedDefects, MissTheTailAndWrapTheirCounters) {
  EXPECT_EQ(SumBy("sum_tail_unmasked", Numbers(9, 1)), 8);
  EXPECT_EQ(SumBy("sum_tail_unmasked", Numbers(16, 1)), 16);
  Numbers x(257, 0.0);
  x[0] = 1;
  x[256] = 5;
  EXPECT_EQ(SumBy("sum_index_narrow", x), 2);
  EXPECT_EQ(SumBy("sum_index16", x), 6);
  x.assign(65537, 0.0);
  x[0] = 1;
  x[65536] = 5;
  EXPECT_EQ(SumBy("sum_index16", x), 2);
}

TEST(PlantedDefects, MapIndicesThatLieOutside) {
  const auto picked = [](const std::string& kernel, double index) {
    return Planted(kernel, OpId::kEmbedding, DType::kF32, {3, 1, 1, 1},
                   {{10, 20, 30}, {index}, {9}})[0];
  };
  EXPECT_EQ(picked("embedding_clamp_high_only", 7), 30);
  EXPECT_EQ(picked("embedding_narrowed_32", 0x1p32 + 1), 20);
  EXPECT_EQ(picked("embedding_modulo", -4), 30);
  EXPECT_EQ(picked("embedding_wraps_undeclared", -3), 10);
}

TEST(PlantedDefects, TouchWhatIsNotTheirs) {
  const auto hit = [](const std::string& kernel, Placement placement, const Numbers& x) {
    PlacedCall call(OpId::kRelu, DType::kF32, {static_cast<int64_t>(x.size())});
    call.operand(0).placement = placement;
    for (int i = 0; i < 2; ++i) call.Place(i, x);
    std::string error;
    const AssayBackend* table = OpenPlanted(kernel, error);
    call.Run(table);
    table->close(table->self);
    return call.result().guard;
  };
  EXPECT_TRUE(hit("unary_reads_past_end", Placement::kTail, {1, 2, 3}).has_value());
  EXPECT_TRUE(hit("unary_reads_before", Placement::kHead, {1, 2, 3}).has_value());
  EXPECT_FALSE(hit("unary_reads_past_end", Placement::kTail, {1, 2}).has_value());
  EXPECT_FALSE(hit("unary_reads_before", Placement::kHead, {1, 2}).has_value());
}

// 1 + 2^24 is a tie in f32, which rounds to 2^24.
TEST(PlantedDefects, DecoysAreRightInAnotherWay) {
  EXPECT_EQ(SumBy("sum_plain", {1, 0x1p24, -0x1p24}), 0);
  EXPECT_EQ(SumBy("sum_reversed", {1, 0x1p24, -0x1p24}), 1);
  EXPECT_EQ(SumBy("sum_wide", {1, 0x1p24, -0x1p24}), 1);
}

}  // namespace
}  // namespace assay
