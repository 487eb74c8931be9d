// SPDX-License-Identifier: Apache-2.0
//
// From what workers recorded to findings: each pending violation is repeated in fresh processes,
// minimized and given its final key, or set aside as unconfirmed. What comes out does not depend on
// when, or how often, the pass runs.
#pragma once

#include "fuzz/campaign.h"
#include "fuzz/serve.h"
#include "triage/findings.h"

namespace assay {

inline constexpr int kConfirmRuns = 3;

// Handles all that is pending when it starts, in the order of raw keys.
Status TriagePending(const CampaignDir& dir, const CampaignConfig& config);

// A confirmed violation of a case, minimized: what `assay minimize` prints, too.
struct Minimized {
  FindingRecord record;  // of the minimal case; signature is its key
  Case value;
  bool exhausted = false;
};
// REQUIRES that `finding` was just seen on `value`.
Result<Minimized> MinimizeFinding(const Case& value, const FindingRecord& finding, Server& server);

}  // namespace assay
