// SPDX-License-Identifier: Apache-2.0
//
// The campaign directory: moves between its folders, deaths between any two steps, several
// processes, and files that someone has damaged.

#include "triage/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/unit/triage/sample_finding.h"
#include "tests/unit/triage/scratch_dir.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FindingRecord RecordOf(const std::string& key) {
  FindingRecord record = SampleFinding();
  record.signature = key;
  record.raw_keys = {};
  record.count = 0;
  return record;
}

std::vector<std::string> KeysOf(const Result<std::vector<FindingRecord>>& records) {
  std::vector<std::string> keys;
  EXPECT_TRUE(records.ok()) << (records.ok() ? "" : records.error().Text());
  if (!records.ok()) return keys;
  for (const FindingRecord& record : records.value()) keys.push_back(record.signature);
  return keys;
}

class CampaignDirTest : public testing::Test {
 protected:
  CampaignDir Campaign() {
    Result<CampaignDir> campaign = CampaignDir::Create(dir_ / "campaign");
    EXPECT_TRUE(campaign.ok());
    return campaign.value();
  }
  ScratchDir dir_;
};

TEST_F(CampaignDirTest, IsCreatedOnceInANewOrEmptyDirectory) {
  const CampaignDir campaign = Campaign();
  EXPECT_THAT(TreeOf(campaign.path()),
              ElementsAre("corpus", "counters.bin", "findings", "pending", "unconfirmed"));
  EXPECT_THAT(CampaignDir::Create(campaign.path()).error().remedy, HasSubstr("--resume"));
  ASSERT_EQ(mkdir((dir_ / "empty").c_str(), 0755), 0);
  EXPECT_TRUE(CampaignDir::Create(dir_ / "empty").ok());
  EXPECT_TRUE(CampaignDir::Create(dir_ / "deep/er").ok());
}

TEST_F(CampaignDirTest, SaysWhatIsWrongWithThePath) {
  std::ofstream(dir_ / "file") << "x";
  EXPECT_EQ(CampaignDir::Create(dir_ / "file").error().where, dir_ / "file");
  EXPECT_THAT(CampaignDir::Create(dir_ / "file").error().remedy, HasSubstr("is a file"));
  EXPECT_THAT(CampaignDir::Create(dir_ / "file/x").error().remedy, HasSubstr("is a file"));
  EXPECT_FALSE(CampaignDir::Open(dir_ / "none").ok());
  EXPECT_THAT(CampaignDir::Open(dir_.path()).error().what, HasSubstr("no campaign"));
  EXPECT_FALSE(CampaignDir::Open(dir_ / "file").ok());
}

TEST_F(CampaignDirTest, KeepsTheFirstPendingRecordOfAKey) {
  const CampaignDir campaign = Campaign();
  FindingRecord second = RecordOf("b");
  second.case_line = "another case";
  EXPECT_TRUE(campaign.AddPending("b", RecordOf("b")).value());
  EXPECT_FALSE(campaign.AddPending("b", second).value());
  EXPECT_TRUE(campaign.AddPending("a", RecordOf("a")).value());
  EXPECT_THAT(KeysOf(campaign.Pending()), ElementsAre("a", "b"));
  EXPECT_EQ(campaign.Pending().value()[1].case_line, SampleFinding().case_line);
  EXPECT_EQ(campaign.Pending().value()[1].raw_keys, std::vector<std::string>{"b"});
  EXPECT_EQ(ReadFile(campaign.Sub("pending/b/case"), 1000).value(),
            SampleFinding().case_line + "\n");
}

TEST_F(CampaignDirTest, RefusesWhatIsNoKey) {
  const CampaignDir campaign = Campaign();
  for (const std::string key : {"", "../x", "a/b", ".a", "A", "a-b"}) {
    EXPECT_FALSE(campaign.AddPending(key, RecordOf("a")).ok()) << key;
    EXPECT_FALSE(campaign.Promote("a", RecordOf(key)).ok()) << key;
    EXPECT_FALSE(campaign.Demote(key, RecordOf("a")).ok()) << key;
  }
  EXPECT_FALSE(campaign.AddPending(std::string(61, 'a'), RecordOf("a")).ok());
}

