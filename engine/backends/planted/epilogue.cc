// SPDX-License-Identifier: Apache-2.0
//
// fused_linear and scaled_gradient: products with an epilogue, one fault each.
#include <cmath>
#include <limits>

#include "engine/backends/planted/arithmetic.h"
#include "engine/backends/planted/dense.h"
#include "engine/backends/planted/kernels.h"

namespace assay::planted {
namespace {

enum Activation { kNone = 0, kRelu, kGeluErf, kGeluTanh, kSilu, kSigmoid, kTanh };

template <class Acc>
Acc Sigmoid(Acc z) {
  if (z >= 0) return 1 / (1 + std::exp(-z));
  const Acc e = std::exp(z);
  return e / (1 + e);
}

template <class Acc>
Acc Activate(int activation, Acc z) {
  constexpr Acc kInverseSqrt2 = static_cast<Acc>(0.70710678118654752440);
  constexpr Acc kSqrt2OverPi = static_cast<Acc>(0.79788456080286535588);
  switch (activation) {
    case kRelu:
      return z < 0 ? Acc{0} : z;
    case kGeluErf:
      return std::isinf(z) && z < 0 ? Acc{0}
                                    : static_cast<Acc>(0.5) * z * std::erfc(-z * kInverseSqrt2);
    case kGeluTanh:
      return z * Sigmoid(2 * kSqrt2OverPi * (z + static_cast<Acc>(0.044715) * z * z * z));
    case kSilu:
      return std::isinf(z) && z < 0 ? Acc{0} : z * Sigmoid(z);
    case kSigmoid:
      return Sigmoid(z);
    case kTanh:
      return std::tanh(z);
    default:
      return z;
  }
}

// What happens to the product before the bias, which activation is taken, and where the residual is
// added.
struct Epilogue {
  bool product_stored = false;       // in the output's type, f16 where that is f32 or f64
  bool bias_in_accumulator = false;  // the sum starts at the bias
  bool tanh_for_erf = false;
  bool residual_after_cast = false;
};

Format StoredFormat(DType type) { return type == DType::kBf16 ? Format::kBf16 : Format::kF16; }

template <class Acc>
void Linear(const AssayCall& call, const Epilogue& epilogue) {
  const std::vector<double> x = ReadDense(call.operands[0]), w = ReadDense(call.operands[1]);
  const std::vector<double> bias = ReadDense(call.operands[2]);
  const std::vector<double> residual = ReadDense(call.operands[3]);
  const int64_t m = call.operands[4].shape[0], n = call.operands[4].shape[1];
  const int64_t k = call.operands[0].shape[1];
  const DType type = TypeOf(call.operands[0]);
  int activation = static_cast<int>(call.attributes[0]);
  if (epilogue.tanh_for_erf && activation == kGeluErf) activation = kGeluTanh;
  std::vector<double> out;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const Acc b = static_cast<Acc>(bias[static_cast<size_t>(j)]);
      Acc z = epilogue.bias_in_accumulator ? b : Acc{0};
      for (int64_t p = 0; p < k; ++p) {
        z += static_cast<Acc>(x[static_cast<size_t>(i * k + p)]) *
             static_cast<Acc>(w[static_cast<size_t>(p * n + j)]);
      }
      if (epilogue.product_stored) z = static_cast<Acc>(Round(StoredFormat(type), z));
      if (!epilogue.bias_in_accumulator) z += b;
      const Acc r = static_cast<Acc>(residual[static_cast<size_t>(i * n + j)]);
      const Acc y = Activate(activation, z);
      out.push_back(epilogue.residual_after_cast
                        ? static_cast<Acc>(Round(StoredFormat(type), y)) + r
                        : y + r);
    }
  }
  WriteDense(call.operands[4], out);
}

int32_t RunLinear(const AssayCall& call, const Epilogue& epilogue) {
  return WithAccumulator(TypeOf(call.operands[0]),
                         [&](auto zero) { Linear<decltype(zero)>(call, epilogue); });
}

// How the gradient of a linear layer is unscaled.
struct Unscaling {
  bool narrow = false;            // in the type the scaled gradients are stored in
  bool bias_forgotten = false;    // the last column keeps the scale
  bool overflow_clamped = false;  // a NaN-ignoring comparison finds the largest gradient finite
  bool reversed = false;          // rows added from the last to the first
};

int32_t RunGradient(const AssayCall& call, const Unscaling& unscaling) {
  const std::vector<double> dy = ReadDense(call.operands[0]), x = ReadDense(call.operands[1]);
  const int64_t m = call.operands[0].shape[0], n = call.operands[0].shape[1];
  const int64_t k = call.operands[1].shape[1];
  const float scale = static_cast<float>(call.attributes[0]);
  const Format store = call.attributes[1] == 0 ? Format::kF16 : Format::kBf16;
  std::vector<double> out;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t column = 0; column <= k; ++column) {
      float sum = 0;
      for (int64_t row = 0; row < m; ++row) {
        const int64_t i = unscaling.reversed ? m - 1 - row : row;
        float scaled = scale * static_cast<float>(dy[static_cast<size_t>(i * n + j)]);
        scaled = static_cast<float>(Round(store, scaled));
        if (unscaling.overflow_clamped && std::isinf(scaled)) {
          scaled = std::copysign(static_cast<float>(InfoOf(store).largest), scaled);
        }
        sum += scaled *
               (column < k ? static_cast<float>(x[static_cast<size_t>(i * k + column)]) : 1.0f);
      }
      if (unscaling.narrow) sum = static_cast<float>(Round(store, sum));
      const bool forgotten = unscaling.bias_forgotten && column == k;
      float gradient = forgotten ? sum : sum / scale;
      if (unscaling.narrow) gradient = static_cast<float>(Round(store, gradient));
      out.push_back(gradient);
    }
  }
  WriteDense(call.operands[2], out);
  return ASSAY_OK;
}

}  // namespace

int32_t LinearProductStored(const AssayCall& call) {
  return RunLinear(call, {.product_stored = true});
}
int32_t LinearTanhGelu(const AssayCall& call) { return RunLinear(call, {.tanh_for_erf = true}); }
int32_t LinearResidualAfterCast(const AssayCall& call) {
  return RunLinear(call, {.residual_after_cast = true});
}
int32_t LinearBiasFirst(const AssayCall& call) {
  return RunLinear(call, {.bias_in_accumulator = true});
}

int32_t GradientUnscaledNarrow(const AssayCall& call) {
  return RunGradient(call, {.narrow = true});
}
int32_t GradientBiasScaled(const AssayCall& call) {
  return RunGradient(call, {.bias_forgotten = true});
}
int32_t GradientOverflowClamped(const AssayCall& call) {
  return RunGradient(call, {.overflow_clamped = true});
}
int32_t GradientReversed(const AssayCall& call) { return RunGradient(call, {.reversed = true}); }

}  // namespace assay::planted
