// SPDX-License-Identifier: Apache-2.0
//
// Further calls of one case: what each is given, what of its answer is kept, and that the verdict
// hears of them. The kernel here is a stand-in that copies its first operand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "contracts/suite.h"
#include "engine/guarded_call.h"
#include "engine/pipeline.h"
#include "engine/runner.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

float* AddressOf(const AssayTensor& tensor, int64_t row, int64_t column) {
  auto* base = reinterpret_cast<float*>(static_cast<char*>(tensor.data) +
                                        static_cast<int64_t>(tensor.byte_offset));
  return base + row * tensor.strides[0] + (tensor.ndim > 1 ? column * tensor.strides[1] : 0);
}

// out[i, j] = x[i, j], zero where the two have not one shape, and a note of every call.
class CopyBackend {
 public:
  struct Seen {
    uint32_t run_number, threads;
    uint64_t schedule_seed;
    int64_t rows;
    uintptr_t output;
    double first_attribute;
  };

  CopyBackend() {
    table_ = {.struct_size = sizeof(AssayBackend),
              .abi_version = ASSAY_ABI_VERSION,
              .self = this,
              .family = "copy",
              .version = [](void*) { return "1"; },
              .pins = [](void*) { return ""; },
              .supports = [](void*, const AssayCall*, AssayText*) -> int32_t { return ASSAY_OK; },
              .run = [](void* self, const AssayCall* call, AssayText*) -> int32_t {
                return static_cast<CopyBackend*>(self)->Run(*call);
              },
              .declare = [](void* self, const char* key) -> const char* {
                const bool choices = static_cast<CopyBackend*>(self)->has_choices;
                if (std::strcmp(key, "profile") == 0) return "copy";
                return choices ? "yes" : nullptr;
              },
              .close = [](void*) {}};
  }

  const AssayBackend& table() const { return table_; }
  std::vector<Seen> seen;
  bool has_choices = true;
  // Done after the copy, with the call and its number.
  std::function<void(const AssayCall&, size_t)> then;

 private:
  int32_t Run(const AssayCall& call) {
    const AssayTensor& x = call.operands[0];
    const AssayTensor& out = call.operands[call.operand_count - 1];
    const bool alike = std::equal(x.shape, x.shape + x.ndim, out.shape, out.shape + out.ndim);
    for (int64_t i = 0; i < out.shape[0]; ++i) {
      for (int64_t j = 0; j < (out.ndim > 1 ? out.shape[1] : 1); ++j) {
        *AddressOf(out, i, j) = alike ? *AddressOf(x, i, j) : 0;
      }
    }
    seen.push_back({call.run_number, call.threads, call.schedule_seed, out.shape[0],
                    reinterpret_cast<uintptr_t>(AddressOf(out, 0, 0)),
                    call.attribute_count > 0 ? call.attributes[0] : 0});
    if (then) then(call, seen.size() - 1);
    return ASSAY_OK;
  }

  AssayBackend table_{};
};

// Softmax's shapes: x [rows, n] and out [rows, n].
struct Bench {
  explicit Bench(Case given) : value(std::move(given)) {
    InstallFaultHandlers();
    const Result<NamedDims> dims = CheckCase(value);
    EXPECT_TRUE(dims.ok());
    MakeValues(value, dims.value(), values);
    runner.SetBackendCount(1);
  }
  Bench() : Bench(MakeCase(OpId::kSoftmax, DType::kF32, {3, 5})) {}

  const std::vector<Variant>& Run(VariantKinds kinds) {
    runner.Prepare(value, values);
    runner.Run(0, kernel.table(), 0, /*settle=*/false, observation);
    runner.RunVariants(0, kernel.table(), kinds, observation);
    return observation.variants;
  }

  Case value;
  Values values;
  CopyBackend kernel;
  Runner runner;
  Observation observation;
};

TEST(Variants, NumberTheRunsOfOneCase) {
  Bench bench;
  bench.value.repeats = 3;
  const std::vector<Variant>& variants = bench.Run(BitOf(VariantKind::kRun));
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(bench.kernel.seen[0].run_number, 0u);
  EXPECT_EQ(bench.kernel.seen[1].run_number, 1u);
  EXPECT_EQ(bench.kernel.seen[2].run_number, 2u);
  EXPECT_EQ(variants[1].bits, bench.values.operands[0].bits);
  EXPECT_EQ(variants[1].real, bench.values.operands[0].real);
}

TEST(Variants, RepeatACaseThatSaysNothing) {
  Bench bench;
  EXPECT_GE(bench.Run(BitOf(VariantKind::kRun)).size(), 2u);
}

