// SPDX-License-Identifier: Apache-2.0
//
// The run-to-barrier loop. Each thread of a block is a Boost.Context context on a pooled stack; the
// scheduler resumes every live thread once per phase, in an order drawn from the seed, until all
// have returned or it finds that they do not agree on a barrier.
#include "engine/backends/simt/runtime.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cstring>
#include <vector>

#include "contracts/invariant.h"
#include "contracts/values.h"

#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_SIMT_ASAN 1
#endif
#endif
#ifdef ASSAY_SIMT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace assay::simt {

constinit thread_local Dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

#ifdef ASSAY_SIMT_ASAN
constexpr size_t kStackBytes = 128 * 1024;  // red zones make frames larger
#else
constexpr size_t kStackBytes = 32 * 1024;
#endif
constexpr size_t kGuardBytes = 4096;

enum class ThreadState : uint8_t { kReady, kWaiting, kDone, kFailed };

struct Thread {
  fcontext_t context = nullptr;
  ThreadState state = ThreadState::kReady;
  std::source_location barrier;  // where it waits
  size_t shared_used = 0;
  Dim3 index;
  void* fake_stack = nullptr;  // AddressSanitizer's, while the thread is suspended
};

}  // namespace

struct Launcher::Impl {
  std::byte* stacks = nullptr;
  std::array<Thread, kMaxThreadsPerBlock> threads;
  alignas(64) std::array<unsigned char, kSharedBytes> shared;
  std::vector<int> thread_order;
  std::vector<int64_t> block_order;

  void (*kernel)(const void*) = nullptr;
  const void* argument = nullptr;
  int thread_count = 0;
  Thread* running = nullptr;
  fcontext_t scheduler = nullptr;
  const void* scheduler_stack = nullptr;  // as AddressSanitizer reports it
  size_t scheduler_stack_size = 0;

  std::byte* StackOf(int thread) const {
    return stacks + static_cast<size_t>(thread) * (kGuardBytes + kStackBytes) + kGuardBytes;
  }
  void Start(int index, Dim3 block);
  void Resume(int index);
  void BackToScheduler(bool for_good);
  std::string RunBlock(Dim3 block, uint64_t seed);
  std::string Divergence() const;
};

namespace {

thread_local Launcher::Impl* current = nullptr;

// Fisher-Yates, driven by the mixer. Seed 0 keeps the natural order.
template <class Index>
void Permute(std::vector<Index>& order, uint64_t seed) {
  if (seed == 0) return;
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[Mix(seed + i) % i]);
  }
}

void FinishSwitch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** bottom,
                  [[maybe_unused]] size_t* size) {
#ifdef ASSAY_SIMT_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
#endif
}

void StartSwitch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                 [[maybe_unused]] size_t size) {
#ifdef ASSAY_SIMT_ASAN
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
}

// First frame of every thread. Never returns: the context is made anew for the next block.
void ThreadMain(transfer_t from) {
  Launcher::Impl& launcher = *current;
  FinishSwitch(nullptr, &launcher.scheduler_stack, &launcher.scheduler_stack_size);
  launcher.scheduler = from.fctx;
  launcher.kernel(launcher.argument);
  launcher.running->state = ThreadState::kDone;
  launcher.BackToScheduler(/*for_good=*/true);
}

}  // namespace

void Launcher::Impl::Start(int index, Dim3 block) {
  Thread& thread = threads[static_cast<size_t>(index)];
  const unsigned linear = static_cast<unsigned>(index);
  thread.index = {linear % block.x, linear / block.x % block.y, linear / (block.x * block.y)};
  thread.state = ThreadState::kReady;
  thread.shared_used = 0;
  thread.fake_stack = nullptr;
  thread.context = make_fcontext(StackOf(index) + kStackBytes, kStackBytes, &ThreadMain);
}

void Launcher::Impl::Resume(int index) {
  Thread& thread = threads[static_cast<size_t>(index)];
  running = &thread;
  threadIdx = thread.index;
  void* scheduler_fake_stack = nullptr;
  StartSwitch(&scheduler_fake_stack, StackOf(index), kStackBytes);
  const transfer_t back = jump_fcontext(thread.context, nullptr);
  FinishSwitch(scheduler_fake_stack, nullptr, nullptr);
  thread.context = back.fctx;
}

void Launcher::Impl::BackToScheduler(bool for_good) {
  Thread& thread = *running;
  StartSwitch(for_good ? nullptr : &thread.fake_stack, scheduler_stack, scheduler_stack_size);
  const transfer_t from = jump_fcontext(scheduler, nullptr);
  FinishSwitch(thread.fake_stack, &scheduler_stack, &scheduler_stack_size);
  scheduler = from.fctx;
}

void Barrier(std::source_location at) {
  Launcher::Impl& launcher = *current;
  launcher.running->barrier = at;
  launcher.running->state = ThreadState::kWaiting;
  launcher.BackToScheduler(/*for_good=*/false);
}

