// SPDX-License-Identifier: Apache-2.0
//
// Convolution and pooling over images whose channels follow each other: operands that lie as NHWC,
// whatever order their dimensions are named in.
#include <optional>

#include "engine/backends/call_view.h"
#include "engine/backends/xnnpack/operation.h"

namespace assay::xnnpack {
namespace {

constexpr std::string_view kFloat32Only = "XNNPACK computes this in f32 only";
constexpr std::string_view kLayout = "XNNPACK's images lie as NHWC";
constexpr std::string_view kEmpty = "XNNPACK has no images without pixels or channels";

std::string_view RefuseTypes(const AssayCall& call) {
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    if (!IsFloat(tensor, 32)) return kFloat32Only;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      if (tensor.shape[axis] == 0) return kEmpty;
    }
  }
  return {};
}

// Elements from pixel to pixel of [batch, channels, height, width], if the channels of a pixel
// follow each other and the pixels of an image do.
std::optional<int64_t> PixelStride(const AssayTensor& image) {
  const int64_t* shape = image.shape;
  const int64_t* strides = image.strides;
  if (shape[1] > 1 && strides[1] != 1) return std::nullopt;
  int64_t pixel = shape[1];
  if (shape[3] > 1) {
    pixel = strides[3];
  } else if (shape[2] > 1) {
    pixel = strides[2];
  } else if (shape[0] > 1) {
    pixel = strides[0];
  }
  const bool rows = shape[2] == 1 || strides[2] == shape[3] * pixel;
  const bool images = shape[0] == 1 || strides[0] == shape[2] * shape[3] * pixel;
  if (!rows || !images || pixel < shape[1]) return std::nullopt;
  return pixel;
}

std::string_view RefuseConvolution(const AssayCall& call) {
  if (const std::string_view types = RefuseTypes(call); !types.empty()) return types;
  const AssayTensor& weights = call.operands[1];
  if (PixelStride(weights) != weights.shape[1]) return "XNNPACK's weights lie as OHWI, dense";
  return PixelStride(call.operands[0]) && PixelStride(call.operands[2]) ? "" : kLayout;
}

xnn_status RunConvolution(const AssayCall& call) {
  const AssayTensor& x = call.operands[0];
  const AssayTensor& w = call.operands[1];
  const AssayTensor& out = call.operands[2];
  const auto stride = static_cast<uint32_t>(call.attributes[0]);
  const auto padding = static_cast<uint32_t>(call.attributes[1]);
  const auto dilation = static_cast<uint32_t>(call.attributes[2]);
  Operator op;
  xnn_status status = xnn_create_convolution2d_nhwc_f32(
      padding, padding, padding, padding, static_cast<uint32_t>(w.shape[2]),
      static_cast<uint32_t>(w.shape[3]), stride, stride, dilation, dilation, /*groups=*/1,
      static_cast<size_t>(w.shape[1]), static_cast<size_t>(w.shape[0]),
      static_cast<size_t>(*PixelStride(x)), static_cast<size_t>(*PixelStride(out)),
      Element0<const float>(w), /*bias=*/nullptr, kLowest, kHighest, /*flags=*/0, op.out());
  if (status != xnn_status_success) return status;
  status = xnn_setup_convolution2d_nhwc_f32(
      op.get(), static_cast<size_t>(x.shape[0]), static_cast<size_t>(x.shape[2]),
      static_cast<size_t>(x.shape[3]), Element0<const float>(x), Element0<float>(out), nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

std::string_view RefusePooling(const AssayCall& call) {
  if (const std::string_view types = RefuseTypes(call); !types.empty()) return types;
  if (call.attributes[0] == 1) return "XNNPACK has no pooling of single pixels";
  const bool counts_padding = call.op == ASSAY_OP_AVG_POOL && call.attributes[3] != 0;
  if (counts_padding && call.attributes[2] != 0) return "XNNPACK averages over valid places only";
  return PixelStride(call.operands[0]) && PixelStride(call.operands[1]) ? "" : kLayout;
}

xnn_status RunPooling(const AssayCall& call) {
  const AssayTensor& x = call.operands[0];
  const AssayTensor& out = call.operands[1];
  const auto window = static_cast<uint32_t>(call.attributes[0]);
  const auto stride = static_cast<uint32_t>(call.attributes[1]);
  const auto padding = static_cast<uint32_t>(call.attributes[2]);
  const auto channels = static_cast<size_t>(x.shape[1]);
  const auto from = static_cast<size_t>(*PixelStride(x));
  const auto to = static_cast<size_t>(*PixelStride(out));
  const bool max = call.op == ASSAY_OP_MAX_POOL;
  Operator op;
  xnn_status status =
      max ? xnn_create_max_pooling2d_nhwc_f32(padding, padding, padding, padding, window, window,
                                              stride, stride, /*dilation_height=*/1,
                                              /*dilation_width=*/1, channels, from, to, kLowest,
                                              kHighest, /*flags=*/0, op.out())
          : xnn_create_average_pooling2d_nhwc_f32(padding, padding, padding, padding, window,
                                                  window, stride, stride, channels, from, to,
                                                  kLowest, kHighest, /*flags=*/0, op.out());
  if (status != xnn_status_success) return status;
  const auto setup = max ? xnn_setup_max_pooling2d_nhwc_f32 : xnn_setup_average_pooling2d_nhwc_f32;
  status = setup(op.get(), static_cast<size_t>(x.shape[0]), static_cast<size_t>(x.shape[2]),
                 static_cast<size_t>(x.shape[3]), Element0<const float>(x), Element0<float>(out),
                 nullptr);
  return status == xnn_status_success ? op.Run() : status;
}

constexpr Operation kConvolution = {RefuseConvolution, RunConvolution};
constexpr Operation kPooling = {RefusePooling, RunPooling};

}  // namespace

const Operation* FindWindow(uint32_t op) {
  switch (op) {
    case ASSAY_OP_CONV2D:
      return &kConvolution;
    case ASSAY_OP_MAX_POOL:
      return &kPooling;
    case ASSAY_OP_AVG_POOL:
      return &kPooling;
    default:
      return nullptr;
  }
}

}  // namespace assay::xnnpack
