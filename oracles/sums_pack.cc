// SPDX-License-Identifier: Apache-2.0
#include "oracles/sums_pack.h"

#include <algorithm>
#include <cmath>

#include "contracts/invariant.h"
#include "oracles/enclosure.h"
#include "oracles/lane_scan.h"

namespace assay {
namespace {

// With fewer columns a panel would mostly multiply padding.
constexpr int64_t kPanelMinimum = 3;

bool Transposed(const Values& values, int attribute) {
  return values.source->attributes[attribute].choice == 1;
}

// to[column][row] = from[row][column], row-major both.
void Transpose(const double* from, int64_t rows, int64_t columns, std::vector<double>& to) {
  to.resize(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      to[column * rows + row] = from[row * columns + column];
    }
  }
}

}  // namespace

Format GradientStore(const Case& value) {
  return value.attributes[kGradientStore].choice == 0 ? Format::kF16 : Format::kBf16;
}

StoredGradient StoreGradient(Format store, double scale, double dy) {
  const double product = scale * dy;  // of two numbers of 24 bits: exact
  return {Round(store, Round(Format::kF32, product)), Round(store, product)};
}

PoolWindow WindowAt(const Values& values, int64_t row, int64_t column) {
  const int64_t window = IntegerAttribute(*values.source, kPoolWindow);
  const int64_t stride = IntegerAttribute(*values.source, kPoolStride);
  const int64_t padding = IntegerAttribute(*values.source, kPoolPadding);
  const int64_t top = row * stride - padding, left = column * stride - padding;
  const int64_t height = values.dims[2], width = values.dims[3];
  return {std::max<int64_t>(0, top), std::min(height, top + window), std::max<int64_t>(0, left),
          std::min(width, left + window)};
}

void SumsPacker::PackLeft(const double* a, bool transposed, SumsView& view) {
  view.a = a;
  if (!transposed) return;
  Transpose(a, view.length, view.rows, packed_a_);
  view.a = packed_a_.data();
}

void SumsPacker::PackRight(const double* b, bool transposed, SumsView& view) {
  const int64_t length = view.length, columns = view.columns;
  view.panels = columns >= kPanelMinimum;
  if (!view.panels) {
    if (transposed || columns == 1) {
      view.b = b;
    } else {
      Transpose(b, length, columns, packed_b_);
      view.b = packed_b_.data();
    }
    return;
  }
  if (columns == kPanelColumns && !transposed) {  // already one panel
    view.b = b;
    return;
  }
  const int64_t panels = (columns + kPanelColumns - 1) / kPanelColumns;
  packed_b_.assign(static_cast<size_t>(panels * length * kPanelColumns), 0);
  for (int64_t column = 0; column < columns; ++column) {
    const double* from = b + (transposed ? column * length : column);
    const int64_t stride = transposed ? 1 : columns;
    double* to =
        packed_b_.data() + column / kPanelColumns * length * kPanelColumns + column % kPanelColumns;
    for (int64_t k = 0; k < length; ++k) to[k * kPanelColumns] = from[k * stride];
  }
  view.b = packed_b_.data();
}

// gemm, gemv, batched_gemm and the products of fused_linear.
void SumsPacker::Matrices(const Values& values, int64_t batch, SumsView& view) {
  const OpId op = values.source->op;
  const bool vector = op == OpId::kGemv, linear = op == OpId::kFusedLinear;
  const int from = op == OpId::kBatchedGemm ? 1 : 0;
  view.rows = values.dims[from];
  view.columns = vector ? 1 : values.dims[from + 1];
  view.length = values.dims[from + (vector ? 1 : 2)];
  view.first = batch * view.count();
  const OperandValues &a = values.operands[0], &b = values.operands[1];
  DescribeLeft(a, view);
  DescribeRight(b, view);
  const int64_t a_count = view.rows * view.length, b_count = view.length * view.columns;
  const double* a_from = a.real.data() + batch * a_count;
  const double* b_from = b.real.data() + batch * b_count;
  view.zeros = AnyZero(a_from, a_count) || AnyZero(b_from, b_count);
  PackLeft(a_from, !linear && Transposed(values, kGemmTransA), view);
  PackRight(b_from, !linear && !vector && Transposed(values, kGemmTransB), view);
  if (linear) return Biased(values, view);
  view.alpha = ScalarAttribute(*values.source, kGemmAlpha);
  view.beta = ScalarAttribute(*values.source, kGemmBeta);
  DescribeAddend(values.operands[2], view);
  view.c = values.operands[2].real.data() + view.first;
}

