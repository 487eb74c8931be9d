// SPDX-License-Identifier: Apache-2.0
//
// oneDNN and XNNPACK through their adapters: every operator on small numbers whose answer is exact
// by hand, in the layouts that an adapter can get wrong, and what these libraries document of
// themselves. A library that is not installed is a skip with the reason.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend.h"
#include "engine/pipeline.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

// Loaded libraries read it once, so it comes before all tests.
const bool pinned = (PinLibraryEnvironment(), true);

using Numbers = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kXnnExtraBytes = 16;  // XNN_EXTRA_BYTES: what it may read behind a tensor

class DnnBackend : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(GetParam());
    if (!opened.ok()) GTEST_SKIP() << opened.error().Text();
    backend_ = std::move(opened).value();
  }

  // Operands in order, the destination last. Both schedules, where there are two.
  void Expect(PlacedCall& call, const std::vector<Numbers>& operands, const Numbers& wanted) {
    call.SetSlack(is_xnnpack() ? kXnnExtraBytes : 0);
    for (const uint64_t schedule : {0, 1}) {
      call.ScheduleSeed(schedule);
      std::string reason;
      ASSERT_TRUE(call.Supports(backend_->table(), &reason)) << reason;
      for (size_t i = 0; i < operands.size(); ++i) call.Place(static_cast<int>(i), operands[i]);
      ASSERT_EQ(call.Run(backend_->table()), ASSAY_OK);
      EXPECT_EQ(call.Output(), wanted) << "schedule " << schedule;
      EXPECT_FALSE(call.arena().CheckCanaries(static_cast<int>(operands.size()) - 1).has_value());
    }
  }
  void Expect(OpId op, const NamedDims& dims, const std::vector<Numbers>& operands,
              const Numbers& wanted) {
    PlacedCall call(op, DType::kF32, dims);
    Expect(call, operands, wanted);
  }
  bool is_xnnpack() const { return backend_->family() == "xnnpack"; }

  std::unique_ptr<Backend> backend_;
};

// [n, c, h, w] with the channels of a pixel side by side.
void ChannelsLast(PlacedCall& call, int operand, const Dims& shape) {
  const int64_t pixel = shape[1];
  call.Layout(operand, shape, {shape[2] * shape[3] * pixel, 1, shape[3] * pixel, pixel});
}

constexpr double kNone = 77;  // what destinations hold before
const Numbers kImage = {1, 2, 3, 4, 5, 6, 7, 8, 9};

// Corner (0,0) of the first channel and ten times corner (1,1) of the second.
TEST_P(DnnBackend, ConvolvesChannelsInEitherLayout) {
  Numbers x, w = {1, 0, 0, 0, 0, 0, 0, 10};
  for (int i = 1; i <= 18; ++i) x.push_back(i);
  const Numbers wanted = {141, 152, 174, 185};
  PlacedCall call(OpId::kConv2d, DType::kF32, {1, 2, 3, 3, 1, 2, 2});
  if (!is_xnnpack()) Expect(call, {x, w, Numbers(4, kNone)}, wanted);
  ChannelsLast(call, 0, {1, 2, 3, 3});
  ChannelsLast(call, 1, {1, 2, 2, 2});
  ChannelsLast(call, 2, {1, 1, 2, 2});
  Expect(call, {x, w, Numbers(4, kNone)}, wanted);
}

TEST_P(DnnBackend, ConvolvesWithStridePaddingAndDilation) {
  PlacedCall call(OpId::kConv2d, DType::kF32, {1, 1, 3, 3, 1, 2, 2});
  call.Attribute(kConvStride, 2).Attribute(kConvPadding, 1).Attribute(kConvDilation, 2);
  call.Layout(2, {1, 1, 2, 2}, {4, 4, 2, 1});
  // Places -1, 1 and 1, 3 in each direction: the middle alone is never outside.
  Expect(call, {kImage, {1, 2, 3, 4}, Numbers(4, kNone)}, {4 * 5, 3 * 5, 2 * 5, 5});
}

