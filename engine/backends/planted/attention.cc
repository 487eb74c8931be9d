// SPDX-License-Identifier: Apache-2.0
//
// attention with one fault each, and two that are right in an unusual way: scores, a shift,
// weights, their sum, the weighted values, each of which may be kept too narrow.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"

namespace assay::planted {
namespace {

struct AttentionShape {
  explicit AttentionShape(const AssayCall& call)
      : heads(call.operands[0].shape[0]),
        queries(call.operands[0].shape[1]),
        head(call.operands[0].shape[2]),
        keys(call.operands[1].shape[1]),
        causal(call.attributes[1] != 0) {}
  int64_t heads, queries, head, keys;
  bool causal;
};

// What differs from the plain form. No format: the accumulator's.
struct AttentionForm {
  bool shift = true;
  std::optional<Format> scores = {}, weights = {}, sum = {};
  int64_t tile = 0;  // keys per tile of the online form; 0: three passes
  bool masked_row_zero = false;
};

template <class Acc>
Acc Kept(const std::optional<Format>& format, Acc value) {
  return format ? static_cast<Acc>(Round(*format, value)) : value;
}

template <class Acc>
class Attention {
 public:
  Attention(const AssayCall& call, const AttentionForm& form)
      : call_(call),
        form_(form),
        shape_(call),
        q_(ReadDense(call.operands[0])),
        k_(ReadDense(call.operands[1])),
        v_(ReadDense(call.operands[2])),
        mask_(ReadDense(call.operands[3])) {}

  void Run() {
    std::vector<double> out;
    for (int64_t h = 0; h < shape_.heads; ++h) {
      for (int64_t i = 0; i < shape_.queries; ++i) {
        Scores(h, i);
        form_.tile > 0 ? Online(h, out) : ThreePasses(h, out);
      }
    }
    WriteDense(call_.operands[4], out);
  }

 private:
  static constexpr Acc kMinusInfinity = -std::numeric_limits<Acc>::infinity();

  void Scores(int64_t h, int64_t i) {
    const Acc scale = static_cast<Acc>(call_.attributes[0]);
    scores_.clear();
    for (int64_t j = 0; j < shape_.keys; ++j) {
      Acc dot = 0;
      for (int64_t d = 0; d < shape_.head; ++d) {
        dot +=
            static_cast<Acc>(q_[static_cast<size_t>((h * shape_.queries + i) * shape_.head + d)]) *
            static_cast<Acc>(k_[static_cast<size_t>((h * shape_.keys + j) * shape_.head + d)]);
      }
      const Acc mask = static_cast<Acc>(mask_[static_cast<size_t>(i * shape_.keys + j)]);
      const bool hidden = shape_.causal && j > i + shape_.keys - shape_.queries;
      scores_.push_back(hidden ? kMinusInfinity : Kept(form_.scores, scale * dot + mask));
    }
  }

  // As most units have it: NaN does not compare, and is passed over.
  Acc Largest() const {
    Acc largest = kMinusInfinity;
    for (const Acc score : scores_) largest = score > largest ? score : largest;
    return largest;
  }

  Acc V(int64_t h, int64_t j, int64_t d) const {
    return static_cast<Acc>(v_[static_cast<size_t>((h * shape_.keys + j) * shape_.head + d)]);
  }

  void ThreePasses(int64_t h, std::vector<double>& out) {
    const Acc largest = form_.shift ? Largest() : 0;
    const bool masked = std::all_of(scores_.begin(), scores_.end(),
                                    [](Acc score) { return score == kMinusInfinity; });
    if (form_.masked_row_zero && masked) {
      out.insert(out.end(), static_cast<size_t>(shape_.head), 0.0);
      return;
    }
    std::vector<Acc> weights;
    Acc sum = 0;
    for (const Acc score : scores_) {
      const Acc weight = std::exp(score - largest);
      weights.push_back(Kept(form_.weights, weight));
      sum = Kept(form_.sum, sum + weight);
    }
    for (int64_t d = 0; d < shape_.head; ++d) {
      Acc total = 0;
      for (int64_t j = 0; j < shape_.keys; ++j) {
        total += weights[static_cast<size_t>(j)] * V(h, j, d);
      }
      out.push_back(total / sum);
    }
  }

  // One pass over tiles; what was summed is rescaled whenever a tile raises the maximum.
  void Online(int64_t h, std::vector<double>& out) {
    Acc largest = kMinusInfinity, sum = 0;
    std::vector<Acc> total(static_cast<size_t>(shape_.head), Acc{0});
    for (int64_t start = 0; start < shape_.keys; start += form_.tile) {
      const int64_t end = std::min(start + form_.tile, shape_.keys);
      Acc next = largest;
      for (int64_t j = start; j < end; ++j) next = std::max(next, scores_[static_cast<size_t>(j)]);
      // A tile that is masked as a whole adds nothing, and has no maximum to shift by.
      const auto masked = [&](int64_t j) {
        return scores_[static_cast<size_t>(j)] == kMinusInfinity;
      };
      bool all_masked = true;
      for (int64_t j = start; j < end; ++j) all_masked = all_masked && masked(j);
      if (all_masked) continue;
      const Acc rescale = largest == kMinusInfinity ? Acc{0} : std::exp(largest - next);
      sum *= rescale;
      for (Acc& each : total) each *= rescale;
      for (int64_t j = start; j < end; ++j) {
        const Acc score = scores_[static_cast<size_t>(j)];
        const Acc weight = std::exp(score - next);
        sum += weight;
        for (int64_t d = 0; d < shape_.head; ++d)
          total[static_cast<size_t>(d)] += weight * V(h, j, d);
      }
      largest = next;
    }
    for (const Acc each : total) out.push_back(each / sum);
  }

  const AssayCall& call_;
  const AttentionForm& form_;
  AttentionShape shape_;
  std::vector<double> q_, k_, v_, mask_;
  std::vector<Acc> scores_;
};

int32_t RunForm(const AssayCall& call, const AttentionForm& form) {
  return WithAccumulator(TypeOf(call.operands[0]),
                         [&](auto zero) { Attention<decltype(zero)>(call, form).Run(); });
}

}  // namespace

int32_t AttentionNoShift(const AssayCall& call) { return RunForm(call, {.shift = false}); }
int32_t AttentionF16Sum(const AssayCall& call) { return RunForm(call, {.sum = Format::kF16}); }
int32_t AttentionBf16Scores(const AssayCall& call) {
  return RunForm(call, {.scores = Format::kBf16});
}
int32_t AttentionF16Scores(const AssayCall& call) {
  return RunForm(call, {.scores = Format::kF16});
}
int32_t AttentionF16Weights(const AssayCall& call) {
  return RunForm(call, {.weights = Format::kF16});
}
int32_t AttentionBf16Weights(const AssayCall& call) {
  return RunForm(call, {.weights = Format::kBf16});
}
int32_t AttentionOnline(const AssayCall& call) { return RunForm(call, {.tile = 8}); }
int32_t AttentionMaskedRowZero(const AssayCall& call) {
  return RunForm(call, {.masked_row_zero = true});
}

// One schedule in four sums its weights in f16.
int32_t AttentionScheduleF16Sum(const AssayCall& call) {
  if (call.schedule_seed % 4 != 3) return RunForm(call, {});
  return AttentionF16Sum(call);
}
// The tile is chosen by the number of heads, and with it the order of the sums.
int32_t AttentionTileByBatch(const AssayCall& call) {
  const int64_t heads = call.operands[0].shape[0];
  return RunForm(call, {.tile = heads > 1 ? 4 : 1024});
}

}  // namespace assay::planted
