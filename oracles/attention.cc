// SPDX-License-Identifier: Apache-2.0
#include "oracles/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "contracts/operator.h"
#include "oracles/attention_classes.h"
#include "oracles/number/ball_value.h"
#include "oracles/row_facts.h"
#include "oracles/wide.h"

namespace assay {
namespace {

constexpr double kLargestShift = 745;  // exp(-745) is the last double that is not 0
// Probabilities are right to 2^-45 or better, sums of n < 2^20 positive terms to 2^-33.
constexpr double kSumsOutward = 1 + 0x1p-32;

struct Columns {
  double *abs_sum, *scores, *shifts, *max_score, *max_shift;
};

// Operands as the formulas read them: finite. The class sets speak of what was cleared.
const double* Cleared(const OperandValues& operand, std::vector<double>& buffer) {
  if (!operand.any_nan && !operand.any_inf) return operand.real.data();
  buffer.resize(operand.real.size());
  std::transform(operand.real.begin(), operand.real.end(), buffer.begin(), FiniteOrZero);
  return buffer.data();
}

class AttentionRun {
 public:
  // `bits`: of the balls.
  AttentionRun(const Values& values, int bits, AttentionBuffers& buffers, Evidence& evidence)
      : values_(values), bits_(bits), buffers_(buffers), evidence_(evidence) {
    heads_ = values.dims[0];
    queries_ = values.dims[1];
    keys_ = values.dims[2];
    head_ = values.dims[3];
    accumulator_ = RowAccumulator(values.operands[0].dtype);
  }

  // Queries for which a Wide is not narrow enough are left to balls.
  template <class N>
  void Run() {
    Prepare();
    weights<N>().resize(static_cast<size_t>(keys_));
    for (int64_t at = 0; at < heads_ * queries_ && head_ > 0; ++at) OneQuery<N>(at);
    SetScalar(evidence_, Quantity::kMaxAbsSum, max_abs_sum_);
  }

 private:
  template <class N>
  std::vector<N>& weights() {
    if constexpr (std::is_same_v<N, Wide>) {
      return wide_weights_;
    } else {
      return ball_weights_;
    }
  }

  void Prepare() {
    ResetEvidence(heads_ * queries_ * head_, evidence_);
    SetRowScalars(values_, static_cast<double>(keys_), evidence_);
    SetScalar(evidence_, Quantity::kHeadSize, static_cast<double>(head_));
    q_ = Cleared(values_.operands[0], buffers_.q);
    k_ = Cleared(values_.operands[1], buffers_.k);
    v_ = Cleared(values_.operands[2], buffers_.v);
    mask_ = Cleared(values_.operands[3], buffers_.mask);
    scale_ = ScalarAttribute(*values_.source, kAttentionScale);
    causal_ = values_.source->attributes[kAttentionCausal].choice == 1;
    evidence_.special |= !std::isfinite(scale_) || keys_ == 0;
    for (std::vector<double>* buffer : {&buffers_.key_magnitude, &buffers_.p, &buffers_.shift}) {
      buffer->resize(static_cast<size_t>(keys_));
    }
    columns_ = {MeasuredColumn(evidence_, Quantity::kAbsSum),
                MeasuredColumn(evidence_, Quantity::kWeightedScores),
                MeasuredColumn(evidence_, Quantity::kWeightedShifts),
                MeasuredColumn(evidence_, Quantity::kMaxScore),
                MeasuredColumn(evidence_, Quantity::kMaxShift)};
    max_abs_sum_ = static_cast<double>(keys_) * values_.operands[2].max_abs;
  }

  // Pointers into the operands as stored, or as cleared.
  Query QueryAt(int64_t at, bool stored) const {
    const auto base = [&](size_t operand, const double* cleared) {
      return stored ? values_.operands[operand].real.data() : cleared;
    };
    const int64_t head = at / queries_, row = at % queries_;
    Query query;
    query.q = base(0, q_) + at * head_;
    query.k = base(1, k_) + head * keys_ * head_;
    query.v = base(2, v_) + head * keys_ * head_;
    query.mask = base(3, mask_) + row * keys_;
    query.keys = keys_;
    query.head = head_;
    query.scale = scale_;
    query.visible = causal_ ? std::clamp<int64_t>(row + keys_ - queries_ + 1, 0, keys_) : keys_;
    return query;
  }

