// SPDX-License-Identifier: Apache-2.0
//
// The operator table against what each operator is documented to be, and every rule of CheckCase by
// a case that breaks it alone.
#include "contracts/operator.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace assay {
namespace {

NamedDims DimsOf(OpId op, int64_t size) {
  NamedDims dims;
  dims.resize(static_cast<int>(DefOf(op).dimensions.size()), size);
  return dims;
}

std::vector<DType> List(std::span<const DType> types) { return {types.begin(), types.end()}; }

TEST(Operators, AreListedInTheOrderOfTheirNumbersAndFoundByName) {
  ASSERT_EQ(Operators().size(), size_t{kOpCount});
  for (int i = 0; i < kOpCount; ++i) {
    const OperatorDef& def = Operators()[static_cast<size_t>(i)];
    EXPECT_EQ(static_cast<int>(def.id), i);
    EXPECT_EQ(ParseOp(def.name), def.id);
    EXPECT_EQ(&DefOf(def.id), &def);
  }
  EXPECT_EQ(ParseOp("GEMM"), std::nullopt);
  EXPECT_EQ(ParseOp(""), std::nullopt);
  EXPECT_EQ(NameOf(Family::kUnary), "unary");
}

TEST(Operators, PutDestinationsLast) {
  for (const OperatorDef& def : Operators()) {
    for (size_t i = 0; i < def.operands.size(); ++i) {
      EXPECT_EQ(def.operands[i].role != Role::kInput, i + 1 == def.operands.size()) << def.name;
    }
  }
}

TEST(MakeCase, GivesACheckedCaseOfTheAskedDimensionsForEveryOperatorTypeAndSize) {
  for (const OperatorDef& def : Operators()) {
    for (const DType type : InputTypesOf(def.id)) {
      for (const int64_t size : {0, 1, 2, 7}) {
        if (def.family == Family::kPool && size == 1) continue;  // a window of 2 does not fit
        if (def.family == Family::kConv && size == 0) continue;  // a kernel of nothing is none
        const Case value = MakeCase(def.id, type, DimsOf(def.id, size));
        const Result<NamedDims> dims = CheckCase(value);
        ASSERT_TRUE(dims.ok()) << def.name << ": " << dims.error().Text();
        EXPECT_EQ(dims.value(), DimsOf(def.id, size)) << def.name;
      }
    }
  }
}

TEST(GemmShape, StoresTransposedMatricesTheOtherWayRound) {
  Case value = MakeCase(OpId::kGemm, DType::kF32, {2, 3, 4});
  EXPECT_EQ(value.operands[0].shape, (Dims{2, 4}));
  EXPECT_EQ(value.operands[1].shape, (Dims{4, 3}));
  EXPECT_EQ(value.operands[2].shape, (Dims{2, 3}));
  value.attributes[kGemmTransA].choice = value.attributes[kGemmTransB].choice = 1;
  DefOf(OpId::kGemm).shape({2, 3, 4}, value);
  EXPECT_EQ(value.operands[0].shape, (Dims{4, 2}));
  EXPECT_EQ(value.operands[1].shape, (Dims{3, 4}));
  const Result<NamedDims> dims = DefOf(OpId::kGemm).dims(value);
  ASSERT_TRUE(dims.ok());
  EXPECT_EQ(dims.value(), (NamedDims{2, 3, 4}));
}

TEST(Shapes, OfTheOtherOperatorsFollowTheirDescription) {
  const Case dot = MakeCase(OpId::kDot, DType::kF64, {5});
  EXPECT_EQ(dot.operands[0].shape, (Dims{5}));
  EXPECT_EQ(dot.operands[1].shape, (Dims{5}));
  EXPECT_EQ(dot.operands[2].shape, Dims{});
  const Case sum = MakeCase(OpId::kSum, DType::kF64, {5});
  EXPECT_EQ(sum.operands[1].shape, Dims{});
  const Case softmax = MakeCase(OpId::kSoftmax, DType::kF64, {2, 5});
  EXPECT_EQ(softmax.operands[1].shape, (Dims{2, 5}));
  const Case gather = MakeCase(OpId::kGather, DType::kI8, {10, 3, 4});
  EXPECT_EQ(gather.operands[0].shape, (Dims{10, 3}));
  EXPECT_EQ(gather.operands[1].shape, (Dims{4}));
  EXPECT_EQ(gather.operands[1].dtype, DType::kI64);
  EXPECT_EQ(gather.operands[2].shape, (Dims{4, 3}));
  EXPECT_EQ(gather.operands[1].fill.hi, 9);
}

TEST(Types, LetReductionsOfNarrowTypesDeliverF32) {
  using enum DType;
  for (const OpId op : {OpId::kGemm, OpId::kDot, OpId::kSum}) {
    EXPECT_EQ(List(OutputTypesOf(op, kF16)), (std::vector{kF16, kF32}));
    EXPECT_EQ(List(OutputTypesOf(op, kBf16)), (std::vector{kBf16, kF32}));
    EXPECT_EQ(List(OutputTypesOf(op, kF32)), (std::vector{kF32}));
    EXPECT_EQ(List(OutputTypesOf(op, kF64)), (std::vector{kF64}));
    EXPECT_TRUE(OutputTypesOf(op, kI32).empty());
  }
  EXPECT_EQ(List(OutputTypesOf(OpId::kSoftmax, kF16)), (std::vector{kF16}));
  EXPECT_EQ(List(OutputTypesOf(OpId::kExp, kBf16)), (std::vector{kBf16}));
  EXPECT_EQ(List(OutputTypesOf(OpId::kGather, kI8)), (std::vector{kI8}));
  EXPECT_EQ(InputTypesOf(OpId::kGather).size(), 7u);
  EXPECT_EQ(InputTypesOf(OpId::kCast).size(), size_t{kDTypeCount});
  EXPECT_EQ(OutputTypesOf(OpId::kCast, kI8).size(), size_t{kDTypeCount});
  EXPECT_EQ(InputTypesOf(OpId::kErf).size(), 4u);
}

TEST(Attribute, ComparesByBitsExceptThatNanEqualsNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((Attribute{nan, 0}), (Attribute{-nan, 0}));
  EXPECT_NE((Attribute{0.0, 0}), (Attribute{-0.0, 0}));
  EXPECT_NE((Attribute{nan, 0}), (Attribute{1, 0}));
  EXPECT_NE((Attribute{0, 1}), (Attribute{0, 0}));
}

// A change that must be refused, and at which name.
struct Bad {
  std::string what;
  OpId op;
  std::function<void(Case&)> change;
  std::string where;
};

std::vector<Bad> BadCases() {
  using enum OpId;
  const double inf = std::numeric_limits<double>::infinity();
  return {
      {"operand missing", kGemm, [](Case& c) { c.operands.pop_back(); }, "gemm"},
      {"attribute missing", kGemm, [](Case& c) { c.attributes.pop_back(); }, "gemm"},
      {"label out of range", kGemm, [](Case& c) { c.attributes[2].choice = 2; }, "trans_a"},
      {"number with a label", kGemm, [](Case& c) { c.attributes[0].choice = 1; }, "alpha"},
      {"label with a number", kGelu, [](Case& c) { c.attributes[0].real = 1; }, "form"},
      {"integer gemm", kGemm, [](Case& c) { c.operands[0].dtype = DType::kI32; }, "a"},
      {"mixed inputs", kGemm, [](Case& c) { c.operands[1].dtype = DType::kF16; }, "b"},
      {"narrow output", kGemm, [](Case& c) { c.operands[2].dtype = DType::kF16; }, "c"},
      {"float index", kGather, [](Case& c) { c.operands[1].dtype = DType::kF32; }, "indices"},
      {"i8 index", kGather, [](Case& c) { c.operands[1].dtype = DType::kI8; }, "indices"},
      {"other table type", kGather, [](Case& c) { c.operands[2].dtype = DType::kF16; }, "out"},
      {"k disagrees", kGemm, [](Case& c) { c.operands[1].shape[0] = 3; }, "b"},
      {"m disagrees", kGemm, [](Case& c) { c.operands[2].shape[0] = 1; }, "c"},
      {"n disagrees", kDot, [](Case& c) { c.operands[1].shape[0] = 3; }, "y"},
      {"rank", kExp, [](Case& c) { c.operands[0].shape = {2, 2}, c.operands[0].strides = {2, 1}; },
       "x"},
      {"stride missing", kExp, [](Case& c) { c.operands[0].strides.clear(); }, "x"},
      {"negative size", kExp, [](Case& c) { c.operands[0].shape[0] = -1; }, "x"},
      {"long axis", kExp, [](Case& c) { c.operands[0].shape[0] = kMaxCaseElements + 1; }, "x"},
      {"huge stride", kExp, [](Case& c) { c.operands[0].strides[0] = kMaxCaseElements; }, "x"},
      {"stride beyond limit", kExp,
       [](Case& c) { c.operands[0].strides[0] = std::numeric_limits<int64_t>::min(); }, "x"},
      {"offset beyond limit", kExp, [](Case& c) { c.operands[0].offset = kMaxCaseElements; }, "x"},
      {"negative offset", kExp, [](Case& c) { c.operands[0].offset = -1; }, "x"},
      {"odd alignment", kExp, [](Case& c) { c.operands[0].alignment = 24; }, "x"},
      {"small alignment", kExp, [](Case& c) { c.operands[0].alignment = 2; }, "x"},
      {"large alignment", kExp, [](Case& c) { c.operands[0].alignment = 8192; }, "x"},
      {"misalignment alone", kExp, [](Case& c) { c.operands[0].misalignment = 4; }, "x"},
      {"misaligned inside an element", kExp,
       [](Case& c) { c.operands[0].alignment = 64, c.operands[0].misalignment = 2; }, "x"},
      {"output repeats itself", kExp, [](Case& c) { c.operands[1].strides[0] = 0; }, "out"},
      {"windows in c", kGemm, [](Case& c) { c.operands[2].strides = {1, 1}; }, "c"},
      {"output not poison", kExp, [](Case& c) { c.operands[1].fill.kind = FillKind::kZero; },
       "out"},
      {"output with a value", kExp, [](Case& c) { c.operands[1].overrides.push_back({{0}, 0}); },
       "out"},
      {"poison input", kExp, [](Case& c) { c.operands[0].fill.kind = FillKind::kPoison; }, "x"},
      {"real fill of integers", kGather,
       [](Case& c) { c.operands[1].fill.kind = FillKind::kNormal; }, "indices"},
      {"index fill of reals", kExp, [](Case& c) { c.operands[0].fill.kind = FillKind::kIndices; },
       "x"},
      {"infinite parameter", kExp, [=](Case& c) { c.operands[0].fill.hi = inf; }, "x"},
      {"NaN parameter", kExp, [=](Case& c) { c.operands[0].fill.lo = inf - inf; }, "x"},
      {"reversed range", kExp, [](Case& c) { c.operands[0].fill.lo = 2; }, "x"},
      {"negative spread", kExp, [](Case& c) { c.operands[0].fill = {FillKind::kNormal, 1, 0, -1}; },
       "x"},
      {"five non-zeros", kExp, [](Case& c) { c.operands[0].fill = {FillKind::kSparse, 1, 5, 0}; },
       "x"},
      {"fraction as integer", kExp,
       [](Case& c) { c.operands[0].fill = {FillKind::kIntegers, 1, 0.5, 1}; }, "x"},
      {"beyond i8", kGather,
       [](Case& c) {
         c.operands[0].dtype = c.operands[2].dtype = DType::kI8;
         c.operands[0].fill = {FillKind::kIntegers, 1, -129, 0};
       },
       "table"},
      {"set outside", kExp, [](Case& c) { c.operands[0].overrides.push_back({{2}, 0}); }, "x"},
      {"set before", kExp, [](Case& c) { c.operands[0].overrides.push_back({{-1}, 0}); }, "x"},
      {"set with too many coordinates", kExp,
       [](Case& c) { c.operands[0].overrides.push_back({{0, 0}, 0}); }, "x"},
      {"too many bits", kExp,
       [](Case& c) { c.operands[0].overrides.push_back({{0}, uint64_t{1} << 32}); }, "x"},
  };
}

TEST(CheckCase, RefusesEachBrokenRuleAndNamesThePlace) {
  for (const Bad& bad : BadCases()) {
    Case value = MakeCase(bad.op, DType::kF32, DimsOf(bad.op, 2));
    ASSERT_TRUE(CheckCase(value).ok());
    bad.change(value);
    const Result<NamedDims> checked = CheckCase(value);
    ASSERT_FALSE(checked.ok()) << bad.what;
    EXPECT_EQ(checked.error().where, bad.where) << bad.what << ": " << checked.error().Text();
    EXPECT_FALSE(checked.error().what.empty()) << bad.what;
    EXPECT_FALSE(checked.error().remedy.empty()) << bad.what;
  }
}

TEST(CheckCase, SaysWhichDimensionDisagreesAndWithWhat) {
  Case value = MakeCase(OpId::kGemm, DType::kF32, {2, 3, 4});
  value.operands[1].shape[0] = 5;
  EXPECT_EQ(CheckCase(value).error().Text(),
            "b: dimension k is 5 (axis 0), but a has k = 4 (make axis 0 4, or change a)");
}

TEST(CheckCase, RefusesCasesWithTooManyMultiplyAdds) {
  EXPECT_TRUE(CheckCase(MakeCase(OpId::kGemm, DType::kF32, {128, 128, 64})).ok());
  const Result<NamedDims> large = CheckCase(MakeCase(OpId::kGemm, DType::kF32, {128, 128, 65}));
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().where, "gemm");
}

