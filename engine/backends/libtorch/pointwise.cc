// SPDX-License-Identifier: Apache-2.0
//
// Functions of one or two elements and conversions.
#include <ATen/ops/_make_per_tensor_quantized_tensor.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/acos.h>
#include <ATen/ops/acosh.h>
#include <ATen/ops/add.h>
#include <ATen/ops/asin.h>
#include <ATen/ops/asinh.h>
#include <ATen/ops/atan.h>
#include <ATen/ops/atanh.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/cosh.h>
#include <ATen/ops/dequantize.h>
#include <ATen/ops/div.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/erfc.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/fmod.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hypot.h>
#include <ATen/ops/int_repr.h>
#include <ATen/ops/lgamma.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log10.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/log2.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/mish.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/quantize_per_tensor.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/remainder.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sinh.h>
#include <ATen/ops/special_bessel_j0.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/tan.h>
#include <ATen/ops/tanh.h>

#include "engine/backends/libtorch/tensors.h"

namespace assay::libtorch {
namespace {

using at::Tensor;

struct Unary {
  uint32_t op;
  Tensor& (*run)(Tensor& out, const Tensor& x);
};
constexpr Unary kUnary[] = {
    {ASSAY_OP_EXP, at::exp_out},         {ASSAY_OP_LOG, at::log_out},
    {ASSAY_OP_TANH, at::tanh_out},       {ASSAY_OP_SQRT, at::sqrt_out},
    {ASSAY_OP_ERF, at::erf_out},         {ASSAY_OP_EXPM1, at::expm1_out},
    {ASSAY_OP_LOG1P, at::log1p_out},     {ASSAY_OP_RSQRT, at::rsqrt_out},
    {ASSAY_OP_SIGMOID, at::sigmoid_out}, {ASSAY_OP_SILU, at::silu_out},
    {ASSAY_OP_MISH, at::mish_out},       {ASSAY_OP_RELU, at::relu_out},
    {ASSAY_OP_SIN, at::sin_out},         {ASSAY_OP_COS, at::cos_out},
    {ASSAY_OP_TAN, at::tan_out},         {ASSAY_OP_ASIN, at::asin_out},
    {ASSAY_OP_ACOS, at::acos_out},       {ASSAY_OP_ATAN, at::atan_out},
    {ASSAY_OP_SINH, at::sinh_out},       {ASSAY_OP_COSH, at::cosh_out},
    {ASSAY_OP_ASINH, at::asinh_out},     {ASSAY_OP_ACOSH, at::acosh_out},
    {ASSAY_OP_ATANH, at::atanh_out},     {ASSAY_OP_EXP2, at::exp2_out},
    {ASSAY_OP_LOG2, at::log2_out},       {ASSAY_OP_LOG10, at::log10_out},
    {ASSAY_OP_ERFC, at::erfc_out},       {ASSAY_OP_LGAMMA, at::lgamma_out},
    {ASSAY_OP_ABS, at::abs_out},         {ASSAY_OP_J0, at::special_bessel_j0_out},
};

struct Binary {
  uint32_t op;
  Tensor& (*run)(Tensor& out, const Tensor& x, const Tensor& y);
};
constexpr Binary kBinary[] = {
    {ASSAY_OP_MUL, at::mul_out},         {ASSAY_OP_DIV, at::div_out},
    {ASSAY_OP_MINIMUM, at::minimum_out}, {ASSAY_OP_MAXIMUM, at::maximum_out},
    {ASSAY_OP_POW, at::pow_out},         {ASSAY_OP_HYPOT, at::hypot_out},
};

void RunQuantize(const AssayCall& call) {
  const bool is_signed = call.operands[1].dtype.code == 0;
  const Tensor quantized = at::quantize_per_tensor(Operand(call, 0), call.attributes[0],
                                                   static_cast<int64_t>(call.attributes[1]),
                                                   is_signed ? at::kQInt8 : at::kQUInt8);
  Destination(call).copy_(quantized.int_repr());
}

void RunDequantize(const AssayCall& call) {
  const Tensor quantized = at::_make_per_tensor_quantized_tensor(
      Operand(call, 0), call.attributes[0], static_cast<int64_t>(call.attributes[1]));
  Destination(call).copy_(quantized.dequantize());
}

bool RunOther(const AssayCall& call) {
  Tensor out = Destination(call);
  const Tensor x = Operand(call, 0);
  switch (call.op) {
    case ASSAY_OP_GELU:
      at::gelu_out(out, x, call.attributes[0] == 0 ? "none" : "tanh");
      return true;
    case ASSAY_OP_CLAMP:
      at::clamp_out(out, x, at::Scalar(call.attributes[0]), at::Scalar(call.attributes[1]));
      return true;
    case ASSAY_OP_ADD:
      at::add_out(out, x, Operand(call, 1));
      return true;
    case ASSAY_OP_REMAINDER:
      if (call.attributes[0] == 0) {
        at::fmod_out(out, x, Operand(call, 1));
      } else {
        at::remainder_out(out, x, Operand(call, 1));
      }
      return true;
    case ASSAY_OP_CAST:
      out.copy_(x);
      return true;
    case ASSAY_OP_QUANTIZE:
      RunQuantize(call);
      return true;
    case ASSAY_OP_DEQUANTIZE:
      RunDequantize(call);
      return true;
    default:
      return false;
  }
}

}  // namespace

bool RunPointwise(const AssayCall& call) {
  Tensor out = Destination(call);
  for (const Unary& unary : kUnary) {
    if (unary.op != call.op) continue;
    unary.run(out, Operand(call, 0));
    return true;
  }
  for (const Binary& binary : kBinary) {
    if (binary.op != call.op) continue;
    binary.run(out, Operand(call, 0), Operand(call, 1));
    return true;
  }
  return RunOther(call);
}

}  // namespace assay::libtorch
