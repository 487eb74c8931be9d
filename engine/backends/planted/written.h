// SPDX-License-Identifier: Apache-2.0
//
// Rows of the kernels that are written for one operator: attention, norms, fused products,
// collectives, conversions, scatter_add, published oddities.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "engine/backends/planted/table.h"

namespace assay::planted {

// The rows of `from` that belong to a family.
template <size_t kSize>
void AppendFamily(const std::array<PlantedKernel, kSize>& from, Family family,
                  std::vector<PlantedKernel>& rows) {
  std::ranges::copy_if(from, std::back_inserter(rows),
                       [family](const PlantedKernel& row) { return row.family == family; });
}

void AppendWritten(Family family, std::vector<PlantedKernel>& rows);

}  // namespace assay::planted