void* SharedBytes(size_t size, size_t alignment) {
  Launcher::Impl& launcher = *current;
  Thread& thread = *launcher.running;
  const size_t start = (thread.shared_used + alignment - 1) / alignment * alignment;
  if (start + size > kSharedBytes) {
    thread.state = ThreadState::kFailed;
    launcher.BackToScheduler(/*for_good=*/true);
  }
  thread.shared_used = start + size;
  return launcher.shared.data() + start;
}

// Empty if all live threads wait at one barrier, or none is left.
std::string Launcher::Impl::Divergence() const {
  const Thread* first = nullptr;
  int waiting = 0, elsewhere = 0, done = 0;
  for (const Thread& thread : std::span(threads).first(static_cast<size_t>(thread_count))) {
    if (thread.state == ThreadState::kFailed) {
      return "a thread asks for more than " + std::to_string(kSharedBytes) +
             " bytes of shared memory";
    }
    done += thread.state == ThreadState::kDone;
    if (thread.state != ThreadState::kWaiting) continue;
    if (first == nullptr) first = &thread;
    const bool same = thread.barrier.line() == first->barrier.line() &&
                      thread.barrier.column() == first->barrier.column() &&
                      std::strcmp(thread.barrier.file_name(), first->barrier.file_name()) == 0;
    ++(same ? waiting : elsewhere);
  }
  if (first == nullptr || (elsewhere == 0 && done == 0)) return {};
  return "divergent barrier in block (" + std::to_string(blockIdx.x) + "," +
         std::to_string(blockIdx.y) + "," + std::to_string(blockIdx.z) +
         "): " + std::to_string(waiting) + " threads wait at line " +
         std::to_string(first->barrier.line()) + ", " + std::to_string(elsewhere) +
         " at another barrier, " + std::to_string(done) + " have returned";
}

std::string Launcher::Impl::RunBlock(Dim3 block, uint64_t seed) {
  shared.fill(kSharedPoison);
  thread_order.clear();
  for (int i = 0; i < thread_count; ++i) {
    Start(i, block);
    thread_order.push_back(i);
  }
  for (uint64_t phase = 0; !thread_order.empty(); ++phase) {
    Permute(thread_order, seed == 0 ? 0 : Mix(seed ^ phase));
    for (int index : thread_order) Resume(index);
    if (std::string problem = Divergence(); !problem.empty()) return problem;
    std::erase_if(thread_order, [this](int index) {
      return threads[static_cast<size_t>(index)].state == ThreadState::kDone;
    });
  }
  return {};
}

Launcher::Launcher() : impl_(std::make_unique<Impl>()) {
  constexpr size_t kStride = kGuardBytes + kStackBytes;
  void* memory = mmap(nullptr, kStride * kMaxThreadsPerBlock, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSAY_CHECK(memory != MAP_FAILED, "no memory for the threads' stacks");
  impl_->stacks = static_cast<std::byte*>(memory);
  for (int i = 0; i < kMaxThreadsPerBlock; ++i) {
    const int result = mprotect(impl_->StackOf(i) - kGuardBytes, kGuardBytes, PROT_NONE);
    ASSAY_CHECK(result == 0, "a stack's guard page");
  }
  impl_->thread_order.reserve(kMaxThreadsPerBlock);
}

Launcher::~Launcher() { munmap(impl_->stacks, (kGuardBytes + kStackBytes) * kMaxThreadsPerBlock); }

std::string Launcher::Launch(Dim3 grid, Dim3 block, uint64_t seed, void (*kernel)(const void*),
                             const void* argument) {
  const uint64_t thread_count = uint64_t{block.x} * block.y * block.z;
  ASSAY_CHECK(thread_count >= 1 && thread_count <= kMaxThreadsPerBlock, "threads per block");
  current = impl_.get();
  impl_->kernel = kernel;
  impl_->argument = argument;
  impl_->thread_count = static_cast<int>(thread_count);
  blockDim = block;
  gridDim = grid;

  const int64_t block_count = int64_t{grid.x} * grid.y * grid.z;
  impl_->block_order.resize(static_cast<size_t>(block_count));
  for (int64_t i = 0; i < block_count; ++i) impl_->block_order[static_cast<size_t>(i)] = i;
  Permute(impl_->block_order, seed);

  for (const int64_t index : impl_->block_order) {
    const uint64_t linear = static_cast<uint64_t>(index);
    blockIdx = {static_cast<unsigned>(linear % grid.x),
                static_cast<unsigned>(linear / grid.x % grid.y),
                static_cast<unsigned>(linear / (uint64_t{grid.x} * grid.y))};
    const uint64_t block_seed = seed == 0 ? 0 : Mix(seed ^ Mix(linear + 1));
    if (std::string problem = impl_->RunBlock(block, block_seed); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace assay::simt