TEST_F(CampaignDirTest, PromotesToAFindingOrMergesIntoOne) {
  const CampaignDir campaign = Campaign();
  ASSERT_TRUE(campaign.AddPending("raw_b", RecordOf("raw_b")).value());
  ASSERT_TRUE(campaign.AddPending("raw_a", RecordOf("raw_a")).value());
  ASSERT_TRUE(campaign.Promote("raw_b", RecordOf("key")).ok());
  FindingRecord other = RecordOf("key");
  other.case_line = "another case";
  ASSERT_TRUE(campaign.Promote("raw_a", other).ok());
  ASSERT_TRUE(campaign.Promote("raw_a", other).ok()) << "again changes nothing";
  const auto findings = campaign.Findings().value();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].raw_keys, ElementsAre("raw_a", "raw_b"));
  EXPECT_EQ(findings[0].case_line, "another case") << "of the smallest raw key, whenever it came";
  EXPECT_THAT(KeysOf(campaign.Pending()), IsEmpty());
  EXPECT_FALSE(campaign.AddPending("raw_a", RecordOf("raw_a")).value()) << "it is a finding's";
  EXPECT_EQ(ReadFile(campaign.Sub("findings/key/minimized"), 1000).value(),
            SampleFinding().minimized_line + "\n");
}

TEST_F(CampaignDirTest, DemotesInPlaceOfAnOlderOne) {
  const CampaignDir campaign = Campaign();
  FindingRecord record = RecordOf("raw");
  for (int round = 0; round < 2; ++round) {
    record.confirm_runs = round;
    ASSERT_TRUE(campaign.AddPending("raw", record).value());
    ASSERT_TRUE(campaign.Demote("raw", record).ok());
  }
  EXPECT_THAT(KeysOf(campaign.Pending()), IsEmpty());
  ASSERT_THAT(KeysOf(campaign.Unconfirmed()), ElementsAre("raw"));
  EXPECT_EQ(campaign.Unconfirmed().value()[0].confirm_runs, 1);
}

TEST_F(CampaignDirTest, CountsAreTheSumOverTheRawKeys) {
  const CampaignDir campaign = Campaign();
  ASSERT_TRUE(campaign.Promote("raw_a", RecordOf("key")).ok());
  ASSERT_TRUE(campaign.Promote("raw_b", RecordOf("key")).ok());
  HitCounters counters = HitCounters::Map(campaign.Sub("counters.bin")).value();
  for (int i = 0; i < 3; ++i) counters.Add("raw_a");
  for (int i = 0; i < 4; ++i) counters.Add("raw_b");
  counters.Add("raw_c");
  EXPECT_EQ(campaign.Findings().value()[0].count, 7);
}

// Everything below the campaign is a folder of ours with all its files.
void ExpectWhole(const CampaignDir& campaign) {
  for (const std::string& path : TreeOf(campaign.path())) {
    EXPECT_EQ(path.find(".tmp-"), std::string::npos) << path << " is left over";
  }
  for (const char* parent : {"pending", "unconfirmed", "findings"}) {
    const std::vector<std::string> keys = ListFolders(campaign.Sub(parent)).value();
    for (const std::string& key : keys) {
      const std::string folder = campaign.Sub(parent) + "/" + key;
      EXPECT_EQ(access((folder + "/case").c_str(), F_OK), 0) << folder;
      EXPECT_EQ(access((folder + "/record.json").c_str(), F_OK), 0) << folder;
    }
  }
}