TEST(CheckCase, RefusesALargeResultOfAnEmptySum) {
  EXPECT_TRUE(CheckCase(MakeCase(OpId::kGemm, DType::kF32, {512, 512, 0})).ok());
  EXPECT_FALSE(CheckCase(MakeCase(OpId::kGemm, DType::kF32, {513, 512, 0})).ok());
}

TEST(CheckCase, AllowsInputsWhoseElementsShareMemoryAndStridesThatAreNotUsed) {
  Case value = MakeCase(OpId::kGemm, DType::kF32, {4, 1, 4});
  value.operands[0].strides = {0, 1};
  value.operands[1].strides = {1, 31509};  // one column: the leading dimension of a larger matrix
  EXPECT_TRUE(CheckCase(value).ok());
}

TEST(CheckCase, AllowsAnOverrideWithFewerCoordinatesThanAxes) {
  Case value = MakeCase(OpId::kGemm, DType::kF32, {2, 2, 2});
  value.operands[0].overrides.push_back({{1}, 0x7fc00000});
  value.operands[2].overrides.push_back({{}, 0x7fc00000});
  EXPECT_TRUE(CheckCase(value).ok());
}

TEST(FillSuits, KeepsPoisonForDestinations) {
  EXPECT_TRUE(FillSuits(FillKind::kPoison, DType::kF32, Role::kOutput));
  EXPECT_TRUE(FillSuits(FillKind::kPoison, DType::kF32, Role::kInout));
  EXPECT_FALSE(FillSuits(FillKind::kPoison, DType::kF32, Role::kInput));
  EXPECT_FALSE(FillSuits(FillKind::kZero, DType::kF32, Role::kOutput));
  EXPECT_FALSE(FillSuits(FillKind::kMantissa, DType::kI32, Role::kInput));
  EXPECT_TRUE(FillSuits(FillKind::kDistinct, DType::kI8, Role::kInput));
}

