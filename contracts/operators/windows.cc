// SPDX-License-Identifier: Apache-2.0
#include "contracts/operators/groups.h"

namespace assay::operators {
namespace {

constexpr AttributeDef kConvAttributes[] = {
    {"stride", {}, 1, 1, 4}, {"padding", {}, 0, 0, 4}, {"dilation", {}, 1, 1, 3}};
constexpr std::string_view kCounts[] = {"valid", "all"};
constexpr AttributeDef kMaxPoolAttributes[] = {
    {"window", {}, 2, 1, 8}, {"stride", {}, 2, 1, 8}, {"padding", {}, 0, 0, 4}};
constexpr AttributeDef kAvgPoolAttributes[] = {
    {"window", {}, 2, 1, 8}, {"stride", {}, 2, 1, 8}, {"padding", {}, 0, 0, 4}, {"count", kCounts}};

// batch channels height width filters kernel_h kernel_w, then the extents of out. x is NCHW.
constexpr OperandDef kConv[] = {In("x", {0, 1, 2, 3}), In("w", {4, 1, 5, 6}),
                                Out("out", {0, 4, 7, 8})};
constexpr std::string_view kConvDims[] = {"batch",   "channels", "height",  "width",
                                          "filters", "kernel_h", "kernel_w"};
constexpr OperandDef kPool[] = {In("x", {0, 1, 2, 3}), Out("out", {0, 1, 4, 5})};
constexpr std::string_view kPoolDims[] = {"batch", "channels", "height", "width"};

// Places a window of `reach` elements takes; -1 where it does not fit at all.
int64_t Places(int64_t extent, int64_t padding, int64_t reach, int64_t stride) {
  const int64_t room = extent + 2 * padding - reach;
  return room < 0 ? (extent == 0 ? 0 : -1) : room / stride + 1;
}

void DeriveConv(const Case& value, NamedDims& all) {
  const int64_t stride = IntegerAttribute(value, kConvStride);
  const int64_t padding = IntegerAttribute(value, kConvPadding);
  const int64_t dilation = IntegerAttribute(value, kConvDilation);
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t kernel = all[5 + axis];
    const int64_t reach = kernel == 0 ? 0 : dilation * (kernel - 1) + 1;
    all.push_back(kernel == 0 ? -1 : Places(all[2 + axis], padding, reach, stride));
  }
}

// Half a window of padding at most, so that no window lies in padding alone.
void DerivePool(const Case& value, NamedDims& all) {
  const int64_t window = IntegerAttribute(value, kPoolWindow);
  const int64_t padding = IntegerAttribute(value, kPoolPadding);
  const int64_t stride = IntegerAttribute(value, kPoolStride);
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t extent = all[2 + axis];
    const int64_t places = extent == 0 ? 0 : Places(extent, padding, window, stride);
    all.push_back(2 * padding > window ? -1 : places);
  }
}

constexpr OperatorDef kRows[] = {
    {OpId::kConv2d, "conv2d", Family::kConv, kConvAttributes, kConv, kConvDims, 1, kFloatTypes,
     SameOrAccumulator, DeriveConv},
    {OpId::kMaxPool, "max_pool", Family::kPool, kMaxPoolAttributes, kPool, kPoolDims, -1,
     kFloatTypes, nullptr, DerivePool},
    {OpId::kAvgPool, "avg_pool", Family::kPool, kAvgPoolAttributes, kPool, kPoolDims, -1,
     kFloatTypes, nullptr, DerivePool},
};

}  // namespace

std::span<const OperatorDef> Windows() { return kRows; }

}  // namespace assay::operators
