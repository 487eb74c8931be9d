// SPDX-License-Identifier: Apache-2.0
//
// variance, nrm2 and the norms with one fault each, and those that are right in an unusual way.
#include <cmath>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"

namespace assay::planted {
namespace {

template <class Acc>
struct Moments {
  Acc mean = 0, variance = 0;  // the sum of squared deviations over n
};

// E[x^2] - E[x]^2, clamped: what remains of the variance once the mean is far above the spread is
// the rounding of the squares.
template <class Acc>
Moments<Acc> OnePass(const double* x, int64_t n) {
  Acc sum = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Acc value = static_cast<Acc>(x[i]);
    sum += value;
    squares += value * value;
  }
  const Acc mean = sum / static_cast<Acc>(n);
  const Acc variance = squares / static_cast<Acc>(n) - mean * mean;
  return {mean, variance > 0 ? variance : (std::isnan(variance) ? variance : Acc{0})};
}

// As OnePass, but the clamp is a native maximum, which turns NaN into 0.
template <class Acc>
Moments<Acc> TwoPassNanClamped(const double* x, int64_t n) {
  Acc sum = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<Acc>(x[i]);
  const Acc mean = sum / static_cast<Acc>(n);
  for (int64_t i = 0; i < n; ++i) {
    const Acc d = static_cast<Acc>(x[i]) - mean;
    squares += d * d;
  }
  const Acc variance = squares / static_cast<Acc>(n);
  return {mean, variance > 0 ? variance : Acc{0}};
}

template <class Acc>
Moments<Acc> Welford(const double* x, int64_t n) {
  Acc mean = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Acc delta = static_cast<Acc>(x[i]) - mean;
    mean += delta / static_cast<Acc>(i + 1);
    squares += delta * (static_cast<Acc>(x[i]) - mean);
  }
  return {mean, n > 0 ? squares / static_cast<Acc>(n) : squares / Acc{0}};
}

// variance, or layer_norm with `moments` of each row. Folded: x r - mean r + b.
template <class Acc, class MomentsOf>
void Normalize(const AssayCall& call, bool folded, const MomentsOf& moments_of) {
  const std::vector<double> x = ReadDense(call.operands[0]);
  const int output = call.operand_count - 1;
  std::vector<double> out;
  if (call.op == ASSAY_OP_VARIANCE) {
    const auto n = static_cast<int64_t>(x.size());
    const Acc divisor = static_cast<Acc>(n) - static_cast<Acc>(call.attributes[0]);
    const Moments<Acc> moments = moments_of(x.data(), n);
    out.push_back(divisor > 0 ? moments.variance * (static_cast<Acc>(n) / divisor)
                              : Acc{0} / Acc{0});
    return WriteDense(call.operands[output], out);
  }
  const std::vector<double> gain = ReadDense(call.operands[1]);
  const bool layer = call.op == ASSAY_OP_LAYER_NORM;
  const std::vector<double> bias = layer ? ReadDense(call.operands[2]) : std::vector<double>();
  const auto n = static_cast<int64_t>(gain.size());
  for (int64_t row = 0; row < call.operands[0].shape[0]; ++row) {
    const double* from = x.data() + row * n;
    const Moments<Acc> moments = moments_of(from, n);
    const Acc r = 1 / std::sqrt(moments.variance + static_cast<Acc>(call.attributes[0]));
    for (int64_t i = 0; i < n; ++i) {
      const Acc value = static_cast<Acc>(from[i]);
      const Acc h = folded ? value * r - moments.mean * r : (value - moments.mean) * r;
      out.push_back(h * static_cast<Acc>(gain[static_cast<size_t>(i)]) +
                    (layer ? static_cast<Acc>(bias[static_cast<size_t>(i)]) : Acc{0}));
    }
  }
  WriteDense(call.operands[output], out);
}

}  // namespace

int32_t NormOnePass(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    Normalize<decltype(zero)>(call, false, OnePass<decltype(zero)>);
  });
}
int32_t NormNanClamped(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    Normalize<decltype(zero)>(call, false, TwoPassNanClamped<decltype(zero)>);
  });
}
int32_t NormWelford(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    Normalize<decltype(zero)>(call, false, Welford<decltype(zero)>);
  });
}
int32_t NormFolded(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    Normalize<decltype(zero)>(call, true, Welford<decltype(zero)>);
  });
}

// The squares overflow and underflow where the norm is an ordinary number.
int32_t Nrm2Unscaled(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    using Acc = decltype(zero);
    Acc squares = 0;
    for (const double x : ReadDense(call.operands[0])) {
      squares += static_cast<Acc>(x) * static_cast<Acc>(x);
    }
    WriteDense(call.operands[1], {std::sqrt(squares)});
  });
}

// A NaN is taken for the running mean of its channel, as if a missing value could be made up from
// its neighbours.
int32_t BatchNormNanInterpolated(const AssayCall& call) {
  return WithAccumulator(TypeOf(call.operands[0]), [&](auto zero) {
    using Acc = decltype(zero);
    const std::vector<double> x = ReadDense(call.operands[0]);
    const std::vector<double> mean = ReadDense(call.operands[1]);
    const std::vector<double> variance = ReadDense(call.operands[2]);
    const std::vector<double> gain = ReadDense(call.operands[3]);
    const std::vector<double> bias = ReadDense(call.operands[4]);
    std::vector<double> out;
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t channel = i % mean.size();
      Acc value = static_cast<Acc>(x[i]);
      if (std::isnan(value)) value = static_cast<Acc>(mean[channel]);
      const Acc r =
          1 / std::sqrt(static_cast<Acc>(variance[channel]) + static_cast<Acc>(call.attributes[0]));
      out.push_back((value - static_cast<Acc>(mean[channel])) * r *
                        static_cast<Acc>(gain[channel]) +
                    static_cast<Acc>(bias[channel]));
    }
    WriteDense(call.operands[5], out);
  });
}

}  // namespace assay::planted
