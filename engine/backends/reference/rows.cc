// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/backends/reference/formats.h"
#include "engine/backends/reference/functions.h"
#include "engine/backends/reference/kernels.h"

namespace assay::reference {
namespace {

// The largest number of a row. NaN is passed over; it returns in the sum of the exponentials.
template <class Format>
typename Format::Real RowMaximum(const View<Format>& x, int64_t row) {
  typename Format::Real maximum = -kInfinity<typename Format::Real>;
  for (int64_t j = 0; j < x.extent(1); ++j) {
    if (x.Get(row, j) > maximum) maximum = x.Get(row, j);
  }
  return maximum;
}

template <class Format>
void SoftmaxRow(uint32_t op, const View<Format>& x, const View<Format>& out, int64_t row) {
  using Real = typename Format::Real;
  const int64_t n = x.extent(1);
  const Real maximum = RowMaximum(x, row);
  Real sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += std::exp(x.Get(row, j) - maximum);
  const Real log_sum = op == ASSAY_OP_SOFTMAX ? Real{0} : std::log(sum);
  for (int64_t j = 0; j < n; ++j) {
    const Real shifted = x.Get(row, j) - maximum;
    out.Put(op == ASSAY_OP_SOFTMAX ? std::exp(shifted) / sum : shifted - log_sum, row, j);
  }
}

// An infinite maximum is the answer itself, unless there is a NaN: no difference to it is a number.
template <class Format>
typename Format::Real LogSumExp(const View<Format>& x, int64_t row) {
  using Real = typename Format::Real;
  const Real maximum = RowMaximum(x, row);
  Real sum = 0;
  for (int64_t j = 0; j < x.extent(1); ++j) {
    const Real value = x.Get(row, j);
    if (std::isnan(value)) return value;
    if (!std::isinf(maximum)) sum += std::exp(value - maximum);
  }
  return std::isinf(maximum) ? maximum : maximum + std::log(sum);
}

template <class Format>
void LayerNormRow(const AssayCall& call, const View<Format>& x, const View<Format>& out,
                  int64_t row) {
  using Real = typename Format::Real;
  const View<Format> gain(call.operands[1]), bias(call.operands[2]);
  const int64_t n = x.extent(1);
  Real mean = 0, squares = 0;
  for (int64_t j = 0; j < n; ++j) mean += x.Get(row, j);
  mean /= static_cast<Real>(n);
  for (int64_t j = 0; j < n; ++j) {
    const Real deviation = x.Get(row, j) - mean;
    squares += deviation * deviation;
  }
  const Real epsilon = static_cast<Real>(call.attributes[0]);
  const Real deviation = std::sqrt(squares / static_cast<Real>(n) + epsilon);
  for (int64_t j = 0; j < n; ++j) {
    out.Put((x.Get(row, j) - mean) / deviation * gain.Get(j) + bias.Get(j), row, j);
  }
}

template <class Format>
void RmsNormRow(const AssayCall& call, const View<Format>& x, const View<Format>& out,
                int64_t row) {
  using Real = typename Format::Real;
  const View<Format> gain(call.operands[1]);
  const int64_t n = x.extent(1);
  Real squares = 0;
  for (int64_t j = 0; j < n; ++j) squares += x.Get(row, j) * x.Get(row, j);
  const Real epsilon = static_cast<Real>(call.attributes[0]);
  const Real root = std::sqrt(squares / static_cast<Real>(n) + epsilon);
  for (int64_t j = 0; j < n; ++j) out.Put(x.Get(row, j) / root * gain.Get(j), row, j);
}

template <class Format>
void BatchNormRow(const AssayCall& call, const View<Format>& x, const View<Format>& out,
                  int64_t row) {
  using Real = typename Format::Real;
  const View<Format> mean(call.operands[1]), variance(call.operands[2]);
  const View<Format> gain(call.operands[3]), bias(call.operands[4]);
  const Real epsilon = static_cast<Real>(call.attributes[0]);
  for (int64_t j = 0; j < x.extent(1); ++j) {
    const Real normalized = (x.Get(row, j) - mean.Get(j)) / std::sqrt(variance.Get(j) + epsilon);
    out.Put(normalized * gain.Get(j) + bias.Get(j), row, j);
  }
}

template <class Format>
struct AttentionOperands {
  explicit AttentionOperands(const AssayCall& call)
      : q(call.operands[0]),
        k(call.operands[1]),
        v(call.operands[2]),
        mask(call.operands[3]),
        out(call.operands[4]),
        scale(static_cast<typename Format::Real>(call.attributes[0])),
        causal(call.attributes[1] != 0) {}
  View<Format> q, k, v, mask, out;
  typename Format::Real scale;
  bool causal;

  // Keys a query sees: the first so many.
  int64_t Visible(int64_t query) const {
    const int64_t keys = k.extent(1);
    const int64_t last = query + keys - q.extent(1);
    return !causal || last >= keys - 1 ? keys : last < 0 ? 0 : last + 1;
  }
};

// Leaves exp(score - largest score) of the visible keys in `weights` and returns their sum.
template <class Format>
typename Format::Real Weights(const AttentionOperands<Format>& a, int64_t head, int64_t query,
                              std::vector<typename Format::Real>& weights) {
  using Real = typename Format::Real;
  weights.clear();
  Real maximum = -kInfinity<Real>;
  for (int64_t j = 0; j < a.Visible(query); ++j) {
    Real product = 0;
    for (int64_t d = 0; d < a.q.extent(2); ++d) {
      product += a.q.Get(head, query, d) * a.k.Get(head, j, d);
    }
    weights.push_back(a.scale * product + a.mask.Get(query, j));
    if (weights.back() > maximum) maximum = weights.back();
  }
  Real sum = 0;
  for (Real& weight : weights) {
    weight = std::exp(weight - maximum);
    sum += weight;
  }
  return sum;
}

}  // namespace

void Softmax(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), out(call.operands[1]);
    for (int64_t row = 0; row < x.extent(0); ++row) {
      if (call.op == ASSAY_OP_LOG_SUM_EXP) {
        out.Put(LogSumExp(x, row), row);
      } else {
        SoftmaxRow(call.op, x, out, row);
      }
    }
  });
}

void Normalize(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    const View<decltype(format)> x(call.operands[0]), out(call.operands[call.operand_count - 1]);
    for (int64_t row = 0; row < x.extent(0); ++row) {
      if (call.op == ASSAY_OP_LAYER_NORM) {
        LayerNormRow(call, x, out, row);
      } else if (call.op == ASSAY_OP_RMS_NORM) {
        RmsNormRow(call, x, out, row);
      } else {
        BatchNormRow(call, x, out, row);
      }
    }
  });
}

// The weights stay in the type of the sums. A query that sees no key is 0 / 0.
void Attention(const AssayCall& call) {
  WithFormat(TypeOf(call.operands[0]), [&](auto format) {
    using Real = typename decltype(format)::Real;
    const AttentionOperands<decltype(format)> a(call);
    std::vector<Real> weights;
    for (int64_t head = 0; head < a.out.extent(0); ++head) {
      for (int64_t query = 0; query < a.out.extent(1); ++query) {
        const Real total = Weights(a, head, query, weights);
        for (int64_t d = 0; d < a.out.extent(2); ++d) {
          Real sum = 0;
          for (size_t j = 0; j < weights.size(); ++j) {
            sum += weights[j] * a.v.Get(head, static_cast<int64_t>(j), d);
          }
          a.out.Put(sum / total, head, query, d);
        }
      }
    }
  });
}

}  // namespace assay::reference
