// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;

CampaignConfig Config() {
  CampaignConfig config;
  config.seed = 0xffffffffffffffffu;  // beyond a signed integer
  config.workers = 3;
  config.quantum = 500;
  config.ops = {"gemm", "sum"};
  config.suite = "a \"quoted\" directory";
  config.assume = "blas";
  config.backends = {{"cblas:/lib/x.so#core=Zen", "x", "1.2", "core=Zen", "cblas", ""}};
  config.unsupported = {{"blis", "", "", "", "", "not installed"}};
  return config;
}

TEST(CampaignConfig, ReadsBackFromItsText) {
  const CampaignConfig config = Config();
  const Result<CampaignConfig> back = ConfigFromToml("campaign.toml", ToToml(config));
  ASSERT_TRUE(back.ok()) << back.error().Text();
  EXPECT_EQ(back.value().seed, config.seed);
  EXPECT_EQ(back.value().workers, 3);
  EXPECT_EQ(back.value().quantum, 500);
  EXPECT_EQ(back.value().ops, config.ops);
  EXPECT_EQ(back.value().suite, config.suite);
  EXPECT_EQ(back.value().assume, "blas");
  ASSERT_EQ(back.value().backends.size(), 1u);
  EXPECT_EQ(back.value().backends[0].spec, config.backends[0].spec);
  EXPECT_EQ(back.value().backends[0].pins, "core=Zen");
  ASSERT_EQ(back.value().unsupported.size(), 1u);
  EXPECT_EQ(back.value().unsupported[0].reason, "not installed");
}

TEST(CampaignConfig, NamesTheLineThatIsNoToml) {
  const Result<CampaignConfig> config =
      ConfigFromToml("campaign.toml", "seed = 1\nworkers = = 2\n");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().where, "campaign.toml:2");
}

TEST(CampaignConfig, RefusesTextThatLacksWhatARunNeeds) {
  EXPECT_FALSE(ConfigFromToml("campaign.toml", "seed = 1\n").ok());
}

CampaignState State() {
  CampaignState state;
  state.workers = {{2, 40}, {1, 20}};
  state.violations = 7;
  state.divergent = 5;
  state.runs[1] = 7;
  state.clauses["C-PRC-01/values"][0] = 53;
  state.rejects[2] = 4;
  state.mutes = {{1, OpId::kSum, 0, Side::kAfter, 1, 50},
                 {0, OpId::kGemm, kWholeCall, Side::kGap, 0, 3}};
  return state;
}

TEST(CampaignState, ReadsBackFromItsText) {
  const Result<CampaignState> back = StateFromJson("state.json", ToJson(State()));
  ASSERT_TRUE(back.ok()) << back.error().Text();
  EXPECT_EQ(back.value().Cases(), 60);
  EXPECT_EQ(back.value().violations, 7);
  EXPECT_EQ(back.value().divergent, 5);
  EXPECT_EQ(back.value().runs, State().runs);
  EXPECT_EQ(back.value().clauses, State().clauses);
  EXPECT_EQ(back.value().rejects, State().rejects);
  ASSERT_EQ(back.value().mutes.size(), 2u);
  EXPECT_EQ(back.value().mutes[0].op, OpId::kSum);
  EXPECT_EQ(back.value().mutes[0].hits, 50u);
  EXPECT_EQ(back.value().mutes[1].operand, kWholeCall);
}

TEST(CampaignState, RefusesWhatIsNoState) {
  for (const char* text :
       {"", "{}", "[1]", "{\"workers\": 3}", "{\"workers\": [{\"quanta\": \"x\"}]}"}) {
    EXPECT_FALSE(StateFromJson("state.json", text).ok()) << text;
  }
}

TEST(CampaignState, RefusesAMuteOfAnOperatorThereIsNot) {
  CampaignState state = State();
  state.mutes[0].op = static_cast<OpId>(kOpCount);
  const Result<CampaignState> back = StateFromJson("state.json", ToJson(state));
  ASSERT_FALSE(back.ok());
  EXPECT_THAT(back.error().what, HasSubstr("mutes"));
}

TEST(MergeMutes, KeepsTheLargerCountAndWhatEitherMuted) {
  auto block = std::make_unique<WorkerBlock>();
  MuteEntry* entry = FindMute(*block, 1, OpId::kSum, 0, Side::kAfter);
  ASSERT_NE(entry, nullptr);
  entry->hits = 20;
  FindMute(*block, 0, OpId::kDot, 1, Side::kBefore)->hits = 2;
  EXPECT_EQ(FindMute(*block, 1, OpId::kSum, 0, Side::kAfter), entry) << "the same side again";
  CampaignState state = State();
  MergeMutes(*block, state);
  ASSERT_EQ(state.mutes.size(), 3u);
  EXPECT_EQ(state.mutes[0].hits, 50u);
  EXPECT_EQ(state.mutes[0].muted, 1);
  EXPECT_EQ(state.mutes[2].op, OpId::kDot);
}

TEST(NoteRejectedEntry, CountsAnEntryOnceWhateverItsName) {
  CampaignState state = State();
  EXPECT_TRUE(NoteRejectedEntry("a \xff%", Reject::kVersion, state));
  EXPECT_EQ(state.rejects[2], 5);
  Result<CampaignState> back = StateFromJson("state.json", ToJson(state));
  ASSERT_TRUE(back.ok()) << back.error().Text();
  EXPECT_FALSE(NoteRejectedEntry("a \xff%", Reject::kVersion, back.value()));
  EXPECT_EQ(back.value().rejects[2], 5);
  EXPECT_TRUE(NoteRejectedEntry("a%20%ff%25", Reject::kVersion, back.value()));
}

TEST(AddCounts, AddsWhatAWorkerCounted) {
  auto block = std::make_unique<WorkerBlock>();
  block->counts.violations = 3;
  block->counts.clauses[0][1] = 2;
  block->counts.rejects[2] = 1;
  CampaignState state = State();
  AddCounts(block->counts, {"C-PRC-01/values"}, state);
  EXPECT_EQ(state.violations, 10);
  EXPECT_EQ(state.clauses["C-PRC-01/values"][1], 2);
  EXPECT_EQ(state.clauses["C-PRC-01/values"][0], 53);
  EXPECT_EQ(state.rejects[2], 5);
}

}  // namespace
}  // namespace assay
