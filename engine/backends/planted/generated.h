// SPDX-License-Identifier: Apache-2.0
//
// The rows of the table that are one defect of defects.h in one family's operators. A new defect is
// a line of generated.cc; so is another family for it.
#pragma once

#include <string>
#include <vector>

#include "engine/backends/planted/table.h"

namespace assay::planted {

// Appends the rows of a family; `names` holds what they are called, and keeps it. Strings of a
// reserved vector do not move: REQUIRES capacity for kMaxGeneratedPerFamily more.
inline constexpr int kMaxGeneratedPerFamily = 48;
void AppendGenerated(Family family, std::vector<std::string>& names,
                     std::vector<PlantedKernel>& rows);

}  // namespace assay::planted
