// SPDX-License-Identifier: Apache-2.0
//
// Force: a bound that no narrower model would break proves nothing. The data are those that the
// published measurements name: long rows of normal variates, and sparse rows.
#include <gtest/gtest.h>

#include <cmath>

#include "contracts/values.h"
#include "tests/unit/contracts/scene.h"

namespace assay {
namespace {

constexpr uint32_t Bit(DefectModel model) { return 1u << static_cast<int>(model); }

// Uniform in (0, 1), never 0, from a 64-bit mix.
double Uniform(uint64_t seed) { return (static_cast<double>(Mix(seed) >> 11) + 0.5) * 0x1p-53; }
// Box and Muller's transform.
float Normal(uint64_t seed) {
  const double radius = std::sqrt(-2 * std::log(Uniform(2 * seed)));
  return static_cast<float>(radius * std::cos(6.283185307179586 * Uniform(2 * seed + 1)));
}

struct Row {
  std::vector<float> x, y;
};

Row NormalRow(int length, uint64_t seed) {
  Row row;
  for (int i = 0; i < length; ++i) {
    row.x.push_back(Normal(seed * 1000003 + 2 * i));
    row.y.push_back(Normal(seed * 1000003 + 2 * i + 1));
  }
  return row;
}

// Sequential f32 accumulation of operands rounded to `format`.
double Accumulate(const Row& row, Format format) {
  float sum = 0;
  for (size_t i = 0; i < row.x.size(); ++i) {
    sum +=
        static_cast<float>(Round(format, row.x[i])) * static_cast<float>(Round(format, row.y[i]));
  }
  return sum;
}

struct ForceScene : Scene {
  explicit ForceScene(const Row& row) : Scene(OpId::kDot, DType::kF32, {1}) {
    double truth = 0, abs_sum = 0, sum_x = 0, sum_y = 0, nnz = 0;  // products are exact in double
    for (size_t i = 0; i < row.x.size(); ++i) {
      truth += static_cast<double>(row.x[i]) * row.y[i];
      abs_sum += std::fabs(static_cast<double>(row.x[i]) * row.y[i]);
      sum_x += std::fabs(row.x[i]);
      sum_y += std::fabs(row.y[i]);
      nnz += row.x[i] != 0 && row.y[i] != 0 ? 1 : 0;
    }
    SetSums(abs_sum, nnz, std::max(sum_x, sum_y));
    Set(Quantity::kMaxAbsSum, abs_sum);
    SetTruth(0, truth, 0, static_cast<double>(row.x.size()) * 0x1p-53 * abs_sum);
    SetGot(0, Accumulate(row, Format::kF32));
    force.emulate = [row](DefectModel model, int64_t, double* out) {
      if (model == DefectModel::kTf32Operands) *out = Accumulate(row, Format::kTf32);
      if (model == DefectModel::kHf32Operands) *out = Accumulate(row, Format::kHf32);
      if (model == DefectModel::kBf16Operands) *out = Accumulate(row, Format::kBf16);
      return model == DefectModel::kTf32Operands || model == DefectModel::kHf32Operands ||
             model == DefectModel::kBf16Operands;
    };
  }
};

TEST(Force, LongNormalRowsHaveNoneAgainstTf32) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ForceScene scene(NormalRow(1024, seed));
    const ClauseVerdict verdict = scene.Of("C-PRC-01", "values");
    EXPECT_EQ(verdict.outcome, Outcome::kConforming);
    EXPECT_NE(verdict.force_tried & Bit(DefectModel::kTf32Operands), 0u);
    EXPECT_EQ(verdict.force & Bit(DefectModel::kTf32Operands), 0u) << seed;
    EXPECT_EQ(verdict.force & Bit(DefectModel::kHf32Operands), 0u) << seed;
  }
}