TEST_F(CampaignDirTest, IsWholeAfterADeathAtAnyStepOfAddPending) {
  const CampaignDir campaign = Campaign();
  int step = 0;
  while (DiesAtStep(step, [&] { return campaign.AddPending("raw", RecordOf("raw")).ok(); })) {
    ++step;
    const Result<CampaignDir> reopened = CampaignDir::Open(campaign.path());
    ASSERT_TRUE(reopened.ok());
    ExpectWhole(campaign);
    std::filesystem::remove_all(campaign.Sub("pending/raw"));
  }
  EXPECT_GE(step, 7);
  EXPECT_THAT(KeysOf(campaign.Pending()), ElementsAre("raw"));
}

// Every death leaves the raw key at one of its two places after reopening, and doing the move again
// ends where an undisturbed one ends.
void CheckMove(const CampaignDir& campaign, bool merge) {
  for (int step = 0;; ++step) {
    if (merge) ASSERT_TRUE(campaign.Promote("first", RecordOf("key")).ok());
    ASSERT_TRUE(campaign.AddPending("raw", RecordOf("raw")).value());
    const bool died =
        DiesAtStep(step, [&] { return campaign.Promote("raw", RecordOf("key")).ok(); });
    ASSERT_TRUE(CampaignDir::Open(campaign.path()).ok());
    ExpectWhole(campaign);
    bool listed = false;
    const auto findings = campaign.Findings().value();
    for (const FindingRecord& finding : findings) {
      for (const std::string& raw_key : finding.raw_keys) listed = listed || raw_key == "raw";
    }
    EXPECT_NE(listed, !KeysOf(campaign.Pending()).empty()) << "step " << step;
    if (merge) EXPECT_EQ(findings.size(), 1u);
    ASSERT_TRUE(campaign.Promote("raw", RecordOf("key")).ok());
    EXPECT_EQ(campaign.Findings().value().size(), 1u);
    EXPECT_THAT(KeysOf(campaign.Pending()), IsEmpty());
    if (!died) {
      EXPECT_GE(step, 8);
      return;
    }
    ASSERT_TRUE(RemoveFolderDurably(campaign.Sub("findings/key")).ok());
  }
}

TEST_F(CampaignDirTest, IsWholeAfterADeathAtAnyStepOfPromote) { CheckMove(Campaign(), false); }
TEST_F(CampaignDirTest, IsWholeAfterADeathAtAnyStepOfAMerge) { CheckMove(Campaign(), true); }

TEST_F(CampaignDirTest, LosesNoKeyByADeathAtAnyStepOfDemote) {
  const CampaignDir campaign = Campaign();
  for (int step = 0;; ++step) {
    ASSERT_TRUE(campaign.AddPending("raw", RecordOf("raw")).ok());
    const bool died =
        DiesAtStep(step, [&] { return campaign.Demote("raw", RecordOf("raw")).ok(); });
    ASSERT_TRUE(CampaignDir::Open(campaign.path()).ok());
    ExpectWhole(campaign);
    EXPECT_GE(KeysOf(campaign.Pending()).size() + KeysOf(campaign.Unconfirmed()).size(), 1u);
    ASSERT_TRUE(campaign.Demote("raw", RecordOf("raw")).ok());
    EXPECT_THAT(KeysOf(campaign.Pending()), IsEmpty());
    if (!died) break;
  }
}

TEST_F(CampaignDirTest, RecoversWhereverTheRecoveryDies) {
  const CampaignDir campaign = Campaign();
  for (int step = 0;; ++step) {
    ASSERT_TRUE(campaign.Promote("raw", RecordOf("key")).ok());
    // What a death right before the last step of Promote leaves, and a temporary.
    std::filesystem::copy(campaign.Sub("findings/key"), campaign.Sub("pending/raw"),
                          std::filesystem::copy_options::recursive);
    ASSERT_EQ(mkdir(campaign.Sub("findings/.tmp-1-1").c_str(), 0755), 0);
    std::ofstream(campaign.Sub("findings/.tmp-1-1/case")) << "half";
    const bool died = DiesAtStep(step, [&] { return CampaignDir::Open(campaign.path()).ok(); });
    ASSERT_TRUE(CampaignDir::Open(campaign.path()).ok());
    ExpectWhole(campaign);
    EXPECT_THAT(KeysOf(campaign.Pending()), IsEmpty());
    EXPECT_THAT(KeysOf(campaign.Findings()), ElementsAre("key"));
    if (!died) break;
  }
}

