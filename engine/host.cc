// SPDX-License-Identifier: Apache-2.0
//
// The process of a hosted module. Nothing of the oracle is linked into what it does, and a fault
// that is none of the operands' guards ends it.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>

#include "contracts/invariant.h"
#include "engine/child_process.h"
#include "engine/hosted.h"
#include "engine/hosted_block.h"
#include "engine/module.h"

namespace assay {
namespace {

alignas(64) std::byte handler_stack[size_t{1} << 16];
thread_local std::atomic<bool> call_active = false;
sigjmp_buf call_jump;
HostedBlock* shared_block = nullptr;

bool InGuard(const HostedOperand& operand, const std::byte* at) {
  const OperandMapping& mapping = operand.mapping;
  const std::byte* end = mapping.body + mapping.body_bytes;
  return (at >= mapping.body - mapping.guard_bytes && at < mapping.body) ||
         (at >= end && at < end + mapping.guard_bytes);
}

void OnFault(int signal, siginfo_t* info, void* context) {
  constexpr greg_t kWriteBit = 2;  // of the page fault error code
  HostedBlock& block = *shared_block;
  auto* at = static_cast<std::byte*>(info->si_addr);
  for (int i = 0; call_active.load(std::memory_order_relaxed) && i < block.operand_count; ++i) {
    if (info->si_code <= 0 || !InGuard(block.operands[i], at)) continue;
    const greg_t code = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
    block.touched = at;
    block.touched_by_write = (code & kWriteBit) != 0;
    siglongjmp(call_jump, 1);
  }
  // The access is repeated when the handler returns.
  struct sigaction fallback = {};
  fallback.sa_handler = SIG_DFL;
  sigaction(signal, &fallback, nullptr);
  if (info->si_code <= 0) raise(signal);
}

// After the module is open: what its libraries installed would end the process at a guard.
void InstallHandlers() {
  stack_t stack = {};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  ASSAY_CHECK(sigaltstack(&stack, nullptr) == 0, "no handler stack");
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int each : {SIGSEGV, SIGBUS}) {
    ASSAY_CHECK(sigaction(each, &action, nullptr) == 0, "faults cannot be handled");
  }
}

// Maps what is not mapped yet, by the name that the file has among those of the serving process.
class Mappings {
 public:
  bool Ensure(const OperandMapping& mapping, int server) {
    uint64_t& serial = mapped_[mapping.body];
    if (serial == mapping.serial) return true;
    const std::string path =
        "/proc/" + std::to_string(server) + "/fd/" + std::to_string(mapping.file);
    const UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file.get() < 0) return false;
    std::byte* begin = mapping.body - mapping.guard_bytes;
    const int64_t whole = mapping.body_bytes + 2 * mapping.guard_bytes;
    constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    // An older mapping of ours may be there, and nothing else.
    const int how = serial == 0 ? MAP_FIXED_NOREPLACE : MAP_FIXED;
    if (mmap(begin, static_cast<size_t>(whole), PROT_NONE, kPrivate | how, -1, 0) != begin) {
      return false;
    }
    const void* body =
        mmap(mapping.body, static_cast<size_t>(mapping.body_bytes), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, file.get(), static_cast<off_t>(mapping.file_offset));
    if (body != mapping.body) return false;
    serial = mapping.serial;
    return true;
  }

 private:
  std::map<std::byte*, uint64_t> mapped_;  // body to serial
};

// The call as the block says it.
class Call {
 public:
  explicit Call(HostedBlock& block) {
    for (int i = 0; i < block.operand_count; ++i) {
      HostedOperand& operand = block.operands[i];
      tensors_[i] = {operand.data,         {1, 0},
                     operand.ndim,         operand.dtype,
                     operand.shape.data(), operand.strides.data(),
                     operand.byte_offset};
    }
    call_ = {sizeof(AssayCall),   block.op,        block.attributes.data(), block.attribute_count,
             block.operand_count, tensors_.data(), block.schedule_seed,     block.run_number,
             block.threads};
  }
  const AssayCall* get() const { return &call_; }

 private:
  std::array<AssayTensor, kMaxOperands> tensors_{};
  AssayCall call_{};
};

char RunOnce(const AssayBackend& table, HostedBlock& block) {
  const Call call(block);
  AssayText text{block.text.data.data(), block.text.data.size(), 0};
  const FpControl own = ReadFpControl();
  if (sigsetjmp(call_jump, 0) != 0) {
    call_active.store(false, std::memory_order_relaxed);
    ResetFpControl(own);
    return kHostedTouched;
  }
  call_active.store(true, std::memory_order_relaxed);
  WriteFpControl(block.control);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  block.status = table.run(table.self, call.get(), &text);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  block.control = ReadFpControl();
  WriteFpControl(own);
  call_active.store(false, std::memory_order_relaxed);
  block.text.size = text.size;
  return kHostedReturned;
}

char Serve(const AssayBackend& table, HostedBlock& block, Mappings& mappings) {
  for (int i = 0; i < block.operand_count; ++i) {
    if (!mappings.Ensure(block.operands[i].mapping, block.server)) return kHostedUnmapped;
  }
  return RunOnce(table, block);
}

bool Reply(char byte) { return write(kHostedReplyFd, &byte, 1) == 1; }

bool NextRequest() {
  char byte;
  ssize_t got;
  do {
    got = read(kHostedRequestFd, &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

void Store(std::string_view text, std::array<char, 64>& to) {
  to = {};
  std::memcpy(to.data(), text.data(), std::min(text.size(), to.size() - 1));
}

void Introduce(const AssayBackend& table, HostedBlock& block) {
  Store(table.family, block.family);
  Store(table.version(table.self), block.version);
  Store(table.pins(table.self), block.pins);
  const char* profile = table.declare(table.self, "profile");
  Store(profile == nullptr ? "" : profile, block.profile);
}

}  // namespace

int RunHost(int argc, char** argv) {
  ASSAY_CHECK(argc == 3, "a hosting process is told module and options");
  Result<SharedMemory> memory = SharedMemory::Attach(kHostedBlockFd, sizeof(HostedBlock));
  ASSAY_CHECK(memory.ok(), "a hosting process finds the block it shares");
  for (const int fd : {kHostedRequestFd, kHostedReplyFd}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  HostedBlock& block = *new (memory.value().data()) HostedBlock;
  shared_block = &block;
  const bool is_path = std::string_view(argv[1]).find('/') != std::string_view::npos;
  const Result<const AssayBackend*> opened =
      is_path ? OpenPlugin(argv[1], argv[2]) : OpenModule(argv[1], argv[2]);
  if (!opened.ok()) {
    const std::string why = opened.error().Text();
    block.text.size = std::min(why.size(), block.text.data.size());
    std::memcpy(block.text.data.data(), why.data(), block.text.size);
    Reply(kHostedRefused);
    return 0;
  }
  const AssayBackend& table = *opened.value();
  Introduce(table, block);
  InstallHandlers();
  Mappings mappings;
  bool serving = Reply(kHostedOpen);
  while (serving && NextRequest()) serving = Reply(Serve(table, block, mappings));
  // The libraries' own exit handlers are nobody's concern.
  _exit(0);
}

}  // namespace assay