void SumsPacker::Biased(const Values& values, SumsView& view) {
  const OperandValues& bias = values.operands[2];
  DescribeAddend(bias, view);
  packed_c_.resize(static_cast<size_t>(view.count()));
  for (int64_t row = 0; row < view.rows; ++row) {
    std::copy(bias.real.begin(), bias.real.end(), packed_c_.begin() + row * view.columns);
  }
  view.beta = 1;
  view.c = packed_c_.data();
}

// dot, sum, mean, asum; scal and axpy, a sum of one product for each output.
void SumsPacker::Vectors(const Values& values, SumsView& view) {
  const OpId op = values.source->op;
  const OperandValues& x = values.operands[0];
  DescribeLeft(x, view);
  view.a = x.real.data();
  view.length = values.dims[0];
  view.zeros = AnyZero(view.a, x.count);
  if (op == OpId::kDot) {
    DescribeRight(values.operands[1], view);
    view.b = values.operands[1].real.data();
    view.zeros |= AnyZero(view.b, x.count);
  } else if (op == OpId::kAsum) {
    packed_a_.resize(x.real.size());
    std::transform(x.real.begin(), x.real.end(), packed_a_.begin(),
                   [](double value) { return std::fabs(value); });
    view.a = packed_a_.data();
  } else if (op == OpId::kNanSum && x.any_nan) {  // a NaN is as good as a zero
    packed_a_.resize(x.real.size());
    std::transform(x.real.begin(), x.real.end(), packed_a_.begin(),
                   [](double value) { return std::isnan(value) ? 0 : value; });
    view.a = packed_a_.data();
    view.any_special_a = x.any_inf;
    view.zeros = true;
  } else if (op == OpId::kScal || op == OpId::kAxpy) {
    view.rows = view.length;
    view.length = 1;
    factor_ = ScalarAttribute(*values.source, 0);
  }
  if (op == OpId::kScal) {  // alpha as a factor: a zero is multiplied like any other number
    view.b = &factor_;
    view.max_abs_b = std::isfinite(factor_) ? std::fabs(factor_) : 0;
    view.any_special_b = !std::isfinite(factor_);
    view.zeros |= factor_ == 0;
  } else if (op == OpId::kAxpy) {
    view.alpha = factor_;
    view.beta = 1;
    DescribeAddend(values.operands[1], view);
    view.c = values.operands[1].real.data();
  }
}

