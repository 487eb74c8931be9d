// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices and vectors: matmul and inner product.
#include <string_view>

#include "engine/backends/call_view.h"
#include "engine/backends/onednn/make.h"

namespace assay::onednn {
namespace {

// With AVX-512, version 2.6.3 divides by zero while it creates such a primitive: SIGFPE, before any
// call that could be guarded.
constexpr std::string_view kEmptyFactor =
    "creating a matmul of an empty matrix ends the process in oneDNN 2.6";

// The three matrices of a product, all of the same rank.
struct Product {
  dnnl_memory_desc_t a, b, c;
};

// The last two axes of a matrix in turn, behind a batch if there is one.
bool DescribeMatrix(const AssayTensor& tensor, bool transposed, Primitive& primitive,
                    dnnl_memory_desc_t& memory) {
  const int rank = tensor.ndim;
  Axis axes[3];
  for (int i = 0; i < rank; ++i) axes[i] = AxisOf(tensor, i);
  if (transposed) std::swap(axes[rank - 1], axes[rank - 2]);
  return primitive.Describe(tensor, std::span<const Axis>(axes, static_cast<size_t>(rank)), memory);
}

bool DescribeProduct(const AssayCall& call, Primitive& primitive, Product& product) {
  const AssayTensor& a = call.operands[0];
  const AssayTensor& b = call.operands[1];
  const AssayTensor& c = call.operands[2];
  switch (call.op) {
    case ASSAY_OP_DOT:
      return primitive.Describe(a, {Axis{}, AxisOf(a, 0)}, product.a) &&
             primitive.Describe(b, {AxisOf(b, 0), Axis{}}, product.b) &&
             primitive.Describe(c, {Axis{}, Axis{}}, product.c);
    case ASSAY_OP_GEMV:
      return DescribeMatrix(a, call.attributes[2] != 0, primitive, product.a) &&
             primitive.Describe(b, {AxisOf(b, 0), Axis{}}, product.b) &&
             primitive.Describe(c, {AxisOf(c, 0), Axis{}}, product.c);
    default: {
      const bool flags = call.op == ASSAY_OP_GEMM || call.op == ASSAY_OP_BATCHED_GEMM;
      return DescribeMatrix(a, flags && call.attributes[2] != 0, primitive, product.a) &&
             DescribeMatrix(b, flags && call.attributes[3] != 0, primitive, product.b) &&
             primitive.Describe(c, product.c);
    }
  }
}

bool HasEmptyFactor(const AssayCall& call) {
  return IsEmpty(call.operands[0]) || IsEmpty(call.operands[1]);
}

// alpha is the scale of the product, beta that of a sum with what c holds. A matmul has no sum when
// beta is 0, and then does not read c.
void AddMatmul(const Product& product, float alpha, float beta, Primitive& primitive) {
  dnnl_matmul_desc_t op;
  if (!primitive.Succeeded(primitive.functions().matmul_desc_init(
          &op, &product.a, &product.b, /*bias_desc=*/nullptr, &product.c))) {
    return;
  }
  Attributes attributes(primitive.functions());
  attributes.Scale(alpha);
  if (beta != 0) attributes.ThenSum(beta);
  primitive.Add(&op, attributes.Get(),
                {{DNNL_ARG_SRC, primitive.Bind(product.a, 0)},
                 {DNNL_ARG_WEIGHTS, primitive.Bind(product.b, 1)},
                 {DNNL_ARG_DST, primitive.Bind(product.c, 2)}});
}

// The weights of an inner product are [outputs, inputs]: b, transposed.
dnnl_memory_desc_t Transposed(const dnnl_memory_desc_t& memory) {
  dnnl_memory_desc_t turned = memory;
  std::swap(turned.dims[0], turned.dims[1]);
  std::swap(turned.padded_dims[0], turned.padded_dims[1]);
  std::swap(turned.format_desc.blocking.strides[0], turned.format_desc.blocking.strides[1]);
  return turned;
}

void AddInnerProduct(const Product& product, Primitive& primitive) {
  const dnnl_memory_desc_t weights = Transposed(product.b);
  dnnl_inner_product_desc_t op;
  if (!primitive.Succeeded(primitive.functions().inner_product_forward_desc_init(
          &op, dnnl_forward_inference, &product.a, &weights, /*bias_desc=*/nullptr, &product.c))) {
    return;
  }
  primitive.Add(&op, nullptr,
                {{DNNL_ARG_SRC, primitive.Bind(product.a, 0)},
                 {DNNL_ARG_WEIGHTS, primitive.Bind(weights, 1)},
                 {DNNL_ARG_DST, primitive.Bind(product.c, 2)}});
}

}  // namespace

void MakeProduct(const AssayCall& call, Primitive& primitive) {
  const bool scalars = call.op != ASSAY_OP_DOT;
  const auto alpha = static_cast<float>(scalars ? call.attributes[0] : 1);
  const auto beta = static_cast<float>(scalars ? call.attributes[1] : 0);
  if (alpha == 0) return primitive.Refuse("a matmul scaled by 0 still reads a and b");
  if (HasEmptyFactor(call)) return primitive.Refuse(kEmptyFactor);
  Product product;
  if (!DescribeProduct(call, primitive, product)) return;
  // An inner product has neither scalars nor batches. dot is one first of all, the rest are
  // products of matrices.
  const bool plain = alpha == 1 && beta == 0 && call.op != ASSAY_OP_BATCHED_GEMM;
  if (plain && OtherSchedule(call) != (call.op == ASSAY_OP_DOT)) {
    return AddInnerProduct(product, primitive);
  }
  AddMatmul(product, alpha, beta, primitive);
}

void MakeInt8Product(const AssayCall& call, Primitive& primitive) {
  if (HasEmptyFactor(call)) return primitive.Refuse(kEmptyFactor);
  Product product;
  if (!DescribeProduct(call, primitive, product)) return;
  if (OtherSchedule(call)) return AddInnerProduct(product, primitive);
  AddMatmul(product, 1, 0, primitive);
}

// The activation and the sum with the residual are operations behind the product.
void MakeLinear(const AssayCall& call, Primitive& primitive) {
  if (HasEmptyFactor(call)) return primitive.Refuse(kEmptyFactor);
  Product product;
  dnnl_memory_desc_t out, bias, residual;
  const AssayTensor& b = call.operands[2];
  const bool inner = OtherSchedule(call);
  if (!DescribeMatrix(call.operands[0], false, primitive, product.a) ||
      !DescribeMatrix(call.operands[1], inner, primitive, product.b) ||
      !primitive.Describe(call.operands[4], out) ||
      !primitive.Describe(call.operands[3], residual) ||
      !(inner ? primitive.Describe(b, {AxisOf(b, 0)}, bias)
              : primitive.Describe(b, {Axis{}, AxisOf(b, 0)}, bias))) {
    return;
  }
  const Functions& f = primitive.functions();
  Attributes attributes(f);
  const Eltwise activation = ActivationOf(static_cast<int>(call.attributes[0]));
  if (activation.algorithm != dnnl_alg_kind_undef) {
    attributes.ThenEltwise(activation.algorithm, activation.alpha, activation.beta);
  }
  const int sum = attributes.ThenBinary(dnnl_binary_add, residual);
  dnnl_matmul_desc_t matmul;
  dnnl_inner_product_desc_t inner_product;
  const_dnnl_op_desc_t op = inner ? static_cast<const_dnnl_op_desc_t>(&inner_product) : &matmul;
  if (!primitive.Succeeded(
          inner ? f.inner_product_forward_desc_init(&inner_product, dnnl_forward_inference,
                                                    &product.a, &product.b, &bias, &out)
                : f.matmul_desc_init(&matmul, &product.a, &product.b, &bias, &out))) {
    return;
  }
  primitive.Add(
      op, attributes.Get(),
      {{DNNL_ARG_SRC, primitive.Bind(product.a, 0)},
       {DNNL_ARG_WEIGHTS, primitive.Bind(product.b, 1)},
       {DNNL_ARG_BIAS, primitive.Bind(bias, 2)},
       {DNNL_ARG_ATTR_MULTIPLE_POST_OP(sum) | DNNL_ARG_SRC_1, primitive.Bind(residual, 3)},
       {DNNL_ARG_DST, primitive.Bind(out, 4)}});
}

}  // namespace assay::onednn
