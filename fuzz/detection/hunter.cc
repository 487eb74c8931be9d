// SPDX-License-Identifier: Apache-2.0
#include "fuzz/detection/hunter.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "contracts/invariant.h"

namespace assay {
namespace {

constexpr int kQuarryIndex = 1;  // behind the reference

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::unique_ptr<Backend> Opened(const std::string& spec) {
  Result<std::unique_ptr<Backend>> backend = OpenBackend(spec);
  ASSAY_CHECK(backend.ok(), "what is hunted was opened before");
  return std::move(backend).value();
}

// Whether `name` is among the names in `list`, one blank apart.
bool Names(std::string_view list, std::string_view name) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

template <size_t kSize>
void Keep(std::string_view text, char (&place)[kSize]) {
  std::copy_n(text.data(), std::min(text.size(), kSize - 1), place);
}

// An output that was not written breaks every contract; one clause says so in place of the others.
bool Shows(const Quarry& quarry, const ClauseVerdict& clause) {
  if (clause.outcome != Outcome::kViolating) return false;
  return quarry.contracts.empty() || clause.error == ErrorClass::kUnwritten ||
         Names(quarry.contracts, clause.contract);
}

}  // namespace

Hunter::Hunter(const Quarry& quarry, uint64_t limit, Catch& result)
    : quarry_(quarry), limit_(limit), result_(result) {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(Opened("reference"));
  backends.push_back(Opened(quarry.spec));
  SessionOptions options;
  options.suite = BuiltinSuite();
  session_ = std::make_unique<Session>(std::move(options), std::move(backends));
  started_ = ProcessorSeconds();
}

const AssayBackend& Hunter::table() const { return *session_->backends()[kQuarryIndex]->table(); }

void Hunter::CountInput() {
  if (result_.inputs == limit_) End("");
  ++result_.inputs;
}

const Record& Hunter::Try(const Case& value, const NamedDims& dims) {
  const Record& record = session_->RunChecked(value, dims);
  for (const BackendOutcome& outcome : record.outcomes) {
    if (outcome.backend != kQuarryIndex) continue;
    for (const ClauseVerdict& clause : outcome.verdict.clauses) {
      if (Shows(quarry_, clause)) {
        End(std::string(clause.contract) + "/" + std::string(clause.clause),
            PrintCase({value, {quarry_.spec}}));
      }
    }
  }
  return record;
}

void Hunter::End(std::string_view clause, std::string_view line) {
  result_.seconds = ProcessorSeconds() - started_;
  result_.found = !clause.empty();
  Keep(clause, result_.clause);
  Keep(line, result_.line);
  result_.ended = true;
  _exit(0);
}

}  // namespace assay