TEST_P(DnnBackend, PoolsOverWindowsAndPadding) {
  PlacedCall max(OpId::kMaxPool, DType::kF32, {1, 1, 3, 3});
  max.Attribute(kPoolPadding, 1);
  max.Layout(1, {1, 1, 2, 2}, {4, 4, 2, 1});
  Expect(max, {kImage, Numbers(4, kNone)}, {1, 3, 7, 9});
  PlacedCall average(OpId::kAvgPool, DType::kF32, {1, 1, 3, 3});
  average.Attribute(kPoolPadding, 1);
  average.Layout(1, {1, 1, 2, 2}, {4, 4, 2, 1});
  Expect(average, {kImage, Numbers(4, kNone)}, {1, 2.5, 5.5, 7});
  average.Choice(kPoolCount, 1);
  if (is_xnnpack()) {
    EXPECT_FALSE(average.Supports(backend_->table()));
  } else {
    Expect(average, {kImage, Numbers(4, kNone)}, {0.25, 1.25, 2.75, 7});
  }
}

TEST_P(DnnBackend, FusesBiasActivationAndResidual) {
  PlacedCall call(OpId::kFusedLinear, DType::kF32, {1, 2, 2});
  const std::vector<Numbers> operands = {
      {1, 2}, {1, -3, 2, -4}, {1, 1}, {0.5, 0.25}, {kNone, kNone}};
  Expect(call, operands, {6.5, -9.75});
  call.Choice(kLinearActivation, 1);
  Expect(call, operands, {6.5, 0.25});
}

TEST_P(DnnBackend, MultipliesMatricesAndVectors) {
  Expect(OpId::kGemm, {2, 2, 1}, {{1, 2}, {3, 4}, Numbers(4, kNone)}, {3, 4, 6, 8});
  Expect(OpId::kDot, {3}, {{1, 2, 3}, {4, 5, 6}, {kNone}}, {32});
  Expect(OpId::kGemv, {2, 2}, {{1, 2, 3, 4}, {5, 6}, Numbers(2, kNone)}, {17, 39});
  PlacedCall turned(OpId::kGemv, DType::kF32, {2, 2});
  turned.Choice(kGemmTransA, 1);
  Expect(turned, {{1, 2, 3, 4}, {5, 6}, Numbers(2, kNone)}, {23, 34});
}

TEST_P(DnnBackend, ComputesElementByElement) {
  Expect(OpId::kAdd, {3}, {{1, 2, 3}, {4, 5, -6}, Numbers(3, kNone)}, {5, 7, -3});
  Expect(OpId::kMul, {3}, {{1, 2, 3}, {4, 5, -6}, Numbers(3, kNone)}, {4, 10, -18});
  Expect(OpId::kDiv, {3}, {{1, 3, 3}, {4, 2, -6}, Numbers(3, kNone)}, {0.25, 1.5, -0.5});
  Expect(OpId::kMinimum, {2}, {{1, 5}, {4, 2}, Numbers(2, kNone)}, {1, 2});
  Expect(OpId::kMaximum, {2}, {{1, 5}, {4, 2}, Numbers(2, kNone)}, {4, 5});
  Expect(OpId::kRelu, {3}, {{-2, 0.5, 3}, Numbers(3, kNone)}, {0, 0.5, 3});
  Expect(OpId::kClamp, {3}, {{-2, 0.5, 3}, Numbers(3, kNone)}, {-1, 0.5, 1});
  Expect(OpId::kSigmoid, {1}, {{0}, {kNone}}, {0.5});
  Expect(OpId::kMean, {4}, {{1, 2, 3, 4}, {kNone}}, {2.5});
}

// 2.5 and 3.5 steps are ties; the rest lies beyond the type.
TEST_P(DnnBackend, QuantizesToTheNearestEvenStep) {
  PlacedCall call(OpId::kQuantize, DType::kF32, {4});
  call.Attribute(kQuantizeScale, 0.5);
  Expect(call, {{1.25, 1.75, 1000, -1000}, Numbers(4, kNone)}, {2, 4, 127, -128});
  PlacedCall back(OpId::kDequantize, DType::kI8, {2});
  back.Attribute(kQuantizeScale, 0.5).Attribute(kQuantizeZeroPoint, 1);
  Expect(back, {{3, 1}, {kNone, kNone}}, {1, 0});
}

