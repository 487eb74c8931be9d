// SPDX-License-Identifier: Apache-2.0
//
// Backends in shared objects that export assay_backend_open: the modules that come with the
// program, and plug-ins of users.
#pragma once

#include <string>

#include "contracts/result.h"
#include "engine/include/assay/backend.h"
#include "engine/shared_object.h"

namespace assay {

// The module `name`.so of the folder that ASSAY_BACKEND_DIR names, or else of "backends" beside the
// executable or beside the folder it lies in. Errors: it is not there, or as for a plug-in.
// With `settings`, a copy of the module that reads them as its environment (SharedObject::Load).
Result<const AssayBackend*> OpenModule(const std::string& name, const std::string& options,
                                       const ScopedEnvironment::Settings& settings = {});

// Errors: no shared object, no assay_backend_open in it, or the text that it returned.
Result<const AssayBackend*> OpenPlugin(const std::string& path, const std::string& options,
                                       const ScopedEnvironment::Settings& settings = {});

// The program in which a module runs that has a process of its own: beside the folder of modules.
std::string HostProgram();

}  // namespace assay