TEST(CheckCase, TakesScalarsOfTheInterfaceTypeOnly) {
  Case value = MakeCase(OpId::kGemm, DType::kF32, {2, 2, 2});
  value.attributes[kGemmBeta].real = 1.2;  // no float: a BLAS would be handed 1.2f
  const Result<NamedDims> refused = CheckCase(value);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().where, "beta");
  EXPECT_EQ(refused.error().remedy, "use 0x1.333334p+0");
  RoundScalars(value);
  EXPECT_EQ(value.attributes[kGemmBeta].real, 1.2f);
  EXPECT_TRUE(CheckCase(value).ok());
  value = MakeCase(OpId::kGemm, DType::kF64, {2, 2, 2});
  value.attributes[kGemmBeta].real = 1.2;
  EXPECT_TRUE(CheckCase(value).ok());
}

// 1.2 is 0x1.3333333333333p+0 in f64 and 0x1.333334p+0 in f32; 1e-60 is below f32's range.
TEST(ScalarAttribute, IsRoundedToF32UnlessTheOperandsAreF64) {
  for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBf16}) {
    Case value = MakeCase(OpId::kGemm, type, {2, 2, 2});
    value.attributes[kGemmAlpha].real = 0x1.3333333333333p+0;
    value.attributes[kGemmBeta].real = 1e-60;
    const bool wide = type == DType::kF64;
    EXPECT_EQ(ScalarAttribute(value, kGemmAlpha), wide ? 0x1.3333333333333p+0 : 0x1.333334p+0);
    EXPECT_EQ(ScalarAttribute(value, kGemmBeta), wide ? 1e-60 : 0);
  }
}

}  // namespace
}  // namespace assay