// One image: filters against its patches.
void SumsPacker::Convolution(const Values& values, int64_t batch, SumsView& view) {
  const OperandValues &x = values.operands[0], &w = values.operands[1];
  const NamedDims& dims = values.dims;
  const int64_t channels = dims[1], height = dims[2], width = dims[3];
  const int64_t kernel_h = dims[5], kernel_w = dims[6];
  const int64_t stride = IntegerAttribute(*values.source, kConvStride);
  const int64_t padding = IntegerAttribute(*values.source, kConvPadding);
  const int64_t dilation = IntegerAttribute(*values.source, kConvDilation);
  const Dims& out = values.operands[2].shape;
  view.rows = dims[4];
  view.columns = out[2] * out[3];
  view.length = channels * kernel_h * kernel_w;
  view.first = batch * view.count();
  DescribeLeft(w, view);
  DescribeRight(x, view);
  view.a = w.real.data();
  const auto patches = static_cast<size_t>(view.columns * view.length);
  staged_.assign(patches, 0);
  absent_.assign(view.any_special_a && padding > 0 ? patches : 0, 1);
  const double* image = x.real.data() + batch * channels * height * width;
  size_t at = 0;
  for (int64_t column = 0; column < view.columns; ++column) {
    const int64_t top = column / out[3] * stride - padding;
    const int64_t left = column % out[3] * stride - padding;
    for (int64_t k = 0; k < view.length; ++k, ++at) {
      const int64_t row = top + k / kernel_w % kernel_h * dilation;
      const int64_t place = left + k % kernel_w * dilation;
      if (row < 0 || row >= height || place < 0 || place >= width) continue;
      staged_[at] = image[(k / (kernel_h * kernel_w) * height + row) * width + place];
      if (!absent_.empty()) absent_[at] = 0;
    }
  }
  if (!absent_.empty()) view.absent = absent_.data();
  view.zeros = AnyZero(view.a, w.count) || AnyZero(staged_.data(), view.columns * view.length);
  PackRight(staged_.data(), /*transposed=*/true, view);
}

// One plane of one image: a window per row, zeros where it hangs over.
void SumsPacker::Pool(const Values& values, int64_t plane, SumsView& view) {
  const OperandValues& x = values.operands[0];
  const Dims& out = values.operands[1].shape;
  const int64_t height = values.dims[2], width = values.dims[3];
  const int64_t window = IntegerAttribute(*values.source, kPoolWindow);
  view.rows = out[2] * out[3];
  view.length = window * window;
  view.first = plane * view.rows;
  DescribeLeft(x, view);
  packed_a_.assign(static_cast<size_t>(view.rows * view.length), 0);
  const double* image = x.real.data() + plane * height * width;
  for (int64_t at = 0; at < view.rows; ++at) {
    const PoolWindow inside = WindowAt(values, at / out[3], at % out[3]);
    double* to = packed_a_.data() + at * view.length;
    for (int64_t row = inside.top; row < inside.bottom; ++row) {
      to = std::copy(image + row * width + inside.left, image + row * width + inside.right, to);
    }
  }
  view.a = packed_a_.data();
  view.zeros = AnyZero(view.a, view.rows * view.length);
}

// One row of the output: what it held, then its updates.
void SumsPacker::Scatter(const Values& values, int64_t row, SumsView& view) {
  const OperandValues &updates = values.operands[0], &base = values.operands[2];
  const int64_t width = values.dims[1];
  const int64_t begin = first_update_[static_cast<size_t>(row)];
  const int64_t end = first_update_[static_cast<size_t>(row) + 1];
  view.rows = width;
  view.length = 1 + end - begin;
  view.first = row * width;
  DescribeLeft(updates, view);
  DescribeLeft(base, view);
  packed_a_.resize(static_cast<size_t>(width * view.length));
  for (int64_t column = 0; column < width; ++column) {
    double* to = packed_a_.data() + column * view.length;
    *to++ = base.real[row * width + column];
    for (int64_t i = begin; i < end; ++i) {
      *to++ = updates.real[updates_[static_cast<size_t>(i)] * width + column];
    }
  }
  view.a = packed_a_.data();
  view.zeros = AnyZero(view.a, view.rows * view.length);
}

void SumsPacker::Ranks(const Values& values, SumsView& view) {
  const OperandValues& buffers = values.operands[0];
  const int64_t ranks = values.dims[0];
  const int64_t places = ranks == 0 ? 0 : buffers.count / ranks;  // parts side by side
  view.rows = places;
  view.length = ranks;
  DescribeLeft(buffers, view);
  Transpose(buffers.real.data(), ranks, places, packed_a_);
  view.a = packed_a_.data();
  view.zeros = AnyZero(view.a, view.rows * view.length);
}

