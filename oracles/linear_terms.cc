// SPDX-License-Identifier: Apache-2.0
#include "oracles/linear_terms.h"

#include <cmath>

#include "oracles/exchange.h"
#include "oracles/sums_pack.h"

namespace assay {
namespace {

// Element (row, column) of a matrix of `rows` x `columns` that may be stored transposed.
double At(const double* matrix, int64_t rows, int64_t columns, bool transposed, int64_t row,
          int64_t column) {
  return transposed ? matrix[column * rows + row] : matrix[row * columns + column];
}

void GemmTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const OpId op = values.source->op;
  const bool vector = op == OpId::kGemv;
  const int from = op == OpId::kBatchedGemm ? 1 : 0;
  const int64_t m = values.dims[from], n = vector ? 1 : values.dims[from + 1];
  const int64_t k = values.dims[from + (vector ? 1 : 2)];
  const int64_t batch = index / (m * n), row = index / n % m, column = index % n;
  const auto& attributes = values.source->attributes;
  const bool a_transposed = attributes[kGemmTransA].choice == 1;
  const bool b_transposed = !vector && attributes[kGemmTransB].choice == 1;
  terms.alpha = ScalarAttribute(*values.source, kGemmAlpha);
  terms.beta = ScalarAttribute(*values.source, kGemmBeta);
  if (terms.beta != 0) terms.c = values.operands[2].real[index];
  if (terms.alpha == 0) return;
  const double* a = values.operands[0].real.data() + batch * m * k;
  const double* b = values.operands[1].real.data() + batch * k * n;
  for (int64_t p = 0; p < k; ++p) {
    terms.Add(At(a, m, k, a_transposed, row, p), At(b, k, n, b_transposed, p, column));
  }
}

void LinearLayerTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const int64_t n = values.dims[1], k = values.dims[2];
  const int64_t row = index / n, column = index % n;
  for (int64_t p = 0; p < k; ++p) {
    terms.Add(values.operands[0].real[row * k + p], values.operands[1].real[p * n + column]);
  }
  terms.beta = 1;
  terms.c = values.operands[2].real[column];
  terms.residual = values.operands[3].real[index];
  terms.activation = static_cast<Activation>(values.source->attributes[kLinearActivation].choice);
}

void ConvolutionTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const NamedDims& dims = values.dims;
  const Dims& out = values.operands[2].shape;
  const int64_t stride = IntegerAttribute(*values.source, kConvStride);
  const int64_t padding = IntegerAttribute(*values.source, kConvPadding);
  const int64_t dilation = IntegerAttribute(*values.source, kConvDilation);
  const int64_t place = index % (out[2] * out[3]), filter = index / (out[2] * out[3]) % dims[4];
  const int64_t image = index / (out[2] * out[3] * dims[4]);
  const std::vector<double>&x = values.operands[0].real, &w = values.operands[1].real;
  for (int64_t channel = 0; channel < dims[1]; ++channel) {
    for (int64_t i = 0; i < dims[5]; ++i) {
      const int64_t row = place / out[3] * stride - padding + i * dilation;
      for (int64_t j = 0; j < dims[6]; ++j) {
        const int64_t column = place % out[3] * stride - padding + j * dilation;
        if (row < 0 || row >= dims[2] || column < 0 || column >= dims[3]) continue;
        terms.Add(x[((image * dims[1] + channel) * dims[2] + row) * dims[3] + column],
                  w[((filter * dims[1] + channel) * dims[5] + i) * dims[6] + j]);
      }
    }
  }
}

void PoolTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const Dims& out = values.operands[1].shape;
  const int64_t plane = index / (out[2] * out[3]), place = index % (out[2] * out[3]);
  const PoolWindow inside = WindowAt(values, place / out[3], place % out[3]);
  for (int64_t row = inside.top; row < inside.bottom; ++row) {
    for (int64_t column = inside.left; column < inside.right; ++column) {
      terms.Add(values.operands[0].real[(plane * values.dims[2] + row) * values.dims[3] + column]);
    }
  }
  const int64_t window = IntegerAttribute(*values.source, kPoolWindow);
  const bool valid_only = values.source->attributes[kPoolCount].choice == 0;
  terms.divisor = static_cast<double>(valid_only ? inside.count() : window * window);
}

void ScatterTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const int64_t width = values.dims[1], row = index / width, column = index % width;
  const std::vector<int64_t>& indices = values.operands[1].integer;
  terms.Add(values.operands[2].real[index]);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != row) continue;
    terms.Add(values.operands[0].real[static_cast<int64_t>(i) * width + column]);
  }
}

void GradientTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const int64_t rows = values.dims[1], columns = values.dims[2] + 1;
  const int64_t row = index / columns, column = index % columns;
  const Format store = GradientStore(*values.source);
  terms.divisor = ScalarAttribute(*values.source, kGradientScale);
  for (int64_t i = 0; i < values.dims[0]; ++i) {
    const double dy = values.operands[0].real[i * rows + row];
    const bool bias = column == columns - 1;
    terms.Add(StoreGradient(store, terms.divisor, dy).value,
              bias ? 1 : values.operands[1].real[i * (columns - 1) + column]);
  }
}

void CollectiveTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const OperandValues& buffers = values.operands[0];
  const OpId op = values.source->op;
  const int64_t ranks = values.dims[0], places = buffers.count / ranks;
  if (op == OpId::kAllGather) return terms.Add(buffers.real[index % buffers.count]);
  const int64_t place = op == OpId::kAllReduce ? index % values.dims[1] : index;
  const int choice = values.source->attributes[kCollectiveReduction].choice;
  double best = buffers.real[place];
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const double value = buffers.real[rank * places + place];
    if (choice <= 1) terms.Add(value);
    best = choice == 2 ? std::fmax(best, value) : std::fmin(best, value);
  }
  if (choice > 1) terms.Add(best);
  if (choice == 1) terms.divisor = static_cast<double>(ranks);
}

void UpdateTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const OperandValues& a = values.operands.back();
  const int64_t columns = a.shape[1], row = index / columns, column = index % columns;
  const bool symmetric = values.source->op == OpId::kSyr;
  terms.beta = 1;
  terms.c = a.real[index];
  terms.alpha = ScalarAttribute(*values.source, kUpdateAlpha);
  if (terms.alpha == 0 || IsKept(*values.source, row, column)) return;
  terms.Add(values.operands[0].real[row], values.operands[symmetric ? 0 : 1].real[column]);
}

void TriangularTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const Triangle triangle = TriangleOf(*values.source);
  const OperandValues &a = values.operands[0], &b = values.operands[1];
  const int64_t order = a.shape[0];
  const int64_t columns = values.source->op == OpId::kTrmv ? 1 : values.dims[1];
  const int64_t row = index / columns, column = index % columns;
  terms.alpha = triangle.alpha;
  if (terms.alpha == 0) return;
  for (int64_t k = 0; k < order; ++k) {
    const int64_t i = triangle.right ? k : row, j = triangle.right ? column : k;
    if (!triangle.Holds(i, j)) continue;
    terms.Add(triangle.At(a.real.data(), order, i, j),
              b.real[triangle.right ? row * columns + k : k * columns + column]);
  }
}

void VectorTerms(const Values& values, int64_t index, LinearTerms& terms) {
  const OpId op = values.source->op;
  const std::vector<double>& x = values.operands[0].real;
  switch (op) {
    case OpId::kScal:
      return terms.Add(x[index], ScalarAttribute(*values.source, 0));
    case OpId::kAxpy:
      terms.alpha = ScalarAttribute(*values.source, 0);
      terms.beta = 1;
      terms.c = values.operands[1].real[index];
      if (terms.alpha != 0) terms.Add(x[index]);
      return;
    case OpId::kCumsum:
      terms.a.assign(x.begin(), x.begin() + index + 1);
      return;
    default:
      break;
  }
  terms.a = x;
  if (op == OpId::kDot) terms.b = values.operands[1].real;
  if (op == OpId::kMean) terms.divisor = static_cast<double>(x.size());
  if (op == OpId::kAsum) {
    for (double& value : terms.a) value = std::fabs(value);
  }
  if (op == OpId::kNanSum) {
    for (double& value : terms.a) value = std::isnan(value) ? 0 : value;
  }
}

}  // namespace

bool GatherTerms(const Values& values, int64_t index, LinearTerms& terms) {
  terms.Reset();
  terms.input = values.operands[0].dtype;
  terms.output = values.operands.back().dtype;
  switch (values.op->family) {
    case Family::kGemm:
      GemmTerms(values, index, terms);
      return true;
    case Family::kDot:
    case Family::kSum:
    case Family::kVector:
      VectorTerms(values, index, terms);
      return true;
    case Family::kUpdate:
      UpdateTerms(values, index, terms);
      return true;
    case Family::kTriangular:
      TriangularTerms(values, index, terms);
      return true;
    case Family::kLinear:
      LinearLayerTerms(values, index, terms);
      return true;
    case Family::kConv:
      ConvolutionTerms(values, index, terms);
      return true;
    case Family::kPool:
      if (values.source->op != OpId::kAvgPool) return false;
      PoolTerms(values, index, terms);
      return true;
    case Family::kScatter:
      ScatterTerms(values, index, terms);
      return true;
    case Family::kGradient:
      GradientTerms(values, index, terms);
      return true;
    case Family::kCollective:
      CollectiveTerms(values, index, terms);
      return true;
    default:
      return false;
  }
}

}  // namespace assay
