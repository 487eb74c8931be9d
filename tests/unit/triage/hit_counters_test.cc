// SPDX-License-Identifier: Apache-2.0
//
// The mapped table: exact over processes, alive after kill -9, no trust in what the file holds.

#include "triage/hit_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/triage/scratch_dir.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(HitCounters, ReturnsTheCountBeforeTheHit) {
  const ScratchDir dir;
  Result<HitCounters> counters = HitCounters::Map(dir / "c");
  ASSERT_TRUE(counters.ok());
  EXPECT_EQ(counters.value().Add("b"), 0u);
  EXPECT_EQ(counters.value().Add("b"), 1u);
  EXPECT_EQ(counters.value().Add("a"), 0u);
  EXPECT_EQ(counters.value().CountOf("b"), 2u);
  EXPECT_EQ(counters.value().CountOf("ab"), 0u);
  EXPECT_EQ(counters.value().CountOf(""), 0u);
  EXPECT_THAT(counters.value().All(), ElementsAre(Pair("a", 1), Pair("b", 2)));
}

TEST(HitCounters, TellsAKeyFromItsPrefix) {
  const ScratchDir dir;
  Result<HitCounters> counters = HitCounters::Map(dir / "c");
  const std::string longest(HitCounters::kMaxKey, 'x');
  counters.value().Add(longest);
  counters.value().Add(longest.substr(1));
  EXPECT_EQ(counters.value().CountOf(longest), 1u);
  EXPECT_EQ(counters.value().CountOf(longest.substr(1)), 1u);
  EXPECT_EQ(counters.value().CountOf(longest.substr(2)), 0u);
}

TEST(HitCounters, CountsEveryHitOfFourProcesses) {
  const ScratchDir dir;
  const std::string path = dir / "c";
  constexpr uint64_t kHits = 200'000, kKeys = 5, kProcesses = 4;
  // They start together, or the first is done before the last begins.
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  std::vector<pid_t> children;
  for (uint64_t process = 0; process < kProcesses; ++process) {
    children.push_back(Spawn([&, process] {
      close(gate[1]);
      char wait = 0;
      (void)!read(gate[0], &wait, 1);
      Result<HitCounters> counters = HitCounters::Map(path);
      for (uint64_t i = 0; i < kHits; ++i) {
        counters.value().Add("key_" + std::to_string((i + process) % kKeys));
      }
      return counters.ok();
    }));
  }
  close(gate[0]);
  close(gate[1]);
  for (const pid_t child : children) EXPECT_TRUE(EndedWell(child));
  const auto all = HitCounters::Read(path).value();
  EXPECT_EQ(all.size(), kKeys) << "no key is there twice";
  for (const auto& [key, count] : all) EXPECT_EQ(count, kProcesses * kHits / kKeys) << key;
}

TEST(HitCounters, LoseNothingWhenTheProcessIsKilled) {
  const ScratchDir dir;
  const std::string path = dir / "c";
  const pid_t child = Spawn([&] {
    Result<HitCounters> counters = HitCounters::Map(path);
    for (int i = 0; i < 7; ++i) counters.value().Add("key");
    raise(SIGKILL);
    return true;
  });
  EXPECT_FALSE(EndedWell(child));
  EXPECT_THAT(HitCounters::Read(path).value(), ElementsAre(Pair("key", 7)));
  EXPECT_EQ(HitCounters::Map(path).value().Add("key"), 7u);
}

TEST(HitCounters, CountUnderOtherWhenTheTableIsFull) {
  const ScratchDir dir;
  Result<HitCounters> counters = HitCounters::Map(dir / "c");
  // One slot is that of "other".
  for (int i = 1; i < HitCounters::kCapacity; ++i) {
    ASSERT_EQ(counters.value().Add("k" + std::to_string(i)), 0u);
  }
  EXPECT_EQ(counters.value().Add("late"), 0u);
  EXPECT_EQ(counters.value().Add("later"), 1u);
  EXPECT_EQ(counters.value().CountOf(HitCounters::kOther), 2u);
  EXPECT_EQ(counters.value().Add("k1"), 1u);
}

TEST(HitCounters, RefuseAFileThatIsNoTable) {
  const ScratchDir dir;
  std::ofstream(dir / "short") << "garbage";
  EXPECT_THAT(HitCounters::Map(dir / "short").error().where, dir / "short");
  EXPECT_THAT(HitCounters::Read(dir / "short").error().what, HasSubstr("no table"));
  HitCounters::Map(dir / "right").value().Add("k");
  const auto size = std::filesystem::file_size(dir / "right");
  std::ofstream(dir / "long") << std::string(size, '\xff');
  EXPECT_FALSE(HitCounters::Map(dir / "long").ok());
  EXPECT_FALSE(HitCounters::Read(dir / "long").ok());
  EXPECT_FALSE(HitCounters::Map(dir.path()).ok());
}

TEST(HitCounters, FinishATableWhoseMakerDied) {
  const ScratchDir dir;
  HitCounters::Map(dir / "right").value().Add("k");
  const auto size = std::filesystem::file_size(dir / "right");
  std::ofstream(dir / "zeros") << std::string(size, '\0');
  EXPECT_EQ(HitCounters::Map(dir / "zeros").value().Add("k"), 0u);
  std::ofstream(dir / "empty") << "";
  EXPECT_EQ(HitCounters::Map(dir / "empty").value().Add("k"), 0u);
}

TEST(HitCounters, ReadNothingWhereThereIsNoFile) {
  const ScratchDir dir;
  EXPECT_TRUE(HitCounters::Read(dir / "none").value().empty());
}

}  // namespace
}  // namespace assay