TEST_F(CampaignDirTest, TakesEveryKeyOnceFromTwoProcesses) {
  const CampaignDir campaign = Campaign();
  constexpr int kKeys = 40;
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    children.push_back(Spawn([&] {
      int added = 0;
      for (int i = 0; i < kKeys; ++i) {
        const std::string key = "k" + std::to_string(i);
        Result<bool> result = campaign.AddPending(key, RecordOf(key));
        if (!result.ok() || !CampaignDir::Open(campaign.path()).ok()) return false;
        added += result.value() ? 1 : 0;
      }
      return WriteDurably(campaign.Sub("added" + std::to_string(getpid())), std::to_string(added))
          .ok();
    }));
  }
  int added = 0;
  for (const pid_t child : children) {
    EXPECT_TRUE(EndedWell(child));
    added += std::stoi(ReadFile(campaign.Sub("added" + std::to_string(child)), 10).value());
  }
  EXPECT_EQ(added, kKeys) << "each key was added by exactly one";
  EXPECT_EQ(KeysOf(campaign.Pending()).size(), static_cast<size_t>(kKeys));
  ExpectWhole(campaign);
}

TEST_F(CampaignDirTest, LosesNoRawKeyWhenTwoProcessesMergeIntoOneFinding) {
  const CampaignDir campaign = Campaign();
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    children.push_back(Spawn([&, process] {
      for (int i = 0; i < 20; ++i) {
        const std::string raw = "raw_" + std::to_string(process) + "_" + std::to_string(i);
        if (!campaign.Promote(raw, RecordOf("key")).ok()) return false;
      }
      return true;
    }));
  }
  for (const pid_t child : children) EXPECT_TRUE(EndedWell(child));
  EXPECT_EQ(campaign.Findings().value()[0].raw_keys.size(), 40u);
}

TEST_F(CampaignDirTest, NamesTheFileThatIsDamaged) {
  const CampaignDir campaign = Campaign();
  ASSERT_TRUE(campaign.Promote("raw", RecordOf("key")).ok());
  const std::string path = campaign.Sub("findings/key/record.json");
  for (const std::string content : {"", "garbage \x01\xff", "{}", "[[[[", "null"}) {
    std::ofstream(path, std::ios::trunc) << content;
    const Result<std::vector<FindingRecord>> findings = campaign.Findings();
    ASSERT_FALSE(findings.ok()) << content;
    EXPECT_THAT(findings.error().where, HasSubstr(path));
    EXPECT_THAT(findings.error().remedy, HasSubstr("restore"));
    EXPECT_THAT(CampaignDir::Open(campaign.path()).error().where, HasSubstr(path));
  }
  std::ofstream(path, std::ios::trunc) << std::string(2 << 20, ' ');
  EXPECT_THAT(campaign.Findings().error().what, HasSubstr("more than"));
}

TEST_F(CampaignDirTest, AppendsEvents) {
  const CampaignDir campaign = Campaign();
  ASSERT_TRUE(campaign.Event("{\"a\":1}").ok());
  ASSERT_TRUE(campaign.Event("{\"b\":2}").ok());
  EXPECT_EQ(ReadFile(campaign.Sub("events.jsonl"), 100).value(), "{\"a\":1}\n{\"b\":2}\n");
}

TEST_F(CampaignDirTest, CanBeReadWhereItCannotBeWritten) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const CampaignDir campaign = Campaign();
  ASSERT_TRUE(campaign.Promote("raw", RecordOf("key")).ok());
  ASSERT_EQ(chmod(campaign.path().c_str(), 0555), 0);
  EXPECT_THAT(KeysOf(CampaignDir::Open(campaign.path()).value().Findings()), ElementsAre("key"));
  ASSERT_EQ(chmod(campaign.path().c_str(), 0755), 0);
}

}  // namespace
}  // namespace assay