  template <class N>
  void OneQuery(int64_t at) {
    const Query stored = QueryAt(at, /*stored=*/true), cleared = QueryAt(at, /*stored=*/false);
    evidence_.special |= stored.visible == 0;
    if (evidence_.special) {
      ClassifyScores(stored, accumulator_, classes_);
      if (classes_.nan || classes_.none) return WholeRow(at);
    } else {
      classes_ = {};
    }
    if (classes_.absent.empty()) classes_.absent.assign(static_cast<size_t>(stored.visible), 0);
    if (std::is_same_v<N, Ball> || !Compute<N>(cleared, at)) ByBalls(cleared, at);
    for (int64_t d = 0; d < head_; ++d) {
      const int64_t out = at * head_ + d;
      ClassSet set = kClassByValue;
      if (evidence_.special) set = ValueClasses(stored, classes_, buffers_.p.data(), d);
      Narrow(static_cast<ClassSet>(set | OverflowClasses(columns_.max_score[out])), out);
    }
  }

  // NaN, or a row without keys, in every column.
  void WholeRow(int64_t at) {
    ClassSet set = kClassNan;
    if (!classes_.nan) set |= kClassPosZero;
    // An infinite scale times a product of either sign, or of zero: no rule says more.
    if (!classes_.nan && std::isinf(scale_)) set = kAnyClass;
    for (int64_t d = 0; d < head_; ++d) {
      const int64_t out = at * head_ + d;
      columns_.abs_sum[out] = columns_.scores[out] = columns_.shifts[out] = 0;
      columns_.max_score[out] = columns_.max_shift[out] = 0;
      Narrow(set, out);
    }
  }

  // Scores whose sums may overflow can become anything; so, less widely, can the weighted sum.
  ClassSet OverflowClasses(double max_score) const {
    const double limit = InfoOf(accumulator_).largest / 4;
    if (!(max_score <= limit)) return kAnyAnswer;
    const double sum = static_cast<double>(keys_) * values_.operands[2].max_abs;
    return sum <= limit ? 0 : kClassInf | kClassNan;
  }

  void Narrow(ClassSet set, int64_t at) {
    if (!(set & kClassByValue)) RaiseTier(evidence_, Tier::kTable);
    StoreClasses(set, at, evidence_);
    if (set & kClassByValue) AllowOverflow(at, evidence_);
  }

  void ByBalls(const Query& query, int64_t at) {
    const BallPrecision precision(bits_);
    ball_weights_.resize(static_cast<size_t>(keys_));
    Compute<Ball>(query, at);
    RaiseTier(evidence_, Tier::kBall);
  }

  // Whether every enclosure decides: tolerances are at least u of abs_sum.
  template <class N>
  bool Compute(const Query& query, int64_t at) {
    std::vector<N>& weight = weights<N>();
    const double largest = Scores(query, weight);
    if (!std::isfinite(largest)) {
      if (std::is_same_v<N, Ball>) Unbounded(at);
      return false;
    }
    N sum = N(0);
    for (int64_t j = 0; j < query.visible; ++j) {
      const auto i = static_cast<size_t>(j);
      if (classes_.absent[i] != 0) {
        weight[i] = N(0);
        continue;
      }
      buffers_.shift[i] = std::min(std::fabs(MiddleOf(weight[i]) - largest) * kOutward, kMaxDouble);
      weight[i] = Exp(weight[i] - N(largest));
      sum = sum + weight[i];
    }
    for (int64_t d = 0; d < head_; ++d) {
      const N weighted = WeightedSum(weight.data(), query.v + d, head_, query.visible);
      StoreTruth(EnclosureOf(weighted / sum), at * head_ + d, evidence_);
    }
    const double total = MiddleOf(sum);
    for (int64_t j = 0; j < query.visible; ++j) {
      const auto i = static_cast<size_t>(j);
      buffers_.p[i] = classes_.absent[i] != 0 ? 0 : MiddleOf(weight[i]) / total;
    }
    Quantities(query, at);
    bool narrow = true;
    for (int64_t out = at * head_; out < (at + 1) * head_; ++out) {
      const Enclosure truth{evidence_.hi[out], evidence_.lo[out], evidence_.radius[out]};
      narrow &= IsNarrow(truth, columns_.abs_sum[out]);
    }
    return narrow;
  }