TEST(Variants, DrawSchedulesThatDiffer) {
  Bench bench;
  const std::vector<Variant>& variants = bench.Run(BitOf(VariantKind::kSchedule));
  ASSERT_EQ(variants.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(static_cast<uint64_t>(variants[i].parameter), bench.kernel.seen[i + 1].schedule_seed);
    for (size_t j = 0; j <= i; ++j) {
      EXPECT_NE(bench.kernel.seen[i + 1].schedule_seed, bench.kernel.seen[j].schedule_seed);
    }
  }
}

TEST(Variants, TryThreadCounts) {
  Bench bench;
  bench.Run(BitOf(VariantKind::kThreads));
  std::vector<uint32_t> threads;
  for (const auto& seen : bench.kernel.seen) threads.push_back(seen.threads);
  EXPECT_THAT(threads, ElementsAre(0, 1, 2, 4));
}

TEST(Variants, AreNotMadeOfWhatABackendDoesNotChoose) {
  Bench bench;
  bench.kernel.has_choices = false;
  EXPECT_TRUE(bench.Run(BitOf(VariantKind::kThreads) | BitOf(VariantKind::kSchedule)).empty());
}

TEST(Variants, GiveARowAloneAsAViewOfTheBatch) {
  Bench bench;
  bench.value.operands[0].strides = {-7, 1};  // rows apart, and in reverse
  const std::vector<Variant>& variants = bench.Run(BitOf(VariantKind::kAlone));
  ASSERT_FALSE(variants.empty());
  EXPECT_EQ(variants[0].parameter, 2);
  for (const Variant& variant : variants) {
    EXPECT_EQ(variant.first, variant.parameter * 5);
    const auto begin = bench.values.operands[0].bits.begin() + variant.first;
    EXPECT_EQ(variant.bits, std::vector<uint64_t>(begin, begin + 5));
    EXPECT_EQ(variant.real.size(), 5u);
  }
  EXPECT_EQ(bench.kernel.seen[0].rows, 3);
  EXPECT_EQ(bench.kernel.seen[1].rows, 1);
}

TEST(Variants, TakeTheRowOfATransposedOperandFromItsColumns) {
  Case value = MakeCase(OpId::kGemv, DType::kF32, {3, 2});
  value.attributes[kGemmTransA].choice = 1;
  DefOf(OpId::kGemv).shape({3, 2}, value);  // a is stored [k, m]
  value.operands[0].strides = RowMajorStrides(value.operands[0].shape);
  Bench bench(value);
  std::vector<float> first_of_a;
  bench.kernel.then = [&](const AssayCall& call, size_t) {
    EXPECT_EQ(call.operands[0].shape[1], call.operands[2].shape[0]);
    first_of_a.push_back(*AddressOf(call.operands[0], 0, 0));
  };
  ASSERT_FALSE(bench.Run(BitOf(VariantKind::kAlone)).empty());
  EXPECT_EQ(first_of_a[1], bench.values.operands[0].real[2]);  // a(0, 2): row 2 of op(a)
}

TEST(Variants, HaveNoRowWhereTheOutputIsOneNumberOrAllRanks) {
  Bench reduction(MakeCase(OpId::kCumsum, DType::kF32, {4}));
  EXPECT_TRUE(reduction.Run(BitOf(VariantKind::kAlone)).empty());
  Bench ranks(MakeCase(OpId::kAllReduce, DType::kF32, {2, 4}));
  EXPECT_TRUE(ranks.Run(BitOf(VariantKind::kAlone)).empty());
}

TEST(Variants, SeeWritesBesideTheRow) {
  Bench bench;
  bench.kernel.then = [](const AssayCall& call, size_t) {
    const AssayTensor& out = call.operands[1];
    if (out.shape[0] == 1) AddressOf(out, 0, 0)[-2] = 1;
  };
  bench.Run(BitOf(VariantKind::kAlone));
  ASSERT_TRUE(bench.observation.guard.has_value());
  EXPECT_EQ(bench.observation.guard->operand, 1);
  EXPECT_EQ(bench.observation.guard->side, Side::kBefore);
  EXPECT_EQ(bench.observation.guard->access, Access::kWrite);
  // The nearest byte of the element two before the row's first.
  EXPECT_EQ(bench.observation.guard->distance_bytes, 8);
}

