// SPDX-License-Identifier: Apache-2.0
#include "fuzz/feedback.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "contracts/values.h"

namespace assay {
namespace {

constexpr int kBackendSlots = 16;

constexpr auto kBlockSizes = std::to_array<int>({
#define ASSAY_FEATURE_SIZE(name, size) size,
    ASSAY_FEATURE_BLOCKS(ASSAY_FEATURE_SIZE)
#undef ASSAY_FEATURE_SIZE
});

constexpr auto kBlockStarts = [] {
  std::array<int, kBlockSizes.size() + 1> starts{};
  for (size_t i = 0; i < kBlockSizes.size(); ++i) starts[i + 1] = starts[i] + kBlockSizes[i];
  return starts;
}();

int FamilyIndex(OpId op) { return static_cast<int>(DefOf(op).family); }

class Marks {
 public:
  explicit Marks(std::span<uint8_t> counters) : counters_(counters) {}
  void Set(FeatureBlock block, int index) {
    counters_[static_cast<size_t>(FeatureAt(block, index))] = 1;
  }

 private:
  std::span<uint8_t> counters_;
};

void NoteCase(const Case& value, const NamedDims& dims, Marks& marks) {
  const int op = static_cast<int>(value.op);
  const int type = value.operands.empty() ? 0 : static_cast<int>(value.operands[0].dtype);
  marks.Set(FeatureBlock::kLayout, (op * kDTypeCount + type) * 16 + LayoutClass(value));
  for (int i = 0; i < std::min(dims.size(), kSizedDimensions); ++i) {
    marks.Set(FeatureBlock::kSize, (op * kSizedDimensions + i) * 16 + SizeBucket(dims[i]));
  }
}

void NoteRatio(OpId op, const BackendOutcome& outcome, Marks& marks) {
  int level = 0;
  for (const ClauseVerdict& clause : outcome.verdict.clauses) {
    level = std::max(level, RatioLevel(clause.ratio));
  }
  const int slot = static_cast<int>(op) * kBackendSlots + outcome.backend % kBackendSlots;
  for (; level > 0; --level) marks.Set(FeatureBlock::kRatio, slot * 16 + level - 1);
}

void NoteClause(int family, int index, const ClauseVerdict& clause, Marks& marks) {
  if (index < 0) return;
  marks.Set(FeatureBlock::kOutcome,
            (index * kOutcomeCount + static_cast<int>(clause.outcome)) * kFamilyCount + family);
  for (int model = 0; model < kDefectModelCount; ++model) {
    if ((clause.force >> model & 1) != 0) {
      marks.Set(FeatureBlock::kForce, index * kDefectModelCount + model);
    }
  }
}

}  // namespace

int FeatureAt(FeatureBlock block, int index) {
  const size_t at = static_cast<size_t>(block);
  ASSAY_CHECK(index >= 0 && index < kBlockSizes[at], "a feature outside its block");
  return kBlockStarts[at] + index;
}

int FeatureCount() { return kBlockStarts.back(); }

int SizeBucket(int64_t size) {
  if (size <= 4) return static_cast<int>(std::max<int64_t>(size, 0));
  // Beyond 64 what matters is what counts it: 8 bits, 16, or more.
  if (size >= 64) return size < 256 ? 13 : size < 32768 ? 14 : 15;
  // 5-7, 8, 9-15, 16, 17-31, 32, 33-63: tiles are powers of two, their tails lie beside them.
  const int octave = std::bit_width(static_cast<uint64_t>(size)) - 3;
  const bool power = std::has_single_bit(static_cast<uint64_t>(size));
  return power ? 4 + 2 * octave : 5 + 2 * octave;
}

int RatioLevel(double ratio) {
  if (!(ratio > 0x1p-12)) return std::isnan(ratio) ? 16 : 0;
  if (std::isinf(ratio)) return 16;
  return std::clamp((std::ilogb(ratio) + 12) / 2 + 1, 1, 15);
}

int LayoutClass(const Case& value) {
  int bits = 0;
  for (const Tensor& tensor : value.operands) {
    if (!IsContiguous(tensor)) bits |= 1;
    for (int i = 0; i < tensor.strides.size(); ++i) {
      if (tensor.shape[i] > 1 && tensor.strides[i] <= 0) bits |= 2;
    }
    if (tensor.offset != 0 || tensor.misalignment != 0) bits |= 4;
    if (tensor.placement == Placement::kHead) bits |= 8;
  }
  return bits;
}

int AgreementPattern(const Record& record) {
  uint64_t pattern = 0;
  for (size_t i = 0; i < record.outcomes.size(); ++i) {
    const Observation& mine = record.outcomes[i].observation;
    size_t group = 0;
    while (group < i) {
      const Observation& other = record.outcomes[group].observation;
      if (other.status == mine.status && other.bits == mine.bits) break;
      ++group;
    }
    pattern = Mix(pattern ^ group);
  }
  return static_cast<int>(pattern & 63);
}

int Feedback::ClauseIndex(const ClauseVerdict& clause) {
  for (const Known& known : known_) {
    if (known.contract == clause.contract.data() && known.clause == clause.clause.data()) {
      return known.index;
    }
  }
  const std::string name = std::string(clause.contract) + "/" + std::string(clause.clause);
  const auto at = std::find(clause_names_.begin(), clause_names_.end(), name);
  const int index = at == clause_names_.end() ? -1 : static_cast<int>(at - clause_names_.begin());
  known_.push_back({clause.contract.data(), clause.clause.data(), index});
  return index;
}

void Feedback::Note(const Case& value, const Record& record, std::span<uint8_t> counters) {
  Marks marks(counters);
  marks.Set(FeatureBlock::kAny, 0);
  if (record.reject != Reject::kNone) return;
  NoteCase(value, record.dims, marks);
  const int family = FamilyIndex(value.op);
  for (const BackendOutcome& outcome : record.outcomes) {
    NoteRatio(value.op, outcome, marks);
    for (const ClauseVerdict& clause : outcome.verdict.clauses) {
      NoteClause(family, ClauseIndex(clause), clause, marks);
    }
  }
  if (record.divergent) {
    marks.Set(FeatureBlock::kPattern, family * 64 + AgreementPattern(record));
  }
}

}  // namespace assay
