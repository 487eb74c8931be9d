// SPDX-License-Identifier: Apache-2.0
//
// The words that rows of the table are written in: states, sets of types, the usual profile.
// Private to the files that hold rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/backends/planted/table.h"

namespace assay::planted {

inline constexpr PlantedState kBaseline = PlantedState::kBaseline;
inline constexpr PlantedState kBad = PlantedState::kBad;
inline constexpr PlantedState kGood = PlantedState::kGood;

template <class... Enums>
constexpr uint32_t BitsOf(Enums... values) {
  return ((1u << static_cast<unsigned>(values)) | ...);
}

inline constexpr uint32_t kF64 = BitsOf(DType::kF64);
inline constexpr uint32_t kF32 = BitsOf(DType::kF32);
inline constexpr uint32_t kF16 = BitsOf(DType::kF16);
inline constexpr uint32_t kHalf = BitsOf(DType::kF16, DType::kBf16);
inline constexpr uint32_t kUpTo32 = kF32 | kHalf;
inline constexpr uint32_t kFloats = kF64 | kUpTo32;
inline constexpr uint32_t kAnyType = (1u << kDTypeCount) - 1;

inline constexpr std::string_view kProfile = "planted";

// The rows of `from` that belong to a family.
template <size_t kSize>
void AppendFamily(const std::array<PlantedKernel, kSize>& from, Family family,
                  std::vector<PlantedKernel>& rows) {
  std::ranges::copy_if(from, std::back_inserter(rows),
                       [family](const PlantedKernel& row) { return row.family == family; });
}

}  // namespace assay::planted
