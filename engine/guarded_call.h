// SPDX-License-Identifier: Apache-2.0
//
// A call that may fault: a SIGSEGV or SIGBUS at an address of the arena is caught, located and
// returned from by siglongjmp. Faults anywhere else, and every other fatal signal, are left to the
// handlers that were installed before. FP control words are compared around the call and put back.
// Serial libraries only: a fault in a thread of the library cannot return here and ends the
// process.
#pragma once

#include <optional>

#include "contracts/observation.h"
#include "engine/arena.h"

namespace assay {

// Installs the handlers on an alternate stack, once per process. Call after any other runtime that
// installs handlers of its own (libFuzzer: run it with -handle_segv=0 -handle_bus=0).
void InstallFaultHandlers();

struct CallResult {
  std::optional<GuardHit> guard;  // set: the call was abandoned at this access
  EnvironmentChange environment = 0;
};

// Calls function(argument). `arena` says which addresses are guards.
CallResult GuardedCall(void (*function)(void*), void* argument, const Arena& arena);

}  // namespace assay
