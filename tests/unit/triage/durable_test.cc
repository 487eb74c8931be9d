// SPDX-License-Identifier: Apache-2.0
//
// Files and folders that are whole whenever they have their name, also after a death at any step.

#include "triage/durable.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/unit/triage/scratch_dir.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ContentOf(const std::string& path) {
  Result<std::string> content = ReadFile(path, 1 << 20);
  return content.ok() ? content.value() : "(" + content.error().Text() + ")";
}

TEST(WriteDurably, ReplacesTheWholeContentAndLeavesNothingElse) {
  const ScratchDir dir;
  ASSERT_TRUE(WriteDurably(dir / "a", "a longer first content").ok());
  ASSERT_TRUE(WriteDurably(dir / "a", "second").ok());
  EXPECT_EQ(ContentOf(dir / "a"), "second");
  EXPECT_THAT(TreeOf(dir.path()), ElementsAre("a"));
}

TEST(WriteDurably, ShowsOldOrNewContentWhereverItDies) {
  const ScratchDir dir;
  int deaths = 0;
  for (int step = 0;; ++step) {
    ASSERT_TRUE(WriteDurably(dir / "a", "old").ok());
    if (!DiesAtStep(step, [&] { return WriteDurably(dir / "a", "new").ok(); })) break;
    ++deaths;
    const std::string content = ContentOf(dir / "a");
    EXPECT_TRUE(content == "old" || content == "new") << step << ": " << content;
    ASSERT_TRUE(RemoveStaleTemporaries(dir.path()).ok());
    EXPECT_THAT(TreeOf(dir.path()), ElementsAre("a"));
  }
  EXPECT_EQ(deaths, 4);  // before: create, flush, rename, flush of the directory
  EXPECT_EQ(ContentOf(dir / "a"), "new");
}

TEST(WriteDurably, SaysWhereWhatAndRemedyWhenItCannot) {
  const ScratchDir dir;
  std::ofstream(dir / "file") << "x";
  const Error under_file = WriteDurably(dir / "file/a", "x").error();
  EXPECT_EQ(under_file.where, dir / "file");
  EXPECT_THAT(under_file.remedy, HasSubstr("is a file where a directory is needed"));
  EXPECT_THAT(WriteDurably(dir / "no/a", "x").error().what, HasSubstr("No such file"));
  ASSERT_EQ(mkdir((dir / "folder").c_str(), 0755), 0);
  EXPECT_THAT(WriteDurably(dir / "folder", "x").error().remedy, HasSubstr("it is a directory"));
  EXPECT_THAT(TreeOf(dir.path()), ElementsAre("file", "folder"));
}

TEST(WriteDurably, SaysThatTheDiskIsFull) {
  const Error error = SystemError("/some/where", "cannot be written", ENOSPC);
  EXPECT_EQ(error.where, "/some/where");
  EXPECT_THAT(error.what, HasSubstr("No space left"));
  EXPECT_THAT(error.remedy, HasSubstr("free space"));
}

TEST(ReadFile, RefusesWhatIsLongerThanAsked) {
  const ScratchDir dir;
  std::ofstream(dir / "a") << "12345";
  EXPECT_EQ(ContentOf(dir / "a"), "12345");
  EXPECT_TRUE(ReadFile(dir / "a", 5).ok());
  EXPECT_THAT(ReadFile(dir / "a", 4).error().what, HasSubstr("more than 4 bytes"));
  EXPECT_FALSE(ReadFile("/dev/zero", 1 << 16).ok());
  EXPECT_FALSE(ReadFile(dir.path(), 10).ok());
}

TEST(WriteFolderDurably, IsThereAsAWholeOrNotAtAllWhereverItDies) {
  const ScratchDir dir;
  const std::string folder = dir / "k";
  int step = 0;
  while (DiesAtStep(
      step, [&] { return WriteFolderDurably(folder, {{"one", "1"}, {"two", "2"}}).ok(); })) {
    ++step;
    ASSERT_TRUE(RemoveStaleTemporaries(dir.path()).ok());
    if (access(folder.c_str(), F_OK) == 0) {
      EXPECT_THAT(TreeOf(dir.path()), ElementsAre("k", "k/one", "k/two"));
      std::filesystem::remove_all(folder);
    }
    EXPECT_THAT(TreeOf(dir.path()), IsEmpty());
  }
  EXPECT_EQ(step, 8);  // make, 2 x (create, flush), flush, rename, flush
  EXPECT_EQ(ContentOf(folder + "/two"), "2");
}

TEST(WriteFolderDurably, KeepsTheFolderThatHasTheName) {
  const ScratchDir dir;
  EXPECT_TRUE(WriteFolderDurably(dir / "k", {{"a", "first"}}).value());
  EXPECT_FALSE(WriteFolderDurably(dir / "k", {{"a", "second"}}).value());
  EXPECT_EQ(ContentOf(dir / "k/a"), "first");
  EXPECT_THAT(TreeOf(dir.path()), ElementsAre("k", "k/a"));
}

TEST(RemoveFolderDurably, TakesAllOfItAwayAtOnce) {
  const ScratchDir dir;
  for (int step = 0;; ++step) {
    ASSERT_TRUE(WriteFolderDurably(dir / "k", {{"a", "1"}, {"b", "2"}}).ok());
    if (!DiesAtStep(step, [&] { return RemoveFolderDurably(dir / "k").ok(); })) break;
    ASSERT_TRUE(RemoveStaleTemporaries(dir.path()).ok());
    const auto tree = TreeOf(dir.path());
    EXPECT_TRUE(tree.empty() || tree.size() == 3) << "step " << step;
  }
  EXPECT_THAT(TreeOf(dir.path()), IsEmpty());
  EXPECT_TRUE(RemoveFolderDurably(dir / "k").ok()) << "one that is not there is fine";
}

TEST(RemoveStaleTemporaries, LeavesWhatALiveProcessIsWriting) {
  const ScratchDir dir;
  ASSERT_EQ(mkdir((dir / ".tmp-1-1").c_str(), 0755), 0);
  const int fd = open((dir / ".tmp-1-1").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  ASSERT_TRUE(RemoveStaleTemporaries(dir.path()).ok());
  EXPECT_THAT(TreeOf(dir.path()), ElementsAre(".tmp-1-1"));
  close(fd);
  ASSERT_TRUE(RemoveStaleTemporaries(dir.path()).ok());
  EXPECT_THAT(TreeOf(dir.path()), IsEmpty());
}

TEST(ListFolders, IsSortedAndLeavesOutFilesAndHiddenNames) {
  const ScratchDir dir;
  for (const char* name : {"b", "a", ".hidden", "c"}) {
    ASSERT_EQ(mkdir((dir / name).c_str(), 0755), 0);
  }
  std::ofstream(dir / "file") << "x";
  EXPECT_THAT(ListFolders(dir.path()).value(), ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace assay
