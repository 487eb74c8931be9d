// SPDX-License-Identifier: Apache-2.0
//
// The values of a case say what memory will hold: fills, overrides, shared addresses, facts.
#include "contracts/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <new>
#include <vector>

#include "contracts/operator.h"

namespace {
int allocations = 0;
}  // namespace

// Counts allocations of this program, to prove that none happens after warm-up.
void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace assay {
namespace {

class ValuesTest : public testing::Test {
 protected:
  const OperandValues& Make(const Case& value, int operand = 0) {
    const Result<NamedDims> dims = CheckCase(value);
    EXPECT_TRUE(dims.ok()) << dims.error().Text();
    MakeValues(value, dims.value(), values_);
    return values_.operands[static_cast<size_t>(operand)];
  }

  Values values_;
};

Case Gemm(DType type, int64_t m, int64_t n, int64_t k) {
  return MakeCase(OpId::kGemm, type, NamedDims{m, n, k});
}

uint64_t FilledAt(const Tensor& tensor, std::vector<int64_t> index) {
  return FillBits(tensor.fill, tensor.dtype, index,
                  {tensor.shape.data(), static_cast<size_t>(tensor.shape.size())});
}

TEST_F(ValuesTest, AreTheFillInRowMajorOrderWithDecodedReals) {
  const Case gemm = Gemm(DType::kF16, 3, 4, 5);
  const OperandValues& a = Make(gemm);
  ASSERT_EQ(a.count, 15);
  ASSERT_EQ(a.bits.size(), 15u);
  ASSERT_EQ(a.real.size(), 15u);
  EXPECT_TRUE(a.integer.empty());
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      const auto at = static_cast<size_t>(5 * i + j);
      EXPECT_EQ(a.bits[at], FilledAt(gemm.operands[0], {i, j}));
      EXPECT_EQ(a.real[at], Decode(DType::kF16, a.bits[at]));
    }
  }
}

TEST_F(ValuesTest, NameTheCaseItsOperatorAndRoles) {
  const Case gemm = Gemm(DType::kF32, 2, 2, 2);
  Make(gemm);
  EXPECT_EQ(values_.source, &gemm);
  EXPECT_EQ(values_.op, &DefOf(OpId::kGemm));
  EXPECT_EQ(values_.dims, (NamedDims{2, 2, 2}));
  ASSERT_EQ(values_.roles.size(), 3);
  EXPECT_EQ(values_.roles[0], static_cast<uint8_t>(Role::kInput));
  EXPECT_EQ(values_.roles[2], static_cast<uint8_t>(Role::kInout));
}

TEST_F(ValuesTest, IgnoreStridesThatShareNoAddress) {
  Case gemm = Gemm(DType::kF32, 3, 4, 5);
  const std::vector<uint64_t> dense = Make(gemm).bits;
  gemm.operands[0].strides = {-16, 3};
  EXPECT_EQ(Make(gemm).bits, dense);
}

TEST_F(ValuesTest, ShareTheLastRowAlongAZeroStride) {
  Case gemm = Gemm(DType::kF32, 3, 4, 5);
  gemm.operands[0].strides = {0, 1};
  const OperandValues& a = Make(gemm);
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      const auto at = static_cast<size_t>(5 * i + j);
      EXPECT_EQ(a.bits[at], FilledAt(gemm.operands[0], {2, j}));
      EXPECT_EQ(a.real[at], Decode(DType::kF32, a.bits[at]));
    }
  }
}

TEST_F(ValuesTest, ShareTheLastElementWhenAllStridesAreZero) {
  Case sum = MakeCase(OpId::kSum, DType::kF64, NamedDims{7});
  sum.operands[0].strides = {0};
  for (const uint64_t bits : Make(sum).bits) EXPECT_EQ(bits, FilledAt(sum.operands[0], {6}));
}

TEST_F(ValuesTest, ShareTheLastWriterInOverlappingWindows) {
  for (const auto& [row, column] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 1}, {-1, 1}, {1, -2}, {3, 2}}) {
    Case gemm = Gemm(DType::kF32, 4, 2, 5);
    gemm.operands[0].strides = {row, column};
    std::map<int64_t, uint64_t> memory;
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 5; ++j) {
        memory[i * row + j * column] = FilledAt(gemm.operands[0], {i, j});
      }
    }
    const OperandValues& a = Make(gemm);
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 5; ++j) {
        EXPECT_EQ(a.bits[static_cast<size_t>(5 * i + j)], memory[i * row + j * column])
            << row << " " << column << " at " << i << " " << j;
      }
    }
  }
}

TEST_F(ValuesTest, TakeOverridesOverTheFill) {
  Case gemm = Gemm(DType::kF32, 3, 4, 5);
  gemm.operands[0].overrides.push_back({{1, 2}, 0x7fc00001});
  gemm.operands[0].overrides.push_back({{2}, 0x3f800000});  // missing coordinates are 0
  const OperandValues& a = Make(gemm);
  EXPECT_EQ(a.bits[7], 0x7fc00001u);
  EXPECT_TRUE(std::isnan(a.real[7]));
  EXPECT_EQ(a.real[10], 1);
  EXPECT_EQ(a.bits[0], FilledAt(gemm.operands[0], {0, 0}));
}

