// SPDX-License-Identifier: Apache-2.0
//
// The words of the closed sets of verdicts, observations and policies. Signatures are made of them,
// so they never change.
#include <array>
#include <string_view>

#include "contracts/invariant.h"
#include "contracts/judge.h"
#include "contracts/observation.h"
#include "contracts/profile.h"
#include "contracts/verdict.h"

namespace assay {
namespace {

template <class Enum, size_t kSize>
std::string_view Word(const std::array<std::string_view, kSize>& words, Enum value) {
  const auto index = static_cast<size_t>(value);
  ASSAY_CHECK(index < kSize, "a value outside its closed set");
  return words[index];
}

}  // namespace

std::string_view NameOf(Outcome outcome) {
  static constexpr std::array<std::string_view, kOutcomeCount> kWords = {
      "conforming", "violating",   "under_specified", "inconclusive", "vacuous",
      "rejected",   "unsupported", "crashed",         "timed_out",    "not_tested"};
  return Word(kWords, outcome);
}

std::string_view NameOf(ErrorClass error) {
  static constexpr std::array<std::string_view, 32> kWords = {
      "none",          "value",         "zeroed",         "nan_appears",   "nan_lost",
      "inf_appears",   "inf_lost",      "zero_sign",      "unwritten",     "prefill_read",
      "policy",        "read_before",   "read_after",     "read_gap",      "write_before",
      "write_after",   "write_gap",     "inputs_changed", "raised",        "crash",
      "timeout",       "failure",       "environment",    "choice",        "runs_differ",
      "sched_differ",  "batch_differs", "threads_differ", "align_differs", "ranks_differ",
      "scales_differ", "overflow_lost"};
  return Word(kWords, error);
}

std::string_view NameOf(DefectModel model) {
  static constexpr std::array<std::string_view, kDefectModelCount> kWords = {
      "zero",     "f16",      "bf16",
      "tf32",     "hf32",     "bf16_operands",
      "no_shift", "one_pass", "rounded_intermediate",
      "flushed"};
  return Word(kWords, model);
}

std::string_view NameOf(IndexPolicy policy) {
  static constexpr std::array<std::string_view, kIndexPolicyCount> kWords = {
      "RAISE", "CLAMP", "ZERO", "WRAP_NEGATIVE", "MODULO", "FILL", "DROP"};
  return Word(kWords, policy);
}

std::string_view NameOf(DivisionPolicy policy) {
  static constexpr std::array<std::string_view, kDivisionPolicyCount> kWords = {
      "RAISE", "ZERO", "ALL_ONES", "WRAP", "DIVIDEND"};
  return Word(kWords, policy);
}

std::string_view NameOf(VariantKind kind) {
  static constexpr std::array<std::string_view, kVariantKindCount> kWords = {
      "run", "schedule", "threads", "alone", "alignment", "scale"};
  return Word(kWords, kind);
}

std::string_view NameOf(RunStatus status) {
  static constexpr std::array<std::string_view, 7> kWords = {
      "ok", "raised", "unsupported", "failed", "guard_hit", "crashed", "timed_out"};
  return Word(kWords, status);
}

}  // namespace assay
