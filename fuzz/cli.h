// SPDX-License-Identifier: Apache-2.0
//
// What every command of the program shares: exit codes, how a refusal reads, durations and
// other option values. Data goes to stdout, everything else to stderr.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/case.h"
#include "contracts/judge.h"
#include "contracts/result.h"

namespace CLI {
class App;
}

namespace assay {

inline constexpr int kExitOk = 0;
inline constexpr int kExitViolated = 1;      // a contract was violated, or a calibration is unsound
inline constexpr int kExitUsage = 2;         // usage, configuration or contract error
inline constexpr int kExitInconclusive = 3;  // nothing but inconclusive
inline constexpr int kExitEnvironment = 4;   // the environment failed during the run
inline constexpr int kExitInterrupted = 130;

// A command: where its options are declared, and what it does with them.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

// Prints "assay: where: what (remedy)" on stderr; gives the code back.
int Refuse(const Error& error, int exit_code = kExitUsage);

// "60s", "5m", "1h", "250ms" in milliseconds, > 0. `where` names the option.
Result<int64_t> ParseDuration(std::string_view where, std::string_view text);

// The operators of these names; all operators for none.
Result<std::vector<OpId>> ParseOps(const std::vector<std::string>& names);

// The built-in suite for "", otherwise the contracts of the directory with the profiles of its
// sub-directory `profiles`, or the built-in profiles when it has none.
Result<std::shared_ptr<const Suite>> OpenSuite(const std::string& directory);

// "", "ieee" or "blas".
Status CheckAssume(const std::string& assume);

}  // namespace assay