TEST_F(ValuesTest, WriteOverridesInRowMajorOrderToSharedAddresses) {
  Case sum = MakeCase(OpId::kSum, DType::kF32, NamedDims{3});
  sum.operands[0].strides = {0};
  sum.operands[0].overrides.push_back({{0}, 0x7f800000});
  EXPECT_FALSE(Make(sum).any_inf);  // the last element writes over it
  sum.operands[0].overrides.push_back({{2}, 0x40000000});
  EXPECT_EQ(Make(sum).real, (std::vector<double>{2, 2, 2}));
}

Case SumOf(DType type, std::vector<uint64_t> bits) {
  Case sum = MakeCase(OpId::kSum, type, NamedDims{static_cast<int64_t>(bits.size())});
  sum.operands[0].fill = Fill{};
  for (size_t i = 0; i < bits.size(); ++i) {
    sum.operands[0].overrides.push_back({{static_cast<int32_t>(i)}, bits[i]});
  }
  return sum;
}

TEST_F(ValuesTest, KnowWhetherSpecialValuesOccur) {
  const OperandValues& plain = Make(SumOf(DType::kF16, {0x3c00, 0x8000, 0xc400}));
  EXPECT_FALSE(plain.any_nan || plain.any_inf || plain.any_subnormal);
  EXPECT_EQ(plain.max_abs, 4);
  const OperandValues& nan = Make(SumOf(DType::kF16, {0x3c00, 0xfe01}));
  EXPECT_TRUE(nan.any_nan);
  EXPECT_FALSE(nan.any_inf || nan.any_subnormal);
  EXPECT_EQ(nan.max_abs, 1);
  const OperandValues& inf = Make(SumOf(DType::kF16, {0xfc00, 0x7bff}));
  EXPECT_TRUE(inf.any_inf);
  EXPECT_FALSE(inf.any_nan);
  EXPECT_EQ(inf.max_abs, 65504);
  EXPECT_TRUE(Make(SumOf(DType::kF16, {0x83ff})).any_subnormal);
  EXPECT_FALSE(Make(SumOf(DType::kF16, {0x0400})).any_subnormal);
  EXPECT_TRUE(Make(SumOf(DType::kF64, {1})).any_subnormal);
  EXPECT_FALSE(Make(SumOf(DType::kF64, {0x0010000000000000})).any_subnormal);
}

TEST_F(ValuesTest, OfIntegersAreSignedAndHaveNoReals) {
  Case gather = MakeCase(OpId::kGather, DType::kF32, NamedDims{4, 3, 2});
  gather.operands[1].fill = Fill{};
  gather.operands[1].overrides.push_back({{0}, 0xffffffff});
  const Tensor& indices = gather.operands[1];
  gather.operands[1].overrides[0].bits = indices.dtype == DType::kI32 ? 0xffffffff : ~uint64_t{0};
  const OperandValues& values = Make(gather, 1);
  EXPECT_EQ(values.integer, (std::vector<int64_t>{-1, 0}));
  EXPECT_TRUE(values.real.empty());
  EXPECT_EQ(values.max_abs, 1);
}

TEST_F(ValuesTest, MayBeEmptyOrScalar) {
  const Case gemm = Gemm(DType::kF32, 3, 4, 0);
  EXPECT_EQ(Make(gemm, 0).count, 0);
  EXPECT_EQ(Make(gemm, 1).count, 0);
  EXPECT_EQ(Make(gemm, 2).count, 12);
  const Case dot = MakeCase(OpId::kDot, DType::kF32, NamedDims{0});
  EXPECT_EQ(Make(dot, 2).count, 1);
  EXPECT_EQ(Make(dot, 0).max_abs, 0);
}

TEST_F(ValuesTest, LeaveNothingOfThePreviousCase) {
  Make(SumOf(DType::kF32, {0x7fc00000, 0x7f800000, 1}));
  const OperandValues& next = Make(SumOf(DType::kF32, {0x3f800000}));
  EXPECT_FALSE(next.any_nan || next.any_inf || next.any_subnormal);
  EXPECT_EQ(next.real, std::vector<double>{1});
  EXPECT_EQ(values_.operands.size(), 2u);
}

TEST_F(ValuesTest, AreMadeWithoutAllocationAfterWarmUp) {
  Case shared = Gemm(DType::kF32, 8, 8, 8);
  shared.operands[0].strides = {0, 1};
  const std::vector<Case> cases = {Gemm(DType::kF32, 8, 8, 8), shared,
                                   MakeCase(OpId::kSum, DType::kF16, NamedDims{64}),
                                   MakeCase(OpId::kGather, DType::kF32, NamedDims{8, 8, 8}),
                                   MakeCase(OpId::kExp, DType::kF64, NamedDims{64})};
  std::vector<NamedDims> dims;
  for (const Case& each : cases) dims.push_back(CheckCase(each).value());
  const auto make_all = [&] {
    for (size_t i = 0; i < cases.size(); ++i) MakeValues(cases[i], dims[i], values_);
  };
  // Which buffer serves which operand rotates, so each has to meet the largest once.
  for (int i = 0; i < 20; ++i) make_all();
  const int before = allocations;
  for (int i = 0; i < 20; ++i) make_all();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace assay
