// SPDX-License-Identifier: Apache-2.0
//
// libtorch through its adapter: that the rules promise nothing that the library does not do, and
// results known from its published faults and from exact arithmetic. Skipped where it is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/backend.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

const bool pinned = (PinLibraryEnvironment(), true);

// One process serves all tests.
const AssayBackend* Libtorch() {
  static const Result<std::unique_ptr<Backend>> opened = OpenBackend("libtorch");
  return opened.ok() ? opened.value()->table() : nullptr;
}
#define SKIP_WITHOUT_LIBTORCH() \
  if (Libtorch() == nullptr) GTEST_SKIP() << OpenBackend("libtorch").error().Text()

std::vector<double> Ones(const Tensor& tensor, double value) {
  return std::vector<double>(static_cast<size_t>(ElementCount(tensor.shape)), value);
}

// Ones everywhere and indices of 0: every operation has an answer.
int32_t RunOnOnes(OpId op, DType input, DType output) {
  const OperatorDef& def = DefOf(op);
  NamedDims dims;
  dims.resize(static_cast<int>(def.dimensions.size()), 3);
  PlacedCall call(op, input, dims);
  const int last = static_cast<int>(def.operands.size()) - 1;
  call.operand(last).dtype = output;
  for (int i = 0; i <= last; ++i) {
    const bool index = def.operands[static_cast<size_t>(i)].kind == ElementKind::kIndex;
    call.Place(i, Ones(call.operand(i), index ? 0 : 1));
  }
  return call.Supports(Libtorch()) ? call.Run(Libtorch()) : ASSAY_UNSUPPORTED;
}

TEST(Libtorch, DoesWhateverTheRulesTake) {
  SKIP_WITHOUT_LIBTORCH();
  int taken = 0;
  for (const OperatorDef& def : Operators()) {
    for (const DType input : InputTypesOf(def.id)) {
      for (const DType output : OutputTypesOf(def.id, input)) {
        const int32_t status = RunOnOnes(def.id, input, output);
        if (status == ASSAY_UNSUPPORTED) continue;
        EXPECT_EQ(status, ASSAY_OK) << def.name << ' ' << NameOf(input) << ' ' << NameOf(output);
        ++taken;
      }
    }
  }
  EXPECT_GT(taken, 200);
}

TEST(Libtorch, MultipliesTransposedMatrices) {
  SKIP_WITHOUT_LIBTORCH();
  PlacedCall call(OpId::kGemm, DType::kF32, {2, 2, 3});
  call.Attribute(kGemmAlpha, 2).Attribute(kGemmBeta, 1).Choice(kGemmTransA, 1);
  call.Layout(0, {3, 2}, {2, 1});
  call.Place(0, {1, 4, 2, 5, 3, 6}).Place(1, {1, 0, 0, 1, 1, 1}).Place(2, {1, 2, 3, 4});
  ASSERT_EQ(call.Run(Libtorch()), ASSAY_OK);
  // [1 2 3; 4 5 6] [1 0; 0 1; 1 1] = [4 5; 10 11]
  EXPECT_THAT(call.Output(), ElementsAre(9, 12, 23, 26));
}

TEST(Libtorch, AttendsToKeysUpToTheQuery) {
  SKIP_WITHOUT_LIBTORCH();
  PlacedCall call(OpId::kAttention, DType::kF32, {1, 2, 2, 1});
  call.Choice(kAttentionCausal, 1);
  call.Place(0, {0, 0}).Place(1, {5, 7}).Place(2, {10, 20}).Place(3, {0, 0, 0, 0}).Place(4, {0, 0});
  ASSERT_EQ(call.Run(Libtorch()), ASSAY_OK);
  EXPECT_THAT(call.Output(), ElementsAre(10, 15));
}

TEST(Libtorch, AddsUpdatesOfOneRow) {
  SKIP_WITHOUT_LIBTORCH();
  PlacedCall call(OpId::kScatterAdd, DType::kF32, {2, 2, 3});
  call.operand(1).dtype = DType::kI64;
  call.Place(0, {1, 2, 3, 4, 5, 6}).Place(1, {1, 0, 1}).Place(2, {10, 20, 30, 40});
  ASSERT_EQ(call.Run(Libtorch()), ASSAY_OK);
  EXPECT_THAT(call.Output(), ElementsAre(13, 24, 36, 48));
}

TEST(Libtorch, RaisesAtAnIndexOutside) {
  SKIP_WITHOUT_LIBTORCH();
  for (const OpId op : {OpId::kGather, OpId::kIndexSelect, OpId::kEmbedding}) {
    const bool batched = op == OpId::kEmbedding;
    PlacedCall call(op, DType::kF32, batched ? NamedDims{3, 2, 1, 1} : NamedDims{3, 2, 1});
    call.operand(1).dtype = DType::kI64;
    call.Place(0, {1, 2, 3, 4, 5, 6}).Place(1, {3}).Place(2, {0, 0});
    EXPECT_EQ(call.Run(Libtorch()), ASSAY_RAISED) << DefOf(op).name;
  }
}

TEST(Libtorch, RefusesWhatItsTensorsCannotSay) {
  SKIP_WITHOUT_LIBTORCH();
  std::string reason;
  PlacedCall backwards(OpId::kExp, DType::kF32, {3});
  backwards.Layout(0, {3}, {-1});
  EXPECT_FALSE(backwards.Supports(Libtorch(), &reason));
  EXPECT_THAT(reason, HasSubstr("negative strides"));
  PlacedCall half(OpId::kExp, DType::kF16, {3});
  EXPECT_FALSE(half.Supports(Libtorch(), &reason));
  EXPECT_THAT(reason, HasSubstr("no such type"));
  PlacedCall scaled(OpId::kScal, DType::kBf16, {3});
  scaled.Attribute(0, 257);
  EXPECT_FALSE(scaled.Supports(Libtorch(), &reason));
  EXPECT_THAT(reason, HasSubstr("rounded"));
  PlacedCall exact(OpId::kScal, DType::kBf16, {3});
  exact.Attribute(0, 255);
  EXPECT_TRUE(exact.Supports(Libtorch()));
}

// https://github.com/pytorch/pytorch/pull/96086
TEST(Libtorch113, ReadsTheOldContentOfABatchWhereBetaIsZero) {
  SKIP_WITHOUT_LIBTORCH();
  PlacedCall call(OpId::kBatchedGemm, DType::kF32, {1, 1, 1, 1});
  call.Place(0, {1}).Place(1, {1}).Place(2, {std::nan("")});
  ASSERT_EQ(call.Run(Libtorch()), ASSAY_OK);
  EXPECT_THAT(call.Output(), Each(IsNan()));
}

// https://github.com/pytorch/pytorch/issues/91597
TEST(Libtorch113, LosesTheMeanOfManyHalves) {
  SKIP_WITHOUT_LIBTORCH();
  PlacedCall call(OpId::kMean, DType::kF16, {100000});
  call.Place(0, std::vector<double>(100000, 1)).Place(1, {0});
  ASSERT_EQ(call.Run(Libtorch()), ASSAY_OK);
  EXPECT_THAT(call.Output(), Each(IsNan()));
}

}  // namespace
}  // namespace assay
