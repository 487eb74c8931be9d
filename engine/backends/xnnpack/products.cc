// SPDX-License-Identifier: Apache-2.0
//
// Products as fully connected layers: rows of inputs times dense weights, stored as
// [outputs, inputs] or, by a flag, as [inputs, outputs].
#include "engine/backends/call_view.h"
#include "engine/backends/xnnpack/operation.h"

namespace assay::xnnpack {
namespace {

constexpr std::string_view kFloat32Only = "XNNPACK computes this in f32 only";
constexpr std::string_view kNoScalars = "a fully connected layer has no scalars: alpha 1, beta 0";
constexpr std::string_view kDenseWeights = "XNNPACK's weights are dense";
constexpr std::string_view kLayout = "XNNPACK's rows are dense and its strides step over them";
constexpr std::string_view kEmpty = "XNNPACK has no layers without channels";

struct Layer {
  int64_t batch = 0, inputs = 0, outputs = 0;
  int64_t input_stride = 0, output_stride = 0;
  bool transposed = false;  // weights as [inputs, outputs]
  const AssayTensor* input = nullptr;
  const AssayTensor* weights = nullptr;
  const AssayTensor* bias = nullptr;  // may be absent
  const AssayTensor* output = nullptr;
};

bool AllFloat32(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    if (!IsFloat(call.operands[i], 32)) return false;
  }
  return true;
}

// Rows and weights of c = op(a) op(b), from the arguments that a BLAS would take.
std::string_view FromMatrices(const AssayCall& call, const double* attributes, Layer& layer) {
  AssayCall product = call;
  product.attributes = attributes;
  product.operand_count = 3;
  const AssayTensor matrices[] = {*layer.input, *layer.weights, *layer.output};
  product.operands = matrices;
  GemmShape g;
  if (const std::string_view refusal = DeriveGemm(product, g); !refusal.empty()) return refusal;
  if (!g.row_major || g.trans_a) return kLayout;
  layer.batch = g.m;
  layer.inputs = g.k;
  layer.outputs = g.n;
  layer.input_stride = g.lda;
  layer.output_stride = g.ldc;
  layer.transposed = !g.trans_b;
  if (layer.inputs == 0 || layer.outputs == 0) return kEmpty;
  return g.ldb == (g.trans_b ? g.k : g.n) ? "" : kDenseWeights;
}

bool IsDenseVector(const AssayTensor& tensor) { return VectorOf(tensor).stride == 1; }

std::string_view LayerOfGemm(const AssayCall& call, Layer& layer) {
  if (call.attributes[0] != 1 || call.attributes[1] != 0) return kNoScalars;
  layer.input = &call.operands[0];
  layer.weights = &call.operands[1];
  layer.output = &call.operands[2];
  return FromMatrices(call, call.attributes, layer);
}

// One row of inputs; the matrix holds the weights.
std::string_view LayerOfGemv(const AssayCall& call, Layer& layer) {
  if (call.attributes[0] != 1 || call.attributes[1] != 0) return kNoScalars;
  layer.weights = &call.operands[0];
  layer.input = &call.operands[1];
  layer.output = &call.operands[2];
  if (!IsDenseVector(*layer.input) || !IsDenseVector(*layer.output)) return kLayout;
  layer.batch = 1;
  layer.inputs = layer.input_stride = layer.input->shape[0];
  layer.outputs = layer.output_stride = layer.output->shape[0];
  if (layer.inputs == 0 || layer.outputs == 0) return kEmpty;
  layer.transposed = call.attributes[2] != 0;
  const int64_t columns = layer.weights->shape[1], rows = layer.weights->shape[0];
  if (LeadingDimension(*layer.weights, 1) == columns) return {};
  layer.transposed = !layer.transposed;
  return LeadingDimension(*layer.weights, 0) == rows ? "" : kDenseWeights;
}

std::string_view LayerOfDot(const AssayCall& call, Layer& layer) {
  layer.input = &call.operands[0];
  layer.weights = &call.operands[1];
  layer.output = &call.operands[2];
  if (!IsDenseVector(*layer.input) || !IsDenseVector(*layer.weights)) return kLayout;
  layer.batch = layer.outputs = layer.output_stride = 1;
  layer.inputs = layer.input_stride = layer.input->shape[0];
  return layer.inputs == 0 ? kEmpty : "";
}

bool IsDense(const AssayTensor& matrix) {
  return LeadingDimension(matrix, 1) == std::max<int64_t>(1, matrix.shape[1]);
}

constexpr int kNoActivation = 0, kReluActivation = 1;

std::string_view LayerOfLinear(const AssayCall& call, Layer& layer) {
  if (call.attributes[0] != kNoActivation && call.attributes[0] != kReluActivation) {
    return "a fully connected layer of XNNPACK ends with bounds: no activation, or relu";
  }
  layer.input = &call.operands[0];
  layer.weights = &call.operands[1];
  layer.bias = &call.operands[2];
  layer.output = &call.operands[4];
  if (!IsDenseVector(*layer.bias)) return kDenseWeights;
  if (!IsDense(call.operands[3]) || !IsDense(*layer.output)) return kLayout;
  constexpr double kPlain[] = {1, 0, 0, 0};
  return FromMatrices(call, kPlain, layer);
}

std::string_view LayerOf(const AssayCall& call, Layer& layer) {
  if (!AllFloat32(call)) return kFloat32Only;
  switch (call.op) {
    case ASSAY_OP_GEMM:
      return LayerOfGemm(call, layer);
    case ASSAY_OP_GEMV:
      return LayerOfGemv(call, layer);
    case ASSAY_OP_DOT:
      return LayerOfDot(call, layer);
    default:
      return LayerOfLinear(call, layer);
  }
}

std::string_view Refuse(const AssayCall& call) {
  Layer layer;
  return LayerOf(call, layer);
}

xnn_status RunLayer(const Layer& layer, float lowest) {
  Operator op;
  xnn_status status = xnn_create_fully_connected_nc_f32(
      static_cast<size_t>(layer.inputs), static_cast<size_t>(layer.outputs),
      static_cast<size_t>(layer.input_stride), static_cast<size_t>(layer.output_stride),
      Element0<const float>(*layer.weights),
      layer.bias == nullptr ? nullptr : Element0<const float>(*layer.bias), lowest, kHighest,
      layer.transposed ? XNN_FLAG_TRANSPOSE_WEIGHTS : 0, op.out());
  if (status != xnn_status_success) return status;
  status = xnn_setup_fully_connected_nc_f32(op.get(), static_cast<size_t>(layer.batch),
                                            Element0<const float>(*layer.input),
                                            Element0<float>(*layer.output), nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

// In place: the sum of two dense operands reads each element before it writes it.
xnn_status AddTo(const AssayTensor& out, const AssayTensor& residual) {
  Operator op;
  xnn_status status = xnn_create_add_nd_f32(kLowest, kHighest, /*flags=*/0, op.out());
  if (status != xnn_status_success) return status;
  const auto size = static_cast<size_t>(out.shape[0] * out.shape[1]);
  status = xnn_setup_add_nd_f32(op.get(), 1, &size, 1, &size, Element0<const float>(out),
                                Element0<const float>(residual), Element0<float>(out), nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

xnn_status Run(const AssayCall& call) {
  Layer layer;
  LayerOf(call, layer);
  const bool linear = call.op == ASSAY_OP_FUSED_LINEAR;
  const bool relu = linear && call.attributes[0] == kReluActivation;
  const xnn_status status = RunLayer(layer, relu ? 0 : kLowest);
  if (status != xnn_status_success || !linear) return status;
  return AddTo(call.operands[4], call.operands[3]);
}

constexpr Operation kProduct = {Refuse, Run};

}  // namespace

const Operation* FindProduct(uint32_t op) {
  switch (op) {
    case ASSAY_OP_GEMM:
    case ASSAY_OP_GEMV:
    case ASSAY_OP_DOT:
    case ASSAY_OP_FUSED_LINEAR:
      return &kProduct;
    default:
      return nullptr;
  }
}

}  // namespace assay::xnnpack