  // A largest score beyond the doubles, which no accumulator holds either.
  void Unbounded(int64_t at) {
    std::fill(buffers_.p.begin(), buffers_.p.end(), 0.0);
    for (int64_t d = 0; d < head_; ++d) {
      const int64_t out = at * head_ + d;
      StoreTruth({0, 0, kInfinity}, out, evidence_);
      columns_.abs_sum[out] = columns_.scores[out] = columns_.shifts[out] = kMaxDouble;
      columns_.max_score[out] = kMaxDouble;
      columns_.max_shift[out] = kLargestShift;
    }
    max_abs_sum_ = kMaxDouble;
  }

  // z_j in `score` and A_j in key_magnitude; returns the largest score.
  template <class N>
  double Scores(const Query& query, std::vector<N>& score) {
    double largest = -kInfinity;
    for (int64_t j = 0; j < query.visible; ++j) {
      const auto i = static_cast<size_t>(j);
      if (classes_.absent[i] != 0) continue;
      const double* k = query.k + j * head_;
      SumOfProducts(query.q, k, head_, score[i]);
      score[i] = N(query.scale) * score[i] + N(query.mask[j]);
      largest = std::max(largest, MiddleOf(score[i]));
      double magnitude = 0;
      for (int64_t d = 0; d < head_; ++d) magnitude += std::fabs(query.q[d] * k[d]);
      magnitude = std::fabs(query.scale) * magnitude + std::fabs(query.mask[j]);
      buffers_.key_magnitude[i] = std::min(magnitude * kSumsOutward, kMaxDouble);
    }
    return largest;
  }

  void Quantities(const Query& query, int64_t at) {
    double mean_score = 0, mean_shift = 0, max_score = 0, max_shift = 0;
    for (int64_t j = 0; j < query.visible; ++j) {
      const auto i = static_cast<size_t>(j);
      if (classes_.absent[i] != 0) continue;
      max_score = std::max(max_score, buffers_.key_magnitude[i]);
      max_shift = std::max(max_shift, std::min(buffers_.shift[i], kLargestShift));
      if (buffers_.p[i] == 0) continue;
      mean_score += buffers_.p[i] * buffers_.key_magnitude[i];
      mean_shift += buffers_.p[i] * buffers_.shift[i];
    }
    max_abs_sum_ = std::max(max_abs_sum_, max_score);
    double* const sums[] = {columns_.abs_sum + at * head_, columns_.scores + at * head_,
                            columns_.shifts + at * head_};
    for (double* sum : sums) std::fill_n(sum, head_, 0.0);
    for (int64_t j = 0; j < query.visible; ++j) {
      const auto i = static_cast<size_t>(j);
      const double p = buffers_.p[i];
      if (p == 0) continue;
      const double factors[] = {p, p * (buffers_.key_magnitude[i] + mean_score),
                                p * (buffers_.shift[i] + mean_shift)};
      for (int64_t d = 0; d < head_; ++d) {
        const double v = std::fabs(query.v[j * head_ + d]) * kSumsOutward;
        for (int f = 0; f < 3; ++f) sums[f][d] += factors[f] * v;
      }
    }
    std::fill_n(columns_.max_score + at * head_, head_, max_score);
    std::fill_n(columns_.max_shift + at * head_, head_, max_shift);
  }

  static constexpr double kMaxDouble = std::numeric_limits<double>::max();
  const Values& values_;
  int bits_;
  AttentionBuffers& buffers_;
  Evidence& evidence_;
  int64_t heads_, queries_, keys_, head_;
  Format accumulator_;
  const double *q_ = nullptr, *k_ = nullptr, *v_ = nullptr, *mask_ = nullptr;
  double scale_ = 1, max_abs_sum_ = 0;
  bool causal_ = false;
  Columns columns_{};
  ScoreClasses classes_;
  std::vector<Wide> wide_weights_;
  std::vector<Ball> ball_weights_;
};

}  // namespace

void AttentionOracle::Measure(const Values& values, Evidence& evidence) {
  AttentionRun(values, kRowBallBits, buffers_, evidence).Run<Wide>();
}

void AttentionOracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  AttentionRun(values, precision_bits + 16, buffers_, evidence).Run<Ball>();
}

}  // namespace assay
