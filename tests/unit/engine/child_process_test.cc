// SPDX-License-Identifier: Apache-2.0
#include "engine/child_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace assay {
namespace {

pid_t Shell(const std::string& script, const std::vector<std::pair<int, int>>& fds = {}) {
  return SpawnChild("/bin/sh", {"sh", "-c", script}, fds).value();
}

TEST(ChildProcess, TellsHowAChildEnded) {
  EXPECT_EQ(WaitForChild(Shell("exit 3")).Text(), "exit code 3");
  EXPECT_EQ(WaitForChild(Shell("kill -SEGV $$")).Text(), "signal 11 (SIGSEGV)");
  EXPECT_EQ(WaitForChild(SpawnChild("/no/such/program", {"x"}, {}).value()).exit_code, 127);
}

TEST(ChildProcess, HandsDescriptorsOverByNumber) {
  Pipe first = MakePipe().value(), second = MakePipe().value();
  // Crossed on purpose: each goes to the number that the other has here.
  const int a = first.write.get(), b = second.write.get();
  const std::string script =
      "echo one >&" + std::to_string(b) + "; echo two >&" + std::to_string(a);
  WaitForChild(Shell(script, {{a, b}, {b, a}}));
  char text[4] = {};
  EXPECT_EQ(read(first.read.get(), text, 3), 3);
  EXPECT_STREQ(text, "one");
  EXPECT_EQ(read(second.read.get(), text, 3), 3);
  EXPECT_STREQ(text, "two");
}

TEST(ChildProcess, ClosesWhatIsNotHandedOver) {
  Pipe pipe = MakePipe().value();
  const std::string fd = std::to_string(pipe.write.get());
  EXPECT_NE(WaitForChild(Shell("test -e /proc/self/fd/" + fd)).exit_code, 0);
}

TEST(ChildProcess, SharesMemoryWithAChild) {
  SharedMemory memory = SharedMemory::Create(4096).value();
  WaitForChild(Shell("printf x >&9", {{memory.fd(), 9}}));
  EXPECT_EQ(*static_cast<char*>(memory.data()), 'x');
}

TEST(ChildProcess, RefusesSharedMemoryOfAnotherSize) {
  SharedMemory memory = SharedMemory::Create(4096).value();
  EXPECT_FALSE(SharedMemory::Attach(dup(memory.fd()), 8192).ok());
}

TEST(ChildProcess, PollsWithoutWaiting) {
  Pipe pipe = MakePipe().value();
  const pid_t child = Shell("read line", {{pipe.read.get(), 0}});
  EXPECT_FALSE(PollChild(child).has_value());
  pipe.write.reset();
  EXPECT_EQ(WaitForChild(child).signal, 0);
}

TEST(ChildProcess, KillsTheWholeGroup) {
  Pipe pipe = MakePipe().value();
  const pid_t child = Shell("sleep 1000 & echo started >&5; wait", {{pipe.write.get(), 5}});
  pipe.write.reset();
  char text[8];
  ASSERT_EQ(read(pipe.read.get(), text, 8), 8);
  EXPECT_EQ(KillChild(child).signal, SIGKILL);
  // The grandchild held the pipe open, too.
  EXPECT_EQ(read(pipe.read.get(), text, 1), 0);
}

TEST(ChildProcess, DoesNotOutliveItsParent) {
  Pipe pipe = MakePipe().value();
  const pid_t parent = fork();
  if (parent == 0) {
    Shell("exec sleep 1000", {{pipe.write.get(), 5}});
    raise(SIGKILL);
  }
  pipe.write.reset();
  EXPECT_EQ(WaitForChild(parent).signal, SIGKILL);
  char nothing;
  EXPECT_EQ(read(pipe.read.get(), &nothing, 1), 0) << "closed by the death of the grandchild";
}

}  // namespace
}  // namespace assay