INSTANTIATE_TEST_SUITE_P(Installed, DnnBackend,
                         testing::Values("onednn", "onednn#isa=avx2", "onednn#isa=sse41",
                                         "xnnpack"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

#define OPEN_OR_SKIP(name, spec)                                         \
  Result<std::unique_ptr<Backend>> name##_result = OpenBackend(spec);    \
  if (!name##_result.ok()) GTEST_SKIP() << name##_result.error().Text(); \
  std::unique_ptr<Backend> name = std::move(name##_result).value()

Numbers Answer(const Backend& backend, PlacedCall& call, const std::vector<Numbers>& operands) {
  std::string reason;
  EXPECT_TRUE(call.Supports(backend.table(), &reason)) << reason;
  for (size_t i = 0; i < operands.size(); ++i) call.Place(static_cast<int>(i), operands[i]);
  EXPECT_EQ(call.Run(backend.table()), ASSAY_OK);
  return call.Output();
}
Numbers Answer(const Backend& backend, OpId op, DType type, const NamedDims& dims,
               const std::vector<Numbers>& operands) {
  PlacedCall call(op, type, dims);
  return Answer(backend, call, operands);
}

TEST(OneDnn, ReducesAndNormalizes) {
  OPEN_OR_SKIP(onednn, "onednn");
  const Numbers x = {1, 2, 3, 4};
  const auto reduced = [&](OpId op) { return Answer(*onednn, op, DType::kF32, {4}, {x, {kNone}}); };
  EXPECT_EQ(reduced(OpId::kSum), Numbers{10});
  EXPECT_EQ(reduced(OpId::kProd), Numbers{24});
  EXPECT_EQ(reduced(OpId::kMax), Numbers{4});
  EXPECT_EQ(reduced(OpId::kMin), Numbers{1});
  EXPECT_EQ(Answer(*onednn, OpId::kAsum, DType::kF32, {2}, {{-1, 2}, {kNone}}), Numbers{3});
  EXPECT_EQ(Answer(*onednn, OpId::kNrm2, DType::kF32, {2}, {{3, 4}, {kNone}}), Numbers{5});
  EXPECT_EQ(Answer(*onednn, OpId::kVariance, DType::kF32, {2}, {{1, 5}, {kNone}}), Numbers{4});
  PlacedCall layer(OpId::kLayerNorm, DType::kF32, {1, 2});
  layer.Attribute(kNormEpsilon, 0);
  EXPECT_EQ(Answer(*onednn, layer, {{1, 5}, {2, 3}, {10, 20}, {kNone, kNone}}), (Numbers{8, 23}));
  PlacedCall batch(OpId::kBatchNorm, DType::kF32, {1, 2});
  batch.Attribute(kNormEpsilon, 0);
  EXPECT_EQ(Answer(*onednn, batch, {{3, 2}, {1, 0}, {4, 1}, {5, -1}, {7, 0}, {kNone, kNone}}),
            (Numbers{12, -2}));
}

// 1 + 2^-8 is a tie of bf16; integers saturate.
TEST(OneDnn, ConvertsByReorders) {
  OPEN_OR_SKIP(onednn, "onednn");
  PlacedCall to_bf16(OpId::kCast, DType::kF32, {2});
  to_bf16.operand(1).dtype = DType::kBf16;
  EXPECT_EQ(Answer(*onednn, to_bf16, {{1 + 0x1p-8, 3}, {kNone, kNone}}), (Numbers{1, 3}));
  PlacedCall narrow(OpId::kCast, DType::kI32, {2});
  narrow.operand(1).dtype = DType::kI8;
  EXPECT_EQ(Answer(*onednn, narrow, {{300, -5}, {kNone, kNone}}), (Numbers{127, -5}));
  PlacedCall rounded(OpId::kCast, DType::kF32, {1});
  rounded.operand(1).dtype = DType::kI8;
  EXPECT_FALSE(rounded.Supports(onednn->table())) << "a reorder rounds where a cast truncates";
}

// 65520 is the midpoint above the largest f16.
TEST(Xnnpack, ConvertsHalfFloats) {
  OPEN_OR_SKIP(xnnpack, "xnnpack");
  PlacedCall narrow(OpId::kCast, DType::kF32, {3});
  narrow.operand(1).dtype = DType::kF16;
  EXPECT_EQ(Answer(*xnnpack, narrow, {{65519, 65520, 0x1p-24}, Numbers(3, kNone)}),
            (Numbers{65504, kInf, 0x1p-24}));
  PlacedCall wide(OpId::kCast, DType::kF16, {2});
  wide.operand(1).dtype = DType::kF32;
  EXPECT_EQ(Answer(*xnnpack, wide, {{0.5, 0x1p-24}, {kNone, kNone}}), (Numbers{0.5, 0x1p-24}));
}

// Never more, and no writes.
TEST(Xnnpack, ReadsBehindItsInputsAsFarAsItSays) {
  OPEN_OR_SKIP(xnnpack, "xnnpack");
  int hits = 0;
  for (int64_t n = 1; n <= 40; ++n) {
    for (const int64_t slack : {int64_t{0}, kXnnExtraBytes}) {
      PlacedCall call(OpId::kSoftmax, DType::kF32, {1, n});
      call.SetSlack(slack);
      const Numbers zeros(static_cast<size_t>(n), 0);
      call.Place(0, zeros).Place(1, zeros);
      call.Run(xnnpack->table());
      const std::optional<GuardHit>& hit = call.result().guard;
      if (!hit.has_value()) continue;
      ++hits;
      EXPECT_EQ(slack, 0) << n;
      EXPECT_EQ(hit->side, Side::kAfter) << n;
      EXPECT_EQ(hit->access, Access::kRead) << n;
      EXPECT_LE(hit->distance_bytes, kXnnExtraBytes) << n;
    }
  }
  EXPECT_GT(hits, 0) << "without the slack it faults";
}

// The outcome of C-PRC-01 for one dot product of `k` times a and b, as bytes.
Outcome JudgeBytes(const char* spec, DType type, int64_t a, int64_t b, int64_t k) {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(OpenBackend(spec).value());
  Session session({BuiltinSuite(), "", true}, std::move(backends));
  Case value = MakeCase(OpId::kInt8Gemm, type, {1, 1, k});
  value.operands[0].fill = {FillKind::kConstant, 0, static_cast<double>(a), 0};
  value.operands[1].fill = {FillKind::kConstant, 0, static_cast<double>(b), 0};
  const Record& record = session.RunCase(value);
  for (const ClauseVerdict& clause : record.outcomes.at(0).verdict.clauses) {
    if (clause.contract == "C-PRC-01") return clause.outcome;
  }
  return Outcome::kNotTested;
}

// The developer guide: two products of bytes saturate to 16 bits under AVX2 and AVX-512 without
// VNNI unless the second factor stays within [-64, 63]; other instruction sets are not affected.
TEST(OneDnn, IsHeldToTheByteProductsThatItDocuments) {
  for (const char* spec : {"onednn#isa=avx2", "onednn_sgemm#isa=avx2", "onednn_sgemm"}) {
    OPEN_OR_SKIP(backend, spec);
    const bool documented = backend->pins() == "isa=avx2" || backend->pins() == "isa=avx512_core";
    for (const DType type : {DType::kI8, DType::kU8}) {
      EXPECT_EQ(JudgeBytes(spec, type, 127, 63, 64), Outcome::kConforming) << spec;
      EXPECT_EQ(JudgeBytes(spec, type, 127, 127, 64),
                documented ? Outcome::kRejected : Outcome::kConforming)
          << spec;
    }
  }
}

TEST(OneDnn, SaturatesByteProductsWhereItSaysItDoesNot) {
  OPEN_OR_SKIP(capped, "onednn_sgemm#isa=sse41");
  if (capped->version() != "2.6.3") GTEST_SKIP() << "oneDNN " << capped->version();
  EXPECT_EQ(JudgeBytes("onednn_sgemm#isa=sse41", DType::kI8, 127, 127, 4), Outcome::kViolating);
}

}  // namespace
}  // namespace assay