void SumsPacker::Gradient(const Values& values, SumsView& view) {
  const OperandValues &dy = values.operands[0], &x = values.operands[1];
  const double scale = ScalarAttribute(*values.source, kGradientScale);
  const Format store = GradientStore(*values.source);
  view.length = values.dims[0];
  view.rows = values.dims[1];
  view.columns = values.dims[2] + 1;
  packed_a_.resize(dy.real.size());
  for (int64_t i = 0; i < view.length; ++i) {
    for (int64_t j = 0; j < view.rows; ++j) {
      const double stored = StoreGradient(store, scale, dy.real[i * view.rows + j]).value;
      packed_a_[j * view.length + i] = scale < 0 ? -stored : stored;
      if (std::isfinite(stored)) view.max_abs_a = std::max(view.max_abs_a, std::fabs(stored));
      view.any_special_a |= !std::isfinite(stored);
    }
  }
  view.a = packed_a_.data();
  DescribeRight(x, view);
  view.max_abs_b = std::max(view.max_abs_b, 1.0);
  staged_.assign(static_cast<size_t>(view.length * view.columns), 1);
  for (int64_t i = 0; i < view.length; ++i) {
    const double* from = x.real.data() + i * (view.columns - 1);
    std::copy(from, from + view.columns - 1, staged_.begin() + i * view.columns);
  }
  view.zeros = AnyZero(view.a, view.rows * view.length) ||
               AnyZero(staged_.data(), view.length * view.columns);
  PackRight(staged_.data(), /*transposed=*/false, view);
}

int64_t SumsPacker::Blocks(const Values& values) {
  switch (values.source->op) {
    case OpId::kBatchedGemm:
    case OpId::kConv2d:
      return values.dims[0];
    case OpId::kAvgPool:
      return values.dims[0] * values.dims[1];
    case OpId::kScatterAdd:
      break;
    default:
      return 1;
  }
  // Updates sorted by row, in order.
  const int64_t rows = values.dims[0];
  const std::vector<int64_t>& indices = values.operands[1].integer;
  first_update_.assign(static_cast<size_t>(rows) + 2, 0);
  const auto inside = [&](int64_t index) { return index >= 0 && index < rows; };
  for (const int64_t index : indices) {
    if (inside(index)) ++first_update_[static_cast<size_t>(index) + 2];
  }
  for (size_t row = 2; row < first_update_.size(); ++row) {
    first_update_[row] += first_update_[row - 1];
  }
  updates_.resize(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!inside(indices[i])) continue;
    int64_t& next = first_update_[static_cast<size_t>(indices[i]) + 1];
    updates_[static_cast<size_t>(next++)] = static_cast<int64_t>(i);
  }
  return rows;
}

SumsView SumsPacker::Block(const Values& values, int64_t block) {
  SumsView view;
  view.input = values.operands[0].dtype;
  view.output = values.operands.back().dtype;
  switch (values.source->op) {
    case OpId::kGemm:
    case OpId::kGemv:
    case OpId::kBatchedGemm:
    case OpId::kFusedLinear:
      Matrices(values, block, view);
      break;
    case OpId::kConv2d:
      Convolution(values, block, view);
      break;
    case OpId::kAvgPool:
      Pool(values, block, view);
      break;
    case OpId::kScatterAdd:
      Scatter(values, block, view);
      break;
    case OpId::kAllReduce:
    case OpId::kReduceScatter:
      Ranks(values, view);
      break;
    case OpId::kScaledGradient:
      Gradient(values, view);
      break;
    case OpId::kGer:
    case OpId::kSyr:
      RankOne(values, view);
      break;
    case OpId::kTrmv:
    case OpId::kTrmm:
      Triangular(values, view);
      break;
    default:
      Vectors(values, view);
      break;
  }
  view.exact_products = view.input != DType::kF64 || view.b == nullptr;
  return view;
}

}  // namespace assay
