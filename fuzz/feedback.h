// SPDX-License-Identifier: Apache-2.0
//
// Guidance: what a judged case was like, as bytes that libFuzzer treats like coverage.
// Deterministic, coarse, one byte per feature. Kernels that are not instrumented are steered by
// this alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contracts/case.h"
#include "engine/pipeline.h"
#include "fuzz/worker_block.h"

namespace assay {

inline constexpr int kSizedDimensions = 7;  // a convolution has so many

// Blocks of features, each a small product of coarse facts. X(name, size)
#define ASSAY_FEATURE_BLOCKS(X)                                                              \
  X(kAny, 1)                                /* set on every input: libFuzzer wants one */    \
  X(kLayout, kOpCount* kDTypeCount * 16)    /* operator, type, layout class */               \
  X(kSize, kOpCount* kSizedDimensions * 16) /* operator, dimension, bucket of its size */    \
  X(kOutcome, kMaxClauses* kOutcomeCount* kFamilyCount)                                      \
  X(kRatio, kOpCount * 16 * 16) /* operator, backend, every level of log2(ratio) up to it */ \
  X(kForce, kMaxClauses* kDefectModelCount)                                                  \
  X(kPattern, kFamilyCount * 64) /* which backends agree with which */

enum class FeatureBlock : int {
#define ASSAY_FEATURE_ENUM(name, size) name,
  ASSAY_FEATURE_BLOCKS(ASSAY_FEATURE_ENUM)
#undef ASSAY_FEATURE_ENUM
};

// Position of feature `index` of a block in the counter array. REQUIRES 0 <= index < its size.
int FeatureAt(FeatureBlock block, int index);
int FeatureCount();
// What an array of counters holds: room for every feature, a power of two.
inline constexpr size_t kCounterBytes = 131072;

// Sets the bytes of `counters` (FeatureCount() of them) that this record lights.
// `clause_of` gives a clause verdict's position, or -1.
class Feedback {
 public:
  explicit Feedback(const std::vector<std::string>& clause_names) : clause_names_(clause_names) {}
  void Note(const Case& value, const Record& record, std::span<uint8_t> counters);
  // Position of a clause verdict's clause in the names; -1 beyond the table.
  int ClauseIndex(const ClauseVerdict& clause);

 private:
  struct Known {
    const char* contract;
    const char* clause;
    int index;
  };
  std::vector<std::string> clause_names_;
  std::vector<Known> known_;  // by the suite's own pointers, so that no text is compared twice
};

// Buckets, exposed for the tests. SizeBucket: 0..15, exact up to 4, then around powers of two.
int SizeBucket(int64_t size);
// Levels of log2(ratio) from 2^-12 in steps of two doublings up to +Inf: 0 (none) to 16.
int RatioLevel(double ratio);
// Bit set of layout peculiarities over all operands: strided, zero or negative strides, offset or
// misaligned, head placement.
int LayoutClass(const Case& value);
// A number below 64 for the partition of the outcomes into groups of equal answers.
int AgreementPattern(const Record& record);

}  // namespace assay
