// SPDX-License-Identifier: Apache-2.0
//
// Kernels on an OpenCL device: small integers and values that are exact in any order, so that no
// oracle is needed; and public faults of CLBlast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contracts/operator.h"
#include "engine/backend.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Opened once each: a device keeps the kernels that it has compiled.
const Result<std::unique_ptr<Backend>>& Opened(const std::string& spec) {
  static auto* const tiled = new auto(OpenBackend("opencl"));
  static auto* const naive = new auto(OpenBackend("opencl#gemm=naive"));
  static auto* const clblast = new auto(OpenBackend("clblast"));
  return spec == "clblast" ? *clblast : spec == "opencl" ? *tiled : *naive;
}

class OpenCl : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto& opened = Opened(GetParam());
    if (!opened.ok()) GTEST_SKIP() << opened.error().Text();
    table_ = opened.value()->table();
  }
  const AssayBackend* table_ = nullptr;
};

// c := 2 a b + 3 c with a[i,l] = i + l, b[l,j] = l - j, c = 1, in integers.
TEST_P(OpenCl, MultipliesMatricesOfAnySizeAndTranspose) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const auto& [m, n, k] : {std::array{1, 1, 1}, {9, 7, 5}, {8, 8, 8}, {17, 3, 16}}) {
      for (const int transposes : {0, 1, 2, 3}) {
        const bool ta = (transposes & 1) != 0, tb = (transposes & 2) != 0;
        PlacedCall call(OpId::kGemm, type, {m, n, k});
        call.Attribute(kGemmAlpha, 2).Attribute(kGemmBeta, 3);
        call.Choice(kGemmTransA, ta ? 1 : 0).Choice(kGemmTransB, tb ? 1 : 0);
        if (ta) call.Layout(0, {k, m}, {m, 1});
        if (tb) call.Layout(1, {n, k}, {k, 1});
        std::vector<double> a, b, expected;
        for (int i = 0; i < m * k; ++i) a.push_back(ta ? i % m + i / m : i / k + i % k);
        for (int i = 0; i < k * n; ++i) b.push_back(tb ? i % k - i / k : i / n - i % n);
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l) sum += (i + l) * (l - j);
            expected.push_back(2 * sum + 3);
          }
        }
        call.Place(0, a).Place(1, b).Place(2, std::vector<double>(expected.size(), 1));
        ASSERT_EQ(call.Run(table_), ASSAY_OK) << call.text();
        EXPECT_EQ(call.Output(), expected) << m << " " << n << " " << k << " " << transposes;
      }
    }
  }
}

TEST_P(OpenCl, SumsAndTakesInnerProducts) {
  PlacedCall sum(OpId::kSum, DType::kF32, {100});
  std::vector<double> counted;
  for (int i = 1; i <= 100; ++i) counted.push_back(i);
  sum.Place(0, counted).Place(1, {kNan});
  ASSERT_EQ(sum.Run(table_), ASSAY_OK) << sum.text();
  EXPECT_EQ(sum.Output(), std::vector<double>{5050});

  PlacedCall dot(OpId::kDot, DType::kF64, {3});
  dot.Layout(0, {3}, {2}).Place(0, {1, 2, 3}).Place(1, {4, 5, 6}).Place(2, {kNan});
  ASSERT_EQ(dot.Run(table_), ASSAY_OK) << dot.text();
  EXPECT_EQ(dot.Output(), std::vector<double>{32});

  PlacedCall asum(OpId::kAsum, DType::kF32, {3});
  asum.Place(0, {-1, 2, -3}).Place(1, {kNan});
  ASSERT_EQ(asum.Run(table_), ASSAY_OK) << asum.text();
  EXPECT_EQ(asum.Output(), std::vector<double>{6});
}

TEST_P(OpenCl, WritesNothingBetweenTheElements) {
  PlacedCall call(OpId::kGemm, DType::kF32, {2, 2, 2});
  call.Layout(2, {2, 2}, {5, 1});
  call.Place(0, {1, 2, 3, 4}).Place(1, {1, 0, 0, 1}).Place(2, {9, 9, 9, 9});
  ASSERT_EQ(call.Run(table_), ASSAY_OK) << call.text();
  EXPECT_EQ(call.Output(), (std::vector<double>{1, 2, 3, 4}));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(call.arena().CheckCanaries(i).has_value());
  EXPECT_TRUE(call.arena().Unchanged(0) && call.arena().Unchanged(1));
}

TEST_P(OpenCl, RefusesWhatTheDeviceNeedNotHave) {
  std::string reason;
  EXPECT_FALSE(PlacedCall(OpId::kGemm, DType::kF16, {2, 2, 2}).Supports(table_, &reason));
  EXPECT_THAT(reason, HasSubstr("f32 or f64"));
  EXPECT_FALSE(PlacedCall(OpId::kGather, DType::kF32, {2, 2, 2}).Supports(table_, &reason));
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  return info.param == "opencl" ? "tiled" : info.param == "clblast" ? "clblast" : "naive";
}
INSTANTIATE_TEST_SUITE_P(Device, OpenCl, testing::Values("opencl", "opencl#gemm=naive", "clblast"),
                         TestName);

class OwnKernels : public OpenCl {};

TEST_P(OwnKernels, LeaveFactorsOfZeroUnreadAndKeepInfinitiesInTheLastTile) {
  PlacedCall zero(OpId::kGemm, DType::kF32, {1, 1, 1});
  zero.Attribute(kGemmAlpha, 0).Attribute(kGemmBeta, 0);
  zero.Place(0, {kNan}).Place(1, {1}).Place(2, {kNan});
  ASSERT_EQ(zero.Run(table_), ASSAY_OK) << zero.text();
  EXPECT_EQ(zero.Output(), std::vector<double>{0});

  PlacedCall infinite(OpId::kGemm, DType::kF32, {1, 1, 3});
  infinite.Place(0, {1, 1, kInf}).Place(1, {1, 1, 1}).Place(2, {0});
  ASSERT_EQ(infinite.Run(table_), ASSAY_OK) << infinite.text();
  EXPECT_EQ(infinite.Output(), std::vector<double>{kInf});
}

