// SPDX-License-Identifier: Apache-2.0
//
// Which oracle measures which operator.
#include "oracles/measure.h"

#include "oracles/attention.h"
#include "oracles/binary.h"
#include "oracles/cast.h"
#include "oracles/gather.h"
#include "oracles/linear.h"
#include "oracles/log_softmax.h"
#include "oracles/norms.h"
#include "oracles/product.h"
#include "oracles/quantize.h"
#include "oracles/select.h"
#include "oracles/softmax.h"
#include "oracles/subnormals.h"
#include "oracles/unary.h"

namespace assay {

struct Oracle::Impl {
  LinearOracle linear;
  SoftmaxOracle softmax;
  LogSoftmaxOracle log_softmax;
  NormsOracle norms;
  AttentionOracle attention;
  ProductOracle product;
  UnaryOracle unary;
  BinaryOracle binary;
  BallEvaluator balls;

  void Measure(const Values& values, Evidence& evidence);
  void MeasureHighest(const Values& values, int precision_bits, Evidence& evidence);
};

Oracle::Oracle() : impl_(std::make_unique<Impl>()) {}
Oracle::~Oracle() = default;

void Oracle::Measure(const Values& values, Evidence& evidence) {
  impl_->Measure(values, evidence);
  CountSubnormals(values, evidence);
}

void Oracle::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  impl_->MeasureHighest(values, precision_bits, evidence);
  CountSubnormals(values, evidence);
}

void Oracle::Impl::Measure(const Values& values, Evidence& evidence) {
  switch (values.source->op) {
    case OpId::kGemm:
    case OpId::kGemv:
    case OpId::kBatchedGemm:
    case OpId::kDot:
    case OpId::kSum:
    case OpId::kMean:
    case OpId::kAsum:
    case OpId::kScal:
    case OpId::kAxpy:
    case OpId::kConv2d:
    case OpId::kAvgPool:
    case OpId::kScatterAdd:
    case OpId::kScaledGradient:
    case OpId::kFusedLinear:
    case OpId::kCumsum:
    case OpId::kAllReduce:
    case OpId::kReduceScatter:
    case OpId::kAllGather:
    case OpId::kInt8Gemm:
      return linear.Measure(values, evidence);
    case OpId::kSoftmax:
      return softmax.Measure(values, balls, evidence);
    case OpId::kAttention:
      return attention.Measure(values, evidence);
    case OpId::kProd:
      return product.Measure(values, evidence);
    case OpId::kLogSoftmax:
    case OpId::kLogSumExp:
      return log_softmax.Measure(values, evidence);
    case OpId::kNrm2:
    case OpId::kVariance:
    case OpId::kLayerNorm:
    case OpId::kRmsNorm:
    case OpId::kBatchNorm:
      return norms.Measure(values, evidence);
    case OpId::kGather:
      return MeasureGather(values, evidence);
    case OpId::kCast:
      return MeasureCast(values, evidence);
    case OpId::kQuantize:
    case OpId::kDequantize:
      return MeasureQuantize(values, balls, evidence);
    case OpId::kMax:
    case OpId::kMin:
    case OpId::kArgmax:
    case OpId::kAmax:
      return MeasureSelect(values, evidence);
    case OpId::kMaxPool:
      return MeasureMaxPool(values, evidence);
    case OpId::kAdd:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kMinimum:
    case OpId::kMaximum:
    case OpId::kPow:
    case OpId::kRemainder:
    case OpId::kHypot:
      return binary.Measure(values, balls, evidence);
    default:
      return unary.Measure(values, balls, evidence);
  }
}

void Oracle::Impl::MeasureHighest(const Values& values, int precision_bits, Evidence& evidence) {
  switch (values.source->op) {
    case OpId::kGemm:
    case OpId::kGemv:
    case OpId::kBatchedGemm:
    case OpId::kDot:
    case OpId::kSum:
    case OpId::kMean:
    case OpId::kAsum:
    case OpId::kScal:
    case OpId::kAxpy:
    case OpId::kConv2d:
    case OpId::kAvgPool:
    case OpId::kScatterAdd:
    case OpId::kScaledGradient:
    case OpId::kFusedLinear:
    case OpId::kCumsum:
    case OpId::kAllReduce:
    case OpId::kReduceScatter:
    case OpId::kAllGather:
    case OpId::kInt8Gemm:
      return linear.MeasureHighest(values, precision_bits, evidence);
    case OpId::kSoftmax:
      return softmax.MeasureHighest(values, precision_bits, balls, evidence);
    case OpId::kAttention:
      return attention.MeasureHighest(values, precision_bits, evidence);
    case OpId::kProd:
      return product.MeasureHighest(values, precision_bits, evidence);
    case OpId::kLogSoftmax:
    case OpId::kLogSumExp:
      return log_softmax.MeasureHighest(values, precision_bits, evidence);
    case OpId::kNrm2:
    case OpId::kVariance:
    case OpId::kLayerNorm:
    case OpId::kRmsNorm:
    case OpId::kBatchNorm:
      return norms.MeasureHighest(values, precision_bits, evidence);
    case OpId::kGather:
      return MeasureGather(values, evidence);
    case OpId::kCast:
      return MeasureCast(values, evidence);
    case OpId::kQuantize:
    case OpId::kDequantize:
      return MeasureQuantize(values, balls, evidence);
    case OpId::kMax:
    case OpId::kMin:
    case OpId::kArgmax:
    case OpId::kAmax:
      return MeasureSelect(values, evidence);
    case OpId::kMaxPool:
      return MeasureMaxPool(values, evidence);
    case OpId::kAdd:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kMinimum:
    case OpId::kMaximum:
    case OpId::kPow:
    case OpId::kRemainder:
    case OpId::kHypot:
      return binary.MeasureHighest(values, precision_bits, balls, evidence);
    default:
      return unary.MeasureHighest(values, precision_bits, balls, evidence);
  }
}

}  // namespace assay
