// SPDX-License-Identifier: Apache-2.0
//
// Special answers of attention. A NaN or +Inf among a query's scores makes the whole row NaN; a key
// of score -Inf is absent, and its value times 0 is added all the same; a query without keys is NaN
// or +0. What lies behind causality may be skipped or multiplied by 0. Internal to oracles/.
#pragma once

#include <cstdint>
#include <vector>

#include "contracts/dtype.h"

namespace assay {

// One query of one head. `visible` keys come first; the rest lies behind causality.
struct Query {
  const double* q = nullptr;     // [head]
  const double* k = nullptr;     // [keys][head]
  const double* v = nullptr;     // [keys][head]
  const double* mask = nullptr;  // [keys]
  int64_t keys = 0, visible = 0, head = 0;
  double scale = 1;
};

// What the scores of a query are, before any value of theirs counts.
struct ScoreClasses {
  bool nan = false;             // the row is NaN
  bool none = false;            // no key has a finite score: NaN or +0
  bool may_be_nan = false;      // under some association, or behind causality
  std::vector<uint8_t> absent;  // per visible key: score -Inf
};
void ClassifyScores(const Query& query, Format accumulator, ScoreClasses& classes);

// The set of out[column], `p` the probabilities of the visible keys (0 where absent). REQUIRES
// scores that leave a row with keys.
ClassSet ValueClasses(const Query& query, const ScoreClasses& classes, const double* p,
                      int64_t column);

}  // namespace assay
