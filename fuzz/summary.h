// SPDX-License-Identifier: Apache-2.0
//
// What a campaign came to, as text: the findings, and everything that was not tested or not believed,
// so that silence is never mistaken for an all-clear.
#pragma once

#include <string>

#include "fuzz/campaign.h"
#include "fuzz/supervisor.h"
#include "triage/findings.h"

namespace assay {

// Counts of outcomes and rejected inputs, backends that did not take part, muted operand sides,
// what was not confirmed, memory. Lines, each ended.
std::string FormatCounts(const CampaignConfig& config, const CampaignState& state,
                         const CampaignResult& result, int unconfirmed, int pending);

// Prints findings and counts; gives the exit code of `assay fuzz`.
int Conclude(const CampaignDir& dir, const CampaignConfig& config, const CampaignState& state,
             const CampaignResult& result);

}  // namespace assay