TEST(Variants, MoveOperandsAndPutThemBack) {
  Bench bench;
  bench.Run(BitOf(VariantKind::kAlignment));
  ASSERT_EQ(bench.kernel.seen.size(), 4u);
  EXPECT_EQ(bench.kernel.seen[1].output % 64, 0u);
  EXPECT_EQ(bench.kernel.seen[2].output % 64, 4u);
  EXPECT_EQ(bench.kernel.seen[3].output % 64, 12u);
  for (const Variant& variant : bench.observation.variants) {
    EXPECT_EQ(variant.bits, bench.values.operands[0].bits);
  }
  Observation again;
  bench.runner.Run(0, bench.kernel.table(), 0, false, again);
  EXPECT_EQ(bench.kernel.seen[4].output, bench.kernel.seen[0].output);
  EXPECT_EQ(again.bits, bench.values.operands[0].bits);
}

TEST(Variants, MultiplyTheLossScale) {
  Case value = MakeCase(OpId::kScaledGradient, DType::kF32, {2, 2, 3});
  value.attributes[kGradientScale].real = 0.5;
  Bench bench(value);
  bench.Run(BitOf(VariantKind::kScale));
  std::vector<double> scales;
  for (const auto& seen : bench.kernel.seen) scales.push_back(seen.first_attribute);
  EXPECT_THAT(scales, ElementsAre(0.5, 128, 16384));
}

TEST(Variants, NoteWhatOneOfThemTouches) {
  Bench bench;
  bench.kernel.then = [](const AssayCall& call, size_t) {
    if (call.run_number == 2) *AddressOf(call.operands[0], 0, 0) += 1;
  };
  bench.Run(BitOf(VariantKind::kRun));
  EXPECT_EQ(bench.observation.changed_input, 0);
  EXPECT_EQ(bench.observation.variants[2].bits, bench.values.operands[0].bits);  // restored
}

TEST(SecondPrefill, IsNotBlamedForAnswersThatChangeByThemselves) {
  Bench bench;
  bench.kernel.then = [](const AssayCall& call, size_t number) {
    *AddressOf(call.operands[1], 0, 0) = static_cast<float>(number);
  };
  bench.runner.Prepare(bench.value, bench.values);
  bench.runner.Run(0, bench.kernel.table(), 0, /*settle=*/true, bench.observation);
  EXPECT_EQ(bench.observation.prefills, 2);
  EXPECT_EQ(bench.observation.prefill_dependent, -1);
}

TEST(SecondPrefill, IsBlamedForAnswersThatFollowIt) {
  Bench bench;
  // The second call finds other content than the first and, should there be one, the third.
  bench.kernel.then = [](const AssayCall& call, size_t number) {
    *AddressOf(call.operands[1], 0, 0) = number == 1 ? 1 : 2;
  };
  bench.runner.Prepare(bench.value, bench.values);
  bench.runner.Run(0, bench.kernel.table(), 0, /*settle=*/true, bench.observation);
  EXPECT_EQ(bench.observation.prefill_dependent, 0);
}

constexpr std::string_view kSuite = R"(
contract C-ORD-09 "runs agree"
  primitive      resource_contention
  scope          operators softmax
                 inputs    any
                 layouts   any
  precondition   none
  postcondition  runs: runs agree as declared
  tolerance      u(accumulator) * abs(truth) from "the test"
  reference      exact
  measure        probe two_prefills
                 worst ratio;  pass ratio <= 1
  violation      runs_differ when not runs agree as declared

profile copy
  determinism    BITWISE from "the test"
  accumulator    f32 -> f32 from "the test"
)";

TEST(Pipeline, JudgesTheRunsOfAThoroughCase) {
  std::vector<Diagnostic> diagnostics;
  const SourceText source{"test.kc", std::string(kSuite)};
  SessionOptions options;
  options.suite =
      std::make_shared<Suite>(AssembleSuite(std::span(&source, 1), nullptr, diagnostics));
  ASSERT_TRUE(diagnostics.empty()) << diagnostics[0].Text();
  options.settle = true;
  InstallFaultHandlers();
  CopyBackend kernel;
  kernel.then = [](const AssayCall& call, size_t) {
    if (call.run_number == 1) *AddressOf(call.operands[1], 0, 0) += 1;
  };
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<Backend>("copy", &kernel.table()));
  Session session(std::move(options), std::move(backends));
  // Of a row of one element softmax makes 1: a copy is right.
  Case value = MakeCase(OpId::kSoftmax, DType::kF32, {6, 1});
  value.operands[0].fill = {FillKind::kConstant, 0, 1, 0};
  const Record& record = session.RunCase(value);
  ASSERT_EQ(record.outcomes.size(), 1u);
  const ClauseVerdict& runs = record.outcomes[0].verdict.clauses[0];
  EXPECT_EQ(runs.contract, "C-ORD-09");
  EXPECT_EQ(runs.outcome, Outcome::kViolating);
  EXPECT_EQ(runs.error, ErrorClass::kRunsDiffer);
  EXPECT_EQ(runs.witness, 0);
}

}  // namespace
}  // namespace assay
