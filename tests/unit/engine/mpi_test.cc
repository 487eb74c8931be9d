// SPDX-License-Identifier: Apache-2.0
//
// Collectives over real ranks: sums of small integers, whose values need no oracle, and what
// becomes of the processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "contracts/operator.h"
#include "engine/backend.h"
#include "tests/unit/engine/placed_call.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr int kReduction = 0, kBucket = 1, kGatherBucket = 0;  // attributes
constexpr int kMean = 1, kMax = 2, kMin = 3;
constexpr double kPoison = -1000;

class Mpi : public testing::Test {
 protected:
  static void SetUpTestSuite() { backend_ = new auto(OpenBackend("mpi")); }
  static void TearDownTestSuite() {
    delete backend_;
    backend_ = nullptr;
  }
  void SetUp() override {
    if (!backend_->ok()) GTEST_SKIP() << backend_->error().Text();
  }
  const AssayBackend* table() { return backend_->value()->table(); }

  static Result<std::unique_ptr<Backend>>* backend_;
};
Result<std::unique_ptr<Backend>>* Mpi::backend_ = nullptr;

// Rank r holds r + 1, 10 (r + 1), 100 (r + 1), ...
std::vector<double> Powers(int ranks, int n) {
  std::vector<double> values;
  for (int rank = 0; rank < ranks; ++rank) {
    double power = 1;
    for (int i = 0; i < n; ++i, power *= 10) values.push_back((rank + 1) * power);
  }
  return values;
}

TEST_F(Mpi, SaysWhatTheLibrarySaysOfItself) {
  EXPECT_THAT(backend_->value()->version(), HasSubstr("Open MPI"));
  EXPECT_EQ(backend_->value()->family(), "openmpi");
}

TEST_F(Mpi, AddsEveryBucketOfAllRanksUnderEverySchedule) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const int bucket : {1, 2, 5, 4096}) {
      for (const uint64_t seed : {0, 1, 2, 3}) {
        PlacedCall call(OpId::kAllReduce, type, {4, 5});
        call.Attribute(kBucket, bucket).ScheduleSeed(seed);
        call.Place(0, Powers(4, 5)).Place(1, std::vector<double>(20, kPoison));
        ASSERT_EQ(call.Run(table()), ASSAY_OK) << call.text();
        std::vector<double> expected;
        for (int rank = 0; rank < 4; ++rank) {
          for (const double each : {10., 100., 1000., 10000., 100000.}) expected.push_back(each);
        }
        EXPECT_EQ(call.Output(), expected) << bucket << " " << seed;
        EXPECT_TRUE(call.arena().Unchanged(0));
      }
    }
  }
}

TEST_F(Mpi, TakesMeansAndExtrema) {
  const std::vector<std::pair<int, double>> expected = {{kMean, 1.5}, {kMax, 2}, {kMin, 1}};
  for (const auto& [reduction, value] : expected) {
    PlacedCall call(OpId::kAllReduce, DType::kF32, {2, 1});
    call.Choice(kReduction, reduction).Place(0, {1, 2}).Place(1, {kPoison, kPoison});
    ASSERT_EQ(call.Run(table()), ASSAY_OK) << call.text();
    EXPECT_EQ(call.Output(), (std::vector<double>{value, value}));
  }
}

TEST_F(Mpi, LeavesEachRankItsPartOfTheSum) {
  for (const int bucket : {1, 2, 64}) {
    for (const uint64_t seed : {0, 7}) {
      PlacedCall call(OpId::kReduceScatter, DType::kF32, {2, 3});
      call.Attribute(kBucket, bucket).ScheduleSeed(seed);
      // buffers[rank, part, :]
      call.Place(0, {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60});
      call.Place(1, std::vector<double>(6, kPoison));
      ASSERT_EQ(call.Run(table()), ASSAY_OK) << call.text();
      EXPECT_EQ(call.Output(), (std::vector<double>{11, 22, 33, 44, 55, 66}));
    }
  }
}

