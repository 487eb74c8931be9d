// SPDX-License-Identifier: Apache-2.0
//
// What a campaign came to, as text: the findings, and everything that was not tested or not
// believed, so that silence is never mistaken for an all-clear.
#pragma once

#include <string>

#include "fuzz/campaign.h"
#include "fuzz/supervisor.h"
#include "triage/findings.h"
#include "triage/report.h"

namespace assay {

// Everything a report of the campaign shows, read from its directory.
Result<ReportInput> ReportOf(const CampaignDir& dir, const CampaignConfig& config,
                             const CampaignState& state);

// What the report leaves out: runs by outcome, rejected inputs by reason, replaced workers, memory.
// Lines, each ended.
std::string FormatCounts(const CampaignState& state, const CampaignResult& result);

// Prints findings and counts; gives the exit code of `assay fuzz`.
int Conclude(const CampaignDir& dir, const CampaignConfig& config, const CampaignState& state,
             const CampaignResult& result);

}  // namespace assay
