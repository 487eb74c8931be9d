// SPDX-License-Identifier: Apache-2.0
//
// The generator behind mutation: SplitMix64 (Steele et al. 2014) on the project's own mixer, so
// that every draw is a function of one seed on every platform. Standard distributions are not used
// because their results differ between libraries. A value; copy it to replay.
#pragma once

#include <cstdint>
#include <iterator>

#include "contracts/invariant.h"
#include "contracts/values.h"

namespace assay {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() { return Mix(state_ += 0x9e3779b97f4a7c15); }
  // Uniform in [0, limit). The bias of the multiplication is below limit / 2^64.
  uint64_t Below(uint64_t limit) {
    ASSAY_CHECK(limit > 0, "nothing to choose from");
    return static_cast<uint64_t>((static_cast<Wide>(Next()) * limit) >> 64);
  }
  int64_t Between(int64_t lowest, int64_t highest) {  // both inclusive
    return lowest + static_cast<int64_t>(Below(static_cast<uint64_t>(highest - lowest) + 1));
  }
  bool Percent(int chance) { return static_cast<int>(Below(100)) < chance; }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // [0, 1)
  template <class Items>
  const auto& Pick(const Items& items) {
    return std::data(items)[Below(std::size(items))];
  }
  // An entry of a table whose rows have a `weight`.
  template <class Rows>
  const auto& PickWeighted(const Rows& rows) {
    uint64_t total = 0;
    for (const auto& row : rows) total += static_cast<uint64_t>(row.weight);
    uint64_t at = Below(total);
    for (const auto& row : rows) {
      if (at < static_cast<uint64_t>(row.weight)) return row;
      at -= static_cast<uint64_t>(row.weight);
    }
    InvariantBroken(__FILE__, __LINE__, "at < total", "weights do not add up");
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  uint64_t state_;
};

}  // namespace assay
