// SPDX-License-Identifier: Apache-2.0
//
// What equal bits in some runs of a call say, and what they do not.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

// The probability p with which runs may differ from the first one, unseen in all of `runs` - 1
// comparisons but for once in a hundred: (1 - p)^(runs - 1) = 0.01. 1 where nothing is compared.
double LargestUnseenProbability(int64_t runs);

// "100 equal runs exclude, at 99 %, only schedules that differ with probability above 4.5 %".
std::string EqualRunsText(int64_t runs);

}  // namespace assay
