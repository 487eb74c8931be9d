// SPDX-License-Identifier: Apache-2.0
//
// Products and what is built from them, windows, and what is chosen by index. What the library has
// no single call for (attention with a mask, a linear layer with its activation) is composed as its
// users compose it.
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/addmv.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tanh.h>

#include <limits>

#include "engine/backends/libtorch/tensors.h"

namespace assay::libtorch {
namespace {

using at::Tensor;

// A stored matrix, or stack of matrices, as the product reads it.
Tensor Factor(const AssayCall& call, int i, int attribute) {
  const Tensor stored = Operand(call, i);
  return call.attributes[attribute] != 0 ? stored.transpose(-2, -1) : stored;
}

Tensor Activated(const Tensor& x, int activation) {
  switch (activation) {
    case 1:
      return at::relu(x);
    case 2:
      return at::gelu(x, "none");
    case 3:
      return at::gelu(x, "tanh");
    case 4:
      return at::silu(x);
    case 5:
      return at::sigmoid(x);
    case 6:
      return at::tanh(x);
    default:
      return x;
  }
}

void RunFusedLinear(const AssayCall& call) {
  const Tensor product = at::linear(Operand(call, 0), Operand(call, 1).t(), Operand(call, 2));
  Tensor out = Destination(call);
  at::add_out(out, Activated(product, static_cast<int>(call.attributes[0])), Operand(call, 3));
}

// Key j counts for query i iff j <= i + keys - queries.
Tensor CausalMask(int64_t queries, int64_t keys) {
  return at::ones({queries, keys}, at::kBool).tril(keys - queries);
}

void RunAttention(const AssayCall& call) {
  const Tensor q = Operand(call, 0), k = Operand(call, 1);
  Tensor scores = at::bmm(q, k.transpose(1, 2)).mul_(call.attributes[0]).add_(Operand(call, 3));
  if (call.attributes[1] != 0) {
    scores.masked_fill_(CausalMask(q.size(1), k.size(1)).logical_not(),
                        -std::numeric_limits<double>::infinity());
  }
  Destination(call).copy_(at::bmm(scores.softmax(-1), Operand(call, 2)));
}

bool RunLinear(const AssayCall& call) {
  const double* attributes = call.attributes;
  Tensor out = Destination(call);
  switch (call.op) {
    case ASSAY_OP_GEMM:
      out.addmm_(Factor(call, 0, 2), Factor(call, 1, 3), attributes[1], attributes[0]);
      return true;
    case ASSAY_OP_BATCHED_GEMM:
      out.baddbmm_(Factor(call, 0, 2), Factor(call, 1, 3), attributes[1], attributes[0]);
      return true;
    case ASSAY_OP_GEMV:
      out.addmv_(Factor(call, 0, 2), Operand(call, 1), attributes[1], attributes[0]);
      return true;
    case ASSAY_OP_DOT:
      at::dot_out(out, Operand(call, 0), Operand(call, 1));
      return true;
    case ASSAY_OP_SCAL:
      out.mul_(attributes[0]);
      return true;
    case ASSAY_OP_AXPY:
      out.add_(Operand(call, 0), attributes[0]);
      return true;
    case ASSAY_OP_FUSED_LINEAR:
      RunFusedLinear(call);
      return true;
    case ASSAY_OP_ATTENTION:
      RunAttention(call);
      return true;
    default:
      return false;
  }
}

bool RunWindow(const AssayCall& call) {
  const Tensor x = Operand(call, 0);
  Tensor out = Destination(call);
  const auto both = [&](int attribute) {
    return std::vector<int64_t>(2, static_cast<int64_t>(call.attributes[attribute]));
  };
  switch (call.op) {
    case ASSAY_OP_CONV2D:
      out.copy_(at::conv2d(x, Operand(call, 1), /*bias=*/{}, both(0), both(1), both(2)));
      return true;
    case ASSAY_OP_MAX_POOL:
      out.copy_(at::max_pool2d(x, both(0), both(1), both(2)));
      return true;
    case ASSAY_OP_AVG_POOL:
      at::avg_pool2d_out(out, x, both(0), both(1), both(2), /*ceil_mode=*/false,
                         /*count_include_pad=*/call.attributes[3] != 0);
      return true;
    default:
      return false;
  }
}

// One index per row, as the functions that take an index per element want it.
Tensor PerElement(const Tensor& indices, int64_t columns) {
  return indices.unsqueeze(1).expand({indices.size(0), columns});
}

}  // namespace

bool RunProduct(const AssayCall& call) { return RunLinear(call) || RunWindow(call); }

bool RunIndexed(const AssayCall& call) {
  Tensor out = Destination(call);
  switch (call.op) {
    case ASSAY_OP_GATHER:
      at::gather_out(out, Operand(call, 0), 0, PerElement(Operand(call, 1), out.size(1)));
      return true;
    case ASSAY_OP_EMBEDDING:
      out.copy_(at::embedding(Operand(call, 0), Operand(call, 1)));
      return true;
    case ASSAY_OP_INDEX_SELECT:
      at::index_select_out(out, Operand(call, 0), static_cast<int64_t>(call.attributes[0]),
                           Operand(call, 1));
      return true;
    case ASSAY_OP_SCATTER_ADD:
      out.scatter_add_(0, PerElement(Operand(call, 1), out.size(1)), Operand(call, 0));
      return true;
    default:
      return false;
  }
}

}  // namespace assay::libtorch
