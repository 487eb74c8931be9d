// SPDX-License-Identifier: Apache-2.0
#include "engine/equal_runs.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {

double LargestUnseenProbability(int64_t runs) {
  return runs < 2 ? 1 : 1 - std::pow(0.01, 1 / static_cast<double>(runs - 1));
}

std::string EqualRunsText(int64_t runs) {
  return fmt::format(
      "{} equal runs exclude, at 99 %, only schedules that differ with probability above {:.2g} %",
      runs, 100 * LargestUnseenProbability(runs));
}

}  // namespace assay
