// SPDX-License-Identifier: Apache-2.0
//
// Rows of the kernels that are written for one operator: attention, norms, fused products,
// collectives, conversions, scatter_add, published oddities.
#pragma once

#include <vector>

#include "engine/backends/planted/table.h"

namespace assay::planted {

void AppendWritten(Family family, std::vector<PlantedKernel>& rows);

}  // namespace assay::planted
