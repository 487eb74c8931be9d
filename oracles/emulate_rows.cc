// SPDX-License-Identifier: Apache-2.0
#include "oracles/emulate_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "contracts/operator.h"
#include "oracles/enclosure.h"

namespace assay {
namespace {

// What is narrower than the plain kernel.
struct Defect {
  Format accumulator = Format::kF32;
  Format sums = Format::kF32;  // of sums; of exponentials in the softmax family and attention
  std::optional<Format> factors, scores;
  bool shift = true, one_pass = false, flush = false;
};

Format NextNarrower(Format format) { return format == Format::kF64 ? Format::kF32 : Format::kF16; }

bool IsAttention(OpId op) { return op == OpId::kAttention; }
bool HasExponentials(OpId op) {
  return op == OpId::kSoftmax || op == OpId::kLogSoftmax || op == OpId::kLogSumExp ||
         IsAttention(op);
}

std::optional<Defect> DefectOf(const Values& values, DefectModel model) {
  const OpId op = values.source->op;
  Defect defect;
  defect.accumulator = values.operands[0].dtype == DType::kF64 ? Format::kF64 : Format::kF32;
  defect.sums = defect.accumulator;
  bool applies = true;
  switch (model) {
    case DefectModel::kF16Accumulator:
      defect.sums = Format::kF16;
      break;
    case DefectModel::kBf16Accumulator:
      defect.sums = Format::kBf16;
      break;
    case DefectModel::kTf32Operands:
      defect.factors = Format::kTf32;
      applies = IsAttention(op);
      break;
    case DefectModel::kHf32Operands:
      defect.factors = Format::kHf32;
      applies = IsAttention(op);
      break;
    case DefectModel::kBf16Operands:
      defect.factors = Format::kBf16;
      applies = IsAttention(op);
      break;
    case DefectModel::kNoShift:
      defect.shift = false;
      applies = HasExponentials(op);
      break;
    case DefectModel::kOnePass:
      defect.one_pass = true;
      applies = op == OpId::kVariance || op == OpId::kLayerNorm;
      break;
    case DefectModel::kRoundedIntermediate: {
      const Format output = FormatOf(values.operands.back().dtype);
      defect.scores = output == defect.accumulator ? NextNarrower(output) : output;
      applies = IsAttention(op);
      break;
    }
    case DefectModel::kFlushed:
      defect.flush = true;
      break;
    case DefectModel::kZero:
      applies = false;
      break;
  }
  return applies ? std::optional(defect) : std::nullopt;
}

// One output element of the narrowed kernel.
class RowKernel {
 public:
  RowKernel(const Values& values, const Defect& defect, int64_t index)
      : values_(values), defect_(defect), index_(index) {}

  double Run() const {
    const double result = Compute();
    return Rounded(FormatOf(values_.operands.back().dtype), result);
  }

 private:
  double Compute() const {
    switch (values_.source->op) {
      case OpId::kSoftmax:
      case OpId::kLogSoftmax:
      case OpId::kLogSumExp:
        return SoftmaxFamily();
      case OpId::kAttention:
        return Attention();
      case OpId::kProd:
        return Product();
      case OpId::kNrm2:
        return Step(std::sqrt(SumOfSquares(Input(0, 0, values_.dims[0]), 0)));
      case OpId::kVariance:
        return Variance();
      case OpId::kLayerNorm:
        return LayerNorm();
      case OpId::kRmsNorm:
        return RmsNorm();
      default:
        return BatchNorm();
    }
  }

  double Rounded(Format format, double x) const {
    const double rounded = Round(format, x);
    const bool vanishes = defect_.flush && std::fabs(rounded) < InfoOf(format).smallest_normal;
    return vanishes ? std::copysign(0.0, rounded) : rounded;
  }
  double Step(double x) const { return Rounded(defect_.accumulator, x); }
  double Sum(double x) const { return Rounded(defect_.sums, x); }
  double Factor(double x) const { return defect_.factors ? Round(*defect_.factors, x) : x; }
  double Read(int operand, int64_t at) const {
    const OperandValues& values = values_.operands[static_cast<size_t>(operand)];
    return Rounded(FormatOf(values.dtype), values.real[static_cast<size_t>(at)]);
  }
  double Scalar(int attribute) const { return ScalarAttribute(*values_.source, attribute); }

  struct Slice {
    int operand;
    int64_t from, count;
  };
  static Slice Input(int operand, int64_t from, int64_t count) { return {operand, from, count}; }
  Slice Row() const {
    const int64_t length = values_.dims[1];
    return Input(0, index_ / length * length, length);
  }
  double At(const Slice& slice, int64_t i) const { return Read(slice.operand, slice.from + i); }