TEST(Force, SparseRowsHaveItAgainstEveryNarrowOperand) {
  int tf32 = 0, hf32 = 0, bf16 = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Row row{std::vector<float>(1024, 0.0f), std::vector<float>(1024, 0.0f)};
    const Row dense = NormalRow(1024, seed);
    for (int k = 0; k < 2; ++k) {
      const size_t at = Mix(seed * 7 + k) % 1024;
      row.x[at] = dense.x[at];
      row.y[at] = dense.y[at];
    }
    ForceScene scene(row);
    const ClauseVerdict verdict = scene.Of("C-PRC-01", "values");
    EXPECT_EQ(verdict.outcome, Outcome::kConforming);
    tf32 += (verdict.force & Bit(DefectModel::kTf32Operands)) != 0;
    hf32 += (verdict.force & Bit(DefectModel::kHf32Operands)) != 0;
    bf16 += (verdict.force & Bit(DefectModel::kBf16Operands)) != 0;
  }
  EXPECT_GE(tf32, 48);
  EXPECT_GE(hf32, 48);
  EXPECT_GE(bf16, 48);
}

TEST(Force, AnswersOfZeroAreNotFlaggedWhereTheBoundHidesThem) {
  Scene scene(OpId::kDot, DType::kF32, {1});
  scene.SetSums(0x1p30, 4096);
  scene.Set(Quantity::kMaxAbsSum, 0x1p30);
  scene.SetTruth(0, 1000);
  scene.SetGot(0, 0);
  const ClauseVerdict verdict = scene.Of("C-PRC-01", "values");
  EXPECT_EQ(verdict.outcome, Outcome::kVacuous);
  EXPECT_EQ(verdict.force, 0u);
  EXPECT_FALSE(verdict.reason.empty());
}

TEST(Force, AgainstZeroCostsNoEmulation) {
  Scene scene(OpId::kDot, DType::kF32, {4});
  scene.SetSums(1, 4);
  scene.SetTruth(0, 1);
  scene.SetGot(0, 1);
  const ClauseVerdict verdict = scene.Of("C-PRC-01", "values", /*force_budget=*/0);
  EXPECT_EQ(verdict.outcome, Outcome::kConforming);
  EXPECT_EQ(verdict.force, Bit(DefectModel::kZero));
  EXPECT_EQ(scene.force.calls, 0);
}

TEST(Force, TriesNoModelThatIsNotNarrower) {
  Scene scene(OpId::kDot, DType::kBf16, {4});
  scene.declared.accumulator = Accumulator{Format::kF32, false, 0, 0};
  scene.SetSums(1, 4);
  scene.SetTruth(0, 1);
  scene.SetGot(0, 1);
  scene.force.emulate = [](DefectModel model, int64_t, double* out) {
    EXPECT_NE(model, DefectModel::kBf16Operands);
    EXPECT_NE(model, DefectModel::kTf32Operands);
    EXPECT_NE(model, DefectModel::kHf32Operands);
    *out = 1;
    return true;
  };
  const ClauseVerdict verdict = scene.Of("C-PRC-01", "values");
  EXPECT_NE(verdict.force_tried & Bit(DefectModel::kF16Accumulator), 0u);
  EXPECT_NE(verdict.force_tried & Bit(DefectModel::kBf16Accumulator), 0u);
}

TEST(Force, StopsAtTheBudget) {
  Scene scene(OpId::kExp, DType::kF32, {64});
  scene.declared.ulp_limit = 1;
  scene.SetEach(Quantity::kAbsX, 1);
  for (int i = 0; i < 64; ++i) {
    scene.SetTruth(i, 1);
    scene.SetGot(i, 1);
  }
  scene.force.emulate = [](DefectModel, int64_t, double* out) {
    *out = 1;
    return true;
  };
  EXPECT_EQ(scene.Of("C-PRC-02", "values", 4).outcome, Outcome::kConforming);
  EXPECT_EQ(scene.force.calls, 4 * 4) << "f16, bf16, no_shift and one_pass, four elements each";
}

}  // namespace
}  // namespace assay
