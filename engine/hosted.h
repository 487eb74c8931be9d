// SPDX-License-Identifier: Apache-2.0
//
// A backend module that runs in a process of its own: a library that brings threads, handlers and a
// hundred others, or that reads its pins once per process. To the rest of the engine it is a table
// like any other: operands are mapped at the same addresses with the same guards over there, and
// what a call does to its process happens here too (a touched guard is touched again, a fatal
// signal raised again, the FP control words copied), so that it is caught and told as ever.
#pragma once

#include <string>
#include <string_view>

#include "contracts/result.h"
#include "engine/include/assay/backend.h"
#include "engine/shared_object.h"

namespace assay {

struct HostedModule {
  std::string name;  // of the module, as for OpenModule, or the path of a plug-in
  std::string options;
  ScopedEnvironment::Settings environment;  // of its process, beyond what this one has
  // What it does not take, asked here without a word to the other process; empty: it takes it.
  std::string_view (*refusal)(const AssayCall& call);
};

// Starts the process and waits until the module is open. Calls must have their operands in an Arena
// of this process. Errors: what opening the module says, or how its process ended.
Result<const AssayBackend*> OpenHosted(const HostedModule& module);

// The other side: `assay-host MODULE OPTIONS`, started by OpenHosted. Returns an exit code.
int RunHost(int argc, char** argv);

}  // namespace assay
