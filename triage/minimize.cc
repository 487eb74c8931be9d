// SPDX-License-Identifier: Apache-2.0
//
// The search: every pass offers single steps; one that is valid, simpler and still fails is taken
// and the pass starts again from there; the passes repeat until a whole round takes nothing. That
// last round is the audit of local minimality, and why minimizing again changes nothing.

#include "triage/minimize.h"

#include <array>
#include <set>
#include <string>

#include "contracts/operator.h"
#include "engine/codec.h"
#include "triage/steps.h"

namespace assay {
namespace {

using Pass = bool (*)(const StepSource& source, const Offer& offer);

// Sizes come before everything that costs a run per element. Values come last: they can only
// become plain once nothing else depends on them.
constexpr Pass kPasses[] = {OfferSchedules, OfferAttributes, OfferShapes,    OfferLayouts,
                            OfferTypes,     OfferFills,      OfferOverrides, OfferValues};

std::string BytesOf(const Case& value) {
  std::array<uint8_t, kMaxEncodedSize> buffer;
  const size_t size = Encode(value, buffer);
  ASSAY_CHECK(size > 0, "every checked case has a code");
  return std::string(reinterpret_cast<const char*>(buffer.data()), size);
}

class Search {
 public:
  Search(const Case& start, const StillFails& still_fails, int64_t max_runs)
      : still_fails_(still_fails), max_runs_(max_runs) {
    result_.value = start;
    refused_.insert(BytesOf(start));
  }

  MinimizeResult Run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Pass pass : kPasses) {
        while (Step(pass)) changed = true;
        if (result_.exhausted) return result_;
      }
    }
    return result_;
  }

 private:
  bool Step(Pass pass) {
    const Case from = result_.value;
    return pass(StepSource(from), [&](const Case& variant) { return Take(variant); });
  }

  bool Take(const Case& variant) {
    if (result_.exhausted || !CheckCase(variant).ok()) return false;
    if (!SimplerThan(variant, result_.value)) return false;
    std::string bytes = BytesOf(variant);
    if (refused_.contains(bytes)) return false;
    if (result_.runs == max_runs_) {
      result_.exhausted = true;
      return false;
    }
    ++result_.runs;
    if (!still_fails_(variant)) {
      refused_.insert(std::move(bytes));
      return false;
    }
    result_.value = variant;
    ++result_.accepted;
    return true;
  }

  const StillFails& still_fails_;
  const int64_t max_runs_;
  std::set<std::string> refused_;
  MinimizeResult result_;
};

}  // namespace

MinimizeResult Minimize(const Case& start, const StillFails& still_fails, int64_t max_runs) {
  return Search(start, still_fails, max_runs).Run();
}

bool IsLocallyMinimal(const Case& value, const StillFails& still_fails) {
  for (const Pass pass : kPasses) {
    const bool taken = pass(StepSource(value), [&](const Case& variant) {
      return CheckCase(variant).ok() && SimplerThan(variant, value) && still_fails(variant);
    });
    if (taken) return false;
  }
  return true;
}

}  // namespace assay