TEST_P(OwnKernels, GiveExactAnswersWhereThereAreSome) {
  const std::vector<std::tuple<OpId, double, double>> expected = {
      {OpId::kExp, 0, 1},    {OpId::kLog, 1, 0},   {OpId::kTanh, 0, 0},  {OpId::kSqrt, 4, 2},
      {OpId::kErf, kInf, 1}, {OpId::kExpm1, 0, 0}, {OpId::kLog1p, 0, 0}, {OpId::kRsqrt, 4, 0.5},
      {OpId::kRelu, -3, 0},  {OpId::kRelu, 3, 3}};
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const auto& [op, x, y] : expected) {
      PlacedCall call(op, type, {3});
      call.Layout(0, {3}, {-2}).Place(0, {x, x, x}).Place(1, {kNan, kNan, kNan});
      ASSERT_EQ(call.Run(table_), ASSAY_OK) << call.text();
      EXPECT_EQ(call.Output(), std::vector<double>(3, y)) << DefOf(op).name;
    }
  }
}

TEST_P(OwnKernels, CombineTwoOperands) {
  const std::vector<std::pair<OpId, double>> expected = {{OpId::kAdd, 10},    {OpId::kMul, 16},
                                                         {OpId::kDiv, 4},     {OpId::kMinimum, 2},
                                                         {OpId::kMaximum, 8}, {OpId::kPow, 64}};
  for (const auto& [op, value] : expected) {
    PlacedCall call(op, DType::kF64, {1});
    call.Place(0, {8}).Place(1, {2}).Place(2, {kNan});
    ASSERT_EQ(call.Run(table_), ASSAY_OK) << call.text();
    EXPECT_EQ(call.Output(), std::vector<double>{value}) << DefOf(op).name;
  }
  PlacedCall nan(OpId::kMaximum, DType::kF32, {2});
  nan.Place(0, {kNan, 1}).Place(1, {1, kNan}).Place(2, {0, 0});
  ASSERT_EQ(nan.Run(table_), ASSAY_OK);
  EXPECT_TRUE(std::isnan(nan.Output()[0]) && std::isnan(nan.Output()[1]));
}

TEST_P(OwnKernels, FoldRowsOfMoreElementsThanAGroup) {
  PlacedCall softmax(OpId::kSoftmax, DType::kF32, {2, 128});
  std::vector<double> x(256, 1000);
  softmax.Place(0, x).Place(1, std::vector<double>(256, kNan));
  ASSERT_EQ(softmax.Run(table_), ASSAY_OK) << softmax.text();
  EXPECT_EQ(softmax.Output(), std::vector<double>(256, 1.0 / 128));

  for (const auto& [op, value] :
       {std::pair{OpId::kMax, 7.}, {OpId::kMin, -7.}, {OpId::kMean, 0.}, {OpId::kProd, -49.}}) {
    PlacedCall call(op, DType::kF32, {130});
    std::vector<double> row(130, op == OpId::kProd ? 1 : 0);
    row[65] = 7;
    row[129] = -7;
    call.Place(0, row).Place(1, {kNan});
    ASSERT_EQ(call.Run(table_), ASSAY_OK) << call.text();
    EXPECT_EQ(call.Output(), std::vector<double>{value}) << DefOf(op).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Device, OwnKernels, testing::Values("opencl", "opencl#gemm=naive"),
                         TestName);

class ClBlastFaults : public testing::Test {
 protected:
  void SetUp() override {
    const auto& opened = Opened("clblast");
    if (!opened.ok()) GTEST_SKIP() << opened.error().Text();
    if (opened.value()->version() != "1.5.3") GTEST_SKIP() << "CLBlast is not 1.5.3";
    table_ = opened.value()->table();
  }
  const AssayBackend* table_ = nullptr;
};

// BLAS: with alpha = 0 neither a nor b is referenced.
TEST_F(ClBlastFaults, AlphaOfZeroReadsTheFactors) {
  PlacedCall call(OpId::kGemm, DType::kF32, {1, 1, 1});
  call.Attribute(kGemmAlpha, 0).Attribute(kGemmBeta, 0);
  call.Place(0, {kNan}).Place(1, {1}).Place(2, {0});
  ASSERT_EQ(call.Run(table_), ASSAY_OK);
  EXPECT_TRUE(std::isnan(call.Output()[0]));
}

// The norms are representable, their squares are not.
TEST_F(ClBlastFaults, NormsOverflowAndUnderflow) {
  for (const auto& [x, got] : {std::pair{1e20, kInf}, {1e-23, 0.}}) {
    PlacedCall call(OpId::kNrm2, DType::kF32, {3});
    call.Place(0, {x, x, x}).Place(1, {kNan});
    ASSERT_EQ(call.Run(table_), ASSAY_OK);
    EXPECT_EQ(call.Output(), std::vector<double>{got});
  }
}

// The place in the buffer in place of the index: twice too large at a stride of two.
TEST_F(ClBlastFaults, TheIndexCountsTheGaps) {
  PlacedCall call(OpId::kAmax, DType::kF32, {2});
  call.Layout(0, {2}, {2}).Place(0, {0, 1}).Place(1, {-1});
  ASSERT_EQ(call.Run(table_), ASSAY_OK);
  EXPECT_EQ(call.Output(), std::vector<double>{2});
}

}  // namespace
}  // namespace assay