  double Mean(const Slice& x) const {
    double sum = 0;
    for (int64_t i = 0; i < x.count; ++i) sum = Sum(sum + At(x, i));
    return Sum(sum / static_cast<double>(x.count));
  }
  double SumOfSquares(const Slice& x, double center) const {
    double sum = 0;
    for (int64_t i = 0; i < x.count; ++i) {
      const double deviation = Step(At(x, i) - center);
      sum = Sum(sum + Step(deviation * deviation));
    }
    return sum;
  }
  // The mean of squares about `mean`, times n / divisor.
  double VarianceAbout(const Slice& x, double mean, double divisor) const {
    if (!defect_.one_pass) return Step(SumOfSquares(x, mean) / divisor);
    const double n = static_cast<double>(x.count);
    const double squares = Step(SumOfSquares(x, 0) / n);
    const double difference = std::max(0.0, Step(squares - Step(mean * mean)));
    return Step(difference * n / divisor);
  }

  double Product() const {
    double product = 1;
    for (int64_t i = 0; i < values_.dims[0]; ++i) product = Sum(product * Read(0, i));
    return product;
  }

  double Variance() const {
    const Slice x = Input(0, 0, values_.dims[0]);
    const auto correction =
        static_cast<double>(IntegerAttribute(*values_.source, kVarianceCorrection));
    return VarianceAbout(x, Mean(x), static_cast<double>(x.count) - correction);
  }

  double LayerNorm() const {
    const Slice x = Row();
    const int64_t column = index_ - x.from;
    const double mean = Mean(x);
    const double variance = VarianceAbout(x, mean, static_cast<double>(x.count));
    const double root = Step(std::sqrt(Step(variance + Scalar(kNormEpsilon))));
    const double normalized = Step(Step(At(x, column) - mean) / root);
    return Step(Step(normalized * Read(1, column)) + Read(2, column));
  }

  double RmsNorm() const {
    const Slice x = Row();
    const int64_t column = index_ - x.from;
    const double square = Step(SumOfSquares(x, 0) / static_cast<double>(x.count));
    const double root = Step(std::sqrt(Step(square + Scalar(kNormEpsilon))));
    return Step(Step(At(x, column) / root) * Read(1, column));
  }

  // Folded into a scale and a shift, which are what is kept narrow.
  double BatchNorm() const {
    const int64_t channel = index_ % values_.dims[1];
    const double root = Step(std::sqrt(Step(Read(2, channel) + Scalar(kNormEpsilon))));
    const double scale = Sum(Read(3, channel) / root);
    const double shift = Sum(Read(4, channel) - Step(Read(1, channel) * scale));
    return Step(Step(Read(0, index_) * scale) + shift);
  }

  double SoftmaxFamily() const {
    const bool reduces = values_.source->op == OpId::kLogSumExp;
    const int64_t length = values_.dims[1];
    const Slice x = reduces ? Input(0, index_ * length, length) : Row();
    double largest = defect_.shift ? -kInfinity : 0;
    for (int64_t i = 0; i < length && defect_.shift; ++i) largest = std::max(largest, At(x, i));
    double sum = 0;
    for (int64_t i = 0; i < length; ++i) sum = Sum(sum + Exponential(At(x, i), largest));
    if (reduces) return Step(largest + Step(std::log(sum)));
    const double own = Read(0, index_);
    if (values_.source->op == OpId::kSoftmax) return Step(Exponential(own, largest) / sum);
    return Step(Step(own - largest) - Step(std::log(sum)));
  }
  double Exponential(double x, double largest) const { return Sum(std::exp(Step(x - largest))); }

  double Attention() const {
    const int64_t queries = values_.dims[1], keys = values_.dims[2], head = values_.dims[3];
    const int64_t query = index_ / head % queries;
    const bool causal = values_.source->attributes[kAttentionCausal].choice == 1;
    const int64_t visible =
        causal ? std::clamp<int64_t>(query + keys - queries + 1, 0, keys) : keys;
    double largest = defect_.shift ? -kInfinity : 0;
    for (int64_t j = 0; j < visible && defect_.shift; ++j) largest = std::max(largest, Score(j));
    double sum = 0, weighted = 0;
    const int64_t first_key = index_ / head / queries * keys;
    for (int64_t j = 0; j < visible; ++j) {
      const double weight = Exponential(Score(j), largest);
      sum = Sum(sum + weight);
      const double v = Read(2, (first_key + j) * head + index_ % head);
      weighted = Step(weighted + Step(Factor(weight) * Factor(v)));
    }
    return Step(weighted / sum);
  }

  double Score(int64_t key) const {
    const int64_t queries = values_.dims[1], keys = values_.dims[2], head = values_.dims[3];
    const int64_t row = index_ / head;
    double sum = 0;
    for (int64_t d = 0; d < head; ++d) {
      const double q = Factor(Read(0, row * head + d));
      const double k = Factor(Read(1, (row / queries * keys + key) * head + d));
      sum = Step(sum + Step(q * k));
    }
    const double masked =
        Step(Step(sum * Scalar(kAttentionScale)) + Read(3, row % queries * keys + key));
    return defect_.scores ? Rounded(*defect_.scores, masked) : masked;
  }

  const Values& values_;
  const Defect& defect_;
  int64_t index_;
};

}  // namespace

bool EmulateRows(const Values& values, DefectModel model, int64_t index, double* out) {
  const std::optional<Defect> defect = DefectOf(values, model);
  if (!defect) return false;
  *out = RowKernel(values, *defect, index).Run();
  return true;
}

}  // namespace assay
