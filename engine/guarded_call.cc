// SPDX-License-Identifier: Apache-2.0
//
// The jump leaves the signal mask alone (sigsetjmp(buf, 0): 5 ns instead of 160). That is sound
// because the handlers run with SA_NODEFER and an empty mask, so entering them blocks nothing that
// would have to be unblocked. A library that itself blocks signals around the faulting access
// leaves them blocked; the worker is replaced after a few faults anyway.
#include "engine/guarded_call.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstddef>

#include "contracts/invariant.h"
#include "engine/fp_environment.h"

namespace assay {
namespace {

// Big enough for the handlers of a sanitizer, which are chained to on this stack.
alignas(64) std::byte handler_stack[size_t{1} << 18];

struct CallState {
  sigjmp_buf jump;
  const Arena* arena = nullptr;
  GuardHit hit;
};

thread_local CallState call_state;
thread_local std::atomic<bool> call_active = false;

struct sigaction previous_segv;
struct sigaction previous_bus;

// Gives a fault that is not ours to whoever was there before. With the default action back in place
// the access is repeated when the handler returns, and ends the process as it would have.
void Chain(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = signal == SIGSEGV ? previous_segv : previous_bus;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    struct sigaction fallback = {};
    fallback.sa_handler = SIG_DFL;
    sigaction(signal, &fallback, nullptr);
    if (info->si_code <= 0) raise(signal);  // Sent by a process: nothing would repeat it.
  }
}

void OnFault(int signal, siginfo_t* info, void* context) {
  constexpr greg_t kWriteBit = 2;  // of the page fault error code
  if (call_active.load(std::memory_order_relaxed) && info->si_code > 0) {
    const greg_t code = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
    const Access access = (code & kWriteBit) != 0 ? Access::kWrite : Access::kRead;
    const std::optional<GuardHit> hit = call_state.arena->Locate(info->si_addr, access);
    if (hit.has_value()) {
      call_state.hit = *hit;
      siglongjmp(call_state.jump, 1);
    }
  }
  Chain(signal, info, context);
}

}  // namespace

void InstallFaultHandlers() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  stack_t stack = {};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  ASSAY_CHECK(sigaltstack(&stack, nullptr) == 0, "no handler stack");
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  ASSAY_CHECK(sigaction(SIGSEGV, &action, &previous_segv) == 0, "SIGSEGV cannot be handled");
  ASSAY_CHECK(sigaction(SIGBUS, &action, &previous_bus) == 0, "SIGBUS cannot be handled");
}

CallResult GuardedCall(void (*function)(void*), void* argument, const Arena& arena) {
  ASSAY_CHECK(!call_active.load(std::memory_order_relaxed), "guarded calls do not nest");
  const FpControl before = ReadFpControl();
  CallResult result;
  call_state.arena = &arena;
  if (sigsetjmp(call_state.jump, 0) == 0) {
    call_active.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    function(argument);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    call_active.store(false, std::memory_order_relaxed);
    const FpControl after = ReadFpControl();
    if (after != before) {
      result.environment = FpChanges(before, after);
      WriteFpControl(before);
    }
    return result;
  }
  call_active.store(false, std::memory_order_relaxed);
  // A call abandoned in its middle may have been about to restore the control words itself, so
  // nothing is reported; they are only put back.
  ResetFpControl(before);
  result.guard = call_state.hit;
  return result;
}

}  // namespace assay
