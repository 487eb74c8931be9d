// SPDX-License-Identifier: Apache-2.0
//
// The launcher gets a process group of its own, since its owner's group may be killed as a whole:
// it would then leave its session's files behind. It is asked to end with its owner instead, and
// the ranks look after their owner themselves.
#include "engine/backends/mpi/world.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace assay::mpi {
namespace {

constexpr char kLauncher[] = "orterun";  // Open MPI's own name; "mpirun" may be anybody's
constexpr char kInstall[] = "install openmpi-bin and libopenmpi-dev, and build again";
constexpr int64_t kLookMs = 20;    // between two looks at whether the launcher lives
constexpr int kStartLooks = 1500;  // 30 s: a loaded machine starts eight processes slowly
constexpr int kFinishLooks = 250;  // 5 s
constexpr int kExecFailed = 127;

// Runs argument 0 with both outputs in `output`. Async-signal-safe calls only after the fork.
pid_t Spawn(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> pointers;
  for (const std::string& each : arguments) pointers.push_back(const_cast<char*>(each.c_str()));
  pointers.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kExecFailed);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDWR);
  if (dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      dup2(output, STDERR_FILENO) < 0) {
    _exit(kExecFailed);
  }
  execvp(pointers[0], pointers.data());
  _exit(kExecFailed);
}

std::string TextOfEnd(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

// The first line with a letter in it: launchers draw frames.
std::string FirstWords(int file) {
  char text[4096];
  const ssize_t size = pread(file, text, sizeof text, 0);
  std::string_view left(text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    if (std::any_of(line.begin(), line.end(), [](char c) { return c >= 'A' && c <= 'z'; })) {
      return std::string(line);
    }
    left.remove_prefix(std::min(left.size(), line.size() + 1));
  }
  return "";
}

bool OnPath(const char* program) {
  const char* const path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::string_view folder = left.substr(0, left.find(':'));
    if (access((std::string(folder) + "/" + program).c_str(), X_OK) == 0) return true;
    left.remove_prefix(std::min(left.size(), folder.size() + 1));
  }
  return false;
}

}  // namespace

World::World(std::string programs, std::string algorithm)
    : programs_(std::move(programs)), algorithm_(std::move(algorithm)) {}

World::~World() {
  Stop(/*in_order=*/true);
  if (page_ != nullptr) munmap(page_, kSharedBytes);
  for (const int fd : {memory_, log_}) {
    if (fd >= 0) close(fd);
  }
}

Result<std::string> World::Version() const {
  if (!OnPath(kLauncher)) return Error{"Open MPI", "its launcher orterun is not there", kInstall};
  const std::string program = programs_ + "/mpi_ranks";
  const int output = memfd_create("assay", MFD_CLOEXEC);
  const pid_t child = Spawn({program}, output);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string words = FirstWords(output);
  close(output);
  if (child > 0 && status == 0) return words.substr(0, words.find(','));
  return Error{program, words.empty() ? "cannot be run: " + TextOfEnd(status) : words, kInstall};
}

Status World::Start() {
  if (launcher_ > 0 && !Ended()) return {};
  if (page_ != nullptr) munmap(std::exchange(page_, nullptr), kSharedBytes);
  for (int* fd : {&memory_, &log_}) {
    if (*fd >= 0) close(*fd);
    *fd = memfd_create("assay", MFD_CLOEXEC);
  }
  if (memory_ < 0 || log_ < 0 || ftruncate(memory_, kSharedBytes) != 0) {
    return Error{"shared memory", std::strerror(errno), ""};
  }
  void* const shared = mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  if (shared == MAP_FAILED) return Error{"shared memory", std::strerror(errno), ""};
  page_ = static_cast<Page*>(shared);
  page_->owner = getpid();
  std::vector<std::string> arguments = {
      kLauncher, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n",
      std::to_string(kMaxRanks),
      // One host, nothing but shared memory, no remote shell, and idle ranks that give way.
      "--mca", "plm", "isolated", "--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--mca",
      "btl_vader_single_copy_mechanism", "none", "--mca", "mpi_yield_when_idle", "1"};
  if (!algorithm_.empty()) {
    const auto* const found = std::find(std::begin(kAlgorithms), std::end(kAlgorithms), algorithm_);
    const std::string number = std::to_string(found - std::begin(kAlgorithms) + 1);
    for (const char* text : {"--mca", "coll_tuned_use_dynamic_rules", "1", "--mca",
                             "coll_tuned_allreduce_algorithm", number.c_str()}) {
      arguments.push_back(text);
    }
  }
  arguments.push_back(programs_ + "/mpi_ranks");
  arguments.push_back("/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory_));
  launcher_ = Spawn(arguments, log_);
  for (int look = 0; launcher_ > 0 && look < kStartLooks && !Ended(); ++look) {
    const uint32_t ready = page_->ready;
    if (ready == kMaxRanks) return {};
    Sleep(page_->ready, ready, kLookMs);
  }
  Stop(/*in_order=*/false);
  const std::string words = FirstWords(log_);
  return Error{"Open MPI", "its ranks did not start: " + (words.empty() ? end_ : words), ""};
}

Status World::Run(const Order& order) {
  page_->order = order;
  page_->error = 0;
  page_->done = 0;
  for (int rank = 0; rank < order.ranks; ++rank) {
    page_->go[rank].fetch_add(1);
    Wake(page_->go[rank]);
  }
  for (;;) {
    const uint32_t done = page_->done;
    if (done == static_cast<uint32_t>(order.ranks)) break;
    Sleep(page_->done, done, kLookMs);
    if (page_->done == done && Ended()) {
      return Error{"Open MPI", "a rank died during the call: " + end_ + " of orterun", ""};
    }
  }
  if (const int error = page_->error; error != 0) {
    return Error{"Open MPI", "a call returned error " + std::to_string(error), ""};
  }
  return {};
}

// Whether the launcher has ended; it does when any rank dies. Collects it.
bool World::Ended() {
  if (launcher_ <= 0) return true;
  int status = 0;
  if (waitpid(launcher_, &status, WNOHANG) == 0) return false;
  end_ = TextOfEnd(status);
  launcher_ = -1;
  return true;
}

void World::Stop(bool in_order) {
  if (launcher_ <= 0) return;
  if (in_order) {
    page_->quit = 1;
    for (std::atomic<uint32_t>& go : page_->go) Wake(go);
    for (int look = 0; look < kFinishLooks && !Ended(); ++look) usleep(kLookMs * 1000);
  }
  if (Ended()) return;
  kill(-launcher_, SIGTERM);
  for (int look = 0; look < kFinishLooks && !Ended(); ++look) usleep(kLookMs * 1000);
  if (Ended()) return;
  kill(-launcher_, SIGKILL);
  int status = 0;
  waitpid(launcher_, &status, 0);
  launcher_ = -1;
}

}  // namespace assay::mpi
