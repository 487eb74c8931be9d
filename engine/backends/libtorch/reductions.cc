// SPDX-License-Identifier: Apache-2.0
//
// What goes along an axis: sums, norms, extrema, scans, the softmax family, norms of rows.
#include <ATen/ops/abs.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/var.h>

#include "engine/backends/libtorch/tensors.h"

namespace assay::libtorch {
namespace {

using at::Tensor;

// All of a vector. The type of the result is that of the destination.
bool RunVector(const AssayCall& call) {
  constexpr int64_t kAxis[] = {0};
  const Tensor x = Operand(call, 0);
  Tensor out = Destination(call);
  switch (call.op) {
    case ASSAY_OP_SUM:
      at::sum_out(out, x, kAxis, /*keepdim=*/false, out.scalar_type());
      return true;
    case ASSAY_OP_MEAN:
      at::mean_out(out, x, at::IntArrayRef(kAxis), /*keepdim=*/false, out.scalar_type());
      return true;
    case ASSAY_OP_ASUM:
    case ASSAY_OP_NRM2:
      at::linalg_vector_norm_out(out, x, call.op == ASSAY_OP_ASUM ? 1 : 2, at::IntArrayRef(kAxis),
                                 /*keepdim=*/false, out.scalar_type());
      return true;
    case ASSAY_OP_PROD:
      at::prod_out(out, x, /*dim=*/0, /*keepdim=*/false, out.scalar_type());
      return true;
    case ASSAY_OP_VARIANCE:
      at::var_out(out, x, at::IntArrayRef(kAxis), static_cast<int64_t>(call.attributes[0]));
      return true;
    case ASSAY_OP_MAX:
      at::amax_out(out, x, kAxis);
      return true;
    case ASSAY_OP_MIN:
      at::amin_out(out, x, kAxis);
      return true;
    case ASSAY_OP_ARGMAX:
      at::argmax_out(out, x, /*dim=*/0);
      return true;
    case ASSAY_OP_AMAX:
      at::argmax_out(out, x.abs(), /*dim=*/0);
      return true;
    case ASSAY_OP_CUMSUM:
      at::cumsum_out(out, x, /*dim=*/0);
      return true;
    default:
      return false;
  }
}

bool RunRows(const AssayCall& call) {
  const Tensor x = Operand(call, 0);
  Tensor out = Destination(call);
  switch (call.op) {
    case ASSAY_OP_SOFTMAX:
      at::softmax_out(out, x, /*dim=*/1);
      return true;
    case ASSAY_OP_LOG_SOFTMAX:
      at::log_softmax_out(out, x, /*dim=*/1);
      return true;
    case ASSAY_OP_LOG_SUM_EXP:
      at::logsumexp_out(out, x, 1);
      return true;
    case ASSAY_OP_LAYER_NORM:
      out.copy_(at::layer_norm(x, x.sizes().slice(1), Operand(call, 1), Operand(call, 2),
                               call.attributes[0], /*cudnn_enable=*/false));
      return true;
    case ASSAY_OP_BATCH_NORM:
      out.copy_(at::batch_norm(x, Operand(call, 3), Operand(call, 4), Operand(call, 1),
                               Operand(call, 2), /*training=*/false, /*momentum=*/0,
                               call.attributes[0], /*cudnn_enabled=*/false));
      return true;
    default:
      return false;
  }
}

}  // namespace

bool RunReduction(const AssayCall& call) { return RunVector(call) || RunRows(call); }

}  // namespace assay::libtorch