TEST_F(Mpi, GivesEveryRankEveryBufferOfAnyType) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBf16}) {
    for (const int bucket : {1, 2, 64}) {
      for (const uint64_t seed : {0, 7}) {
        PlacedCall call(OpId::kAllGather, type, {2, 3});
        call.Attribute(kGatherBucket, bucket).ScheduleSeed(seed);
        call.Place(0, {1, 2, 3, 4, 5, 6}).Place(1, std::vector<double>(12, kPoison));
        ASSERT_EQ(call.Run(table()), ASSAY_OK) << call.text();
        EXPECT_EQ(call.Output(), (std::vector<double>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
      }
    }
  }
}

TEST_F(Mpi, ReadsAndWritesThroughStrides) {
  PlacedCall call(OpId::kAllReduce, DType::kF32, {2, 2});
  call.Layout(0, {2, 2}, {1, 2}).Layout(1, {2, 2}, {5, -2});
  call.Place(0, {1, 2, 3, 4}).Place(1, std::vector<double>(4, kPoison));
  ASSERT_EQ(call.Run(table()), ASSAY_OK) << call.text();
  EXPECT_EQ(call.Output(), (std::vector<double>{4, 6, 4, 6}));
  EXPECT_FALSE(call.arena().CheckCanaries(1).has_value());
}

TEST_F(Mpi, CallsForEmptyBuffersAndForOneRank) {
  PlacedCall empty(OpId::kAllReduce, DType::kF32, {3, 0});
  empty.Place(0, {}).Place(1, {});
  EXPECT_EQ(empty.Run(table()), ASSAY_OK) << empty.text();
  PlacedCall alone(OpId::kReduceScatter, DType::kF64, {1, 2});
  alone.Place(0, {3, 4}).Place(1, {kPoison, kPoison});
  EXPECT_EQ(alone.Run(table()), ASSAY_OK) << alone.text();
  EXPECT_EQ(alone.Output(), (std::vector<double>{3, 4}));
}

TEST_F(Mpi, RefusesWhatMpiHasNoTypeOrTheHostNoRanksFor) {
  std::string reason;
  EXPECT_FALSE(PlacedCall(OpId::kAllReduce, DType::kBf16, {2, 2}).Supports(table(), &reason));
  EXPECT_THAT(reason, HasSubstr("16-bit"));
  EXPECT_FALSE(PlacedCall(OpId::kAllReduce, DType::kF32, {9, 2}).Supports(table(), &reason));
  EXPECT_THAT(reason, HasSubstr("8 ranks"));
  EXPECT_FALSE(PlacedCall(OpId::kAllReduce, DType::kF32, {2, 65})
                   .Attribute(kBucket, 1)
                   .Supports(table(), &reason));
  EXPECT_THAT(reason, HasSubstr("64 buckets"));
  EXPECT_FALSE(PlacedCall(OpId::kSum, DType::kF32, {4}).Supports(table(), &reason));
  const auto unknown = OpenBackend("mpi#allreduce=guess");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().Text(), HasSubstr("rabenseifner"));
}

// Children of a process, by the list that the kernel keeps.
std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream list(task.path() / "children");
    for (pid_t child; list >> child;) children.push_back(child);
  }
  return children;
}

bool Asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.substr(text.rfind(')') + 2, 1) == "S";
}

int32_t AddOnes(const AssayBackend* table, std::string* text) {
  PlacedCall call(OpId::kAllReduce, DType::kF32, {4, 1});
  call.Place(0, {1, 1, 1, 1}).Place(1, std::vector<double>(4, kPoison));
  const int32_t status = call.Run(table);
  *text = call.text();
  if (status == ASSAY_OK) EXPECT_EQ(call.Output(), std::vector<double>(4, 4));
  return status;
}

// The launcher is held until the call waits for the rank that is gone: else it would be found dead
// before the call, and started anew.
TEST_F(Mpi, FailsTheCallInWhichARankDiesAndStartsAnewForTheNext) {
  std::string text;
  ASSERT_EQ(AddOnes(table(), &text), ASSAY_OK) << text;
  const std::vector<pid_t> launchers = ChildrenOf(getpid());
  ASSERT_EQ(launchers.size(), 1u);
  const std::vector<pid_t> ranks = ChildrenOf(launchers[0]);
  ASSERT_EQ(ranks.size(), 8u);
  kill(launchers[0], SIGSTOP);
  kill(ranks[0], SIGKILL);
  std::atomic<bool> called = false;
  std::thread watcher([&called, launcher = launchers[0], caller = gettid()] {
    while (!called || !Asleep(caller)) sched_yield();
    kill(launcher, SIGCONT);
  });
  called = true;
  const int32_t status = AddOnes(table(), &text);
  watcher.join();
  EXPECT_EQ(status, ASSAY_FAILED);
  EXPECT_THAT(text, HasSubstr("a rank died during the call"));
  EXPECT_EQ(AddOnes(table(), &text), ASSAY_OK) << text;
}

std::vector<pid_t> NewChildren(const std::vector<pid_t>& before) {
  std::vector<pid_t> children = ChildrenOf(getpid());
  std::erase_if(children, [&](pid_t each) { return std::ranges::count(before, each) != 0; });
  return children;
}

// Orphans come to the nearest reaper, which is this test: when it has no children left, the ranks
// have ended with whoever started them.
TEST_F(Mpi, NoProcessOutlivesItsOwner) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  for (const bool in_order : {true, false}) {
    const std::vector<pid_t> before = ChildrenOf(getpid());
    const pid_t owner = fork();
    if (owner == 0) {
      std::string text;
      Result<std::unique_ptr<Backend>> own = OpenBackend("mpi");
      if (!own.ok() || AddOnes(own.value()->table(), &text) != ASSAY_OK) _exit(1);
      if (in_order) own.value().reset();
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(owner, &status, 0), owner);
    EXPECT_TRUE(WIFSIGNALED(status));
    std::vector<pid_t> orphans = NewChildren(before);
    EXPECT_EQ(orphans.empty(), in_order);
    while (!orphans.empty()) {  // the launcher, then the ranks that it leaves
      for (const pid_t orphan : orphans) EXPECT_EQ(waitpid(orphan, nullptr, 0), orphan);
      orphans = NewChildren(before);
    }
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace assay
