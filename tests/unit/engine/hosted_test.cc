// SPDX-License-Identifier: Apache-2.0
//
// What a module does in a process of its own must be seen here as if it had been done here.
#include "engine/hosted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::KilledBySignal;

Result<const AssayBackend*> OpenVictim(const std::string& behaviour,
                                       const ScopedEnvironment::Settings& environment = {}) {
  return OpenHosted({ASSAY_HOSTED_VICTIM, behaviour, environment,
                     [](const AssayCall&) { return std::string_view(); }});
}

// A table that closes itself.
class Victim {
 public:
  explicit Victim(const std::string& behaviour) : table_(OpenVictim(behaviour).value()) {}
  ~Victim() { table_->close(table_->self); }
  const AssayBackend* table() const { return table_; }

 private:
  const AssayBackend* table_;
};

// The sum of 1, 2 and 3, which end at the guard behind them.
class OneTwoThree : public PlacedCall {
 public:
  explicit OneTwoThree(int64_t stride = 1) : PlacedCall(OpId::kSum, DType::kF32, {3}) {
    Layout(0, {3}, {stride});
    Place(0, {1, 2, 3}).Place(1, {0});
  }
};

TEST(Hosted, SumsOverOperandsOfThisProcess) {
  const Victim victim("sum");
  for (const int64_t stride : {1, 2}) {
    OneTwoThree call(stride);
    ASSERT_EQ(call.Run(victim.table()), ASSAY_OK);
    EXPECT_THAT(call.Output(), ElementsAre(6));
    EXPECT_FALSE(call.result().guard.has_value());
    EXPECT_TRUE(call.arena().Unchanged(0));
    EXPECT_EQ(call.result().environment, 0);
  }
}

TEST(Hosted, ServesManyArenasOneAfterAnother) {
  const Victim victim("sum");
  for (int i = 0; i < 20; ++i) {
    OneTwoThree call;
    ASSERT_EQ(call.Run(victim.table()), ASSAY_OK);
    ASSERT_THAT(call.Output(), ElementsAre(6));
  }
}

TEST(Hosted, TellsWhatTheModuleSaysOfItself) {
  const Result<const AssayBackend*> opened = OpenVictim("sum", {{"ASSAY_VICTIM_PINS", "core=x"}});
  ASSERT_TRUE(opened.ok());
  const AssayBackend* table = opened.value();
  EXPECT_STREQ(table->family, "victim");
  EXPECT_STREQ(table->version(table->self), "7");
  EXPECT_STREQ(table->pins(table->self), "core=x");
  EXPECT_STREQ(table->declare(table->self, "profile"), "reference");
  EXPECT_EQ(table->declare(table->self, "threads"), nullptr);
  EXPECT_EQ(getenv("ASSAY_VICTIM_PINS"), nullptr);
  table->close(table->self);
}

TEST(Hosted, SeesAReadBehindAnOperandAndGoesOn) {
  const Victim victim("read");
  for (int i = 0; i < 3; ++i) {
    OneTwoThree call;
    call.Run(victim.table());
    ASSERT_TRUE(call.result().guard.has_value());
    EXPECT_EQ(call.result().guard->operand, 0);
    EXPECT_EQ(call.result().guard->side, Side::kAfter);
    EXPECT_EQ(call.result().guard->distance_bytes, 1);
    EXPECT_EQ(call.result().guard->access, Access::kRead);
  }
}

TEST(Hosted, SeesAWriteBehindAnOperand) {
  const Victim victim("write");
  OneTwoThree call;
  call.Run(victim.table());
  ASSERT_TRUE(call.result().guard.has_value());
  EXPECT_EQ(call.result().guard->operand, 1);
  EXPECT_EQ(call.result().guard->access, Access::kWrite);
}

TEST(Hosted, SeesAChangedControlWord) {
  const Victim victim("flush");
  OneTwoThree call;
  EXPECT_EQ(call.Run(victim.table()), ASSAY_OK);
  EXPECT_EQ(call.result().environment, kFlushToZeroChanged);
}

TEST(Hosted, PassesAnAnswerAndItsTextOn) {
  const Victim victim("raise");
  OneTwoThree call;
  EXPECT_EQ(call.Run(victim.table()), ASSAY_RAISED);
}

TEST(Hosted, RefusesOperandsThatLieInNoArena) {
  const Victim victim("sum");
  float values[2] = {1, 2};
  int64_t shape[] = {1}, strides[] = {1};
  const AssayDataType f32 = DataTypeOf(DType::kF32);
  const AssayTensor operands[] = {{&values[0], {1, 0}, 1, f32, shape, strides, 0},
                                  {&values[1], {1, 0}, 0, f32, shape, strides, 0}};
  const AssayCall call = {sizeof(AssayCall), ASSAY_OP_SUM, nullptr, 0, 2, operands, 0, 0, 0};
  char buffer[100];
  AssayText text{buffer, sizeof buffer, 0};
  EXPECT_EQ(victim.table()->run(victim.table()->self, &call, &text), ASSAY_FAILED);
  EXPECT_THAT(std::string(buffer, text.size), HasSubstr("outside of any arena"));
}

TEST(Hosted, SaysWhyAModuleDoesNotOpen) {
  EXPECT_THAT(OpenVictim("refuse").error().Text(), HasSubstr("not today"));
  EXPECT_THAT(OpenVictim("die").error().Text(), HasSubstr("SIGKILL"));
  const auto missing = OpenHosted({"no_such_module", "", {}, nullptr});
  EXPECT_THAT(missing.error().Text(), HasSubstr("the module is not there"));
}

// The process here ends as the other did, so that whoever watches it sees the same.
TEST(HostedDeathTest, EndsAsTheModuleEnded) {
  const auto run = [](const char* behaviour) {
    const Victim victim(behaviour);
    OneTwoThree call;
    call.Run(victim.table());
  };
  EXPECT_EXIT(run("abort"), KilledBySignal(SIGABRT), "");
  EXPECT_EXIT(run("null"), KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(run("exit"), ExitedWithCode(9), "");
}

}  // namespace
}  // namespace assay
