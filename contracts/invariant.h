// SPDX-License-Identifier: Apache-2.0
//
// ASSAY_CHECK states what must hold if our own code is right. It stays on in every build type.
// Bad input is never checked with it: that is a returned Error (contracts/result.h). Depends on
// nothing of ours.
#ifndef ASSAY_CONTRACTS_INVARIANT_H_
#define ASSAY_CONTRACTS_INVARIANT_H_

namespace assay {

// Exit code of a process that found its own invariant broken. No other path uses it, so a
// supervisor can tell our bugs from those of a kernel under test.
inline constexpr int kInvariantExitCode = 70;

// Writes "file:line: invariant broken: condition: message" to stderr and ends the process with
// kInvariantExitCode at once: no destructor, no atexit handler, no exception. Callable from any
// thread; allocates nothing, since the heap may be what is broken.
[[noreturn]] void InvariantBroken(const char* file, int line, const char* condition,
                                  const char* message) noexcept;

}  // namespace assay

// A macro because only a macro knows the text of the condition and the caller's line.
#define ASSAY_CHECK(condition, message) \
  (static_cast<bool>(condition)         \
       ? static_cast<void>(0)           \
       : ::assay::InvariantBroken(__FILE__, __LINE__, #condition, (message)))

#endif  // ASSAY_CONTRACTS_INVARIANT_H_
